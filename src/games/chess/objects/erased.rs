//! Type erasure: the game under the objects, for any class of rules. The rules are generic and compiled once for
//! each class; the objects are not generic and call the rules through a trait object.

use std::sync::Arc;

use serde_json::Value;

use crate::exchange::setup::Setup;
use crate::options;
use crate::rules::Chess;
use crate::rules::board::bitboard::Bitboard;
use crate::rules::board::moves::Move;
use crate::rules::board::position::{Large, MoveRules, Position, Small, phase};
use crate::rules::history::NoHistory;
use crate::rules::state::{Reason, State, outcome};
use crate::rules::tables::Tables;
use crate::rules::variant::schema::{Square as SquareIndex, Variant};
use ludovec_engine::{OptionValue, Options, Result, Words};

/// One state of a game, with its rules.
pub(super) trait ErasedGame: Send + Sync {
    /// The variant.
    fn variant(&self) -> &Variant;
    /// The position as plain data.
    fn setup(&self) -> Setup;
    /// The legal moves.
    fn moves(&self) -> Vec<Move>;
    /// The position after a legal move.
    fn played(&self, mv: Move) -> Box<dyn ErasedGame>;
    /// Another position under the same rules, without earlier positions.
    fn replaced(&self, setup: &Setup) -> Result<Box<dyn ErasedGame>>;
    /// The position of an environment state under the same rules, with the state's full history.
    fn resumed(&self, state: &Value) -> Result<Box<dyn ErasedGame>>;
    /// The side to move: 0 white, 1 black.
    fn turn(&self) -> usize;
    /// Whether the side to move is in check.
    fn in_check(&self) -> bool;
    /// Whether the mover has another decision before the turn passes.
    fn goes_on(&self) -> bool;
    /// The destinations of king and rook in castling.
    fn castle_squares(&self, mv: Move) -> Option<(SquareIndex, SquareIndex)>;
    /// The squares of the parts of a split.
    fn split_squares(&self, mv: Move) -> Vec<SquareIndex>;
    /// The ending by the variant's rules: the winner's seat if any, and the reason.
    fn ending(&self) -> Option<(Option<usize>, &'static str)>;
    /// A copy.
    fn clone_box(&self) -> Box<dyn ErasedGame>;
}

impl Clone for Box<dyn ErasedGame> {
    fn clone(&self) -> Self {
        self.as_ref().clone_box()
    }
}

/// Compiles a variant for a game that starts from `setup`.
pub(super) fn compile(variant: &Variant, setup: &Setup) -> Result<Box<dyn ErasedGame>> {
    if usize::from(variant.width) * usize::from(variant.height) <= 64 {
        TypedGame::<Small>::compile(variant, setup)
    } else {
        TypedGame::<Large>::compile(variant, setup)
    }
}

/// A state of a game of one class of rules.
struct TypedGame<R: MoveRules> {
    game: Arc<Chess<R, NoHistory>>,
    state: State<R, NoHistory>,
}

impl<R: MoveRules> TypedGame<R> {
    fn compile(variant: &Variant, setup: &Setup) -> Result<Box<dyn ErasedGame>> {
        let tables = Box::new(Tables::compile(variant)?);
        let mut given = vec![("max_plies", OptionValue::from(10_000))];
        if variant.chess960 {
            // With a position given, no Chess960 start is drawn: the caller's `setup` is used.
            given.push(("fen", variant.start.as_str().into()));
        }
        let game = Arc::new(Chess::new(tables, &Options::parse(&options::list(), given)?)?);
        Self::at(&game, setup)
    }

    fn at(game: &Arc<Chess<R, NoHistory>>, setup: &Setup) -> Result<Box<dyn ErasedGame>> {
        let position: Position<R> = setup.to_position(&game.tables)?;
        let mut state = State::new(position);
        state.detect_end(&game.tables, u16::MAX);
        Ok(Box::new(Self { game: game.clone(), state }))
    }
}

impl<R: MoveRules> ErasedGame for TypedGame<R> {
    fn variant(&self) -> &Variant {
        &self.game.tables.variant
    }
    fn setup(&self) -> Setup {
        Setup::of(&self.game.tables, &self.state.position)
    }
    fn moves(&self) -> Vec<Move> {
        let mut moves = Vec::new();
        if self.state.outcome == outcome::RUNNING {
            self.state.position.visit_moves(&self.game.tables, &mut |mv| moves.push(mv));
        }
        moves
    }
    fn played(&self, mv: Move) -> Box<dyn ErasedGame> {
        let mut state = self.state;
        self.game.advance(&mut state, mv);
        Box::new(Self { game: self.game.clone(), state })
    }
    fn replaced(&self, setup: &Setup) -> Result<Box<dyn ErasedGame>> {
        Self::at(&self.game, setup)
    }
    fn resumed(&self, state: &Value) -> Result<Box<dyn ErasedGame>> {
        let mut state = state.clone();
        if let Some(fields) = state.as_object_mut() {
            // Boards for the observation of eight positions; the rules do not need them.
            fields.remove("history");
        }
        Ok(Box::new(Self { game: self.game.clone(), state: self.game.state_from_json(&state)? }))
    }
    fn turn(&self) -> usize {
        self.state.position.turn()
    }
    fn in_check(&self) -> bool {
        self.state.position.checkers.any()
    }
    fn goes_on(&self) -> bool {
        self.state.position.phase != phase::MOVE
    }
    fn castle_squares(&self, mv: Move) -> Option<(SquareIndex, SquareIndex)> {
        self.state.position.castle_squares(&self.game.tables, mv)
    }
    fn split_squares(&self, mv: Move) -> Vec<SquareIndex> {
        self.state.position.split_squares(&self.game.tables, mv)
    }
    fn ending(&self) -> Option<(Option<usize>, &'static str)> {
        let winner = match self.state.outcome {
            outcome::RUNNING => return None,
            outcome::WHITE => Some(0),
            outcome::BLACK => Some(1),
            _ => None,
        };
        Some((winner, Reason::NAMES[usize::from(self.state.reason).min(Reason::NAMES.len() - 1)]))
    }
    fn clone_box(&self) -> Box<dyn ErasedGame> {
        Box::new(Self { game: self.game.clone(), state: self.state })
    }
}
