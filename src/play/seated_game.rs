//! One game with a person or bot in every seat: the current player, the visible information, undo.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::Serialize;

use crate::engine::calls::check_seats;
use crate::engine::files;
use crate::engine::{
    AnyGame, Error, Interrupt, LogEntry, MAX_NAME, Record, Result, SingleGame, Status, Variation,
};
use crate::player::{Decision, Fault, Player};
use crate::replay::{lines, replay};
use crate::results::shares_of_win;

/// The player of a seat.
///
/// ```
/// use ludovec_play::seated_game::Seat;
/// assert_eq!(Seat::new("Ada", Seat::HUMAN).bot, None);
/// assert_eq!(Seat::new("", "greedy").bot.as_deref(), Some("greedy"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seat {
    /// The player's name. In a [`SeatedGame`], an empty name is replaced by the game's own name of the seat.
    pub name: String,
    /// The bot, or `None` for a person.
    pub bot: Option<String>,
}

impl Seat {
    /// The word for a person instead of a bot.
    pub const HUMAN: &str = "human";
    /// The word for a person at another screen, where a bot would be named.
    pub const ELSEWHERE: &str = "elsewhere";

    /// A seat played by `player`, a bot or [`Seat::HUMAN`].
    pub fn new(name: impl Into<String>, player: &str) -> Self {
        Self { name: name.into(), bot: (player != Self::HUMAN).then(|| player.into()) }
    }
}

/// One game in progress with a player in every seat.
pub struct SeatedGame {
    game: SingleGame,
    seats: Vec<Seat>,
    /// The bots of the seats; `None` for people.
    bots: Vec<Option<Player>>,
    /// Lost moves of bots.
    faults: Vec<Fault>,
    /// Number of steps played.
    steps: usize,
    /// The actions of the steps.
    actions: Vec<u32>,
    /// The steps decided by people.
    decisions: Vec<usize>,
    /// The players' expected values for themselves before each step, if reported.
    estimates: Vec<Option<f32>>,
    /// The person in front of the screen: the last one to be the current player.
    viewer: Option<usize>,
    /// Log of every attempted action.
    log: Option<Arc<MatchLog>>,
    /// Lines that were played or read and left, each as a whole log from the first step.
    lines: Vec<Vec<LogEntry>>,
}

impl std::fmt::Debug for SeatedGame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SeatedGame")
            .field("game", &self.game)
            .field("seats", &self.seats)
            .finish_non_exhaustive()
    }
}

/// Match log: a file with one line of JSON per attempted action, written during the match.
struct MatchLog {
    file: PathBuf,
    lines: Mutex<File>,
}

/// An attempted action and its result.
#[derive(Serialize)]
struct Attempt<'a> {
    step: usize,
    /// The turn or round, if the game counts them.
    turn: Option<u32>,
    player: &'a str,
    seat: usize,
    /// The action and its effects, as observed by the viewer.
    result: String,
    /// The refused action and the reason, if another action was played instead.
    refused: Option<&'a str>,
}

impl Clone for SeatedGame {
    fn clone(&self) -> Self {
        Self {
            game: self.game.clone(),
            seats: self.seats.clone(),
            bots: self.bots.clone(),
            faults: self.faults.clone(),
            actions: self.actions.clone(),
            decisions: self.decisions.clone(),
            estimates: self.estimates.clone(),
            log: self.log.clone(),
            lines: self.lines.clone(),
            ..*self
        }
    }
}

/// Plays a variation in a game of `steps` steps, as far as the rules do.
fn follow(game: &mut SingleGame, steps: usize, variation: &Variation) {
    (variation.from..steps).for_each(|_| {
        game.undo();
    });
    for (step, &action) in variation.actions.iter().enumerate() {
        if game.step_scripted(action, variation.chance.get(step).map_or(&[], Vec::as_slice)).is_err() {
            break;
        }
    }
}

/// Numbers players of one name, so that texts tell them apart: the second `Ada` becomes `Ada 2`.
///
/// ```
/// use ludovec_play::seated_game::{Seat, number_names};
/// let mut seats = [Seat::new("Ada", "random"), Seat::new("Ada", "greedy")];
/// number_names(&mut seats);
/// assert_eq!(seats[1].name, "Ada 2");
/// ```
pub fn number_names(seats: &mut [Seat]) {
    number(seats.iter_mut().map(|seat| &mut seat.name), MAX_NAME);
}

/// Numbers equal names, but empty ones; a numbered name has at most `longest` characters.
pub(super) fn number<'a>(names: impl Iterator<Item = &'a mut String>, longest: usize) {
    let names: Vec<&mut String> = names.filter(|name| !name.is_empty()).collect();
    let mut taken: HashSet<String> = names.iter().map(|name| name.to_string()).collect();
    let mut met = HashSet::new();
    for name in names {
        if met.insert(name.clone()) {
            continue;
        }
        let numbered = |number: u32| {
            let number = format!(" {number}");
            let kept: String = name.chars().take(longest - number.len()).collect();
            kept.trim_end().to_string() + &number
        };
        if let Some(free) = (2..).map(numbered).find(|name| !taken.contains(name)) {
            taken.insert(free.clone());
            *name = free;
        }
    }
}

impl SeatedGame {
    /// Starts a new game with these players; `time_limit` as in [`Player::parse`].
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] for the wrong number of seats or an unknown bot.
    pub fn new(
        game: Arc<dyn AnyGame>,
        seed: u64,
        mut seats: Vec<Seat>,
        time_limit: impl Into<Option<Duration>>,
    ) -> Result<Self> {
        let time_limit = time_limit.into();
        let players = game.spec().players;
        check_seats("players", seats.len(), players)?;
        number_names(&mut seats);
        let bot = |seat: &Seat| {
            let player = seat.bot.as_deref().map(|bot| Player::parse(&*game, bot, time_limit))?;
            let refused = |error| {
                let what = match error {
                    Error::InvalidConfig(what) => what,
                    other => other.to_string(),
                };
                Error::config(format!("{what}; a person is {:?}", Seat::HUMAN))
            };
            Some(player.map_err(refused))
        };
        let bots = seats.iter().map(|seat| bot(seat).transpose()).collect::<Result<_>>()?;
        let viewer = seats.iter().position(|s| s.bot.is_none());
        let mut game = game.single(seed);
        game.set_names(&seats.iter().map(|seat| seat.name.clone()).collect::<Vec<_>>())?;
        // Players without a name get the game's name of their seat.
        seats.iter_mut().zip(game.names()).for_each(|(seat, name)| seat.name = name);
        let mut seated = Self {
            game,
            seats,
            bots,
            faults: Vec::new(),
            steps: 0,
            actions: Vec::new(),
            decisions: Vec::new(),
            estimates: Vec::new(),
            viewer,
            log: None,
            lines: Vec::new(),
        };
        seated.look();
        Ok(seated)
    }

    /// A game to continue or look at: a record with these players.
    ///
    /// # Errors
    /// As for [`SeatedGame::new`] and [`replay`].
    pub fn of_record(
        record: &Record,
        seats: Vec<Seat>,
        time_limit: impl Into<Option<Duration>>,
    ) -> Result<Self> {
        let game = replay(record, |_, _| Ok(()))?;
        let mut seated = Self::new(game.game(), 0, seats, time_limit)?;
        let mut names = game.names();
        if record.names.is_empty() {
            names.iter_mut().zip(&seated.seats).for_each(|(name, seat)| name.clone_from(&seat.name));
        }
        seated.lines = lines(record, &game)?;
        seated.game = game;
        seated.game.set_names(&names)?;
        seated.seats.iter_mut().zip(names).for_each(|(seat, name)| seat.name = name);
        seated.steps = seated.game.steps();
        seated.actions.clone_from(&record.actions);
        seated.estimates = match record.estimates.is_empty() {
            true => vec![None; seated.steps],
            false => record.estimates.clone(),
        };
        let by_person = |&(_, &player): &(usize, &usize)| seated.seats[player].bot.is_none();
        seated.decisions = record.players.iter().enumerate().filter(by_person).map(|(i, _)| i).collect();
        seated.look();
        Ok(seated)
    }

    /// Plays actions that were played before, of people and bots alike.
    ///
    /// # Errors
    /// As for [`SingleGame::step`]; actions before the error stay played.
    pub fn play_again(&mut self, actions: &[u32]) -> Result<()> {
        for (i, &action) in actions.iter().enumerate() {
            let seat = self.game.current_player();
            self.game.step(action).map_err(|e| Error::state(format!("action {i} of the game: {e}")))?;
            if self.seats[seat].bot.is_none() {
                self.decisions.push(self.steps);
            }
            self.actions.push(action);
            self.estimates.push(None);
            self.steps += 1;
            self.look();
        }
        Ok(())
    }

    /// The game after its first `steps` steps.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] if the game has fewer steps.
    pub fn at(&self, steps: usize) -> Result<SingleGame> {
        if steps > self.steps {
            return Err(Error::config(format!("step {steps}: the game has {} steps", self.steps)));
        }
        let mut game = self.game.clone();
        for _ in steps..self.steps {
            game.undo();
        }
        Ok(game)
    }

    /// The action played after the first `steps` steps; `None` if it is not played yet.
    #[must_use]
    pub fn played_at(&self, steps: usize) -> Option<u32> {
        self.actions.get(steps).copied()
    }

    /// Whether the person at the screen may see an analysis of the position after `steps` steps: it must not reveal
    /// information that is hidden from that person.
    ///
    /// # Errors
    /// As for [`SeatedGame::at`].
    pub fn may_analyse(&self, steps: usize) -> Result<bool> {
        let Some(viewer) = self.viewer.filter(|_| self.is_running()) else { return Ok(true) };
        let hidden = self.game.game().spec().hidden_information;
        Ok(!hidden || self.at(steps)?.current_player() == viewer)
    }

    /// The game as the people at one screen follow it. The people in the seats `away` are at other screens: they have the
    /// place of bots, [`Seat::ELSEWHERE`].
    #[must_use]
    pub fn at_screen(&self, away: &[usize]) -> Cow<'_, Self> {
        if away.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut seen = self.clone();
        away.iter().for_each(|&seat| seen.seats[seat].bot = Some(Seat::ELSEWHERE.into()));
        let log = self.game.log();
        let movers = self.decisions.iter().rev().map(|&step| log[step].player);
        let mut own = movers.chain(0..seen.seats.len()).filter(|&seat| seen.seats[seat].bot.is_none());
        seen.viewer = own.next();
        seen.look();
        Cow::Owned(seen)
    }

    /// From now on, appends every attempted action to `file` immediately, one line of JSON each. Undo removes no
    /// lines.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] if the file cannot be written.
    pub fn log_to(&mut self, file: &Path) -> Result<()> {
        let refuse = |e: io::Error| Error::config(format!("{}: {e}", file.display()));
        let lines = Mutex::new(files::create(file).map_err(refuse)?);
        self.log = Some(Arc::new(MatchLog { file: file.into(), lines }));
        Ok(())
    }

    /// Appends every exchange with a language model to `file`, which is emptied first. Without such a player nothing is
    /// written; returns whether there is one.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] if the file cannot be written.
    pub fn write_transcript(&self, file: &Path) -> Result<bool> {
        let models = self.bots.iter().flatten().filter(|bot| bot.usage().is_some()).collect::<Vec<_>>();
        if models.is_empty() {
            return Ok(false);
        }
        files::create(file).map_err(|e| Error::config(format!("{}: {e}", file.display())))?;
        models.into_iter().for_each(|bot| bot.write_transcript(file));
        Ok(true)
    }

    /// Writes the last step to the log; `refused` is the refusal of the action attempted instead.
    fn write_attempt(&self, turn: Option<u32>, refused: Option<&str>) -> Result<()> {
        let Some(log) = &self.log else { return Ok(()) };
        let step = self.steps - 1;
        let Some((seat, result)) = self.log(step).pop() else { return Ok(()) };
        let attempt = Attempt { step, turn, player: &self.seats[seat].name, seat, result, refused };
        let line = serde_json::to_string(&attempt).expect("plain data always serialises") + "\n";
        let mut lines = log.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.write_all(line.as_bytes()).map_err(|e| Error::config(format!("{}: {e}", log.file.display())))
    }

    /// The game. Only its players change it.
    #[must_use]
    pub fn game(&self) -> &SingleGame {
        &self.game
    }
    /// The record so far, with the bots' expected values.
    pub fn record(&self) -> Record {
        let said = self.estimates.iter().any(Option::is_some);
        let estimates = if said { self.estimates.clone() } else { Vec::new() };
        Record { estimates, variations: self.variations(), ..self.game.record() }
    }
    /// The lines beside the game.
    #[must_use]
    pub fn variations(&self) -> Vec<Variation> {
        Variation::of_lines(&self.game.log(), &self.lines)
    }

    /// A variation in words, as observed by the viewer.
    #[must_use]
    pub fn variation_in_words(&self, variation: &Variation) -> Vec<String> {
        let mut game = self.game.clone();
        follow(&mut game, self.steps, variation);
        game.narrate(variation.from, self.observer()).into_iter().map(|(_, text)| text).collect()
    }

    /// Goes back to the position after `steps` steps. What was played from there stays as a variation. The game goes on
    /// with other `players`, a bot or [`Seat::HUMAN`] in every seat, if they are given.
    ///
    /// # Errors
    /// As for [`SeatedGame::at`] and [`SeatedGame::new`].
    pub fn fork(&mut self, steps: usize, players: Option<&[String]>) -> Result<()> {
        self.at(steps)?;
        let rules = self.game.game();
        if let Some(players) = players {
            check_seats("players", players.len(), self.seats.len())?;
            let seats = self.seats.iter().zip(players).map(|(seat, player)| Seat::new(&*seat.name, player));
            let seats: Vec<Seat> = seats.collect();
            let bot =
                |seat: &Seat| seat.bot.as_deref().map(|bot| Player::parse(&*rules, bot, None)).transpose();
            self.bots = seats.iter().map(bot).collect::<Result<_>>()?;
            self.seats = seats;
            self.viewer = self.seats.iter().position(|seat| seat.bot.is_none());
        }
        self.leave_line(steps);
        self.look();
        Ok(())
    }

    /// Shows a variation instead of the game, which becomes a variation.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] if there is no such variation.
    pub fn switch(&mut self, variation: usize) -> Result<()> {
        let known = self.variations();
        let Some(chosen) = known.get(variation) else {
            return Err(Error::config(format!("variation {variation}: the game has {}", known.len())));
        };
        self.leave_line(chosen.from);
        for (step, &action) in chosen.actions.iter().enumerate() {
            let seat = self.game.current_player();
            self.game.step_scripted(action, chosen.chance.get(step).map_or(&[], Vec::as_slice))?;
            if self.seats[seat].bot.is_none() {
                self.decisions.push(self.steps);
            }
            self.actions.push(action);
            self.estimates.push(None);
            self.steps += 1;
        }
        self.look();
        Ok(())
    }

    /// Keeps the line of the game as a variation, and goes back to the position after `steps` steps.
    fn leave_line(&mut self, steps: usize) {
        if steps < self.steps {
            self.lines.push(self.game.log());
        }
        while self.steps > steps {
            self.game.undo();
            self.steps -= 1;
        }
        self.actions.truncate(steps);
        self.estimates.truncate(steps);
        self.decisions.retain(|&decision| decision < steps);
    }
    /// The players.
    #[must_use]
    pub fn seats(&self) -> &[Seat] {
        &self.seats
    }
    /// Lost moves of bots, including undone ones.
    #[must_use]
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }
    /// Number of steps played.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.steps
    }
    /// Whether the game is running.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.game.status() == Status::Running
    }
    /// Whether the current player is a person.
    #[must_use]
    pub fn awaits_person(&self) -> bool {
        self.is_running() && self.seats[self.game.current_player()].bot.is_none()
    }
    /// The seat that limits the visible information; `None` shows everything, because only bots play.
    ///
    /// With several people, the viewer is the current player or, while bots move, the last person to have moved.
    #[must_use]
    pub fn viewer(&self) -> Option<usize> {
        self.viewer
    }

    /// The seat that limits the visible information now: the [viewer](SeatedGame::viewer), or `None` once the game is over and
    /// everything may be seen.
    #[must_use]
    pub fn observer(&self) -> Option<usize> {
        self.viewer.filter(|_| self.is_running())
    }

    /// The scores by seat, as far as the viewer may know them.
    #[must_use]
    pub fn scores(&self) -> Vec<Option<f32>> {
        self.game.shown_scores(self.viewer)
    }

    /// The acting seat and a description of each step from `first` on, as observed by the viewer.
    #[must_use]
    pub fn log(&self, first: usize) -> Vec<(usize, String)> {
        self.game.narrate(first, self.observer())
    }

    /// The result of the game, addressed to the person in front of the screen, if any: "you won, 87 to 61". `None`
    /// while the game is running.
    #[must_use]
    pub fn result(&self) -> Option<String> {
        match self.game.status() {
            Status::Running => return None,
            Status::Truncated => return Some(format!("stopped without a result after {} steps", self.steps)),
            Status::Terminated => {}
        }
        let won: Vec<bool> = shares_of_win(&self.game.returns()).map(|share| share > 0.0).collect();
        let people: Vec<usize> = (0..won.len()).filter(|&seat| self.seats[seat].bot.is_none()).collect();
        let [me] = people[..] else { return Some(self.game.standing()) };
        let standing = self.game.standing();
        if !won[me] {
            return Some(format!("you lost: {standing}"));
        }
        // "Ada won, 87 to 61" or "Ada won: checkmate".
        let how = standing.strip_prefix(&self.seats[me].name).and_then(|rest| rest.strip_prefix(" won"));
        Some(how.map_or_else(|| standing.clone(), |how| format!("you won{how}")))
    }

    /// The game after an action of the current player, a person; `None` if the outcome depends on chance.
    #[must_use]
    pub fn preview(&self, action: u32) -> Option<SingleGame> {
        let mut outcomes = self.game.outcomes(action).ok()?;
        let only = outcomes.next()?;
        outcomes.next().is_none().then_some(only.result)
    }

    /// Plays an action of the current player, a person.
    ///
    /// # Errors
    /// As for [`SingleGame::step`], and [`Error::Refused`] if the current player is a bot.
    pub fn play(&mut self, action: u32) -> Result<()> {
        if self.is_running() && !self.awaits_person() {
            return Err(Error::illegal(format!(
                "{} is to move",
                self.seats[self.game.current_player()].name
            )));
        }
        let turn = self.game.turn();
        self.game.step(action)?;
        self.decisions.push(self.steps);
        self.actions.push(action);
        self.estimates.push(None);
        self.steps += 1;
        self.look();
        self.write_attempt(turn, None)
    }

    /// Plays the action of the current player, a bot.
    ///
    /// # Errors
    /// [`Error::Refused`] if the game is over or the current player is a person.
    pub fn play_bot(&mut self) -> Result<()> {
        self.play_bot_until(&Interrupt::default())
    }

    /// Like [`SeatedGame::play_bot`], but plays nothing once `interrupt` is raised.
    ///
    /// # Errors
    /// As for [`SeatedGame::play_bot`], and [`Error::Interrupted`].
    pub fn play_bot_until(&mut self, interrupt: &Interrupt) -> Result<()> {
        if !self.is_running() {
            return Err(Error::game_over("the game is finished"));
        }
        let seat = self.game.current_player();
        let Some(bot) = &mut self.bots[seat] else {
            let name = &self.seats[seat].name;
            return Err(Error::illegal(format!("{name} is to move and is not a bot")));
        };
        let Decision { action, estimate, fault } = bot.act(&self.game, interrupt)?;
        let tried = if self.log.is_some() { bot.tried(&self.game)? } else { None };
        let turn = self.game.turn();
        self.game.step(action)?;
        self.actions.push(action);
        self.estimates.push(estimate);
        self.steps += 1;
        self.look();
        self.write_attempt(
            turn,
            fault.as_ref().map(|fault| &fault.reason).or(tried.as_ref()).map(String::as_str),
        )?;
        self.faults.extend(fault);
        Ok(())
    }

    /// Undoes everything back to and including the last decision of a person; without people, the last step. False if
    /// there is nothing to undo.
    pub fn undo(&mut self) -> bool {
        let people = self.seats.iter().any(|s| s.bot.is_none());
        let target = if people { self.decisions.pop() } else { self.steps.checked_sub(1) };
        let Some(target) = target else { return false };
        while self.steps > target {
            self.game.undo();
            self.actions.pop();
            self.estimates.pop();
            self.steps -= 1;
        }
        self.look();
        true
    }

    fn look(&mut self) {
        if self.awaits_person() {
            self.viewer = Some(self.game.current_player());
        }
    }
}

#[cfg(test)]
mod tests;
