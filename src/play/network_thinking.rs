//! Networks that think about one position under a clock.

use std::sync::PoisonError;
use std::time::Instant;

use super::network::NetworkPlayer;
use super::thinking::{Clock, Report, Thinker, ThinkingLimits, Thought, of_analysis, think};
use crate::engine::{Error, Interrupt, Logits, Result, SearchSettings, SingleGame, TreeSearch, ValueForm};

/// Leaves per batch and thread, where there are several threads.
const LEAVES: u32 = 8;

impl NetworkPlayer {
    /// [`Player::think`](super::player::Player::think).
    pub(super) fn think(
        &self,
        game: &SingleGame,
        limits: ThinkingLimits,
        stop: &Interrupt,
        report: Report<'_>,
    ) -> Result<Thought> {
        if self.simulations > 0 && self.rollouts.is_none() && self.noise() == 0.0 {
            // A level has no more simulations than its own.
            let most = |simulations: Option<u32>| simulations.unwrap_or(u32::MAX).min(self.simulations);
            let limits = match self.level {
                None => limits,
                Some(_) => {
                    ThinkingLimits { simulations: Some(most(limits.simulations)), infinite: false, ..limits }
                }
            };
            return think(self, game, limits, stop, report);
        }
        // The policy alone and levels with noise take a moment, so nothing stops them; rollouts have no result before
        // their end.
        let begun = Instant::now();
        let thought = of_analysis(
            game,
            &self.analyse(game, &Interrupt::default())?,
            self.simulations.max(1).into(),
            begun,
        )?;
        report(&thought);
        Ok(thought)
    }
}

impl Thinker for NetworkPlayer {
    fn simulations(&self) -> u32 {
        self.simulations
    }

    fn trial(&self) -> u32 {
        16
    }

    fn speed(&self) -> Option<f64> {
        *self.speed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note_speed(&self, speed: f64) {
        *self.speed.lock().unwrap_or_else(PoisonError::into_inner) = Some(speed);
    }

    fn settings(&self, simulations: u32, limits: ThinkingLimits) -> Result<SearchSettings> {
        let card = self.fitted.network().card();
        let threads = limits.threads();
        Ok(SearchSettings {
            simulations,
            method: card.method,
            c_init: card.c_init,
            gumbel_scale: 0.0,
            value: ValueForm::Seats,
            reward: Some(card.reward),
            one_ply: true,
            leaves: if threads == 1 { 1 } else { LEAVES * threads.min(64) as u32 },
            ..SearchSettings::default()
        })
    }

    fn run(
        &self,
        search: &mut dyn TreeSearch,
        limits: ThinkingLimits,
        clock: &Clock,
        each: &mut dyn FnMut(&mut dyn TreeSearch) -> Result<()>,
    ) -> Result<()> {
        let never = Interrupt::default();
        let mut first = true;
        while search.select()? > 0 {
            let interrupt = if std::mem::take(&mut first) { &never } else { &clock.stop };
            let legal = search.legal_actions()?;
            let threads = Some(limits.threads());
            match self.fitted.answer(search.leaf_observations(), Some(&legal), threads, interrupt) {
                Ok(answers) => search.expand(Logits::Legal(&answers.logits), &answers.values)?,
                Err(Error::Interrupted(_)) => return Ok(()),
                Err(error) => return Err(error),
            }
            each(search)?;
            if clock.is_over() {
                return Ok(());
            }
        }
        Ok(())
    }
}
