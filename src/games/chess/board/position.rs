//! The position: what stands where, whose turn it is, and what play has left behind.

use std::fmt::Debug;
use std::ops::IndexMut;

use bytemuck::{Pod, Zeroable};

use super::bitboard::Bitboard;
use super::moves::Move;
use super::zobrist;
use crate::games::chess::variant::schema::{Cell, Kind, MAX_KINDS};

/// What is known about a variant at compile time.
///
/// The engine is written once, over this trait; `Plain` turns the tables' questions into constants.
pub trait Rules: Copy + PartialEq + Debug + Send + Sync + 'static {
    /// Sets of cells.
    type Bits: Bitboard;
    /// One set for every kind of piece.
    type Kinds: Pod
        + IndexMut<usize, Output = Self::Bits>
        + AsRef<[Self::Bits]>
        + Debug
        + PartialEq
        + Send
        + Sync;
    /// Whether the rules are those of orthodox chess (or Chess960), its kinds in the order of `kind`.
    const PLAIN: bool;
    /// Whether the functions below do anything; see [`Hook`](crate::games::chess::hook::Hook).
    const HOOKED: bool = false;

    /// Further moves.
    fn hook_generate(_position: &Position<Self>, _add: &mut dyn FnMut(Move)) {}
    /// Whether a move may be played.
    fn hook_filter(_position: &Position<Self>, _mv: Move) -> bool {
        true
    }
    /// Whether a side attacks a cell by further moves.
    fn hook_attacks(_position: &Position<Self>, _cell: Cell, _side: usize) -> bool {
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
    /// What else tells positions apart.
    fn hook_hash(_position: &Position<Self>) -> u64 {
        0
    }
}

/// The kinds of orthodox chess.
pub mod kind {
    use super::Kind;
    /// Pawn.
    pub const PAWN: Kind = 0;
    /// Knight.
    pub const KNIGHT: Kind = 1;
    /// Bishop.
    pub const BISHOP: Kind = 2;
    /// Rook.
    pub const ROOK: Kind = 3;
    /// Queen.
    pub const QUEEN: Kind = 4;
    /// King.
    pub const KING: Kind = 5;
}

/// Orthodox chess and Chess960.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Plain {}
impl Rules for Plain {
    type Bits = u64;
    type Kinds = [u64; 6];
    const PLAIN: bool = true;
}

/// Any variant on up to 64 cells.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Small {}
impl Rules for Small {
    type Bits = u64;
    type Kinds = [u64; MAX_KINDS];
    const PLAIN: bool = false;
}

/// Any variant on up to 128 cells.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Large {}
impl Rules for Large {
    type Bits = u128;
    type Kinds = [u128; MAX_KINDS];
    const PLAIN: bool = false;
}

/// No cell, where one may be missing.
pub const NOWHERE: Cell = Cell::MAX;

/// What the side to move decides next.
pub mod phase {
    /// A move.
    pub const MOVE: u8 = 0;
    /// Where to put the neutral piece.
    pub const PLACE: u8 = 1;
    /// A second move, with the piece on the phase cell only.
    pub const BOOST: u8 = 2;
}

/// What stands where, and what matters of how it came about.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Position<R: Rules> {
    /// The cells of each kind, of both colours.
    pub(crate) kinds: R::Kinds,
    /// The cells of white and black.
    pub(crate) colours: [R::Bits; 2],
    /// Cells that block and belong to nobody: the duck, petrified pieces.
    pub(crate) neutral: R::Bits,
    /// Rooks that may still castle, and of a side with several kings the one that castles with them.
    pub(crate) rights: R::Bits,
    /// Pieces that never moved; kept only where the variant asks for it.
    pub(crate) unmoved: R::Bits,
    /// Pieces that were pawns; kept only where captures go to hand.
    pub(crate) promoted: R::Bits,
    /// Cells on which the victim can be taken en passant; set only if an enemy pawn attacks one.
    pub(crate) en_passant: R::Bits,
    /// Enemy pieces that attack the mover's royal piece.
    pub(crate) checkers: R::Bits,
    /// The mover's pieces that shield its royal piece from exactly one slider.
    pub(crate) pinned: R::Bits,
    /// Hash of all of this that matters for repetition.
    pub(crate) key: u64,
    /// Decisions made in this game.
    pub(crate) plies: u16,
    /// Plies since the last capture, or move of a pawn that it cannot take back.
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
    pub(crate) victim: Cell,
    /// What is to be decided: see [`phase`].
    pub(crate) phase: u8,
    /// The piece that moves on in [`phase::BOOST`].
    pub(crate) phase_cell: Cell,
    /// Whose royal piece was taken, where the rules let that happen: bit 0 white's, bit 1 black's.
    pub(crate) fallen: u8,
    /// What a hook remembers; zero without one.
    pub(crate) memory: [u8; 3],
}

// Safety: all fields are plain old data for which any bytes are valid and zero is a value.
unsafe impl<R: Rules> Zeroable for Position<R> {}
// Safety: `repr(C)` with fields in decreasing alignment; `NO_PADDING` checks that their sizes add up.
unsafe impl<R: Rules> Pod for Position<R> {}

impl<R: Rules> Position<R> {
    const NO_PADDING: () = assert!(
        size_of::<Self>() == size_of::<R::Kinds>() + 9 * size_of::<R::Bits>() + 8 + 6 + 2 * MAX_KINDS + 2 + 8
    );

    /// An empty board.
    pub(crate) fn empty() -> Self {
        #[allow(clippy::let_unit_value, reason = "evaluates the assertion")]
        let () = Self::NO_PADDING;
        Self { victim: NOWHERE, phase_cell: NOWHERE, fullmoves: 1, ..Self::zeroed() }
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
        if R::PLAIN { pieces } else { pieces | self.neutral }
    }
    /// The pieces of one kind, of both colours.
    #[inline]
    pub(crate) fn of(&self, kind: Kind) -> R::Bits {
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
    /// What stands on a cell: its kind.
    #[inline]
    pub(crate) fn kind_at(&self, cell: Cell) -> Option<Kind> {
        let bit = R::Bits::cell(cell);
        if R::PLAIN {
            // Branch-free, and word by word: the sets may have been written just now, and a load of several of
            // them at once would wait until the last observation has left the processor.
            let has = |[a, b, c]: [Kind; 3]| u8::from(((self.of(a) | self.of(b) | self.of(c)) & bit).any());
            let number = has([kind::PAWN, kind::BISHOP, kind::QUEEN])
                | has([kind::KNIGHT, kind::BISHOP, kind::KING]) << 1
                | has([kind::ROOK, kind::QUEEN, kind::KING]) << 2;
            return (number > 0).then(|| number - 1);
        }
        self.kinds.as_ref().iter().position(|set| (*set & bit).any()).map(|k| k as Kind)
    }
    /// Whose piece stands on a cell; neutral ones are nobody's.
    #[inline]
    pub(crate) fn colour_at(&self, cell: Cell) -> Option<usize> {
        let bit = R::Bits::cell(cell);
        (0..2).find(|&c| (self.colours[c] & bit).any())
    }

    /// Puts a piece on, or takes it off: the same operation.
    #[inline]
    pub(crate) fn toggle(&mut self, colour: usize, kind: Kind, cell: Cell) {
        let bit = R::Bits::cell(cell);
        self.kinds[usize::from(kind)] ^= bit;
        self.colours[colour] ^= bit;
        self.key ^= zobrist::piece(colour, kind, cell);
    }
    /// Puts a neutral piece on, or takes it off.
    pub(crate) fn toggle_neutral(&mut self, kind: Kind, cell: Cell) {
        let bit = R::Bits::cell(cell);
        self.kinds[usize::from(kind)] ^= bit;
        self.neutral ^= bit;
        self.key ^= zobrist::piece(0, kind, cell);
    }
    /// Changes the set of rooks that may castle.
    #[inline]
    pub(crate) fn set_rights(&mut self, rights: R::Bits) {
        let changed = self.rights ^ rights;
        if changed.any() {
            for cell in changed.cells() {
                self.key ^= zobrist::right(cell);
            }
            self.rights = rights;
        }
    }
    /// Changes the set of pieces that were pawns.
    #[inline]
    pub(crate) fn set_promoted(&mut self, promoted: R::Bits) {
        for cell in (self.promoted ^ promoted).cells() {
            self.key ^= zobrist::promoted(cell);
        }
        self.promoted = promoted;
    }
    /// Sets how many of a kind a colour holds in hand.
    pub(crate) fn set_pocket(&mut self, colour: usize, kind: Kind, count: u8) {
        let held = &mut self.pockets[colour][usize::from(kind)];
        self.key ^= zobrist::pocket(colour, kind, *held) ^ zobrist::pocket(colour, kind, count);
        *held = count;
    }

    /// The key from scratch, as [`Position::key`] holds it.
    pub(crate) fn compute_key(&self) -> u64 {
        let mut key = R::hook_hash(self);
        key ^= if self.turn == 1 { zobrist::TURN } else { 0 };
        for (k, set) in self.kinds.as_ref().iter().enumerate() {
            for (colour, side) in [self.colours[0] | self.neutral, self.colours[1]].into_iter().enumerate() {
                for cell in (*set & side).cells() {
                    key ^= zobrist::piece(colour, k as Kind, cell);
                }
            }
        }
        for cell in self.rights.cells() {
            key ^= zobrist::right(cell);
        }
        for cell in self.en_passant.cells() {
            key ^= zobrist::en_passant(cell);
        }
        for cell in self.promoted.cells() {
            key ^= zobrist::promoted(cell);
        }
        for (colour, pocket) in self.pockets.iter().enumerate() {
            for (k, &count) in pocket.iter().enumerate() {
                key ^= zobrist::pocket(colour, k as Kind, count);
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
