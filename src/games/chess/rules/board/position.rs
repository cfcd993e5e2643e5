//! The position: pieces, side to move, castling rights, en passant, counters.

use std::fmt::Debug;
use std::ops::IndexMut;

use bytemuck::{Pod, Zeroable};

use super::bitboard::Bitboard;
use super::moves::Move;
use super::zobrist;
use crate::rules::variant::schema::{MAX_KINDS, PieceKind, Square};
use ludovec_engine::Column;

/// A class of rules, known at compile time: the size of its bitboards, and whether it is orthodox chess.
///
/// All code is generic over this trait and compiled once for each class. For `Orthodox` the lookups in a variant's
/// tables become constants, and the branches that only variants need are compiled out.
pub trait MoveRules: Copy + PartialEq + Debug + Send + Sync + 'static {
    /// The bitboard type.
    type Bits: Bitboard;
    /// One bitboard for every kind of piece.
    type Kinds: Pod
        + Column
        + IndexMut<usize, Output = Self::Bits>
        + AsRef<[Self::Bits]>
        + Debug
        + PartialEq
        + Send
        + Sync;
    /// Whether the rules are orthodox chess (or Chess960), with its kinds in the order of `kind`.
    const ORTHODOX: bool;
    /// Whether the functions below have an effect; see [`Hook`](crate::rules::hook::Hook).
    const HOOKED: bool = false;

    /// Adds moves.
    fn hook_generate(_position: &Position<Self>, _add: &mut dyn FnMut(Move)) {}
    /// Whether a move is allowed.
    fn hook_filter(_position: &Position<Self>, _mv: Move) -> bool {
        true
    }
    /// Whether a side attacks a square by an added move.
    fn hook_attacks(_position: &Position<Self>, _square: Square, _side: usize) -> bool {
        false
    }
    /// Effects after a move.
    fn hook_after_move(_position: &mut Position<Self>, _before: &Position<Self>, _mv: Move) {}
    /// The side to move after a move.
    fn hook_next_turn(_position: &Position<Self>, before: &Position<Self>, _mv: Move) -> usize {
        1 - before.turn()
    }
    /// The result: `Some(Some(side))` if a side has won, `Some(None)` for a draw.
    fn hook_outcome(_position: &Position<Self>) -> Option<Option<usize>> {
        None
    }
    /// A hash of any further state that distinguishes two positions for repetition.
    fn hook_hash(_position: &Position<Self>) -> u64 {
        0
    }
}

/// The kinds of orthodox chess.
pub mod kind {
    use super::PieceKind;
    /// Pawn.
    pub const PAWN: PieceKind = 0;
    /// Knight.
    pub const KNIGHT: PieceKind = 1;
    /// Bishop.
    pub const BISHOP: PieceKind = 2;
    /// Rook.
    pub const ROOK: PieceKind = 3;
    /// Queen.
    pub const QUEEN: PieceKind = 4;
    /// King.
    pub const KING: PieceKind = 5;
}

/// Orthodox chess and Chess960.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Orthodox {}
impl MoveRules for Orthodox {
    type Bits = u64;
    type Kinds = [u64; 6];
    const ORTHODOX: bool = true;
}

/// Any variant on up to 64 squares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Small {}
impl MoveRules for Small {
    type Bits = u64;
    type Kinds = [u64; MAX_KINDS];
    const ORTHODOX: bool = false;
}

/// Any variant on up to 128 squares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Large {}
impl MoveRules for Large {
    type Bits = u128;
    type Kinds = [u128; MAX_KINDS];
    const ORTHODOX: bool = false;
}

/// No square: the value of a field that has no square.
pub const NOWHERE: Square = Square::MAX;

/// The next decision of the side to move.
pub mod phase {
    /// A move.
    pub const MOVE: u8 = 0;
    /// The square of the neutral piece.
    pub const PLACE: u8 = 1;
    /// A second move, with the piece on the phase square only.
    pub const BOOST: u8 = 2;
}

/// A position: the pieces on the board and in hand, the side to move, and the history that the rules need.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Position<R: MoveRules> {
    /// The squares of each kind, of both colours.
    pub(crate) kinds: R::Kinds,
    /// The squares of white and black.
    pub(crate) colours: [R::Bits; 2],
    /// Squares that block and have no owner: the duck, petrified pieces.
    pub(crate) neutral: R::Bits,
    /// Rooks that may still castle. If a side has several kings, also the king that castles with them.
    pub(crate) rights: R::Bits,
    /// Pieces that never moved; kept only if the variant needs it.
    pub(crate) unmoved: R::Bits,
    /// Pieces that were pawns; kept only if captures go to the hand.
    pub(crate) promoted: R::Bits,
    /// Squares on which the victim can be taken en passant; set only if an enemy pawn attacks one.
    pub(crate) en_passant: R::Bits,
    /// Enemy pieces that attack the mover's royal piece.
    pub(crate) checkers: R::Bits,
    /// The mover's pieces that shield its royal piece from exactly one slider.
    pub(crate) pinned: R::Bits,
    /// Zobrist key: a hash of all state that matters for repetition.
    pub(crate) key: u64,
    /// Decisions made in this game so far.
    pub(crate) plies: u16,
    /// Halfmove clock: plies since the last capture or irreversible pawn move.
    pub(crate) halfmoves: u16,
    /// Number of the full move, from 1.
    pub(crate) fullmoves: u16,
    /// Pieces in hand by colour and kind.
    pub(crate) pockets: [[u8; MAX_KINDS]; 2],
    /// Checks given by each colour.
    pub(crate) checks: [u8; 2],
    /// The side to move: 0 white, 1 black.
    pub(crate) turn: u8,
    /// The pawn that can be taken en passant.
    pub(crate) victim: Square,
    /// The kind of the next decision: see [`phase`].
    pub(crate) phase: u8,
    /// The piece that moves again in [`phase::BOOST`].
    pub(crate) phase_square: Square,
    /// The sides that lost their royal piece, if the rules allow its capture: bit 0 white, bit 1 black.
    pub(crate) fallen: u8,
    /// A hook's memory; zero without a hook.
    pub(crate) memory: [u8; 3],
}

// Safety: all fields are plain old data for which any bytes are valid and zero is a value.
unsafe impl<R: MoveRules> Zeroable for Position<R> {}
// Safety: `repr(C)` with fields in decreasing alignment; `NO_PADDING` checks that their sizes add up.
unsafe impl<R: MoveRules> Pod for Position<R> {}

impl<R: MoveRules> Position<R> {
    const NO_PADDING: () = assert!(
        size_of::<Self>() == size_of::<R::Kinds>() + 9 * size_of::<R::Bits>() + 8 + 6 + 2 * MAX_KINDS + 2 + 8
    );

    /// An empty board.
    pub(crate) fn empty() -> Self {
        #[allow(clippy::let_unit_value, reason = "evaluates the assertion")]
        let () = Self::NO_PADDING;
        Self { victim: NOWHERE, phase_square: NOWHERE, fullmoves: 1, ..Self::zeroed() }
    }

    /// The side to move: 0 white, 1 black.
    #[inline]
    pub fn turn(&self) -> usize {
        usize::from(self.turn & 1)
    }
    /// The mover's pieces.
    #[inline]
    pub(crate) fn own(&self) -> R::Bits {
        self.colours[self.turn()]
    }
    /// The opponent's pieces.
    #[inline]
    pub(crate) fn enemy(&self) -> R::Bits {
        self.colours[1 - self.turn()]
    }
    /// All squares that block, holes excluded.
    #[inline]
    pub(crate) fn occupied(&self) -> R::Bits {
        let pieces = self.colours[0] | self.colours[1];
        if R::ORTHODOX { pieces } else { pieces | self.neutral }
    }
    /// The pieces of one kind, of both colours.
    #[inline]
    pub(crate) fn of(&self, kind: PieceKind) -> R::Bits {
        self.kinds[usize::from(kind)]
    }
    /// The pieces of several kinds, of both colours.
    #[inline]
    pub(crate) fn of_any(&self, kinds: u16) -> R::Bits {
        let mut set = R::Bits::EMPTY;
        let mut left = kinds;
        while left != 0 {
            set |= self.kinds[left.trailing_zeros() as usize];
            left &= left - 1;
        }
        set
    }
    /// The kind of the piece on a square.
    #[inline]
    pub(crate) fn kind_at(&self, square: Square) -> Option<PieceKind> {
        let bit = R::Bits::square(square);
        if R::ORTHODOX {
            // Branch-free: the three bits of the kind's number are computed and combined, because a branch on the
            // piece would be mispredicted often. Word by word because of store-to-load forwarding: the bitboards
            // may have been written a moment ago, and a vector load of several words cannot be served from several
            // pending stores. It would wait until all earlier stores, including the stores of the last observation,
            // have reached the cache.
            let has =
                |[a, b, c]: [PieceKind; 3]| u8::from(((self.of(a) | self.of(b) | self.of(c)) & bit).any());
            let number = has([kind::PAWN, kind::BISHOP, kind::QUEEN])
                | has([kind::KNIGHT, kind::BISHOP, kind::KING]) << 1
                | has([kind::ROOK, kind::QUEEN, kind::KING]) << 2;
            return (number > 0).then(|| number - 1);
        }
        self.kinds.as_ref().iter().position(|set| (*set & bit).any()).map(|k| k as PieceKind)
    }
    /// The colour of the piece on a square; `None` for neutral pieces.
    #[inline]
    pub(crate) fn colour_at(&self, square: Square) -> Option<usize> {
        let bit = R::Bits::square(square);
        (0..2).find(|&c| (self.colours[c] & bit).any())
    }

    /// Adds or removes a piece: the same operation.
    #[inline]
    pub(crate) fn toggle(&mut self, colour: usize, kind: PieceKind, square: Square) {
        let bit = R::Bits::square(square);
        self.kinds[usize::from(kind)] ^= bit;
        self.colours[colour] ^= bit;
        self.key ^= zobrist::piece(colour, kind, square);
    }
    /// Adds or removes a neutral piece.
    pub(crate) fn toggle_neutral(&mut self, kind: PieceKind, square: Square) {
        let bit = R::Bits::square(square);
        self.kinds[usize::from(kind)] ^= bit;
        self.neutral ^= bit;
        self.key ^= zobrist::piece(0, kind, square);
    }
    /// Sets the rooks that may castle.
    #[inline]
    pub(crate) fn set_rights(&mut self, rights: R::Bits) {
        let changed = self.rights ^ rights;
        if changed.any() {
            for square in changed.squares() {
                self.key ^= zobrist::right(square);
            }
            self.rights = rights;
        }
    }
    /// Sets the pieces that were pawns.
    #[inline]
    pub(crate) fn set_promoted(&mut self, promoted: R::Bits) {
        for square in (self.promoted ^ promoted).squares() {
            self.key ^= zobrist::promoted(square);
        }
        self.promoted = promoted;
    }
    /// Sets the number of pieces of a kind in a colour's hand.
    pub(crate) fn set_pocket(&mut self, colour: usize, kind: PieceKind, count: u8) {
        let held = &mut self.pockets[colour][usize::from(kind)];
        self.key ^= zobrist::pocket(colour, kind, *held) ^ zobrist::pocket(colour, kind, count);
        *held = count;
    }

    /// The Zobrist key computed from scratch. [`Position::key`] holds the same value, updated with every move.
    pub(crate) fn compute_key(&self) -> u64 {
        let mut key = R::hook_hash(self);
        key ^= if self.turn == 1 { zobrist::TURN } else { 0 };
        for (k, set) in self.kinds.as_ref().iter().enumerate() {
            for (colour, side) in [self.colours[0] | self.neutral, self.colours[1]].into_iter().enumerate() {
                for square in (*set & side).squares() {
                    key ^= zobrist::piece(colour, k as PieceKind, square);
                }
            }
        }
        for square in self.rights.squares() {
            key ^= zobrist::right(square);
        }
        for square in self.en_passant.squares() {
            key ^= zobrist::en_passant(square);
        }
        for square in self.promoted.squares() {
            key ^= zobrist::promoted(square);
        }
        if !R::ORTHODOX {
            key ^= zobrist::unmoved(self.unmoved.words());
        }
        for (colour, pocket) in self.pockets.iter().enumerate() {
            for (k, &count) in pocket.iter().enumerate() {
                key ^= zobrist::pocket(colour, k as PieceKind, count);
            }
        }
        for (colour, &given) in self.checks.iter().enumerate() {
            for count in 1..=given {
                key ^= zobrist::check(colour, count);
            }
        }
        key
    }
}
