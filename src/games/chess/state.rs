//! One game in progress: the position, what repetition needs of the past, and the result.

use bytemuck::{Pod, Zeroable};

use super::history::History;
use super::position::{Position, Rules};

/// Positions since the last irreversible move that repetition looks back on.
///
/// With the rule of 50 moves no more can matter; variants without it forget older ones.
pub(super) const REMEMBERED: usize = 100;

/// Whether and how a game has ended.
pub mod outcome {
    /// It goes on.
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

/// Why a game has ended, as in [`Reason::NAMES`]; 0 while it goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Reason {
    /// The side to move is mated.
    Mate = 1,
    /// The side to move has no move and is not in check.
    Stalemate,
    /// The position occurred too often.
    Repetition,
    /// Too many moves without capture and pawn move.
    Progress,
    /// Nobody can mate.
    DeadPosition,
    /// A side has lost what it must not lose.
    Extinct,
    /// A goal was reached.
    Reach,
    /// Enough checks were given.
    Checks,
    /// Two pieces attack the king.
    Checkers,
    /// The most plies were played.
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
/// Plain data of fixed size: at most 1 KiB without the history that some observations want.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct State<R: Rules, H: History> {
    /// What stands where.
    pub(super) position: Position<R>,
    /// Past positions, where the observation shows them.
    pub(super) history: H,
    /// Low 32 bits of the keys of the positions since the last irreversible move, the oldest first; zero
    /// past `remembered`.
    pub(super) keys: [u32; REMEMBERED],
    /// The next 16 bits of the same keys.
    pub(super) keys_high: [u16; REMEMBERED],
    /// How many keys are held.
    pub(super) remembered: u8,
    /// How often the position has occurred, at least 1.
    pub(super) occurrences: u8,
    /// See [`outcome`].
    pub(super) outcome: u8,
    /// A [`Reason`].
    pub(super) reason: u8,
    /// Zero.
    padding: [u8; 4],
}

// Safety: all fields are plain old data for which any bytes are valid and zero is a value.
unsafe impl<R: Rules, H: History> Zeroable for State<R, H> {}
// Safety: `repr(C)`; `NO_PADDING` checks that the sizes of the fields add up to the whole.
unsafe impl<R: Rules, H: History> Pod for State<R, H> {}

impl<R: Rules, H: History> State<R, H> {
    const NO_PADDING: () = {
        let fields = size_of::<Position<R>>() + size_of::<H>() + 6 * REMEMBERED + 8;
        assert!(size_of::<Self>() == fields, "padding between fields");
        assert!(fields - size_of::<H>() <= 1024, "a state is at most 1 KiB without history");
    };

    /// A game that starts from `position`.
    pub(super) fn new(position: Position<R>) -> Self {
        #[allow(clippy::let_unit_value, reason = "evaluates the assertion")]
        let () = Self::NO_PADDING;
        let history = H::new(&position);
        Self { position, history, occurrences: 1, ..Self::zeroed() }
    }

    /// Whether bytes that mean nothing hold something.
    pub(super) fn padding_is_set(&self) -> bool {
        self.padding != [0; 4]
    }

    /// Remembers the current position before a move changes it.
    #[inline]
    pub(super) fn remember(&mut self) {
        let mut at = usize::from(self.remembered);
        if at >= REMEMBERED {
            self.keys.copy_within(1.., 0);
            self.keys_high.copy_within(1.., 0);
            at = REMEMBERED - 1;
        }
        self.keys[at] = self.position.key as u32;
        self.keys_high[at] = (self.position.key >> 32) as u16;
        self.remembered = at as u8 + 1;
    }

    /// Forgets all earlier positions: none of them can come back.
    #[inline]
    pub(super) fn forget(&mut self) {
        let held = usize::from(self.remembered).min(REMEMBERED);
        self.keys[..held].fill(0);
        self.keys_high[..held].fill(0);
        self.remembered = 0;
    }

    /// How often the current position has occurred, this time included.
    #[inline]
    pub(super) fn count_occurrences(&self) -> u8 {
        let (low, high) = (self.position.key as u32, (self.position.key >> 32) as u16);
        let mut held = usize::from(self.remembered).min(REMEMBERED);
        if R::PLAIN {
            // The shortest way back takes four plies. Not to look at what was written just now saves a wait, too.
            held = held.saturating_sub(3);
        }
        let same = self.keys[..held].iter().filter(|&&k| k == low).count();
        if same == 0 {
            return 1;
        }
        let both = self.keys[..held].iter().zip(&self.keys_high).filter(|(k, h)| **k == low && **h == high);
        both.count() as u8 + 1
    }
}
