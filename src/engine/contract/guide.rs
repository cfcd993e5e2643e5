//! What helps players of a game: estimates, bots, symmetries.

use crate::engine::contract::chance::Chance;
use crate::engine::contract::rules::Rules;

/// A player that ships with a game.
///
/// A bot acts on what its seat may know: hidden parts of the state must not influence it.
pub struct Bot<G: Rules> {
    /// Its name on command lines.
    pub name: &'static str,
    /// One sentence on how it plays.
    pub help: &'static str,
    /// Chooses one of the legal actions in `mask`; randomness comes from the source it is handed.
    pub act: fn(&G, &G::State, mask: &[u64], chance: &mut dyn Chance) -> u32,
    /// What it tries first, legal or not, if it plays something else where that is refused; for logs. The source it is
    /// handed gives the same numbers as that of `act`.
    pub tries: Option<fn(&G, &G::State, chance: &mut dyn Chance) -> u32>,
}

/// A symmetry of the rules, for data augmentation: both permutations applied to a position and an action
/// give the same game seen differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symmetry {
    /// Its name.
    pub name: String,
    /// Element `i` of the transformed observation is element `observation[i]` of the original.
    pub observation: Vec<u32>,
    /// Action `a` of the original position is action `action[a]` of the transformed one.
    pub action: Vec<u32>,
}

/// What helps players of a game. Everything has a default: the score as the estimate, no bots, no symmetries.
pub trait Guide: Rules {
    /// Writes an estimate of each seat's position in a game that goes on, on any scale (heuristic evaluation); bots
    /// that play any game use it. The default is the score.
    fn estimate(&self, state: &Self::State, out: &mut [f32]) {
        self.scores(state, out);
    }
    /// Writes an estimate of each seat's position beyond the next few turns, on the scale of [`Guide::estimate`]; it
    /// may take longer. Search evaluates the ends of its playouts with it. The default is the estimate.
    fn outlook(&self, state: &Self::State, out: &mut [f32]) {
        self.estimate(state, out);
    }
    /// The action that does nothing, where the rules have one: what a bot plays that fails to answer.
    fn pass(&self, _state: &Self::State) -> Option<u32> {
        None
    }
    /// The bots of this game; `random` and `greedy` exist for every game and are not listed here.
    fn bots() -> &'static [Bot<Self>] {
        &[]
    }
    /// The symmetries of the rules, the identity first; empty when there are none.
    fn symmetries(&self) -> Vec<Symmetry> {
        Vec::new()
    }
}
