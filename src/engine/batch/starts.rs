//! Positions from outside: the position of one game, and the start positions of episodes.

use crate::batch::snapshot;
use crate::contract::Game;
use crate::contract::chance::{Chance, SeededChance};
use crate::contract::rules::{Rules, Status};
use crate::contract::support::error::{Error, Result};
use crate::dynamic::vector::Position;

/// The positions from which episodes start; without any, the rules make the first position.
pub(super) struct Starts<G: Rules>(Vec<G::State>);

impl<G: Rules> Default for Starts<G> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<G: Rules> Starts<G> {
    /// The first position of an episode, drawn from its stream.
    pub(super) fn first(&self, game: &G, chance: &mut SeededChance) -> G::State {
        match self.0.as_slice() {
            [] => game.init(chance),
            some => some[chance.uniform(some.len() as u32) as usize],
        }
    }
}

impl<G: Game> Starts<G> {
    /// Reads the positions.
    ///
    /// # Errors
    /// [`Error::InvalidState`] names the first position that is invalid or finished.
    pub(super) fn read(game: &G, positions: &[Position<'_>]) -> Result<Self> {
        let mut states = Vec::new();
        for (i, position) in positions.iter().enumerate() {
            let numbered = |what: String| Error::state(format!("start {i}: {what}"));
            for state in states_of(game, position).map_err(|error| numbered(error.to_string()))? {
                if game.status(&state) != Status::Running {
                    return Err(numbered("the game is over in this position".into()));
                }
                states.push(state);
            }
        }
        Ok(Self(states))
    }
}

/// The states of a position: one, or one for each game of a snapshot.
fn states_of<G: Game>(game: &G, position: &Position<'_>) -> Result<Vec<G::State>> {
    match position {
        Position::Json(json) => Ok(vec![game.state_from_json(json)?]),
        Position::Snapshot(bytes) => {
            Ok(snapshot::read(game, bytes)?.iter().map(|saved| saved.slot().state).collect())
        }
    }
}

/// The state of a position of one game.
///
/// # Errors
/// [`Error::InvalidState`] if it is invalid, or a snapshot of another number of games.
pub(super) fn state_of<G: Game>(game: &G, position: &Position<'_>) -> Result<G::State> {
    match states_of(game, position)?.as_slice() {
        [state] => Ok(*state),
        several => {
            Err(Error::state(format!("a position is a snapshot of one game, {} were given", several.len())))
        }
    }
}
