//! Networks that think about one position under a clock.

use std::sync::PoisonError;
use std::time::{Duration, Instant};

use super::network::{NetworkPlayer, alone};
use super::thinking::{Report, ThinkingLimits, Thought, ThoughtLine, of_analysis};
use crate::engine::{
    BatchConfig, Error, Interrupt, Logits, Result, SearchMethod, SearchSettings, SingleGame, TreeSearch,
    ValueForm, VectorEnv,
};

/// Maximum number of simulations of a search without a number: a bound of its memory.
const MOST: u32 = 2_000_000;
/// Simulations that measure the speed before the first search by time.
const TRIAL: u32 = 16;
/// Maximum length of a line of play.
const LONGEST_LINE: usize = 32;
/// Leaves per batch and thread, where there are several threads.
const LEAVES: u32 = 8;

impl NetworkPlayer {
    /// [`Player::think`](super::player::Player::think).
    ///
    /// Gumbel needs the number of simulations in advance. A search by time predicts it from the speed of the last one,
    /// and ends with its time. A search until an interrupt uses PUCT.
    pub(super) fn think(
        &self,
        game: &dyn SingleGame,
        limits: ThinkingLimits,
        stop: &Interrupt,
        report: Report<'_>,
    ) -> Result<Thought> {
        let begun = Instant::now();
        if self.simulations == 0 {
            // The policy alone takes a moment, so nothing stops it.
            let thought = of_analysis(game, &self.analyse(game, &Interrupt::default())?, 1, begun)?;
            report(&thought);
            return Ok(thought);
        }
        let env = alone(game)?;
        let own = self.fitted.network().card().method;
        let (simulations, method) = match limits {
            ThinkingLimits { infinite: true, .. } => (MOST, SearchMethod::Puct),
            ThinkingLimits { simulations: Some(simulations), .. } => (simulations, own),
            ThinkingLimits { time: Some(time), .. } => (self.simulations_within(&*env, limits, time)?, own),
            _ => (self.simulations, own),
        };
        let end = limits.time.filter(|_| !limits.infinite).and_then(|time| begun.checked_add(time));
        let mut search = self.plan(&*env, simulations, method, limits)?;
        let mut times = ReportTimes::new(begun);
        let is_over = || stop.is_raised() || end.is_some_and(|end| Instant::now() >= end);
        self.run(&mut *search, &*env, limits, stop, &mut |search| {
            if times.is_due() {
                report(&thought(game, search, begun)?);
            }
            Ok(is_over())
        })?;
        let thought = thought(game, &mut *search, begun)?;
        let seconds = thought.elapsed.as_secs_f64();
        if thought.simulations >= u64::from(TRIAL) && seconds > 0.0 {
            *self.speed.lock().unwrap_or_else(PoisonError::into_inner) =
                Some(thought.simulations as f64 / seconds);
        }
        report(&thought);
        Ok(thought)
    }

    /// The number of simulations that fit into a time.
    fn simulations_within(&self, env: &dyn VectorEnv, limits: ThinkingLimits, time: Duration) -> Result<u32> {
        let known = *self.speed.lock().unwrap_or_else(PoisonError::into_inner);
        let (speed, left) = match known {
            Some(speed) => (speed, time),
            None => {
                let begun = Instant::now();
                let mut trial = self.plan(env, TRIAL, SearchMethod::Puct, limits)?;
                let end = |_: &mut dyn TreeSearch| Ok(begun.elapsed() >= time / 4);
                self.run(&mut *trial, env, limits, &Interrupt::default(), &mut { end })?;
                let done = trial.stats().simulations.max(1) as f64;
                (done / begun.elapsed().as_secs_f64().max(1e-6), time.saturating_sub(begun.elapsed()))
            }
        };
        Ok((speed * left.as_secs_f64() * 0.95).clamp(1.0, f64::from(MOST)) as u32)
    }

    /// A tree for one game.
    fn plan(
        &self,
        env: &dyn VectorEnv,
        simulations: u32,
        method: SearchMethod,
        limits: ThinkingLimits,
    ) -> Result<Box<dyn TreeSearch>> {
        let card = self.fitted.network().card();
        let threads = limits.threads.unwrap_or(1).max(1);
        let leaves = if threads == 1 { 1 } else { LEAVES * threads.min(64) as u32 };
        let settings = SearchSettings {
            simulations: simulations.clamp(1, SearchSettings::MAX_SIMULATIONS),
            method,
            c_init: card.c_init,
            gumbel_scale: 0.0,
            value: ValueForm::Seats,
            reward: Some(card.reward),
            leaves,
            threads: Some(1),
            ..SearchSettings::default()
        };
        settings.check()?;
        let config = BatchConfig { threads: Some(1), ..BatchConfig::default() };
        env.game().tree_search(&config, settings)
    }

    /// Searches until the tree is complete or `is_over`. The root is always evaluated.
    fn run(
        &self,
        search: &mut dyn TreeSearch,
        env: &dyn VectorEnv,
        limits: ThinkingLimits,
        stop: &Interrupt,
        is_over: &mut dyn FnMut(&mut dyn TreeSearch) -> Result<bool>,
    ) -> Result<()> {
        search.start(env, None)?;
        let never = Interrupt::default();
        let mut first = true;
        while search.select()? > 0 {
            let interrupt = if std::mem::take(&mut first) { &never } else { stop };
            let legal = search.legal_actions()?;
            let threads = Some(limits.threads.unwrap_or(1).max(1));
            match self.fitted.answer(search.leaf_observations(), Some(&legal), threads, interrupt) {
                Ok(answers) => search.expand(Logits::Legal(&answers.logits), &answers.values)?,
                Err(Error::Interrupted(_)) => return Ok(()),
                Err(error) => return Err(error),
            }
            if is_over(search)? {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// The result of a search so far: the choice first, then the other visited actions.
fn thought(game: &dyn SingleGame, search: &mut dyn TreeSearch, begun: Instant) -> Result<Thought> {
    let found = search.results()?;
    let action = found.actions[0];
    let value = found.values.get(game.current_player()).copied();
    let lines = search.lines(0, LONGEST_LINE)?;
    let lines = lines.into_iter().map(|line| ThoughtLine {
        action: line.actions[0],
        moves: line.texts,
        value: Some(line.value as f32),
    });
    let (mut chosen, others): (Vec<ThoughtLine>, Vec<ThoughtLine>) =
        lines.partition(|line| line.action == action);
    if chosen.is_empty() {
        chosen.push(ThoughtLine { action, moves: vec![game.action_to_string(action)?], value });
    }
    chosen.extend(others);
    Ok(Thought { simulations: search.stats().simulations, elapsed: begun.elapsed(), lines: chosen })
}

/// Times of the next intermediate reports: after 100 ms, then ever more rarely.
#[derive(Debug)]
struct ReportTimes {
    begun: Instant,
    next: Duration,
}

impl ReportTimes {
    fn new(begun: Instant) -> Self {
        Self { begun, next: Duration::from_millis(100) }
    }

    /// Whether a report is due.
    fn is_due(&mut self) -> bool {
        let elapsed = self.begun.elapsed();
        let is_due = elapsed >= self.next;
        if is_due {
            self.next = elapsed + (elapsed / 4).min(Duration::from_secs(2));
        }
        is_due
    }
}
