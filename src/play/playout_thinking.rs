//! Bots that search by playouts and think about one position under a clock: `search:N`, `flat:N`.

use std::sync::atomic::{AtomicBool, Ordering};

use super::every_action::value_every_action;
use super::thinking::{Clock, Thinker, ThinkingLimits, alone};
use crate::engine::{
    Analysis, Error, Evaluator, Interrupt, Result, SearchSettings, SingleGame, TreeSearch, playout_count,
    playout_settings,
};

/// A bot that searches by playouts.
pub(super) struct PlayoutBot<'a> {
    /// `search` or `flat`.
    kind: &'a str,
    simulations: u32,
}

impl<'a> PlayoutBot<'a> {
    /// The bot called `name`.
    ///
    /// # Errors
    /// As for [`playout_count`].
    pub(super) fn parse(name: &'a str) -> Result<Self> {
        Ok(Self { kind: name.split(':').next().unwrap_or(name), simulations: playout_count(name)? })
    }

    /// Its analysis with a value for every legal action, by `effort` times its simulations.
    ///
    /// # Errors
    /// As for [`SingleGame::bot_analysis`].
    pub(super) fn advise(&self, game: &SingleGame, effort: u32, interrupt: &Interrupt) -> Result<Analysis> {
        let simulations = self.simulations.saturating_mul(effort).min(SearchSettings::MAX_SIMULATIONS);
        // Noise of self-play has no place in advice.
        let found = game.bot_analysis(&format!("{}:{simulations}", self.kind), interrupt)?;
        let mut found = found.ok_or_else(|| Error::config(format!("bot {:?} does not search", self.kind)))?;
        let settings = self.settings(simulations, ThinkingLimits::default())?;
        let settings = SearchSettings { threads: Some(1), ..settings };
        value_every_action(&mut found, &*alone(game)?, &settings, &mut |trees| {
            trees.run(Evaluator::Playout, interrupt)
        })?;
        Ok(found)
    }
}

impl Thinker for PlayoutBot<'_> {
    fn simulations(&self) -> u32 {
        self.simulations
    }

    fn trial(&self) -> u32 {
        256
    }

    fn settings(&self, simulations: u32, _: ThinkingLimits) -> Result<SearchSettings> {
        let settings = playout_settings(&format!("{}:{simulations}", self.kind))?;
        settings.ok_or_else(|| Error::config(format!("bot {:?} does not search", self.kind)))
    }

    fn run(
        &self,
        search: &mut dyn TreeSearch,
        _: ThinkingLimits,
        clock: &Clock,
        each: &mut dyn FnMut(&mut dyn TreeSearch) -> Result<()>,
    ) -> Result<()> {
        // The search polls the flag before each simulation. The first slice has room for the root alone.
        let polled = AtomicBool::new(false);
        let mut slice = Interrupt::watching(move || polled.swap(true, Ordering::Relaxed));
        loop {
            match search.run(Evaluator::Playout, &slice) {
                Err(Error::Interrupted(_)) => each(search)?,
                done => return done,
            }
            if clock.is_over() {
                return Ok(());
            }
            slice = clock.slice();
        }
    }
}
