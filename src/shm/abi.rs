//! The layout of a segment; `env_spec/shared_memory.md` describes it in words.
//!
//! ```text
//! 0      preamble        written once
//! 128    state           u32, a futex: 1 serving, 2 stopped
//! 192    doorbell        u32, a futex: clients add 1 after posting requests
//! 4096   mailboxes       one per block, and one for spectators
//!        column table    one record per column
//!        document        JSON: environment, options, configuration, spec
//!        columns, transfer areas
//! ```

use bytemuck::{Pod, Zeroable};

use super::error::fleet_error;
use crate::engine::columns::DType;
use crate::engine::{Error, RefusalKind};

pub(super) const MAGIC: [u8; 8] = *b"ludoshm\0";
pub(super) const VERSION: u32 = 1;

/// Offset of the state word: serving or stopped.
pub(super) const STATE: usize = 128;
/// Offset of the doorbell, the word that workers wait on.
pub(super) const DOORBELL: usize = 192;
/// Offset of the first mailbox.
pub(super) const MAILBOXES: usize = 4096;

pub(super) const SERVING: u32 = 1;
pub(super) const STOPPED: u32 = 2;

/// Alignment of everything in a segment: one cache line.
pub(super) const ALIGNMENT: usize = 64;

/// The first bytes of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Preamble {
    pub(super) magic: [u8; 8],
    pub(super) version: u32,
    /// Process id of the fleet.
    pub(super) pid: u32,
    pub(super) total_bytes: u64,
    pub(super) num_envs: u32,
    pub(super) num_blocks: u32,
    /// Number of games of every block except the last, which has the remainder.
    pub(super) block_games: u32,
    pub(super) num_columns: u32,
    pub(super) columns_offset: u64,
    pub(super) document_offset: u64,
    pub(super) document_bytes: u64,
    /// Offset of the first transfer area; there is one per mailbox, consecutively.
    pub(super) transfer_offset: u64,
    /// Size of a transfer area in bytes.
    pub(super) transfer_bytes: u64,
}

impl Preamble {
    /// First game and number of games of block `k`.
    pub(super) fn games(&self, k: usize) -> (usize, usize) {
        let first = k * self.block_games as usize;
        (first, (self.block_games as usize).min(self.num_envs as usize - first))
    }
    /// Offset of the mailbox of block `k`; the spectators' mailbox follows the last block's.
    pub(super) fn mailbox(&self, k: usize) -> usize {
        MAILBOXES + k * size_of::<Mailbox>()
    }
    /// Offset of the transfer area of block `k`; the spectators' area follows the last block's.
    pub(super) fn transfer(&self, k: usize) -> usize {
        self.transfer_offset as usize + k * self.transfer_bytes as usize
    }
}

/// A block's mailbox. The client writes the request, the fleet the reply.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Mailbox {
    pub(super) request: Request,
    request_padding: [u8; 32],
    pub(super) reply: Reply,
    reply_padding: [u8; 48],
    /// Process id of the client that last claimed the block; for messages only.
    pub(super) client_pid: u32,
    /// Number of the request that the client has stopped waiting for.
    pub(super) given_up: u32,
    client_padding: [u8; 120],
}

#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Request {
    /// A futex, written last: the last reply's number plus one posts the next command.
    pub(super) sequence: u32,
    pub(super) command: u32,
    /// Number of valid rows in the block's `ids`.
    pub(super) count: u32,
    /// [`HAS_SEED`], [`SAMPLED`] or both.
    pub(super) flags: u32,
    pub(super) seed: u64,
    /// Number of payload bytes in the transfer area.
    pub(super) payload_bytes: u64,
}

/// Flag: the `seed` field is valid.
pub(super) const HAS_SEED: u32 = 1;
/// Flag: the client has taken the shown samples, as if by a preceding [`Command::Sample`].
pub(super) const SAMPLED: u32 = 2;

#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Reply {
    /// A futex, written last: the number of the answered request.
    pub(super) sequence: u32,
    pub(super) status: u32,
    /// Number of payload bytes in the transfer area: a snapshot, or the text of an error.
    pub(super) payload_bytes: u64,
}

/// Offset of the reply in a mailbox.
pub(super) const REPLY: usize = 64;
/// Offset of the client's process id in a mailbox; also the position of the client's lock byte.
pub(super) const CLIENT_PID: usize = 128;
/// Offset in a mailbox of the number of the abandoned request.
pub(super) const GIVEN_UP: usize = 132;

/// The command of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Command {
    Step = 1,
    StepGames = 2,
    StepSampled = 3,
    Sample = 4,
    Reset = 5,
    ResetGames = 6,
    Save = 7,
    Restore = 8,
    Bots = 9,
    BotsGames = 10,
    /// For spectators only.
    Look = 11,
}

impl Command {
    pub(super) fn from_number(number: u32) -> Option<Self> {
        use Command::*;
        [Step, StepGames, StepSampled, Sample, Reset, ResetGames, Save, Restore, Bots, BotsGames, Look]
            .into_iter()
            .find(|c| *c as u32 == number)
    }
}

/// Status of a successful reply.
pub(super) const OK: u32 = 0;

/// Status and text of an error.
pub(super) fn status(error: &Error) -> (u32, String) {
    match error {
        Error::Refused(refusal) => match refusal.kind {
            RefusalKind::IllegalAction => (1, refusal.text()),
            RefusalKind::InvalidPhase => (2, refusal.text()),
            RefusalKind::GameOver => (3, refusal.text()),
        },
        Error::InvalidConfig(what) => (4, what.clone()),
        Error::InvalidState(what) => (5, what.clone()),
        Error::Unavailable { reason: what, .. } | Error::Interrupted(what) => (6, what.clone()),
        Error::OutOfMemory(what) => (7, what.clone()),
        Error::Rules(what) => (8, what.clone()),
        other => (6, other.to_string()),
    }
}

/// The error with this status and text.
pub(super) fn error(status: u32, what: String) -> Error {
    match status {
        1 => Error::illegal(what),
        2 => Error::wrong_phase(what),
        3 => Error::game_over(what),
        4 => Error::InvalidConfig(what),
        5 => Error::InvalidState(what),
        7 => Error::OutOfMemory(what),
        8 => Error::Rules(what),
        _ => fleet_error(what),
    }
}

/// Maximum number of axes of a column: games, and three of an observation.
const MAX_AXES: usize = 6;

/// A record of the column table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct ColumnRecord {
    /// Zero-padded.
    name: [u8; 32],
    /// NumPy's name of the element type, zero-padded.
    dtype: [u8; 16],
    pub(super) offset: u64,
    pub(super) bytes: u64,
    axes: u32,
    /// 0: written by the fleet; 1: written by clients.
    direction: u32,
    /// Rows first; unused axes are 0.
    shape: [u64; MAX_AXES],
    padding: [u8; 8],
}

impl ColumnRecord {
    /// A column of `shape` at `offset`.
    fn new(name: &str, dtype: &str, element: usize, shape: &[usize], direction: u32, offset: usize) -> Self {
        let mut record = Self::zeroed();
        record.name[..name.len()].copy_from_slice(name.as_bytes());
        record.dtype[..dtype.len()].copy_from_slice(dtype.as_bytes());
        record.offset = offset as u64;
        record.bytes = (shape.iter().product::<usize>() * element) as u64;
        record.axes = shape.len() as u32;
        record.direction = direction;
        for (axis, &n) in record.shape.iter_mut().zip(shape) {
            *axis = n as u64;
        }
        record
    }
    /// Whether the record has this name.
    pub(super) fn is_named(&self, name: &str) -> bool {
        self.name.starts_with(name.as_bytes()) && self.name[name.len()..].iter().all(|&b| b == 0)
    }
}

/// The inputs that determine the layout.
pub(super) struct SegmentLayout<'a> {
    pub(super) num_envs: usize,
    pub(super) num_blocks: usize,
    /// Name, element type and number of elements per row of every output column.
    pub(super) columns: Vec<(&'static str, DType, usize)>,
    pub(super) observation_shape: &'a [usize],
    pub(super) document_bytes: usize,
    /// Minimum size of a transfer area in bytes.
    pub(super) transfer_bytes: usize,
}

impl SegmentLayout<'_> {
    /// The preamble and the column table of a segment with this layout.
    pub(super) fn lay_out(&self, pid: u32) -> (Preamble, Vec<ColumnRecord>) {
        let block_games = self.num_envs.div_ceil(self.num_blocks);
        // Rounding up can leave the last blocks without games.
        let num_blocks = self.num_envs.div_ceil(block_games);
        let num_columns = self.columns.len() + 3;
        let mut end = MAILBOXES + (num_blocks + 1) * size_of::<Mailbox>();
        let mut take = |bytes: usize| {
            let offset = end;
            end += bytes.next_multiple_of(ALIGNMENT);
            offset
        };
        let columns_offset = take(num_columns * size_of::<ColumnRecord>());
        let document_offset = take(self.document_bytes);
        let mut records = Vec::with_capacity(num_columns);
        for (name, dtype, direction) in
            [("actions", "int32", 1), ("ids", "uint32", 1), ("next_sample", "int32", 0)]
        {
            let offset = take(4 * self.num_envs);
            records.push(ColumnRecord::new(name, dtype, 4, &[self.num_envs], direction, offset));
        }
        for &(name, dtype, width) in &self.columns {
            let row = if name.contains("observations") { self.observation_shape } else { &[width] };
            let shape = [&[self.num_envs], row].concat();
            let offset = take(self.num_envs * width * dtype.size());
            records.push(ColumnRecord::new(name, dtype.name(), dtype.size(), &shape, 0, offset));
        }
        let transfer_bytes = self.transfer_bytes.next_multiple_of(ALIGNMENT);
        let transfer_offset = take((num_blocks + 1) * transfer_bytes);
        let preamble = Preamble {
            magic: MAGIC,
            version: VERSION,
            pid,
            total_bytes: end as u64,
            num_envs: self.num_envs as u32,
            num_blocks: num_blocks as u32,
            block_games: block_games as u32,
            num_columns: num_columns as u32,
            columns_offset: columns_offset as u64,
            document_offset: document_offset as u64,
            document_bytes: self.document_bytes as u64,
            transfer_offset: transfer_offset as u64,
            transfer_bytes: transfer_bytes as u64,
        };
        (preamble, records)
    }
}

/// Validates the preamble of a segment of `bytes` bytes.
///
/// # Errors
/// A sentence about the inconsistency.
pub(super) fn check(preamble: &Preamble, bytes: usize) -> Result<(), String> {
    let p = preamble;
    let inside = |offset: u64, len: u64| {
        offset.is_multiple_of(ALIGNMENT as u64)
            && offset >= MAILBOXES as u64
            && offset.checked_add(len).is_some_and(|end| end <= bytes as u64)
    };
    if p.magic != MAGIC {
        return Err("it is not a segment of ludovec, or was overwritten".into());
    }
    if p.version != VERSION {
        return Err(format!(
            "it speaks version {} of the shared-memory layout, this program speaks version {VERSION}",
            p.version
        ));
    }
    let (blocks, mailboxes) = (u64::from(p.num_blocks), u64::from(p.num_blocks) + 1);
    let sound = p.total_bytes == bytes as u64
        && p.num_envs > 0
        && p.block_games > 0
        && blocks == u64::from(p.num_envs.div_ceil(p.block_games))
        && inside(MAILBOXES as u64, mailboxes * size_of::<Mailbox>() as u64)
        && inside(p.columns_offset, u64::from(p.num_columns) * size_of::<ColumnRecord>() as u64)
        && inside(p.document_offset, p.document_bytes)
        && p.transfer_bytes <= p.total_bytes
        && p.transfer_bytes.is_multiple_of(ALIGNMENT as u64)
        && inside(p.transfer_offset, p.transfer_bytes.saturating_mul(mailboxes));
    if sound { Ok(()) } else { Err("its header contradicts itself: it was overwritten or truncated".into()) }
}
