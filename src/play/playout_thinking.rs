//! Bots that search by playouts and think about one position under a clock: `search:N`, `flat:N`.

use std::sync::atomic::{AtomicBool, Ordering};

use super::thinking::{Clock, Thinker, ThinkingLimits};
use crate::engine::{
    Error, Evaluator, Interrupt, Result, SearchSettings, TreeSearch, playout_count, playout_settings,
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
