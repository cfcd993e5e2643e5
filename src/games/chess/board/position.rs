//! The position: pieces, side to move, castling rights, en passant, counters.

use std::fmt::Debug;
use std::ops::IndexMut;

use bytemuck::{Pod, Zeroable};

use super::bitboard::Bitboard;
use super::moves::Move;
use super::zobrist;
use crate::engine::Column;
use crate::games::chess::variant::schema::{MAX_KINDS, PieceKind, Square};

/// A class of rules, known at compile time: how large its bitboards are, and whether it is orthodox chess.
///
/// All code is written once, generic over this trait, and compiled for each class. For `Orthodox` the
/// questions to the tables of a variant become constants, and the branches that only variants need vanish.
pub trait MoveRules: Copy + PartialEq + Debug + Send + Sync + 'static {
    /// Sets of squares.
    type Bits: Bitboard;
    /// One set for every kind of piece.
    type Kinds: Pod
        + Column
        + IndexMut<usize, Output = Self::Bits>
        + AsRef<[Self::Bits]>
        + Debug
        + PartialEq
        + Send
        + Sync;
    /// Whether the rules are those of orthodox chess (or Chess960), its kinds in the order of `kind`.
    const ORTHODOX: bool;
    /// Whether the functions below do anything; see [`Hook`](crate::games::chess::hook::Hook).
    const HOOKED: bool = false;

    /// Further moves.
    fn hook_generate(_position: &Position<Self>, _add: &mut dyn FnMut(Move)) {}
    /// Whether a move may be played.
    fn hook_filter(_position: &Position<Self>, _mv: Move) -> bool {
        true
    }
    /// Whether a side attacks a square by further moves.
    fn hook_attacks(_position: &Position<Self>, _square: Square, _side: usize) -> bool {
        false
    }
    /// What follows a move.
    fn hook_after_move(_position: &mut Position<Self>, _before: &Position<Self>, _mv: Move) {}
    /// Whose turn it is after a move.
    fn hook_next_turn(_position: &Position<Self>, before: &Position<Self>, _mv: Move) -> usize {
        1 - before.turn()
    }
    /// The result: a side has won, or nobody.
    fn hook_outcome(_position: &Position<Self>) -> Option<Option<usize>> {
        None
    }
    /// A hash of whatever else distinguishes two positions for repetition.
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

/// No square, where one may be missing.
pub const NOWHERE: Square = Square::MAX;

/// What the side to move decides next.
pub mod phase {
    /// A move.
    pub const MOVE: u8 = 0;
    /// Where to put the neutral piece.
    pub const PLACE: u8 = 1;
    /// A second move, with the piece on the phase square only.
    pub const BOOST: u8 = 2;
}

/// A position: the pieces on the board and in hand, the side to move, and what the rules need to know of earlier
/// moves.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Position<R: MoveRules> {
    /// The squares of each kind, of both colours.
    pub(crate) kinds: R::Kinds,
    /// The squares of white and black.
    pub(crate) colours: [R::Bits; 2],
    /// Squares that block and belong to nobody: the duck, petrified pieces.
    pub(crate) neutral: R::Bits,
    /// Rooks that may still castle, and of a side with several kings the one that castles with them.
    pub(crate) rights: R::Bits,
    /// Pieces that never moved; kept only where the variant asks for it.
    pub(crate) unmoved: R::Bits,
    /// Pieces that were pawns; kept only where captures go to hand.
    pub(crate) promoted: R::Bits,
    /// Squares on which the victim can be taken en passant; set only if an enemy pawn attacks one.
    pub(crate) en_passant: R::Bits,
    /// Enemy pieces that attack the mover's royal piece.
    pub(crate) checkers: R::Bits,
    /// The mover's pieces that shield its royal piece from exactly one slider.
    pub(crate) pinned: R::Bits,
    /// Zobrist key: hash of all that matters for repetition.
    pub(crate) key: u64,
    /// Decisions made in this game.
    pub(crate) plies: u16,
    /// Halfmove clock: plies since the last capture or irreversible pawn move.
    pub(crate) halfmoves: u16,
    /// Number of the full move, from 1.
    pub(crate) fullmoves: u16,
    /// Pieces in hand by colour and kind.
    pub(crate) pockets: [[u8; MAX_KINDS]; 2],
    /// Checks given by each colour.
    pub(crate) checks: [u8; 2],
    /// Whose turn it is: 0 white, 1 black.
    pub(crate) turn: u8,
    /// The pawn that can be taken en passant.
    pub(crate) victim: Square,
    /// What is to be decided: see [`phase`].
    pub(crate) phase: u8,
    /// The piece that moves on in [`phase::BOOST`].
    pub(crate) phase_square: Square,
    /// Whose royal piece was taken, where the rules let that happen: bit 0 white's, bit 1 black's.
    pub(crate) fallen: u8,
    /// What a hook remembers; zero without one.
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

    /// Whose turn it is: 0 white, 1 black.
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
    /// Everything that blocks, holes aside.
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
    /// What stands on a square: its kind.
    #[inline]
    pub(crate) fn kind_at(&self, square: Square) -> Option<PieceKind> {
        let bit = R::Bits::square(square);
        if R::ORTHODOX {
            // Branch-free: the three bits of the kind's number are computed and put together, because a branch on
            // the piece would be mispredicted often. Word by word because of store-to-load forwarding: the
            // bitboards may just have been written, and a vector load of several words cannot be served from
            // several pending stores; it would wait until all earlier stores, those of the last observation too,
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
    /// Whose piece stands on a square; neutral ones are nobody's.
    #[inline]
    pub(crate) fn colour_at(&self, square: Square) -> Option<usize> {
        let bit = R::Bits::square(square);
        (0..2).find(|&c| (self.colours[c] & bit).any())
    }

    /// Puts a piece on, or takes it off: the same operation.
    #[inline]
    pub(crate) fn toggle(&mut self, colour: usize, kind: PieceKind, square: Square) {
        let bit = R::Bits::square(square);
        self.kinds[usize::from(kind)] ^= bit;
        self.colours[colour] ^= bit;
        self.key ^= zobrist::piece(colour, kind, square);
    }
    /// Puts a neutral piece on, or takes it off.
    pub(crate) fn toggle_neutral(&mut self, kind: PieceKind, square: Square) {
        let bit = R::Bits::square(square);
        self.kinds[usize::from(kind)] ^= bit;
        self.neutral ^= bit;
        self.key ^= zobrist::piece(0, kind, square);
    }
    /// Changes the set of rooks that may castle.
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
    /// Changes the set of pieces that were pawns.
    #[inline]
    pub(crate) fn set_promoted(&mut self, promoted: R::Bits) {
        for square in (self.promoted ^ promoted).squares() {
            self.key ^= zobrist::promoted(square);
        }
        self.promoted = promoted;
    }
    /// Sets how many of a kind a colour holds in hand.
    pub(crate) fn set_pocket(&mut self, colour: usize, kind: PieceKind, count: u8) {
        let held = &mut self.pockets[colour][usize::from(kind)];
        self.key ^= zobrist::pocket(colour, kind, *held) ^ zobrist::pocket(colour, kind, count);
        *held = count;
    }

    /// The Zobrist key computed from scratch; [`Position::key`] holds the same, updated with every move.
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
