//! The state of the screen between two drawings, and its changes by keys and bots.

#[cfg(test)]
mod tests;

use std::io;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread;
use std::time::{Duration, Instant};

use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::hints::Hints;
use super::review::Review;
use super::{IDLE, TICK};
use ludovec::engine::{CellSize, Result};
use ludovec::play::player::{Fault, Player};
use ludovec::play::seated_game::SeatedGame;

/// The change of the delay by the + and - keys.
const DELAY_STEP: Duration = Duration::from_millis(100);
/// The number of lines of a page key.
const PAGE: usize = 10;

/// The pane for arrow and page keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pane {
    Actions,
    Board,
    Log,
}

/// Whether the screen continues or is quit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    Stay,
    Leave,
}

/// An action that the person may play.
pub(super) struct Candidate {
    pub(super) action: u32,
    /// Its label, as used by programs.
    pub(super) label: String,
    /// Its description in words.
    pub(super) words: String,
}

/// The screen: the game with its players, the typed text, the positions of the panes.
pub(super) struct Screen {
    pub(super) seated: SeatedGame,
    pub(super) delay: Duration,
    pub(super) colours: bool,
    /// The largest cells of the board that the screen has room for.
    pub(super) cells: CellSize,
    /// The legal actions; empty unless the current player is a person.
    pub(super) choices: Vec<Candidate>,
    /// The typed text.
    pub(super) filter: String,
    /// The index of the marked choice among the matching ones.
    pub(super) marked: usize,
    pub(super) focus: Pane,
    /// The lines and columns of the board before its visible part.
    pub(super) board_offset: (u16, u16),
    /// Lines of the log below its visible end.
    pub(super) log_offset: usize,
    pub(super) hints: Hints,
    /// The moves so far, while they are looked at.
    pub(super) review: Option<Review>,
    /// The last error, or the expected input.
    pub(super) message: String,
    /// The first visible line of the help, while it is shown.
    pub(super) help: Option<u16>,
    pub(super) paused: bool,
    last_move: Instant,
    /// The channel for the move of the thinking bot.
    thinking: Option<Receiver<Result<SeatedGame>>>,
}

impl Screen {
    pub(super) fn new(seated: SeatedGame, adviser: Player, delay: Duration, colours: bool) -> Self {
        let mut screen = Self {
            seated,
            delay,
            colours,
            cells: CellSize::default(),
            choices: Vec::new(),
            filter: String::new(),
            marked: 0,
            focus: Pane::Actions,
            board_offset: (0, 0),
            log_offset: 0,
            hints: Hints::new(adviser),
            review: None,
            message: String::new(),
            help: None,
            paused: false,
            last_move: Instant::now(),
            thinking: None,
        };
        screen.moved();
        screen
    }

    pub(super) fn run(&mut self, mut show: impl FnMut(&mut Self) -> io::Result<()>) -> io::Result<()> {
        loop {
            show(self)?;
            // Resizing the terminal is also an event; the screen is redrawn after it.
            let reviewing = self.review.as_ref().is_some_and(Review::is_waiting);
            let something_comes = self.bots_move() || self.hints.is_asked() || reviewing;
            if event::poll(if something_comes { TICK } else { IDLE })? {
                match event::read()? {
                    Event::Key(key) if key.kind == KeyEventKind::Press && self.press(key) == Flow::Leave => {
                        return Ok(());
                    }
                    _ => {}
                }
            }
            self.let_bots_move();
            self.take_hint();
            if let Some(review) = &mut self.review {
                review.take();
            }
        }
    }

    /// Takes the requested hint once it has arrived.
    pub(super) fn take_hint(&mut self) {
        match self.hints.take(&self.seated) {
            Some(Ok(said)) => (self.message, self.marked) = (said, 0),
            Some(Err(said)) => self.message = said,
            None => {}
        }
    }

    /// Whether a bot is the current player, so that a move arrives without a key.
    fn bots_move(&self) -> bool {
        self.seated.is_running() && !self.seated.awaits_person() && !self.paused && self.review.is_none()
    }

    /// Lets a bot start thinking, or plays its move when it is due.
    fn let_bots_move(&mut self) {
        if !self.bots_move() {
            return;
        }
        let Some(thinking) = &self.thinking else {
            if self.last_move.elapsed() >= self.delay {
                let (sender, receiver) = channel();
                let mut seated = self.seated.clone();
                thread::spawn(move || {
                    let moved = seated.play_bot().map(|()| seated);
                    // Sending fails if the move was taken back in the meantime.
                    let _ = sender.send(moved);
                });
                self.thinking = Some(receiver);
            }
            return;
        };
        match thinking.try_recv() {
            Ok(Ok(seated)) => {
                let known = self.seated.faults().len();
                self.seated = seated;
                self.moved();
                self.message = self.seated.faults()[known..].last().map(Fault::to_string).unwrap_or_default();
            }
            Ok(Err(error)) => self.stop(error.to_string()),
            Err(TryRecvError::Empty) => {}
            Err(TryRecvError::Disconnected) => self.stop("the bot failed".into()),
        }
    }

    fn stop(&mut self, message: String) {
        self.message = message;
        self.thinking = None;
        self.paused = true;
    }

    /// Updates the choices and resets filter and marks after the position has changed.
    fn moved(&mut self) {
        self.choices.clear();
        if self.seated.awaits_person() {
            let game = self.seated.game();
            let choice = |action| Candidate {
                action,
                label: game.action_to_string(action).unwrap_or_default(),
                words: game.action_in_words(action).unwrap_or_default(),
            };
            self.choices = game.legal_actions().into_iter().map(choice).collect();
        }
        self.filter.clear();
        self.message.clear();
        self.hints.forget();
        self.marked = 0;
        self.log_offset = 0;
        self.thinking = None;
        self.last_move = Instant::now();
    }

    /// The choices that match the typed text; exact matches come first, then the actions of a hint.
    pub(super) fn matching(&self) -> Vec<&Candidate> {
        let text = self.filter.trim().to_lowercase();
        let exact = |c: &Candidate| c.label.to_lowercase() == text || c.action.to_string() == text;
        let fits = |c: &Candidate| {
            let (label, words) = (c.label.to_lowercase(), c.words.to_lowercase());
            text.split_whitespace().all(|word| label.contains(word) || words.contains(word))
        };
        let mut matching: Vec<&Candidate> = self.choices.iter().filter(|c| exact(c) || fits(c)).collect();
        let place = |c: &Candidate| self.hints.best.iter().position(|best| best.0 == c.action);
        matching.sort_by_key(|c| (!exact(c), place(c).unwrap_or(usize::MAX)));
        matching
    }

    fn press(&mut self, key: KeyEvent) -> Flow {
        self.message.clear();
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        if control && matches!(key.code, KeyCode::Char('c' | 'q')) {
            return Flow::Leave;
        }
        if let Some(review) = &mut self.review {
            if !review.press(key) {
                self.review = None;
            }
            return Flow::Stay;
        }
        if let Some(line) = self.help {
            self.help = match key.code {
                KeyCode::Up => Some(line.saturating_sub(1)),
                KeyCode::Down => Some(line.saturating_add(1)),
                _ => None,
            };
            return Flow::Stay;
        }
        let typing = self.seated.awaits_person();
        match (key.code, control) {
            (KeyCode::Char('z'), true) => self.undo(),
            (_, true) => {}
            (KeyCode::F(1), _) => self.help = Some(0),
            (KeyCode::F(2), _) => self.look_back(),
            (KeyCode::Char('?'), _) => {
                if let Some(said) = self.hints.ask(&self.seated) {
                    self.message = said;
                }
            }
            (KeyCode::Tab, _) => {
                self.focus = match self.focus {
                    Pane::Actions => Pane::Board,
                    Pane::Board => Pane::Log,
                    Pane::Log => Pane::Actions,
                }
            }
            (KeyCode::Up, _) => self.scroll(-1, 0),
            (KeyCode::Down, _) => self.scroll(1, 0),
            (KeyCode::Left, _) => self.scroll(0, -1),
            (KeyCode::Right, _) => self.scroll(0, 1),
            (KeyCode::PageUp, _) => self.scroll(-(PAGE as i32), 0),
            (KeyCode::PageDown, _) => self.scroll(PAGE as i32, 0),
            (KeyCode::Enter, _) if typing => return self.choose(),
            (KeyCode::Char('+'), _) if self.filter.is_empty() => self.delay += DELAY_STEP,
            (KeyCode::Char('-'), _) if self.filter.is_empty() => {
                self.delay = self.delay.saturating_sub(DELAY_STEP);
            }
            (KeyCode::Char(letter), _) if typing => {
                self.filter.push(letter);
                self.marked = 0;
            }
            (KeyCode::Backspace, _) => {
                self.filter.pop();
                self.marked = 0;
            }
            (KeyCode::Esc, _) => self.filter.clear(),
            (KeyCode::Char('q'), _) => return Flow::Leave,
            (KeyCode::Char('u'), _) => self.undo(),
            (KeyCode::Char(' '), _) => self.paused = !self.paused,
            _ => {}
        }
        Flow::Stay
    }

    fn scroll(&mut self, lines: i32, columns: i32) {
        let moved = |from: usize, by: i32| from.saturating_add_signed(by as isize);
        match self.focus {
            Pane::Actions => {
                self.marked = moved(self.marked, lines).min(self.matching().len().saturating_sub(1));
            }
            Pane::Board => {
                let (line, column) = self.board_offset;
                self.board_offset =
                    (line.saturating_add_signed(lines as i16), column.saturating_add_signed(columns as i16));
            }
            Pane::Log => self.log_offset = moved(self.log_offset, -lines),
        }
    }

    /// Plays the marked action; "quit" quits, as in a game in lines.
    fn choose(&mut self) -> Flow {
        let Some(action) = self.matching().get(self.marked).map(|choice| choice.action) else {
            if self.filter.trim() == "quit" {
                return Flow::Leave;
            }
            self.message = format!("no action is called {:?}; ^C leaves", self.filter);
            return Flow::Stay;
        };
        match self.seated.play(action) {
            Ok(()) => self.moved(),
            Err(error) => self.message = error.to_string(),
        }
        Flow::Stay
    }

    /// Opens the moves so far with a review.
    fn look_back(&mut self) {
        let steps = self.seated.steps();
        if steps == 0 {
            self.message = "nothing was played yet".into();
            return;
        }
        match Review::new(self.seated.clone(), Some(self.hints.adviser()), steps, self.colours) {
            Ok(review) => self.review = Some(review),
            Err(error) => self.message = error.to_string(),
        }
    }

    fn undo(&mut self) {
        if self.seated.undo() {
            self.moved();
        } else {
            self.message = "there is nothing to take back".into();
        }
    }
}
