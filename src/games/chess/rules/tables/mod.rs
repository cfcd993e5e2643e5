//! A variant compiled into lookup tables.
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | the tables |
//! | `compile.rs` | compiles a variant to its tables, and checks that it is consistent |
//! | `rays.rs` | the lines through a square, and the squares that a slider reaches along them |
//! | `movement.rs` | leaps and riders |
//! | `pawns.rs` | pawn moves, double steps, promotion zones and choices |
//! | `reachable.rs` | the destinations of any piece on an empty board, which determine the action indices |
//! | `grid.rs` | the board as files and ranks |
//!
//! Movement is stored by component, not by kind of piece: all kinds that leap like a knight share one table of
//! leaps, and all kinds that slide diagonally share one set. A queen is in both sets of sliders; an archbishop leaps with
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

use super::variant::schema::{KindSet, MAX_KINDS, PieceKind, SideResult, Square, Variant};

/// Tables of one variant, for boards that fit `B`.
#[derive(Debug, Clone)]
pub(crate) struct Tables<B: Bitboard> {
    /// The source variant.
    pub(crate) variant: Variant,
    /// Squares, holes included.
    pub(crate) squares: usize,
    /// The squares that exist.
    pub(crate) board: B,
    /// The lines through each square; holes are excluded from them and block them.
    pub(crate) rays: B::PerSquare<Rays<B>>,
    /// Kinds that slide like a rook.
    pub(crate) orthogonal: KindSet,
    /// Kinds that slide like a bishop.
    pub(crate) diagonal: KindSet,
    /// Kinds that leap, and the leaps of pawns that [`Pawns`] lacks.
    pub(crate) leaps: Vec<Leap<B>>,
    /// Kinds with any other movement.
    pub(crate) riders: Vec<Rider<B>>,
    /// Kinds with two of these movements that can lead to the same square, which would generate one move
    /// twice.
    pub(crate) mixed: KindSet,
    /// Pawn movement.
    pub(crate) pawn: Pawns<B>,
    /// The kind that may not be left attacked.
    pub(crate) royal: Option<PieceKind>,
    /// The kinds that survive next to an explosion, if captures explode.
    pub(crate) blast: Option<KindSet>,
    /// Whether checks and pins decide legality; otherwise each pseudo-legal move is made on a copy and tested.
    pub(crate) pins: bool,
    /// Whether pawns appear during the game; they count as never moved, and may double-step from anywhere.
    pub(crate) pawns_appear: bool,
    /// Whether unmoved pieces are tracked.
    pub(crate) tracks_unmoved: bool,
    /// By colour: squares on which a kind may be dropped.
    pub(crate) droppable: Vec<[B; 2]>,
    /// By colour and kind: forbidden destinations.
    pub(crate) forbidden: [[B; MAX_KINDS]; 2],
    /// By square: the square and its neighbours.
    pub(crate) neighbours: B::PerSquare<B>,
    /// By colour: squares of its pieces in the start position.
    pub(crate) start_squares: [B; 2],
    /// By colour: whether it has a royal piece in the start position.
    pub(crate) has_royal: [bool; 2],
    /// Whether the piece that is placed after every move is on the board at the start.
    pub(crate) starts_placed: bool,
    /// Kinds that only leap like a knight.
    pub(crate) knights: KindSet,
    /// Kinds that only slide like a bishop.
    pub(crate) bishops: KindSet,
    /// The dark squares, for bishops.
    pub(crate) dark: B,
    /// The results of stalemate and mate for the side to move.
    pub(crate) stalemate: SideResult,
    pub(crate) mate: SideResult,
    /// The number of occurrences of a position that draws; 0 without such a rule.
    pub(crate) repetition: u8,
    /// Whether positions can return after progress: material from the hand or by rules that create pieces, or pawns that
    /// step sideways or back. If so, captures, pawn moves and lost unmoved marks are reversible.
    pub(crate) progress_returns: bool,
    /// The number of plies without progress that draws; 0 without such a rule.
    pub(crate) progress: u16,
    /// Whether a position without mating material is a draw.
    pub(crate) dead: bool,
    /// Whether a position of two royal pieces and nothing else is a draw.
    pub(crate) bare_kings: bool,
    /// Whether checks are counted.
    pub(crate) counts_checks: bool,
    /// Whether any end rule of the variant can end a game while there are legal moves.
    pub(crate) ends_early: bool,
}

impl<B: Bitboard> Tables<B> {
    /// The destinations of the castling kind's leaps.
    #[inline]
    pub(crate) fn king_steps(&self, from: Square, colour: usize) -> B {
        let bit = self.variant.castling.as_ref().map_or(0, |c| 1 << c.king);
        let leaps = self.leaps.iter().filter(|l| l.kinds & bit != 0);
        leaps.fold(B::EMPTY, |set, l| set | l.targets[colour][from])
    }

    /// The squares strictly between two squares of a line; empty if they share no line.
    #[inline]
    pub(crate) fn between(&self, a: Square, b: Square) -> B {
        for (here, there) in self.rays[a].line.iter().zip(&self.rays[b].line) {
            if here.0.has(b) {
                return here.0 & there.1;
            }
            if here.1.has(b) {
                return here.1 & there.0;
            }
        }
        B::EMPTY
    }

    /// The squares from `a` (not included) toward `b` and past it up to the next occupied one, as if `b` were
    /// empty; an empty set if they share no line.
    pub(crate) fn seen_past(&self, a: Square, b: Square, occupied: B) -> B {
        let rays = &self.rays[a];
        let mut halves = rays.line.iter().flat_map(|line| [line.0, line.1]);
        let half = halves.find(|half| half.has(b)).unwrap_or(B::EMPTY);
        let others = occupied & !B::square(b);
        (rays.orthogonal(others) | rays.diagonal(others)) & half
    }

    /// The whole line through two squares without the first; empty if they share no line.
    #[inline]
    pub(crate) fn line(&self, a: Square, b: Square) -> B {
        self.rays[a].line.iter().map(|l| l.0 | l.1).find(|l| l.has(b)).unwrap_or(B::EMPTY)
    }
}
