//! The search context shared by all trees of a search: the game, the settings, the selection rule.

use std::sync::Arc;

use crate::contract::options::{CommonOptions, RewardMode};
use crate::contract::rules::Rules;
use crate::contract::spec::Spec;
use crate::dynamic::tree_search::{SearchMethod, SearchSettings};
use crate::search::gumbel::{EPSILON, Gumbel};
use crate::search::puct::Puct;
use crate::search::tree::{Interval, ReturnRules};

/// The range by which a root's Q values are rescaled at least, if they are noisy outcomes in [-1, 1].
const NOISY_RANGE: f64 = 0.2;

/// The selection rule for actions.
pub(super) enum SelectionRule {
    Gumbel(Gumbel),
    Puct,
}

/// The search context shared by all trees of a search.
pub(crate) struct SearchContext<G: Rules> {
    pub(crate) game: Arc<G>,
    pub(crate) settings: SearchSettings,
    pub(crate) players: usize,
    pub(super) common: CommonOptions,
    pub(super) hidden: bool,
    pub(super) rule: SelectionRule,
    pub(super) puct: Puct,
    /// Whether the game has more than two players or hidden information, so that values vary between visits even
    /// without chance.
    pub(super) is_noisy: bool,
    /// Whether leaves are evaluated by playouts.
    pub(super) has_playouts: bool,
    /// The rules of proofs; `None` if nothing is proven.
    pub(super) proofs: Option<ReturnRules>,
}

/// Whether the rewards of all players sum to 0.
fn is_zero_sum(spec: &Spec, reward: RewardMode) -> bool {
    match reward {
        RewardMode::Outcome => spec.payoff.is_ranks(),
        RewardMode::Score => false,
        RewardMode::Margin => true,
    }
}

impl<G: Rules> SearchContext<G> {
    pub(crate) fn new(game: Arc<G>, settings: SearchSettings) -> Self {
        let spec = game.spec();
        let puct = Puct { c_init: settings.c_init.into(), c_base: settings.c_base.into() };
        let rule = match settings.method {
            SearchMethod::Gumbel => SelectionRule::Gumbel(Gumbel {
                num_actions: spec.num_actions,
                considered: settings.considered,
                simulations: settings.simulations,
            }),
            SearchMethod::Puct => SelectionRule::Puct,
        };
        let mut common = CommonOptions::read(&spec.options);
        if let Some(reward) = settings.reward {
            (common.reward, common.max_steps) = (reward, None);
        }
        let is_noisy = spec.hidden_information || spec.players > 2;
        let range = match common.reward {
            RewardMode::Outcome => Interval { low: -1.0, high: 1.0 },
            RewardMode::Score | RewardMode::Margin => Interval::ANY,
        };
        let is_zero_sum = spec.players > 1 && is_zero_sum(spec, common.reward);
        // The outcome of a single player is always 0, which proves nothing about its play.
        let has_results = spec.players > 1 || common.reward != RewardMode::Outcome;
        let rules = ReturnRules { range, discount: settings.discount.into(), is_zero_sum };
        Self {
            players: spec.players,
            proofs: (settings.proofs && has_results && !spec.hidden_information).then_some(rules),
            common,
            hidden: spec.hidden_information,
            rule,
            puct,
            is_noisy,
            has_playouts: false,
            settings,
            game,
        }
    }

    /// The range by which Gumbel AlphaZero rescales the Q values of the root at least.
    ///
    /// Rescaling makes the largest difference between visited actions decisive, however small it is. Where values are
    /// noisy, such a difference may be the error of a network, which would overrule its policy. So differences below a
    /// tenth of the range of outcomes count in proportion, with the weight that Gumbel AlphaZero gives to values of
    /// known range (`c_scale` 1). Playouts and other rewards have no such scale.
    pub(super) fn least_range(&self, is_noisy: bool) -> f64 {
        let has_scale = is_noisy && self.pays_outcomes() && !self.has_playouts;
        if has_scale { NOISY_RANGE } else { EPSILON }
    }

    /// A search context for leaf evaluation by playouts or estimates.
    pub(crate) fn for_playouts(mut self) -> Self {
        self.has_playouts = true;
        self
    }

    /// Whether the actions of new leaves are tried by the rules.
    pub(super) fn tries_leaves(&self) -> bool {
        // A playout takes no longer than that.
        self.settings.one_ply && !self.has_playouts && self.pays_outcomes()
    }

    /// Whether the rewards of all players sum to 0.
    pub(crate) fn is_zero_sum(&self) -> bool {
        is_zero_sum(self.game.spec(), self.common.reward)
    }

    /// Whether rewards are outcomes.
    pub(crate) fn pays_outcomes(&self) -> bool {
        self.common.reward == RewardMode::Outcome
    }
}
