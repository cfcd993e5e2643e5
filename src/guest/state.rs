//! The state of a guest in memory.
//!
//! ```text
//! byte 0        1         2..4   4..8        8..8 + 4·P   ..record        record..
//! | player   | status | 0    | decisions | returns    | 0, to 16·n | record | 0 |
//! ```
//!
//! The header is what the engine asks again and again, computed once at the end of each step.

use bytemuck::{Pod, Zeroable};

use ludovec_engine::Status;

/// The sizes of states, in words of 8 bytes.
pub(crate) const CLASSES: [usize; 4] = [16, 64, 256, 2048];

/// Largest size of a record, in bytes.
pub const LARGEST_RECORD: usize = 16 * 1024 - 64;

/// One game: a header and the guest's record, in `N` words. Its alignment is enough for every type of a record.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(C, align(16))]
pub struct State<const N: usize> {
    words: [u64; N],
}

// Safety: an array of words is valid when all bytes are zero.
unsafe impl<const N: usize> Zeroable for State<N> {}
// Safety: an even number of words has no padding at an alignment of 16, and any bytes are valid. (The derive does not
// support const generics.)
unsafe impl<const N: usize> Pod for State<N> {}

impl<const N: usize> std::fmt::Debug for State<N> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State").field("bytes", &self.bytes()).finish()
    }
}

impl<const N: usize> State<N> {
    pub(crate) fn bytes(&self) -> &[u8] {
        bytemuck::bytes_of(self)
    }
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        bytemuck::bytes_of_mut(self)
    }
}

/// The place of the record behind a header for `players` players. Records begin at a multiple of 16 bytes, which fits
/// every type of their fields.
pub(crate) fn record_offset(players: usize) -> usize {
    (RETURNS + 4 * players).next_multiple_of(16)
}

const PLAYER: usize = 0;
const STATUS: usize = 1;
const UNUSED: std::ops::Range<usize> = 2..4;
const DECISIONS: usize = 4;
const RETURNS: usize = 8;

/// The engine's part of a state, at its beginning.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Header {
    pub(crate) player: u8,
    pub(crate) status: Status,
    pub(crate) decisions: u32,
}

impl Header {
    /// The header of a state, or `None` if the bytes are none.
    #[inline]
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let status = match bytes[STATUS] {
            0 => Status::Running,
            1 => Status::Terminated,
            2 => Status::Truncated,
            _ => return None,
        };
        Some(Self { player: bytes[PLAYER], status, decisions: number(bytes, DECISIONS) })
    }
    pub(crate) fn write(self, bytes: &mut [u8]) {
        bytes[PLAYER] = self.player;
        bytes[STATUS] = match self.status {
            Status::Running => 0,
            Status::Terminated => 1,
            Status::Truncated => 2,
        };
        bytes[UNUSED].fill(0);
        bytes[DECISIONS..RETURNS].copy_from_slice(&self.decisions.to_le_bytes());
    }
    /// Whether the bytes between the parts of a state are 0, as [`Header::write`] leaves them.
    pub(crate) fn is_clean(bytes: &[u8], players: usize, record_bytes: usize) -> bool {
        let (begin, offset) = (RETURNS + 4 * players, record_offset(players));
        let unused = [&bytes[UNUSED], &bytes[begin..offset], &bytes[offset + record_bytes..]];
        unused.into_iter().flatten().all(|&byte| byte == 0)
    }
}

fn number(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("4 bytes"))
}

/// Reads the returns of a finished game; they are 0 before.
#[inline]
pub(crate) fn read_returns(bytes: &[u8], out: &mut [f32]) {
    for (seat, value) in out.iter_mut().enumerate() {
        *value = f32::from_bits(number(bytes, RETURNS + 4 * seat));
    }
}

/// Writes the returns of a finished game.
pub(crate) fn write_returns(bytes: &mut [u8], returns: &[f32]) {
    for (seat, value) in returns.iter().enumerate() {
        bytes[RETURNS + 4 * seat..][..4].copy_from_slice(&value.to_bits().to_le_bytes());
    }
}
