//! What happens on a board, for those who listen.

use super::option::{MoveOption, Position};
use super::piece::Piece;

/// Something that is about to happen, or has happened.
///
/// Listeners of a `Before` event may set `cancelled`, which the later ones see, and change what has `mut` in
/// its description.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A piece has been asked for its options.
    BeforeGetMoveOptions {
        /// The piece.
        piece: Piece,
        /// Mut: its options.
        options: Vec<MoveOption>,
        /// It gets none.
        cancelled: bool,
    },
    /// A piece's options are known.
    AfterGetMoveOptions {
        /// The piece.
        piece: Piece,
        /// Its options.
        options: Vec<MoveOption>,
    },
    /// A move is about to be made.
    BeforeMove {
        /// What moves.
        piece: Piece,
        /// Mut: the move.
        option: MoveOption,
        /// It is not made.
        cancelled: bool,
    },
    /// A move has been made.
    AfterMove {
        /// What moved, as it was before.
        piece: Piece,
        /// The move.
        option: MoveOption,
    },
    /// A piece is about to be taken.
    BeforeCaptured {
        /// The piece.
        piece: Piece,
        /// The whole move is not made.
        cancelled: bool,
    },
    /// A piece has been taken.
    AfterCaptured {
        /// The piece, as it was.
        piece: Piece,
    },
    /// A piece is about to leave a square.
    BeforeRemovePiece {
        /// The piece.
        piece: Piece,
        /// It stays, and with it the whole move is not made.
        cancelled: bool,
    },
    /// A piece has left a square.
    AfterRemovePiece {
        /// The piece, as it was.
        piece: Piece,
    },
    /// A piece is about to come to a square.
    BeforeAddPiece {
        /// The piece, as it will be.
        piece: Piece,
        /// It does not, and with it the whole move is not made.
        cancelled: bool,
    },
    /// A piece has come to a square.
    AfterAddPiece {
        /// The piece.
        piece: Piece,
    },
    /// A piece is on the board that was not there before: promoted, dropped, spawned, set up.
    AfterNewPiece {
        /// The piece.
        piece: Piece,
    },
    /// A square is about to become a hole.
    BeforeRemoveSquare {
        /// Where.
        position: Position,
        /// It stays.
        cancelled: bool,
    },
    /// A square has become a hole.
    AfterRemoveSquare {
        /// Where.
        position: Position,
    },
    /// A hole is about to become a square.
    BeforeAddSquare {
        /// Where.
        position: Position,
        /// It stays a hole.
        cancelled: bool,
    },
    /// A hole has become a square.
    AfterAddSquare {
        /// Where.
        position: Position,
    },
    /// The turn is about to go on.
    BeforeChangeTurn {
        /// Mut: the seat whose turn it will be.
        next: usize,
        /// The same player goes on.
        cancelled: bool,
    },
    /// The turn has gone on.
    AfterChangeTurn {
        /// The seat whose turn it is.
        current: usize,
    },
    /// The game has ended.
    AfterGameEnd {
        /// How.
        result: String,
    },
}

/// The sort of an [`Event`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is described at the event of its name")]
pub enum EventKind {
    BeforeGetMoveOptions,
    AfterGetMoveOptions,
    BeforeMove,
    AfterMove,
    BeforeCaptured,
    AfterCaptured,
    BeforeRemovePiece,
    AfterRemovePiece,
    BeforeAddPiece,
    AfterAddPiece,
    AfterNewPiece,
    BeforeRemoveSquare,
    AfterRemoveSquare,
    BeforeAddSquare,
    AfterAddSquare,
    BeforeChangeTurn,
    AfterChangeTurn,
    AfterGameEnd,
}

impl Event {
    /// Its sort.
    pub fn kind(&self) -> EventKind {
        match self {
            Self::BeforeGetMoveOptions { .. } => EventKind::BeforeGetMoveOptions,
            Self::AfterGetMoveOptions { .. } => EventKind::AfterGetMoveOptions,
            Self::BeforeMove { .. } => EventKind::BeforeMove,
            Self::AfterMove { .. } => EventKind::AfterMove,
            Self::BeforeCaptured { .. } => EventKind::BeforeCaptured,
            Self::AfterCaptured { .. } => EventKind::AfterCaptured,
            Self::BeforeRemovePiece { .. } => EventKind::BeforeRemovePiece,
            Self::AfterRemovePiece { .. } => EventKind::AfterRemovePiece,
            Self::BeforeAddPiece { .. } => EventKind::BeforeAddPiece,
            Self::AfterAddPiece { .. } => EventKind::AfterAddPiece,
            Self::AfterNewPiece { .. } => EventKind::AfterNewPiece,
            Self::BeforeRemoveSquare { .. } => EventKind::BeforeRemoveSquare,
            Self::AfterRemoveSquare { .. } => EventKind::AfterRemoveSquare,
            Self::BeforeAddSquare { .. } => EventKind::BeforeAddSquare,
            Self::AfterAddSquare { .. } => EventKind::AfterAddSquare,
            Self::BeforeChangeTurn { .. } => EventKind::BeforeChangeTurn,
            Self::AfterChangeTurn { .. } => EventKind::AfterChangeTurn,
            Self::AfterGameEnd { .. } => EventKind::AfterGameEnd,
        }
    }

    /// Whether a listener has cancelled what was about to happen.
    pub fn is_cancelled(&self) -> bool {
        match self {
            Self::BeforeGetMoveOptions { cancelled, .. }
            | Self::BeforeMove { cancelled, .. }
            | Self::BeforeCaptured { cancelled, .. }
            | Self::BeforeRemovePiece { cancelled, .. }
            | Self::BeforeAddPiece { cancelled, .. }
            | Self::BeforeRemoveSquare { cancelled, .. }
            | Self::BeforeAddSquare { cancelled, .. }
            | Self::BeforeChangeTurn { cancelled, .. } => *cancelled,
            _ => false,
        }
    }
}

/// Who hears of an event first: the higher, the earlier. Of equal ones, who subscribed first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Priority(pub i32);

impl Priority {
    /// After everybody else.
    pub const VERY_LOW: Self = Self(-2);
    /// After most.
    pub const LOW: Self = Self(-1);
    /// In the order of subscription.
    pub const NORMAL: Self = Self(0);
    /// Before most.
    pub const HIGH: Self = Self(1);
    /// Before everybody else: for what should look like the default behaviour.
    pub const VERY_HIGH: Self = Self(2);
}

/// Names a subscription, to end it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Subscription(pub(super) u64);
