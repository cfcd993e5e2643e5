//! Searches of one position that report while they run and stop on request: for engines under a clock and for analysis.

use std::time::{Duration, Instant};

use crate::engine::{Analysis, AnyGame, Error, Result, SingleGame, Status};

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
    game: &dyn SingleGame,
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

/// The name of a searching bot of the engine under other limits: `search:N` with its number replaced.
pub(super) fn renamed(game: &dyn AnyGame, bot: &str, limits: ThinkingLimits) -> Result<String> {
    let Some(simulations) = limits.simulations else { return Ok(bot.into()) };
    let kind = bot.split(':').next().unwrap_or(bot);
    let name = format!("{kind}:{simulations}");
    game.check_bot(&name)?;
    Ok(name)
}

/// The choice of a bot that was interrupted: a quick one.
pub(super) fn quick_choice(game: &dyn SingleGame, begun: Instant) -> Result<Thought> {
    choice_alone(game, game.bot_action("greedy")?, None, begun)
}

/// An analysis as a thought.
pub(super) fn of_analysis(
    game: &dyn SingleGame,
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

/// Refuses a finished game.
pub(super) fn check_running(game: &dyn SingleGame) -> Result<()> {
    match game.status() {
        Status::Running => Ok(()),
        _ => Err(Error::game_over("the game is finished")),
    }
}
