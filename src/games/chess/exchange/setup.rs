//! A position as plain data, before any check of its legality: the result of reading FEN and JSON.

mod conversion;

use crate::rules::variant::schema::{MAX_KINDS, PieceKind, Square, Variant};

/// A piece on the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BoardPiece {
    /// Its kind.
    pub kind: PieceKind,
    /// Its colour: 0 white, 1 black. A neutral piece has 0.
    pub colour: u8,
    /// Whether it was a pawn once (`~` in FEN): it goes to hand as a pawn.
    pub promoted: bool,
}

/// The state after a double step that allows a capture en passant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnPassant {
    /// The passed squares, on which the pawn can be captured.
    pub targets: Vec<Square>,
    /// The square of the pawn.
    pub victim: Square,
}

/// A position as plain data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setup {
    /// The contents of each square, `width * height` of them.
    pub board: Vec<Option<BoardPiece>>,
    /// The side to move: 0 white, 1 black.
    pub turn: u8,
    /// Squares of the rooks that may still castle, and the square of the castling king if a side has several kings.
    pub castling: Vec<Square>,
    /// The pieces known never to have moved; `None` if the source does not say (FEN). In that case pawns on their
    /// double-step squares and the kings and rooks of the castling rights are assumed to be unmoved.
    pub unmoved: Option<Vec<Square>>,
    /// The pawn that can be captured en passant.
    pub en_passant: Option<EnPassant>,
    /// Pieces in hand by colour and kind.
    pub pockets: [[u8; MAX_KINDS]; 2],
    /// Checks given so far by each colour.
    pub checks: [u8; 2],
    /// Plies since the last capture or irreversible pawn move.
    pub halfmoves: u16,
    /// Number of the full move, from 1.
    pub fullmoves: u16,
}

impl Setup {
    /// An empty board of the variant's size with white to move.
    #[must_use]
    pub fn empty(variant: &Variant) -> Self {
        Self {
            board: vec![None; usize::from(variant.width) * usize::from(variant.height)],
            turn: 0,
            castling: Vec::new(),
            unmoved: None,
            en_passant: None,
            pockets: [[0; MAX_KINDS]; 2],
            checks: [0; 2],
            halfmoves: 0,
            fullmoves: 1,
        }
    }
}
