//! Snapshots: games as bytes, saved, checked, restored.
//!
//! ```text
//! header   magic "ludosnap" | format u32 | environment version u32 | digest u64 | state bytes u32 | players u32 | games u64
//! a game   stream (seed, game, episode) 3 x u64 | position in the stream u64 | length u32 | done u32
//!          | credit 8 x f32 | state
//! end      checksum u64 over everything before it
//! ```
//!
//! Little-endian; every game takes the same number of bytes. `digest` covers the environment's id, version and
//! options: a snapshot fits only the rules it was taken under.

use bytemuck::{Pod, Zeroable};
use xxhash_rust::xxh3::xxh3_64;

use crate::batch::slot::Slot;
use crate::contract::chance::{SeededChance, StreamId};
use crate::contract::rules::{Rules, Status, state_from_bytes};
use crate::contract::spec::MAX_PLAYERS;
use crate::contract::support::error::{Error, Result};
use crate::contract::support::memory;

const MAGIC: [u8; 8] = *b"ludosnap";
const FORMAT: u32 = 1;

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Header {
    magic: [u8; 8],
    format: u32,
    version: u32,
    digest: u64,
    state_bytes: u32,
    players: u32,
    games: u64,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct GameHeader {
    stream: StreamId,
    position: u64,
    length: u32,
    done: u32,
    credit: [f32; MAX_PLAYERS],
}

/// A game read from a snapshot.
pub(super) struct Saved<G: Rules> {
    header: GameHeader,
    state: G::State,
}

impl<G: Rules> Saved<G> {
    pub(super) fn slot(&self) -> Slot<G> {
        Slot {
            state: self.state,
            chance: SeededChance::at(self.header.stream, self.header.position),
            length: self.header.length,
            done: self.header.done == 1,
            samples: 0,
            credit: self.header.credit,
        }
    }
}

fn header<G: Rules>(game: &G, games: usize) -> Header {
    let spec = game.spec();
    Header {
        magic: MAGIC,
        format: FORMAT,
        version: spec.version,
        digest: spec.digest(),
        state_bytes: size_of::<G::State>() as u32,
        players: spec.players as u32,
        games: games as u64,
    }
}

/// Writes a snapshot of some games.
///
/// # Errors
/// [`Error::OutOfMemory`].
pub(super) fn write<'a, G: Rules>(
    game: &G,
    games: impl ExactSizeIterator<Item = &'a Slot<G>>,
) -> Result<Vec<u8>> {
    let len = size_of::<Header>() + games.len() * (size_of::<GameHeader>() + size_of::<G::State>()) + 8;
    let mut bytes = memory::vec_of(len, "the bytes of a snapshot")?;
    bytes.extend_from_slice(bytemuck::bytes_of(&header(game, games.len())));
    for slot in games {
        bytes.extend_from_slice(bytemuck::bytes_of(&GameHeader {
            stream: slot.chance.id(),
            position: slot.chance.position(),
            length: slot.length,
            done: slot.done.into(),
            credit: slot.credit,
        }));
        bytes.extend_from_slice(bytemuck::bytes_of(&slot.state));
    }
    bytes.extend_from_slice(&xxh3_64(&bytes).to_le_bytes());
    Ok(bytes)
}

/// Reads a snapshot and checks everything in it.
pub(super) fn read<G: Rules>(game: &G, bytes: &[u8]) -> Result<Vec<Saved<G>>> {
    let fail = |what: String| Err(Error::state(format!("snapshot: {what}")));
    let Some((head, rest)) = bytes.split_at_checked(size_of::<Header>()) else {
        return fail(format!("{} bytes are too few", bytes.len()));
    };
    let head: Header = bytemuck::pod_read_unaligned(head);
    let wanted = header(game, 0);
    let spec = game.spec();
    if head.magic != MAGIC {
        return fail("these bytes are not a snapshot".into());
    }
    if head.format != FORMAT {
        return fail(format!("format {} was given, {FORMAT} is read", head.format));
    }
    if head.version != wanted.version || head.digest != wanted.digest {
        return fail(format!(
            "taken under another environment, version or options than {} version {} with {}",
            spec.env,
            spec.version,
            serde_json::to_string(&spec.options).expect("options are plain values")
        ));
    }
    if (head.state_bytes, head.players) != (wanted.state_bytes, wanted.players) {
        return fail("state size or number of players differ".into());
    }
    let size = size_of::<GameHeader>() + size_of::<G::State>();
    let expected =
        usize::try_from(head.games).ok().and_then(|n| n.checked_mul(size)).and_then(|n| n.checked_add(8));
    if expected != Some(rest.len()) {
        return fail(format!("{} games do not take {} bytes", head.games, bytes.len()));
    }
    let (body, checksum) = bytes.split_at(bytes.len() - 8);
    if xxh3_64(body).to_le_bytes() != checksum {
        return fail("the checksum does not match".into());
    }
    let chunks = rest[..rest.len() - 8].chunks_exact(size);
    let mut games = memory::vec_of(chunks.len(), "the games of a snapshot")?;
    for (i, bytes) in chunks.enumerate() {
        games.push(read_game(game, bytes).map_err(|e| Error::state(format!("snapshot, game {i}: {e}")))?);
    }
    Ok(games)
}

fn read_game<G: Rules>(game: &G, bytes: &[u8]) -> Result<Saved<G>> {
    let (header, state) = bytes.split_at(size_of::<GameHeader>());
    let header: GameHeader = bytemuck::pod_read_unaligned(header);
    let state = state_from_bytes(game, state)?;
    let running = game.status(&state) == Status::Running;
    if header.done > 1 || (header.done == 0 && !running) {
        return Err(Error::state("finished or not: flag and position disagree"));
    }
    if header.credit.iter().any(|c| !c.is_finite()) {
        return Err(Error::state("a credit is not a finite number"));
    }
    if header.length > i32::MAX as u32 {
        return Err(Error::state(format!("{} decisions are too many", header.length)));
    }
    Ok(Saved { header, state })
}
