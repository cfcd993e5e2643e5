//! Type erasure: implements the dynamic traits of `dynamic/` for every game.

use std::sync::Arc;

use crate::batch::env::BatchEnv;
use crate::batch::layout::widths;
use crate::bots::named_bot::{NamedBot, bot_list};
#[cfg(any(test, feature = "conformance"))]
use crate::checks::conformance;
use crate::checks::workload::Positions;
use crate::contract::Game;
use crate::contract::dialect::{Dialect, GtpGame, UciGame};
use crate::contract::guide::{Guide, Symmetry};
use crate::contract::picture::Picture;
use crate::contract::rules::Rules;
use crate::contract::show::view::Theme;
use crate::contract::spec::Spec;
use crate::contract::support::error::Result;
use crate::dynamic::any_game::AnyGame;
use crate::dynamic::columns::{PlaceColumn, Widths};
use crate::dynamic::config::BatchConfig;
#[cfg(not(any(test, feature = "conformance")))]
use crate::dynamic::effort::NO_SUITE;
use crate::dynamic::effort::{Effort, Findings};
use crate::dynamic::tree_search::{SearchSettings, TreeSearch};
use crate::dynamic::vector::VectorEnv;
use crate::dynamic::workload::Workload;
use crate::forest::trees::Forest;
use crate::single::erased::{ErasedRules, erase};

impl<G: Game> AnyGame for G {
    fn spec(&self) -> &Spec {
        Rules::spec(self)
    }
    fn bots(&self) -> Vec<(&'static str, &'static str)> {
        bot_list(self)
    }
    fn check_bot(&self, name: &str) -> Result<()> {
        NamedBot::find(self, name).map(drop)
    }
    fn uci(&self) -> Option<UciGame> {
        Dialect::uci(self)
    }
    fn gtp(&self) -> Option<GtpGame> {
        Dialect::gtp(self)
    }
    fn seat_colours(&self, theme: Theme) -> Vec<&'static str> {
        Picture::seat_colours(self, theme)
    }
    fn symmetries(&self) -> Vec<Symmetry> {
        Guide::symmetries(self)
    }
    fn into_vector(self: Arc<Self>, config: BatchConfig) -> Result<Box<dyn VectorEnv>> {
        Ok(Box::new(BatchEnv::new(self, config)?))
    }
    unsafe fn into_vector_placed(
        self: Arc<Self>,
        config: BatchConfig,
        place: &mut PlaceColumn<'_>,
    ) -> Result<Box<dyn VectorEnv>> {
        // Safety: the caller vouches for the results of `place`.
        Ok(Box::new(unsafe { BatchEnv::placed(self, config, place) }?))
    }
    fn into_tree_search(
        self: Arc<Self>,
        config: &BatchConfig,
        settings: SearchSettings,
    ) -> Result<Box<dyn TreeSearch>> {
        Ok(Box::new(Forest::new(self, config, settings)?))
    }
    fn widths(&self, config: &BatchConfig) -> Widths {
        widths(Rules::spec(self), config)
    }
    fn into_erased(self: Arc<Self>) -> Arc<dyn ErasedRules> {
        erase(self)
    }
    fn workload(&self, positions: usize) -> Box<dyn Workload + '_> {
        Box::new(Positions::sample(self, positions))
    }
    fn into_check_conformance(self: Arc<Self>, effort: Effort) -> Result<Findings, String> {
        Rules::brought_suite(&self, effort).unwrap_or_else(|| {
            #[cfg(any(test, feature = "conformance"))]
            return conformance::check(&self, effort, 0);
            #[cfg(not(any(test, feature = "conformance")))]
            return Err(NO_SUITE.into());
        })
    }
}
