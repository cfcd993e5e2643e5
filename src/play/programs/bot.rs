//! A program as a player: questions go to drivers, answers come back as actions.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use super::driver::{Answer, Conversation, Driver, EngineLine, Job, Question, Wanted};
use super::game_line::{GameLine, GameLines, whole_line};
use super::text::Protocol;
use crate::engine::interruptible::TICK;
use crate::engine::{Analysis, Error, Forecast, Interrupt, Result, SingleGame, VectorEnv};
use crate::outside_bot::OutsideBot;

/// Maximum number of consecutive moves without an answer, after which the program is no longer asked.
const MOST_UNANSWERED: u32 = 3;
/// Maximum number of characters quoted from a rejected answer.
const LONGEST_QUOTE: usize = 200;

/// The player. It has at most as many processes as the batch has threads; each plays one move at a time.
pub(super) struct ProgramBot {
    /// The text that names it.
    text: String,
    protocol: Protocol,
    /// Identifies conversations that can continue each other's processes.
    key: String,
    make: Box<dyn Fn() -> Box<dyn Conversation> + Send>,
    time_limit: Duration,
    drivers: Vec<Driver>,
    lines: GameLines,
    /// Number of consecutive moves without an answer.
    silent: u32,
    /// Whether it has started at least once.
    has_started: bool,
}

impl ProgramBot {
    pub(super) fn new(
        text: &str,
        protocol: Protocol,
        key: String,
        make: Box<dyn Fn() -> Box<dyn Conversation> + Send>,
        time_limit: Duration,
    ) -> Self {
        Self {
            text: text.into(),
            protocol,
            key,
            make,
            time_limit,
            drivers: Vec::new(),
            lines: GameLines::default(),
            silent: 0,
            has_started: false,
        }
    }

    fn question(&mut self, game: &SingleGame, id: Option<u32>) -> Question {
        match self.protocol {
            Protocol::Uci => {
                let line = match id {
                    Some(id) => self.lines.follow(id, game),
                    None => whole_line(game),
                };
                let GameLine { start, moves, is_new } = line;
                Question::Uci { start, moves, is_new, wanted: Wanted::Move }
            }
            Protocol::Gtp => Question::Gtp(game.gtp_position().expect("checked when the text was read")),
            Protocol::Json => Question::Json(game.bot_request().to_string() + "\n"),
        }
    }

    fn action(&self, game: &SingleGame, text: &str) -> Result<u32, String> {
        let action = match self.protocol {
            Protocol::Uci => {
                game.string_to_action(text).and_then(|action| game.check(action).map(|()| action))
            }
            Protocol::Gtp => game.action_from_gtp(text),
            Protocol::Json => match serde_json::from_str(text) {
                Ok(reply) => game.action_from_bot_reply(&reply),
                Err(error) => return Err(format!("its answer is not JSON: {error}: {}", shortened(text))),
            },
        };
        action.map_err(|error| format!("{}: {error}", shortened(text)))
    }

    /// Asks about games, with their ids in a batch, by at most `threads` processes at a time.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] if the program can never play these games, or does not start and never has.
    fn ask(
        &mut self,
        games: &[&SingleGame],
        ids: Option<&[u32]>,
        threads: usize,
        interrupt: &Interrupt,
    ) -> Result<Vec<Result<u32, String>>> {
        let mut answers: Vec<Result<u32, String>> = vec![Err("interrupted".into()); games.len()];
        let cancelled = Arc::new(AtomicBool::new(false));
        let (sender, received) = channel();
        let mut free: VecDeque<usize> = VecDeque::new();
        for driver in 0..threads.clamp(1, games.len().max(1)) {
            if driver == self.drivers.len() {
                match Driver::take(&self.key, &*self.make) {
                    Ok(driver) => self.drivers.push(driver),
                    Err(reason) if driver == 0 => return Ok(vec![Err(reason); games.len()]),
                    // Fewer threads are enough.
                    Err(_) => break,
                }
            }
            free.push_back(driver);
        }
        let (mut next, mut waiting) = (0, 0);
        let mut unstarted = None;
        loop {
            while next < games.len()
                && let Some(driver) = free.pop_front()
            {
                let index = next;
                next += 1;
                if let Some(reason) = unstarted.as_ref().filter(|_| !self.has_started) {
                    answers[index] = Err(String::clone(reason));
                    free.push_front(driver);
                    continue;
                }
                if self.silent >= MOST_UNANSWERED {
                    let reason =
                        format!("it is no longer asked after {MOST_UNANSWERED} moves without an answer");
                    answers[index] = Err(reason);
                    free.push_front(driver);
                    continue;
                }
                let job = Job {
                    question: self.question(games[index], ids.map(|ids| ids[index])),
                    numbers: (driver, index),
                    time_limit: self.time_limit,
                    cancelled: Arc::clone(&cancelled),
                    answers: sender.clone(),
                };
                if self.drivers[driver].ask(job) {
                    waiting += 1;
                } else {
                    answers[index] = Err("its thread has ended".into());
                }
            }
            if waiting == 0 {
                return match unstarted.filter(|_| !self.has_started) {
                    Some(reason) => {
                        Err(Error::config(format!("bot {:?} does not start: {reason}", self.text)))
                    }
                    None => Ok(answers),
                };
            }
            let ((driver, index), answer) = match received.recv_timeout(TICK) {
                Ok(answer) => answer,
                Err(RecvTimeoutError::Timeout) if !interrupt.is_raised() => continue,
                Err(_) => {
                    // The processes end, because their answers would be taken for later ones.
                    cancelled.store(true, Ordering::Release);
                    return Ok(answers);
                }
            };
            free.push_back(driver);
            waiting -= 1;
            let is_silent = matches!(answer, Answer::Silent(_) | Answer::Unstarted(_));
            self.silent = if is_silent { self.silent + 1 } else { 0 };
            self.has_started |= !matches!(answer, Answer::Unstarted(_));
            answers[index] = match answer {
                Answer::Move(text) => self.action(games[index], &text),
                Answer::Advice(_) => Err("it was asked for a move".into()),
                Answer::NoMove(reason) | Answer::Silent(reason) => Err(reason),
                Answer::Unstarted(reason) => {
                    unstarted.get_or_insert_with(|| reason.clone());
                    Err(reason)
                }
                Answer::Unable(reason) => {
                    cancelled.store(true, Ordering::Release);
                    return Err(Error::config(reason));
                }
            };
            if let (Ok(action), Some(ids)) = (&answers[index], ids) {
                self.lines.played(ids[index], *action);
            }
        }
    }
}

impl ProgramBot {
    /// The lines of a UCI engine in a position.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] with the reason if there is no answer, [`Error::Interrupted`].
    fn lines_of(&mut self, game: &SingleGame, effort: u32, interrupt: &Interrupt) -> Result<Vec<EngineLine>> {
        let failed = |reason: String| Error::config(format!("adviser {:?}: {reason}", self.text));
        if self.drivers.is_empty() {
            self.drivers.push(Driver::take(&self.key, &*self.make).map_err(failed)?);
        }
        let GameLine { start, moves, is_new } = whole_line(game);
        let wanted = Wanted::Advice { moves: game.legal_actions().len(), effort };
        let cancelled = Arc::new(AtomicBool::new(false));
        let (sender, received) = channel();
        let job = Job {
            question: Question::Uci { start, moves, is_new, wanted },
            numbers: (0, 0),
            // Two searches.
            time_limit: self.time_limit.saturating_mul(2 * effort),
            cancelled: Arc::clone(&cancelled),
            answers: sender,
        };
        if !self.drivers[0].ask(job) {
            return Err(failed("its thread has ended".into()));
        }
        let answer = loop {
            match received.recv_timeout(TICK) {
                Ok((_, answer)) => break answer,
                Err(RecvTimeoutError::Timeout) if !interrupt.is_raised() => {}
                Err(_) => {
                    cancelled.store(true, Ordering::Release);
                    return Err(Error::interrupted(format!("{} has not answered", self.text)));
                }
            }
        };
        match answer {
            Answer::Advice(lines) => Ok(lines),
            Answer::Move(text) => Err(failed(format!("only the move {text}"))),
            Answer::NoMove(reason)
            | Answer::Silent(reason)
            | Answer::Unstarted(reason)
            | Answer::Unable(reason) => Err(failed(reason)),
        }
    }

    /// The analysis of a UCI engine. Shares are a softmax of the values, because an engine tells no visits.
    fn advice(&mut self, game: &SingleGame, effort: u32, interrupt: &Interrupt) -> Result<Analysis> {
        let lines = self.lines_of(game, effort, interrupt)?;
        let wrong = |reason: String| Error::config(format!("adviser {:?}: {reason}", self.text));
        let mut first = Vec::with_capacity(lines.len());
        for line in &lines {
            first.push((self.action(game, &line.moves[0]).map_err(wrong)?, line.value));
        }
        let (action, value) = first[0];
        let legal = game.legal_actions();
        let value_of =
            |legal: &u32| first.iter().find(|(action, _)| action == legal).map(|&(_, value)| value);
        let action_values: Vec<Option<f32>> = legal.iter().map(value_of).collect();
        let weight = |of: &Option<f32>| of.map_or(0.0, |of| ((of - value) / SOFTNESS).exp());
        let total: f32 = action_values.iter().map(weight).sum();
        let shares = legal.iter().zip(&action_values).map(|(&legal, of)| (legal, weight(of) / total));
        let mut values = vec![-value; game.game().spec().players];
        values[game.current_player()] = value;
        let mut line = Vec::new();
        let mut play = game.clone();
        for text in &lines[0].moves {
            let Ok(action) = play.string_to_action(text) else { break };
            if play.step(action).is_err() {
                break;
            }
            line.push(action);
        }
        Ok(Analysis {
            action,
            shares: shares.collect(),
            values,
            forecast: Forecast::Outcome,
            visits: Vec::new(),
            action_values,
            line,
        })
    }
}

/// The difference of values at which the share of a move falls to a third.
const SOFTNESS: f32 = 0.1;

/// The start of a text, on one line.
fn shortened(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).take(LONGEST_QUOTE).collect()
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

impl OutsideBot for ProgramBot {
    fn choose(&mut self, games: &[&SingleGame], interrupt: &Interrupt) -> Vec<Result<u32, String>> {
        match self.ask(games, None, cores(), interrupt) {
            Ok(answers) => answers,
            Err(error) => vec![Err(error.to_string()); games.len()],
        }
    }

    fn choose_in(&mut self, env: &dyn VectorEnv, ids: &[u32]) -> Result<Vec<Result<u32, String>>> {
        let games = ids.iter().map(|&id| env.single(id)).collect::<Result<Vec<_>>>()?;
        let games: Vec<&SingleGame> = games.iter().collect();
        self.ask(&games, Some(ids), env.config().threads.unwrap_or_else(cores), env.interrupt())
    }

    fn analyse(&mut self, game: &SingleGame, interrupt: &Interrupt) -> Option<Result<Analysis>> {
        self.advise(game, 1, interrupt)
    }

    fn advise(&mut self, game: &SingleGame, effort: u32, interrupt: &Interrupt) -> Option<Result<Analysis>> {
        (self.protocol == Protocol::Uci).then(|| self.advice(game, effort, interrupt))
    }
}

impl Drop for ProgramBot {
    fn drop(&mut self) {
        self.drivers.drain(..).for_each(|driver| driver.put(&self.key));
    }
}
