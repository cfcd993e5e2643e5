//! Positions from outside: the position of one game, and the start positions of episodes.

use crate::batch::snapshot;
use crate::contract::Game;
use crate::contract::chance::{Chance, SeededChance};
use crate::contract::rules::{Rules, Status};
use crate::contract::support::error::{Error, Result};
use crate::dynamic::vector::Position;

/// The positions from which episodes start; without any, the rules make the first position.
pub(super) struct Starts<G: Rules> {
    states: Vec<G::State>,
    /// Sums of the weights up to each position; empty if all are equal.
    sums: Vec<u32>,
}

/// The scale of weights as integers.
const SCALE: f64 = (1_u32 << 30) as f64;

impl<G: Rules> Default for Starts<G> {
    fn default() -> Self {
        Self { states: Vec::new(), sums: Vec::new() }
    }
}

impl<G: Rules> Starts<G> {
    /// The first position of an episode, drawn from its stream.
    pub(super) fn first(&self, game: &G, chance: &mut SeededChance) -> G::State {
        match (self.states.as_slice(), self.sums.last()) {
            ([], _) => game.init(chance),
            (some, None) => some[chance.uniform(some.len() as u32) as usize],
            (some, Some(&all)) => {
                let drawn = chance.uniform(all);
                some[self.sums.partition_point(|&sum| sum <= drawn)]
            }
        }
    }
}

impl<G: Game> Starts<G> {
    /// Reads the positions; every game of a snapshot has the weight of its position. A weight below 1e-9 of the sum
    /// counts as 1e-9, unless it is 0.
    ///
    /// # Errors
    /// [`Error::InvalidState`] names the first position that is invalid or finished; [`Error::InvalidConfig`] for wrong
    /// weights.
    pub(super) fn read(game: &G, positions: &[Position<'_>], weights: &[f64]) -> Result<Self> {
        if !weights.is_empty() && weights.len() != positions.len() {
            let (found, needed) = (weights.len(), positions.len());
            return Err(Error::config(format!("weights: {found} were given, {needed} starts need as many")));
        }
        if let Some(wrong) = weights.iter().find(|weight| !(0.0..=1e300).contains(*weight)) {
            return Err(Error::config(format!("weights: {wrong}: numbers of at least 0 are needed")));
        }
        let (mut states, mut of_states) = (Vec::new(), Vec::new());
        for (i, position) in positions.iter().enumerate() {
            let numbered = |what: String| Error::state(format!("start {i}: {what}"));
            for state in states_of(game, position).map_err(|error| numbered(error.to_string()))? {
                if game.status(&state) != Status::Running {
                    return Err(numbered("the game is over in this position".into()));
                }
                states.push(state);
                of_states.extend(weights.get(i));
            }
        }
        let largest = of_states.iter().copied().fold(0.0, f64::max);
        if !of_states.is_empty() && largest == 0.0 {
            return Err(Error::config("weights: at least one must be above 0"));
        }
        // Divided by the largest weight first, so that no sum is infinite.
        let all: f64 = of_states.iter().map(|weight| weight / largest).sum();
        let mut sum = 0;
        let sums = of_states.iter().map(|&weight| {
            let part = (weight / largest / all * SCALE).round() as u32;
            sum += part.max(u32::from(weight > 0.0));
            sum
        });
        Ok(Self { sums: sums.collect(), states })
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
