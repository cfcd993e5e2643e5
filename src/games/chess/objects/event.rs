//! Events of a board, for listeners.

use super::option::{MoveOption, Position};
use super::piece::Piece;

/// An event that is about to happen, or has happened.
///
/// Listeners of a `Before` event may set `cancelled`, which later listeners see, and change the fields marked
/// `Mut`.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The options of a piece are requested.
    BeforeGetMoveOptions {
        /// The piece.
        piece: Piece,
        /// Mut: its options.
        options: Vec<MoveOption>,
        /// Whether the piece gets no options.
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
        /// The piece that moves.
        piece: Piece,
        /// Mut: the move.
        option: MoveOption,
        /// Whether the move is cancelled.
        cancelled: bool,
    },
    /// A move has been made.
    AfterMove {
        /// The piece that moved, before the move.
        piece: Piece,
        /// The move.
        option: MoveOption,
    },
    /// A piece is about to be taken.
    BeforeCaptured {
        /// The piece.
        piece: Piece,
        /// Whether the whole move is cancelled.
        cancelled: bool,
    },
    /// A piece has been taken.
    AfterCaptured {
        /// The piece, before the capture.
        piece: Piece,
    },
    /// A piece is about to leave a square.
    BeforeRemovePiece {
        /// The piece.
        piece: Piece,
        /// Whether the removal, and with it the whole move, is cancelled.
        cancelled: bool,
    },
    /// A piece has left a square.
    AfterRemovePiece {
        /// The piece, before it left.
        piece: Piece,
    },
    /// A piece is about to come to a square.
    BeforeAddPiece {
        /// The piece on its new square.
        piece: Piece,
        /// Whether the arrival, and with it the whole move, is cancelled.
        cancelled: bool,
    },
    /// A piece has come to a square.
    AfterAddPiece {
        /// The piece.
        piece: Piece,
    },
    /// A new piece is on the board: promoted, dropped, spawned or set up.
    AfterNewPiece {
        /// The piece.
        piece: Piece,
    },
    /// A square is about to become a hole.
    BeforeRemoveSquare {
        /// The square.
        position: Position,
        /// Whether the square stays.
        cancelled: bool,
    },
    /// A square has become a hole.
    AfterRemoveSquare {
        /// The square.
        position: Position,
    },
    /// A hole is about to become a square.
    BeforeAddSquare {
        /// The hole.
        position: Position,
        /// Whether it stays a hole.
        cancelled: bool,
    },
    /// A hole has become a square.
    AfterAddSquare {
        /// The square.
        position: Position,
    },
    /// The turn is about to pass.
    BeforeChangeTurn {
        /// Mut: the seat of the next turn.
        next: usize,
        /// Whether the same player keeps the turn.
        cancelled: bool,
    },
    /// The turn has passed.
    AfterChangeTurn {
        /// The seat of the current player.
        current: usize,
    },
    /// The game has ended.
    AfterGameEnd {
        /// The result.
        result: String,
    },
}

/// The kind of an [`Event`].
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
    /// Its kind.
    #[must_use]
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

    /// Whether a listener has cancelled the event.
    #[must_use]
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

/// Order of listeners: the higher, the earlier. Equal priorities go by order of subscription.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Priority(pub i32);

impl Priority {
    /// After all others.
    pub const VERY_LOW: Self = Self(-2);
    /// After most others.
    pub const LOW: Self = Self(-1);
    /// In the order of subscription.
    pub const NORMAL: Self = Self(0);
    /// Before most others.
    pub const HIGH: Self = Self(1);
    /// Before all others: for behaviour that should look like the default.
    pub const VERY_HIGH: Self = Self(2);
}

/// Identifies a subscription, to end it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Subscription(pub(super) u64);
