//! Rewards: from ranks or scores to one number per player.

use serde::{Deserialize, Serialize};

use crate::contract::options::{CommonOptions, OnIllegal, Options, RewardMode};
use crate::contract::rules::Rules;
use crate::contract::spec::MAX_PLAYERS;

/// The quantity that players play for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "type")]
pub enum Payoff {
    /// Ranks: one player's gain is the loss of others.
    #[default]
    Ranks,
    /// The score, which is the same for all players: a cooperative game.
    Common {
        /// The lowest score at the end.
        low: f32,
        /// The highest score at the end.
        high: f32,
    },
    /// Each player's own score.
    General {
        /// The lowest score at the end.
        low: f32,
        /// The highest score at the end.
        high: f32,
    },
}

impl Payoff {
    /// Whether outcomes follow from ranks, so that they sum to 0.
    #[must_use]
    pub fn is_ranks(&self) -> bool {
        matches!(self, Self::Ranks)
    }
    /// The lowest and highest score at the end, if scores are the outcome.
    #[must_use]
    pub fn range(&self) -> Option<(f32, f32)> {
        match *self {
            Self::Ranks => None,
            Self::Common { low, high } | Self::General { low, high } => Some((low, high)),
        }
    }
    /// Maps scores to [-1, 1], if scores are the outcome.
    pub(crate) fn scale(&self, scores: &mut [f32]) {
        let Some((low, high)) = self.range() else { return };
        for score in scores {
            *score = (2.0 * (*score - low) / (high - low).max(f32::MIN_POSITIVE) - 1.0).clamp(-1.0, 1.0);
        }
    }
}

/// Writes the outcome of a terminated game: of ranks, or the scores in their range.
pub(crate) fn outcome_of<G: Rules>(game: &G, state: &G::State, out: &mut [f32]) {
    let payoff = game.spec().payoff;
    if payoff.is_ranks() {
        let mut ranks = [0; MAX_PLAYERS];
        game.ranks(state, &mut ranks[..out.len()]);
        outcome_from_ranks(&ranks[..out.len()], out);
    } else {
        game.scores(state, out);
        payoff.scale(out);
    }
}

/// Minimum and maximum reward of a player per step under `options`. `change` is the minimum and maximum change of a
/// score per step.
///
/// ```
/// use ludovec_engine::{Options, reward_range};
/// let options = |reward: &str| Options::parse(&[], [("reward", reward.into())]).unwrap();
/// assert_eq!(reward_range(&options("outcome"), (0.0, 5.0)), (-1.0, 1.0));
/// assert_eq!(reward_range(&options("score"), (0.0, 5.0)), (0.0, 5.0));
/// assert_eq!(reward_range(&options("margin"), (0.0, 5.0)), (-5.0, 5.0));
/// ```
#[must_use]
pub fn reward_range(options: &Options, change: (f32, f32)) -> (f32, f32) {
    let common = CommonOptions::read(options);
    let (least, most) = match common.reward {
        RewardMode::Outcome => return (-1.0, 1.0),
        RewardMode::Score => change,
        // A single player has a margin, too: its own score.
        RewardMode::Margin => (change.0.min(change.0 - change.1), change.1.max(change.1 - change.0)),
    };
    match common.on_illegal {
        OnIllegal::Raise => (least, most),
        OnIllegal::Lose => (least.min(-1.0), most.max(1.0)),
    }
}

/// Maps changes of scores to margins: a player's change minus the mean change of the others, so the sum is 0. A single
/// player keeps its change.
pub fn margins_from_scores(changes: &mut [f32]) {
    let others = changes.len().saturating_sub(1);
    if others == 0 {
        return;
    }
    let sum: f32 = changes.iter().sum();
    for change in changes {
        *change -= (sum - *change) / others as f32;
    }
}

/// Maps ranks (0 best, equal for ties) to [-1, 1]: the places 0..P are spaced evenly from 1 to -1, and tied players
/// get the mean of their places, so the sum is 0. A single player gets 0.
pub fn outcome_from_ranks(ranks: &[u8], out: &mut [f32]) {
    let players = ranks.len();
    for (seat, value) in out.iter_mut().enumerate() {
        let better = ranks.iter().filter(|&&r| r < ranks[seat]).count();
        let tied = ranks.iter().filter(|&&r| r == ranks[seat]).count();
        // Twice the mean place of the tied group, to stay in integers.
        let place = 2 * better + tied - 1;
        *value = if players < 2 { 0.0 } else { 1.0 - place as f32 / (players - 1) as f32 };
    }
}

/// The outcome of a game lost by `seat` through an illegal action.
pub fn outcome_of_forfeit(seat: usize, out: &mut [f32]) {
    debug_assert!(out.len() <= MAX_PLAYERS);
    let share = 1.0 / (out.len().max(2) - 1) as f32;
    out.fill(share);
    out[seat] = -1.0;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_are_zero_sum_and_ties_share() {
        for (ranks, expected) in [
            (vec![0, 1], vec![1.0, -1.0]),
            (vec![3, 3], vec![0.0, 0.0]),
            (vec![0, 1, 2], vec![1.0, 0.0, -1.0]),
            (vec![0, 0, 2], vec![0.5, 0.5, -1.0]),
            (vec![1, 0, 1, 1], vec![-1.0 / 3.0, 1.0, -1.0 / 3.0, -1.0 / 3.0]),
            (vec![0], vec![0.0]),
        ] {
            let mut out = vec![9.0; ranks.len()];
            outcome_from_ranks(&ranks, &mut out);
            assert!(
                out.iter().zip(&expected).all(|(a, b): (&f32, &f32)| (a - b).abs() < 1e-6),
                "{ranks:?} {out:?}"
            );
            assert!(out.iter().sum::<f32>().abs() < 1e-6);
        }
    }

    #[test]
    fn a_forfeit_is_zero_sum() {
        let mut out = [0.0; 3];
        outcome_of_forfeit(1, &mut out);
        assert_eq!(out, [0.5, -1.0, 0.5]);
    }
}
