//! A position as plain data, before anything is known of its legality: what FEN and JSON are read into.

mod conversion;

use super::variant::schema::{MAX_KINDS, PieceKind, Square, Variant};

/// A piece on the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BoardPiece {
    /// What it is.
    pub kind: PieceKind,
    /// Whose: 0 white, 1 black. A neutral piece is filed under 0.
    pub colour: u8,
    /// Whether it was a pawn once (`~` in FEN): it goes to hand as a pawn.
    pub promoted: bool,
}

/// What a double step left behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnPassant {
    /// The passed squares, on which it can be taken.
    pub targets: Vec<Square>,
    /// Where the pawn stands now.
    pub victim: Square,
}

/// A position as plain data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setup {
    /// What stands on each square, `width * height` of them.
    pub board: Vec<Option<BoardPiece>>,
    /// Whose turn it is: 0 white, 1 black.
    pub turn: u8,
    /// Squares of the rooks that may still castle; the square of a king among several that castles with them.
    pub castling: Vec<Square>,
    /// The pieces known never to have moved; `None` when the source does not say (FEN): pawns on their
    /// double-step squares and the kings and rooks of the castling rights are then taken to be unmoved.
    pub unmoved: Option<Vec<Square>>,
    /// What can be taken en passant.
    pub en_passant: Option<EnPassant>,
    /// Pieces in hand by colour and kind.
    pub pockets: [[u8; MAX_KINDS]; 2],
    /// Checks given so far by each colour.
    pub checks: [u8; 2],
    /// Plies since the last capture, or move of a pawn that it cannot take back.
    pub halfmoves: u16,
    /// Number of the full move, from 1.
    pub fullmoves: u16,
}

impl Setup {
    /// An empty board of the variant's size with white to move.
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
