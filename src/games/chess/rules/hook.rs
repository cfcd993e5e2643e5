//! Hooks: rules in Rust, for behaviour that no variant file can express.
//!
//! A [`Hook`] extends the rules of a variant: additional moves, forbidden moves, attacks, effects after a move, the
//! next side to move, game end. It is a type without a value (static dispatch): the rules are compiled separately
//! for it, and variants without a hook pay nothing for hooks. A hook keeps its memory of a game in three bytes of
//! the position, see [`Position::memory`].
//!
//! ```
//! use ludovec_engine::OptionValue;
//! use ludovec_chess::hook::{Hook, Hooked, Move, Position, build};
//!
//! /// A side that moves its king moves again.
//! #[derive(Debug, Clone, Copy, PartialEq)]
//! struct Tireless;
//!
//! impl Hook for Tireless {
//!     fn next_turn(position: &Position<Hooked<Self>>, before: &Position<Hooked<Self>>, mv: Move) -> usize {
//!         let king = before.piece_at(mv.from).is_some_and(|(kind, _)| kind == 5);
//!         if king { before.turn() } else { 1 - before.turn() }
//!     }
//! }
//!
//! let no_options: [(&str, OptionValue); 0] = [];
//! let game = build::<Tireless>("nocastle", no_options).unwrap();
//! assert_eq!(game.spec().players, 2);
//! ```

use std::fmt::Debug;
use std::marker::PhantomData;
use std::sync::Arc;

use ludovec_engine::{AnyGame, OptionValue, Options, Result};

use super::Chess;
use super::board::bitboard::Bitboard;
use super::history::NoHistory;
use super::tables::Tables;
use super::variant;
use super::variant::schema::{MAX_KINDS, PieceKind, Square, Variant};
use crate::options;

pub use super::board::moves::{Move, MoveKind};
pub use super::board::position::{MoveRules, Position};

/// Rules that extend a variant.
///
/// All functions have a default that adds nothing. Squares are `rank * width + file`, sides 0 (white) and 1.
///
/// ```
/// use ludovec_chess::hook::{Hook, Hooked, Move, Position, build};
///
/// /// Pawns, which are the kind 0, do not move.
/// #[derive(Debug, Clone, Copy, PartialEq)]
/// struct StillPawns;
///
/// impl Hook for StillPawns {
///     fn filter(position: &Position<Hooked<Self>>, mv: Move) -> bool {
///         position.piece_at(mv.from).is_none_or(|(kind, _)| kind != 0)
///     }
/// }
///
/// let game = build::<StillPawns>("nocastle", [])?;
/// assert_eq!(game.single(0).legal_actions().len(), 4); // the knights'
/// # Ok::<(), ludovec_engine::Error>(())
/// ```
pub trait Hook: Copy + PartialEq + Debug + Send + Sync + Sized + 'static {
    /// Generates additional pseudo-legal moves: calls `add` with plain moves, including captures, of pieces of the
    /// side to move.
    ///
    /// A move is legal if it leaves the royal piece safe and [`Hook::filter`] allows it. Moves that the variant has
    /// anyway are ignored.
    fn generate(_position: &Position<Hooked<Self>>, _add: &mut dyn FnMut(Move)) {}
    /// Whether a move, of the variant or of [`Hook::generate`], is allowed.
    #[must_use]
    fn filter(_position: &Position<Hooked<Self>>, _mv: Move) -> bool {
        true
    }
    /// Whether `side` attacks a square by a move of [`Hook::generate`].
    #[must_use]
    fn attacks(_position: &Position<Hooked<Self>>, _square: Square, _side: usize) -> bool {
        false
    }
    /// Changes the position after a move and all its effects; `before` is the position before the move.
    fn after_move(_position: &mut Position<Hooked<Self>>, _before: &Position<Hooked<Self>>, _mv: Move) {}
    /// The side to move after a move.
    #[must_use]
    fn next_turn(_position: &Position<Hooked<Self>>, before: &Position<Hooked<Self>>, _mv: Move) -> usize {
        1 - before.turn()
    }
    /// The result if the game is over: `Some(Some(side))` if a side has won, `Some(None)` for a draw.
    #[must_use]
    fn outcome(_position: &Position<Hooked<Self>>) -> Option<Option<usize>> {
        None
    }
    /// A hash of any further state that distinguishes two positions for repetition. [`Position::memory`] is always
    /// included.
    #[must_use]
    fn hash(_position: &Position<Hooked<Self>>) -> u64 {
        0
    }
}

/// A variant of any size with a hook.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hooked<H>(PhantomData<H>);

impl<H: Hook> MoveRules for Hooked<H> {
    type Bits = u128;
    type Kinds = [u128; MAX_KINDS];
    const ORTHODOX: bool = false;
    const HOOKED: bool = true;

    fn hook_generate(position: &Position<Self>, add: &mut dyn FnMut(Move)) {
        H::generate(position, add);
    }
    fn hook_filter(position: &Position<Self>, mv: Move) -> bool {
        H::filter(position, mv)
    }
    fn hook_attacks(position: &Position<Self>, square: Square, side: usize) -> bool {
        H::attacks(position, square, side)
    }
    fn hook_after_move(position: &mut Position<Self>, before: &Position<Self>, mv: Move) {
        H::after_move(position, before, mv);
    }
    fn hook_next_turn(position: &Position<Self>, before: &Position<Self>, mv: Move) -> usize {
        H::next_turn(position, before, mv) & 1
    }
    fn hook_outcome(position: &Position<Self>) -> Option<Option<usize>> {
        H::outcome(position)
    }
    fn hook_hash(position: &Position<Self>) -> u64 {
        let [a, b, c] = position.memory;
        H::hash(position) ^ super::board::zobrist::memory([a, b, c])
    }
}

impl<H: Hook> Position<Hooked<H>> {
    /// The kind and the side of the piece on a square; neutral pieces count as white's.
    #[must_use]
    pub fn piece_at(&self, square: Square) -> Option<(PieceKind, usize)> {
        let kind = u128::has_in_range(u128::FULL, square).then(|| self.kind_at(square))??;
        Some((kind, self.colour_at(square).unwrap_or(0)))
    }
    /// The squares with pieces of a kind and a side, in increasing order.
    pub fn squares_of(&self, kind: PieceKind, side: usize) -> impl Iterator<Item = Square> + use<H> {
        (self.of(kind) & self.colours[side & 1]).squares()
    }
    /// Removes the piece on a square.
    pub fn remove(&mut self, square: Square) {
        self.take_off(square);
    }
    /// Puts a piece on a square and replaces the piece there. A square or kind outside the variant makes the game
    /// unplayable.
    pub fn put(&mut self, square: Square, kind: PieceKind, side: usize) {
        self.take_off(square);
        self.toggle(side & 1, kind, square);
    }
    /// A hook's memory of a game: three bytes, zero at its start.
    #[must_use]
    pub fn memory(&self) -> [u8; 3] {
        self.memory
    }
    /// Sets the hook's memory.
    pub fn set_memory(&mut self, memory: [u8; 3]) {
        self.memory = memory;
    }
}

/// The environment `chess` with a hook: `variant` is a shipped name or a path, `given` are its other options.
///
/// # Errors
/// [`Error::InvalidConfig`](ludovec_engine::Error::InvalidConfig) names the problem with the variant or the
/// options.
pub fn build<H: Hook>(
    variant: &str,
    given: impl IntoIterator<Item = (&'static str, OptionValue)>,
) -> Result<Arc<dyn AnyGame>> {
    let options = Options::parse(&options::list(), given)?;
    build_on::<H>(&variant::load(variant, options.flags("flags"))?, &options)
}

/// Like [`build`], for a variant from [`variant::from_text`].
///
/// # Errors
/// As [`build`].
pub fn build_from_text<H: Hook>(name: &str, text: &str) -> Result<Arc<dyn AnyGame>> {
    let options = Options::parse(&options::list(), [] as [(&str, OptionValue); 0])?;
    build_on::<H>(&variant::from_text(name, text)?, &options)
}

fn build_on<H: Hook>(variant: &Variant, options: &Options) -> Result<Arc<dyn AnyGame>> {
    let mut tables = Box::new(Tables::<u128>::compile(variant)?);
    tables.pins = false;
    Ok(Arc::new(Chess::<Hooked<H>, NoHistory>::new(tables, options)?))
}
