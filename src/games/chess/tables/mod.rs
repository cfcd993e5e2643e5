//! A variant compiled into lookup tables: everything that play looks up.
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | the tables |
//! | `compile.rs` | from a variant to its tables, with the checks that it makes sense as a whole |
//! | `rays.rs` | the lines through a square, and what a slider reaches along them |
//! | `movement.rs` | leaps and riders |
//! | `pawns.rs` | pawn moves, double steps, promotion zones and choices |
//! | `reachable.rs` | where any piece could ever go, which numbers the actions |
//! | `grid.rs` | the board as files and ranks |
//!
//! Movement is kept by component, not by kind of piece: all kinds that leap like a knight share one table of
//! leaps, all that slide like a bishop one set. A queen is in both sets of sliders, an archbishop leaps with
//! the knights and slides with the bishops.

mod compile;
mod grid;
pub(crate) mod movement;
pub(crate) mod pawns;
pub(crate) mod rays;
mod reachable;

use super::board::bitboard::Bitboard;
use movement::{Leap, Rider};
use pawns::Pawns;
use rays::Rays;

use super::variant::schema::{MAX_KINDS, PieceKind, SideResult, Square, Variant};

/// A set of kinds; bit `k` is kind `k`.
pub(crate) type KindSet = u16;

/// Tables of one variant, for boards that fit `B`.
#[derive(Debug, Clone)]
pub(crate) struct Tables<B: Bitboard> {
    /// What was compiled.
    pub(crate) variant: Variant,
    /// Squares, holes included.
    pub(crate) squares: usize,
    /// The squares that exist.
    pub(crate) board: B,
    /// The lines through each square; holes are not in them, and block them.
    pub(crate) rays: B::Table<Rays<B>>,
    /// Kinds that slide like a rook.
    pub(crate) orthogonal: KindSet,
    /// Kinds that slide like a bishop.
    pub(crate) diagonal: KindSet,
    /// Kinds that leap; of pawns only what [`Pawns`] does not hold.
    pub(crate) leaps: Vec<Leap<B>>,
    /// Kinds that do anything else.
    pub(crate) riders: Vec<Rider<B>>,
    /// Kinds with two of these movements that can lead to the same square, which would generate one move
    /// twice.
    pub(crate) mixed: KindSet,
    /// How pawns go.
    pub(crate) pawn: Pawns<B>,
    /// The kind that may not be left attacked.
    pub(crate) royal: Option<PieceKind>,
    /// The kinds that survive next to an explosion, where captures explode.
    pub(crate) blast: Option<KindSet>,
    /// Whether checks and pins decide what is legal; otherwise each pseudo-legal move is made on a copy and
    /// tested.
    pub(crate) pins: bool,
    /// Whether pawns appear during the game; they count as never moved, and may double-step from anywhere.
    pub(crate) pawns_appear: bool,
    /// Whether pieces that never moved are kept track of.
    pub(crate) tracks_unmoved: bool,
    /// By colour: squares where a kind may be dropped or moved.
    pub(crate) droppable: Vec<[B; 2]>,
    /// By colour and kind: squares it may not enter.
    pub(crate) forbidden: [[B; MAX_KINDS]; 2],
    /// By square: it and its neighbours.
    pub(crate) neighbours: B::Table<B>,
    /// By colour: squares with its pieces where games start.
    pub(crate) start_squares: [B; 2],
    /// By colour: whether it has a royal piece where games start.
    pub(crate) has_royal: [bool; 2],
    /// Kinds that do nothing but leap like a knight.
    pub(crate) knights: KindSet,
    /// Kinds that do nothing but slide like a bishop.
    pub(crate) bishops: KindSet,
    /// The dark squares, for bishops.
    pub(crate) dark: B,
    /// What stalemate and mate are worth to the side to move.
    pub(crate) stalemate: SideResult,
    pub(crate) mate: SideResult,
    /// How many occurrences of a position draw; 0 for no such rule.
    pub(crate) repetition: u8,
    /// Whether pieces come back: from the hand, or because a rule makes new ones. Then no capture, no move of a pawn and no
    /// lost unmoved mark is irreversible.
    pub(crate) material_returns: bool,
    /// How many plies without progress draw; 0 for no such rule.
    pub(crate) progress: u16,
    /// Whether a position without mating material is a draw.
    pub(crate) dead: bool,
    /// Whether checks are counted.
    pub(crate) counts_checks: bool,
    /// Whether any of the variant's end rules ends a game while there are moves.
    pub(crate) ends_early: bool,
}

impl<B: Bitboard> Tables<B> {
    /// Where the leaps of the castling kind lead.
    #[inline]
    pub(crate) fn king_steps(&self, from: Square, colour: usize) -> B {
        let bit = self.variant.castling.as_ref().map_or(0, |c| 1 << c.king);
        let leaps = self.leaps.iter().filter(|l| l.kinds & bit != 0);
        leaps.fold(B::EMPTY, |set, l| set | l.targets[colour][from])
    }
}
