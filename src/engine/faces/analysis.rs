//! A player's analysis of a position: the action that it would play, and the values that it expects.

use crate::contract::named::Named;
use crate::contract::options::RewardMode;

/// The quantity that the values of an [`Analysis`] predict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Forecast {
    /// The outcome of the game, in [-1, 1].
    Outcome,
    /// Points from here to the end of the game, as the network counts them: the growth of a score, or of a lead over the
    /// others.
    Score,
    /// How the lead over the others changes in the next rounds, in (-1/2, 1/2); an outcome, in [-1, 1], where the end of
    /// the game is in sight.
    Lead,
}

impl Named for Forecast {
    const NAMES: &'static [(&'static str, Self)] =
        &[("outcome", Self::Outcome), ("score", Self::Score), ("lead", Self::Lead)];
}

impl Forecast {
    /// The quantity in words, for people.
    pub fn words(self) -> &'static str {
        match self {
            Self::Outcome => "outcome of the game, -1 to 1",
            Self::Score => "points to come, as the network counts them",
            Self::Lead => "change of the lead in the next rounds, -1/2 to 1/2",
        }
    }
}

impl From<RewardMode> for Forecast {
    fn from(reward: RewardMode) -> Self {
        match reward {
            RewardMode::Outcome => Self::Outcome,
            RewardMode::Score => Self::Score,
        }
    }
}

/// A player's analysis of a position in which somebody is to move.
#[derive(Debug, Clone, PartialEq)]
pub struct Analysis {
    /// The action that it would play.
    pub action: u32,
    /// The legal actions in increasing order, each with its share: how likely the player finds it that the action is the
    /// best one. Shares are at least 0 and add up to 1.
    pub shares: Vec<(u32, f32)>,
    /// The value that it expects for every seat.
    pub values: Vec<f32>,
    /// The quantity that the values predict.
    pub forecast: Forecast,
}

impl Analysis {
    /// The action that it would play, then the others, those of the largest shares first; `most` at most.
    pub fn best(&self, most: usize) -> Vec<(u32, f32)> {
        let mut best = self.shares.clone();
        best.sort_by(|a, b| (b.0 == self.action).cmp(&(a.0 == self.action)).then(b.1.total_cmp(&a.1)));
        best.truncate(most);
        best
    }

    /// The shares as one weight for every action index, for [`Marks`](crate::Marks).
    pub fn weights(&self, num_actions: u32) -> Vec<f32> {
        let mut weights = vec![0.0; num_actions as usize];
        self.shares.iter().for_each(|&(action, share)| weights[action as usize] = share);
        weights
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_be_played_comes_first_and_then_the_largest_shares() {
        let analysis = Analysis {
            action: 5,
            shares: vec![(1, 0.1), (3, 0.4), (5, 0.3), (8, 0.2)],
            values: vec![0.5, -0.5],
            forecast: Forecast::Outcome,
        };
        assert_eq!(analysis.best(3), [(5, 0.3), (3, 0.4), (8, 0.2)]);
        assert_eq!(analysis.best(9).len(), 4);
        assert_eq!(analysis.weights(9), [0.0, 0.1, 0.0, 0.4, 0.0, 0.3, 0.0, 0.0, 0.2]);
    }
}
