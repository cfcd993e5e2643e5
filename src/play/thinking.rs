//! Searches of one position that report while they run and stop on request: for engines under a clock and for analysis.

use std::time::{Duration, Instant};

#[cfg(feature = "networks")]
use crate::engine::Analysis;
use crate::engine::{
    BatchConfig, Error, Interrupt, Position, Result, SearchMethod, SearchSettings, SingleGame, Status,
    TreeSearch, VectorEnv,
};

/// Simulations of a search without any limit.
const MOST: u32 = 2_000_000;
/// Least simulations whose speed is remembered.
const LEAST_MEASURED: u64 = 16;
/// Share of a time limit that a search uses; the rest is for the answer.
const SHARE: f64 = 0.95;
/// Time between two looks at the clock of a search that runs on its own.
const SLICE: Duration = Duration::from_millis(10);
/// Maximum length of a line of play.
const LONGEST_LINE: usize = 32;
/// Approximate bytes of a node beside its state: statistics, actions and priors.
const NODE: usize = 512;

/// The limits of a search. Without any, a player searches as it does in games.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ThinkingLimits {
    /// Number of simulations.
    pub simulations: Option<u32>,
    /// Time.
    pub time: Option<Duration>,
    /// Whether only an interrupt ends the search.
    pub infinite: bool,
    /// Threads; `None` uses one.
    pub threads: Option<usize>,
    /// Approximate bytes of the search tree. A tree that has reached them grows no more, and the search ends.
    pub memory: Option<usize>,
}

#[cfg(feature = "networks")]
impl ThinkingLimits {
    /// The number of threads of a network.
    pub(super) fn threads(self) -> usize {
        self.threads.unwrap_or(1).max(1)
    }
}

/// The search result of a player in a position.
#[derive(Debug, Clone, PartialEq)]
pub struct Thought {
    /// Number of simulations so far.
    pub simulations: u64,
    /// Time so far.
    pub elapsed: Duration,
    /// Lines of play, the choice first, then by visits.
    pub lines: Vec<ThoughtLine>,
}

/// A line of play.
#[derive(Debug, Clone, PartialEq)]
pub struct ThoughtLine {
    /// The first action.
    pub action: u32,
    /// The moves as texts, at least one.
    pub moves: Vec<String>,
    /// The expected outcome for the current player in [-1, 1], if the player reports one.
    pub value: Option<f32>,
}

/// Called with intermediate results.
pub type Report<'a> = &'a mut dyn FnMut(&Thought);

/// A thought from a player's choice alone.
pub(super) fn choice_alone(
    game: &SingleGame,
    action: u32,
    value: Option<f32>,
    begun: Instant,
) -> Result<Thought> {
    let moves = vec![game.action_to_string(action)?];
    Ok(Thought {
        simulations: 0,
        elapsed: begun.elapsed(),
        lines: vec![ThoughtLine { action, moves, value }],
    })
}

/// The choice of a bot that was interrupted: a quick one.
pub(super) fn quick_choice(game: &SingleGame, begun: Instant) -> Result<Thought> {
    choice_alone(game, game.bot_action("greedy")?, None, begun)
}

/// An analysis as a thought.
#[cfg(feature = "networks")]
pub(super) fn of_analysis(
    game: &SingleGame,
    found: &Analysis,
    simulations: u64,
    begun: Instant,
) -> Result<Thought> {
    let value = found.values.get(game.current_player()).copied();
    let line = |(k, (action, _)): (usize, (u32, f32))| {
        let moves = vec![game.action_to_string(action)?];
        // The value is that of the position, and only the choice is expected to reach it.
        Ok(ThoughtLine { action, moves, value: value.filter(|_| k == 0) })
    };
    let lines = found.best(usize::MAX).into_iter().enumerate().map(line).collect::<Result<_>>()?;
    Ok(Thought { simulations, elapsed: begun.elapsed(), lines })
}

/// A player that thinks by a tree search.
pub(super) trait Thinker {
    /// Number of simulations in games.
    fn simulations(&self) -> u32;
    /// Simulations that measure the speed before the first search by time.
    fn trial(&self) -> u32;
    /// Simulations per second of the last search, if they are remembered.
    fn speed(&self) -> Option<f64> {
        None
    }
    /// Remembers the speed of a search.
    fn note_speed(&self, _speed: f64) {}
    /// The settings of its search in one tree.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] for a wrong number of simulations.
    fn settings(&self, simulations: u32, limits: ThinkingLimits) -> Result<SearchSettings>;
    /// Searches until the tree is complete or the clock is over, and calls `each` now and then. The root is always
    /// evaluated.
    ///
    /// # Errors
    /// Those of the search and of `each`.
    fn run(
        &self,
        search: &mut dyn TreeSearch,
        limits: ThinkingLimits,
        clock: &Clock,
        each: &mut dyn FnMut(&mut dyn TreeSearch) -> Result<()>,
    ) -> Result<()>;
}

/// The end of a search.
pub(super) struct Clock {
    /// Ends the search at any time.
    pub(super) stop: Interrupt,
    end: Option<Instant>,
}

impl Clock {
    pub(super) fn is_over(&self) -> bool {
        self.stop.is_raised() || self.end.is_some_and(|end| Instant::now() >= end)
    }

    /// A flag that is raised with the clock, at the latest after a [`SLICE`].
    pub(super) fn slice(&self) -> Interrupt {
        let until = Instant::now() + SLICE;
        let until = self.end.map_or(until, |end| end.min(until));
        let stop = self.stop.clone();
        Interrupt::watching(move || stop.is_raised() || Instant::now() >= until)
    }
}

/// Thinks by a tree search. Gumbel needs the number of simulations in advance. A search by time predicts it from the speed
/// of the last one, and ends with its time. A search until an interrupt uses PUCT.
///
/// # Errors
/// As for [`Player::think`](super::player::Player::think).
pub(super) fn think(
    thinker: &dyn Thinker,
    game: &SingleGame,
    limits: ThinkingLimits,
    stop: &Interrupt,
    report: Report<'_>,
) -> Result<Thought> {
    let begun = Instant::now();
    let env = alone(game)?;
    let time = limits.time.filter(|_| !limits.infinite).map(|time| time.mul_f64(SHARE));
    let clock = Clock { stop: stop.clone(), end: time.and_then(|time| begun.checked_add(time)) };
    let simulations = match (limits, time) {
        (ThinkingLimits { infinite: true, .. }, _) if limits.memory.is_some() => {
            SearchSettings::MAX_SIMULATIONS
        }
        (ThinkingLimits { infinite: true, .. }, _) => MOST,
        (ThinkingLimits { simulations: Some(simulations), .. }, _) => simulations,
        (_, Some(time)) => simulations_within(thinker, &*env, limits, time)?,
        _ => thinker.simulations(),
    };
    let mut search = rooted(thinker, &*env, simulations, limits, limits.infinite)?;
    let mut times = ReportTimes::new(begun);
    let ran = thinker.run(&mut *search, limits, &clock, &mut |search| match times.is_due() {
        true => thought(game, search, begun).map(|thought| report(&thought)),
        false => Ok(()),
    });
    match ran {
        // The answer is what the memory had room for.
        Err(Error::OutOfMemory(_)) if search.stats().simulations > 0 => {}
        ran => ran?,
    }
    let thought = thought(game, &mut *search, begun)?;
    let seconds = thought.elapsed.as_secs_f64();
    if thought.simulations >= LEAST_MEASURED && seconds > 0.0 {
        thinker.note_speed(thought.simulations as f64 / seconds);
    }
    report(&thought);
    Ok(thought)
}

/// The number of simulations that fit into a time.
fn simulations_within(
    thinker: &dyn Thinker,
    env: &dyn VectorEnv,
    limits: ThinkingLimits,
    time: Duration,
) -> Result<u32> {
    let (speed, left) = match thinker.speed() {
        Some(speed) => (speed, time),
        None => {
            let begun = Instant::now();
            let mut trial = rooted(thinker, env, thinker.trial(), limits, true)?;
            let clock = Clock { stop: Interrupt::default(), end: begun.checked_add(time / 4) };
            thinker.run(&mut *trial, limits, &clock, &mut |_| Ok(()))?;
            let done = trial.stats().simulations.max(1) as f64;
            (done / begun.elapsed().as_secs_f64().max(1e-6), time.saturating_sub(begun.elapsed()))
        }
    };
    Ok((speed * left.as_secs_f64()).clamp(1.0, f64::from(MOST)) as u32)
}

/// A tree for one game, with its root; with PUCT if the number of simulations is not known in advance.
fn rooted(
    thinker: &dyn Thinker,
    env: &dyn VectorEnv,
    simulations: u32,
    limits: ThinkingLimits,
    is_open: bool,
) -> Result<Box<dyn TreeSearch>> {
    let simulations = simulations.clamp(1, SearchSettings::MAX_SIMULATIONS);
    // Equal positions give equal answers, except by a clock.
    let mut settings =
        SearchSettings { threads: Some(1), seed: Some(0), ..thinker.settings(simulations, limits)? };
    if is_open {
        settings.method = SearchMethod::Puct;
    }
    // Memory doubles when it is full, so that half of it may be empty.
    let node = 2 * (env.game().spec().state_bytes + NODE);
    settings.max_nodes = limits
        .memory
        .map(|memory| u32::try_from(memory / node).unwrap_or(u32::MAX - 1).clamp(2, u32::MAX - 1));
    settings.check()?;
    let config = BatchConfig { threads: Some(1), ..BatchConfig::default() };
    let mut search = env.game().tree_search(&config, settings)?;
    search.start(env, None)?;
    Ok(search)
}

/// The result of a search so far: the choice first, then the other visited actions.
fn thought(game: &SingleGame, search: &mut dyn TreeSearch, begun: Instant) -> Result<Thought> {
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

/// A batch of one game in the position of `game`.
pub(super) fn alone(game: &SingleGame) -> Result<Box<dyn VectorEnv>> {
    let config = BatchConfig { threads: Some(1), ..BatchConfig::default() };
    let mut env = game.game().vector(config)?;
    env.set_position(0, Position::Json(&game.position()))?;
    Ok(env)
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

/// Refuses a finished game.
pub(super) fn check_running(game: &SingleGame) -> Result<()> {
    match game.status() {
        Status::Running => Ok(()),
        _ => Err(Error::game_over("the game is finished")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::playout_thinking::PlayoutBot;

    fn thinks(bot: &str, limits: ThinkingLimits) -> Thought {
        let game = crate::games::find("chess").unwrap().make([]).unwrap().single(0);
        let mut reported = 0;
        let bot = PlayoutBot::parse(bot).unwrap();
        let found = think(&bot, &game, limits, &Interrupt::default(), &mut |_| reported += 1).unwrap();
        assert!(reported > 0);
        found
    }

    #[test]
    fn bots_that_search_report_the_simulations_that_they_made() {
        let most = ThinkingLimits { simulations: Some(300), ..ThinkingLimits::default() };
        assert_eq!(thinks("search:7", most).simulations, 300);
        assert_eq!(thinks("search:7", ThinkingLimits::default()).simulations, 7);
        let found = thinks("search:200", most);
        assert!(found.lines[0].moves.len() > 1, "{found:?}");
        assert_eq!(thinks("flat:7", most).simulations, 300);
        // A tree ends where its memory does, far below the simulations.
        let memory = ThinkingLimits { memory: Some(1 << 20), simulations: Some(1_000_000), ..most };
        let found = thinks("search", memory);
        assert!((100..500).contains(&found.simulations), "{}", found.simulations);
    }

    #[test]
    fn a_clock_ends_a_search_whose_simulations_would_take_hours() {
        for limits in [
            ThinkingLimits { time: Some(Duration::from_millis(30)), ..ThinkingLimits::default() },
            ThinkingLimits {
                time: Some(Duration::from_millis(30)),
                simulations: Some(100_000_000),
                ..ThinkingLimits::default()
            },
        ] {
            assert!(thinks("search:100000000", limits).simulations < 100_000_000);
        }
        // No time at all is enough for the root.
        let none = ThinkingLimits { time: Some(Duration::ZERO), ..ThinkingLimits::default() };
        assert_eq!(thinks("search:100000000", none).lines.len(), 1);
    }
}
