//! A player's analysis of a position: its action and its expected values.

use crate::contract::options::RewardMode;
use crate::contract::options::named::Named;
use crate::contract::spec::ActionId;

/// The quantity that the values of an [`Analysis`] predict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Forecast {
    /// The outcome of the game, in [-1, 1].
    Outcome,
    /// Points to come.
    Score,
    /// Points to come minus the mean of the others'.
    Margin,
    /// Change of the lead over the others in the next rounds, in (-1/2, 1/2); near the end of the game, an outcome in
    /// [-1, 1].
    Lead,
}

impl Named for Forecast {
    const NAMES: &'static [(&'static str, Self)] =
        &[("outcome", Self::Outcome), ("score", Self::Score), ("margin", Self::Margin), ("lead", Self::Lead)];
}

impl Forecast {
    /// The quantity in words, for people.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Outcome => "outcome of the game, -1 to 1",
            Self::Score => "points to come",
            Self::Margin => "points to come minus the mean of the others'",
            Self::Lead => "change of the lead in the next rounds, -1/2 to 1/2",
        }
    }
}

impl From<RewardMode> for Forecast {
    fn from(reward: RewardMode) -> Self {
        match reward {
            RewardMode::Outcome => Self::Outcome,
            RewardMode::Score => Self::Score,
            RewardMode::Margin => Self::Margin,
        }
    }
}

/// The findings of a player in a position, beside its action.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Found {
    /// The probabilities of the legal actions in increasing order: of a search, the improved policy, which is a training
    /// target.
    pub policy: Vec<f32>,
    /// The simulations of each of these actions; empty without a search.
    pub visits: Vec<u32>,
    /// The expected value for every player, NaN where it is unknown; empty if all are.
    pub values: Vec<f32>,
}

/// A player's analysis of a position in a running game.
///
/// ```
/// use ludovec_engine::Analysis;
/// let visits = [(4, 30), (7, 10)].into_iter();
/// assert_eq!(Analysis::shares_of_search(visits, 4), Some(vec![(4, 0.75), (7, 0.25)]));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Analysis {
    /// The player's choice.
    pub action: ActionId,
    /// The legal actions in increasing order, each with its share: of the simulations of a search, where no action has
    /// a larger one than the choice, or the policy's probability. Shares are at least 0 and sum to 1.
    pub shares: Vec<(u32, f32)>,
    /// The expected value for every player.
    pub values: Vec<f32>,
    /// The quantity that the values predict.
    pub forecast: Forecast,
    /// The simulations of a search by action, in the order of `shares`; empty without a search.
    pub visits: Vec<u32>,
    /// The expected value of each action for the current player, in the order of `shares`: `None` for an action
    /// without simulations. Empty without a search.
    pub action_values: Vec<Option<f32>>,
    /// The expected line of play: the choice, then the most visited action of every position after it. The choice alone
    /// without a search.
    pub line: Vec<u32>,
}

/// The simulations and the expected value of an action.
pub type ActionSearch = (u32, Option<f32>);

impl Analysis {
    /// An analysis without a search: a policy and values.
    #[must_use]
    pub fn of_policy(
        action: ActionId,
        shares: Vec<(ActionId, f32)>,
        values: Vec<f32>,
        forecast: Forecast,
    ) -> Self {
        let (visits, action_values) = (Vec::new(), Vec::new());
        Self { action, shares, values, forecast, visits, action_values, line: vec![action] }
    }

    /// The simulations and the expected value of an action; `None` without a search.
    #[must_use]
    pub fn searched(&self, action: ActionId) -> Option<ActionSearch> {
        let i = self.shares.iter().position(|&(other, _)| other == action)?;
        Some((*self.visits.get(i)?, *self.action_values.get(i)?))
    }

    /// The chosen action, then the others in order of decreasing share; at most `most` actions.
    #[must_use]
    pub fn best(&self, most: usize) -> Vec<(u32, f32)> {
        let mut best = self.shares.clone();
        best.sort_by(|a, b| (b.0 == self.action).cmp(&(a.0 == self.action)).then(b.1.total_cmp(&a.1)));
        best.truncate(most);
        best
    }

    /// Shares of the simulations, from the visits of each action; `None` without visits. A choice that does not have the
    /// most visits is proven to be the best one: it gets all.
    pub fn shares_of_search(
        visits: impl Iterator<Item = (u32, u32)> + Clone,
        choice: ActionId,
    ) -> Option<Vec<(u32, f32)>> {
        let most = visits.clone().map(|(_, visits)| visits).max()?;
        if visits.clone().any(|(action, visits)| action == choice && visits < most) {
            return Some(visits.map(|(action, _)| (action, f32::from(action == choice))).collect());
        }
        let total: u64 = visits.clone().map(|(_, visits)| u64::from(visits)).sum();
        let share = |(action, visits): (u32, u32)| (action, (f64::from(visits) / total as f64) as f32);
        (total > 0).then(|| visits.map(share).collect())
    }

    /// The shares as one weight for every action index, for [`Marks`](crate::Marks).
    #[must_use]
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
    fn the_chosen_action_comes_first_and_then_the_largest_shares() {
        let shares = vec![(1, 0.1), (3, 0.4), (5, 0.3), (8, 0.2)];
        let mut analysis = Analysis::of_policy(5, shares, vec![0.5, -0.5], Forecast::Outcome);
        assert_eq!((analysis.searched(3), &analysis.line[..]), (None, &[5][..]));
        analysis.visits = vec![1, 4, 3, 0];
        analysis.action_values = vec![Some(0.1), Some(0.2), Some(0.3), None];
        assert_eq!(analysis.searched(3), Some((4, Some(0.2))));
        assert_eq!((analysis.searched(8), analysis.searched(7)), (Some((0, None)), None));
        assert_eq!(analysis.best(3), [(5, 0.3), (3, 0.4), (8, 0.2)]);
        assert_eq!(analysis.best(9).len(), 4);
        assert_eq!(analysis.weights(9), [0.0, 0.1, 0.0, 0.4, 0.0, 0.3, 0.0, 0.0, 0.2]);
        assert_eq!(
            Analysis::shares_of_search([(4, 3), (6, 0), (7, 1)].into_iter(), 4).unwrap(),
            [(4, 0.75), (6, 0.0), (7, 0.25)]
        );
        assert_eq!(
            Analysis::shares_of_search([(4, 3), (6, 0), (7, 1)].into_iter(), 6).unwrap(),
            [(4, 0.0), (6, 1.0), (7, 0.0)]
        );
        assert_eq!(Analysis::shares_of_search([(4, 0)].into_iter(), 4), None);
    }
}
