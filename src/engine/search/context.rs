//! The search context shared by all trees of a search: the game, the settings, the selection rule.

use std::sync::Arc;

use crate::contract::options::{CommonOptions, RewardMode};
use crate::contract::rules::Rules;
use crate::dynamic::tree_search::{SearchMethod, SearchSettings};
use crate::search::gumbel::Gumbel;
use crate::search::puct::Puct;

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
        Self {
            players: spec.players,
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

    /// A search context for leaf evaluation by playouts or estimates.
    pub(crate) fn for_playouts(mut self) -> Self {
        self.has_playouts = true;
        self
    }

    /// Whether the rewards of all players sum to 0.
    pub(crate) fn is_zero_sum(&self) -> bool {
        self.common.reward != RewardMode::Score
    }

    /// Whether rewards are outcomes.
    pub(crate) fn pays_outcomes(&self) -> bool {
        self.common.reward == RewardMode::Outcome
    }
}
