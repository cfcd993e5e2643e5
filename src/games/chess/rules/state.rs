//! One game in progress: the position, the history for repetition, and the result.

use bytemuck::{Pod, Zeroable};

use super::board::position::{MoveRules, Position, phase};
use super::history::History;

/// Maximum number of positions since the last irreversible move that are remembered for repetition.
///
/// Under the rule of 50 moves no more can matter; variants without it forget older ones.
pub(crate) const REMEMBERED: usize = 100;

/// The outcome of a game.
pub mod outcome {
    /// The game is in progress.
    pub const RUNNING: u8 = 0;
    /// White has won.
    pub const WHITE: u8 = 1;
    /// Black has won.
    pub const BLACK: u8 = 2;
    /// A draw.
    pub const DRAW: u8 = 3;
    /// Stopped without a result.
    pub const TRUNCATED: u8 = 4;
}

/// The reason for the end of a game, as in [`Reason::NAMES`]; 0 while it is in progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Reason {
    /// The side to move is mated.
    Mate = 1,
    /// The side to move has no move and is not in check.
    Stalemate,
    /// The position occurred too often.
    Repetition,
    /// Too many moves without capture or pawn move.
    Progress,
    /// Neither side can mate.
    DeadPosition,
    /// A side has lost its required pieces.
    Extinct,
    /// A goal was reached.
    Reach,
    /// Enough checks were given.
    Checks,
    /// Several pieces attack the king.
    Checkers,
    /// The maximum number of plies was played.
    MostPlies,
    /// A hook of the variant decided.
    Hook,
}

impl Reason {
    /// The names, in order.
    pub const NAMES: [&str; 12] = [
        "none",
        "checkmate",
        "stalemate",
        "repetition",
        "moves without progress",
        "dead position",
        "extinct",
        "goal reached",
        "checks",
        "double check",
        "most plies",
        "hook",
    ];
}

/// One game in progress.
///
/// Plain data of fixed size: at most 1 KiB without the history that some observations include.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct State<R: MoveRules, H: History> {
    /// The current position.
    pub(crate) position: Position<R>,
    /// Past positions, if the observation includes them.
    pub(crate) history: H,
    /// Low 32 bits of the keys of the positions at the start of each turn since the last irreversible move, oldest
    /// first; zero past `remembered`.
    pub(crate) keys: [u32; REMEMBERED],
    /// The next 16 bits of the same keys.
    pub(crate) keys_high: [u16; REMEMBERED],
    /// The number of remembered keys.
    pub(crate) remembered: u8,
    /// The number of occurrences of the position, at least 1.
    pub(crate) occurrences: u8,
    /// See [`outcome`].
    pub(crate) outcome: u8,
    /// A [`Reason`].
    pub(crate) reason: u8,
    /// Always zero.
    padding: [u8; 4],
}

// Safety: all fields are plain old data for which any bytes are valid and zero is a value.
unsafe impl<R: MoveRules, H: History> Zeroable for State<R, H> {}
// Safety: `repr(C)`; `NO_PADDING` checks that the sizes of the fields add up to the whole.
unsafe impl<R: MoveRules, H: History> Pod for State<R, H> {}

impl<R: MoveRules, H: History> State<R, H> {
    const NO_PADDING: () = {
        let fields = size_of::<Position<R>>() + size_of::<H>() + 6 * REMEMBERED + 8;
        assert!(size_of::<Self>() == fields, "padding between fields");
        assert!(fields - size_of::<H>() <= 1024, "a state is at most 1 KiB without history");
    };

    /// A game that starts from `position`.
    pub(crate) fn new(position: Position<R>) -> Self {
        #[allow(clippy::let_unit_value, reason = "evaluates the assertion")]
        let () = Self::NO_PADDING;
        let history = H::new(&position);
        Self { position, history, occurrences: 1, ..Self::zeroed() }
    }

    /// Whether a padding byte is not zero.
    pub(crate) fn padding_is_set(&self) -> bool {
        self.padding != [0; 4]
    }

    /// Remembers the key of the position before the current one, and counts the occurrences of the current one.
    #[inline]
    pub(crate) fn remember(&mut self, key: u64) {
        if usize::from(self.remembered) >= REMEMBERED {
            self.keys.copy_within(1.., 0);
            self.keys_high.copy_within(1.., 0);
            self.remembered = REMEMBERED as u8 - 1;
        }
        // Store-to-load forwarding: the keys are counted before the new key is stored. The count reads them with
        // wide loads. These cannot be served from a narrower store that is still pending, and would wait for it.
        let again = !R::ORTHODOX && (key ^ self.position.key) << 16 == 0;
        self.occurrences = 1 + self.count_remembered() + u8::from(again);
        let at = usize::from(self.remembered);
        self.keys[at] = key as u32;
        self.keys_high[at] = (key >> 32) as u16;
        self.remembered += 1;
    }

    /// Counts the occurrences of the current position in variants with several decisions per turn: only positions
    /// at the start of a turn can repeat.
    pub(crate) fn recount(&mut self) {
        self.occurrences = if self.position.phase == phase::MOVE { 1 + self.count_remembered() } else { 1 };
    }

    /// Forgets all earlier positions: none of them can occur again.
    #[inline]
    pub(crate) fn forget(&mut self) {
        let held = usize::from(self.remembered).min(REMEMBERED);
        self.keys[..held].fill(0);
        self.keys_high[..held].fill(0);
        (self.remembered, self.occurrences) = (0, 1);
    }

    /// The number of remembered positions that equal the current one.
    #[inline]
    fn count_remembered(&self) -> u8 {
        const RUN: usize = REMEMBERED / 5;
        let (low, high) = (self.position.key as u32, (self.position.key >> 32) as u16);
        let held = usize::from(self.remembered).min(REMEMBERED);
        // A quick test first, over whole runs of keys for vectorization. The last run may include slots without a
        // key, which are zero; the exact count below leaves them out.
        let mut runs = self.keys.as_chunks::<RUN>().0.iter().take(held.div_ceil(RUN));
        if !runs.any(|run| run.iter().fold(false, |seen, &k| seen | (k == low))) {
            return 0;
        }
        let both = self.keys[..held].iter().zip(&self.keys_high).filter(|(k, h)| **k == low && **h == high);
        both.count() as u8
    }
}
