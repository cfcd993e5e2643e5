//! One step of a game with its rewards, shared by play and search.

use crate::contract::chance::Chance;
use crate::contract::options::{CommonOptions, RewardMode};
use crate::contract::reward::{margins_from_scores, outcome_of};
use crate::contract::rules::{Rules, Status};
use crate::contract::spec::MAX_PLAYERS;

/// The rewards of a step by seat.
pub(super) struct Transition {
    pub(super) status: Status,
    /// Rewards under the reward mode.
    pub(super) rewards: [f32; MAX_PLAYERS],
    /// The outcome of the game, 0 unless it has terminated.
    pub(super) returns: [f32; MAX_PLAYERS],
}

/// Plays a legal action, the `length`-th decision of its episode.
#[inline]
pub(super) fn step<G: Rules, C: Chance + ?Sized>(
    game: &G,
    common: &CommonOptions,
    state: &mut G::State,
    action: u32,
    length: u32,
    chance: &mut C,
) -> Transition {
    let players = game.spec().players;
    let mut before = [0.0; MAX_PLAYERS];
    if common.reward.follows_scores() {
        game.scores(state, &mut before[..players]);
    }
    game.step(state, action, chance);
    let mut status = game.status(state);
    if status == Status::Running && common.max_steps.is_some_and(|limit| length >= limit) {
        status = Status::Truncated;
    }
    let mut returns = [0.0; MAX_PLAYERS];
    if status == Status::Terminated {
        outcome_of(game, state, &mut returns[..players]);
    }
    let mut rewards = returns;
    if common.reward.follows_scores() {
        rewards = [0.0; MAX_PLAYERS];
        game.scores(state, &mut rewards[..players]);
        for (reward, before) in rewards.iter_mut().zip(before) {
            *reward -= before;
        }
        if common.reward == RewardMode::Margin {
            margins_from_scores(&mut rewards[..players]);
        }
    }
    Transition { status, rewards, returns }
}
