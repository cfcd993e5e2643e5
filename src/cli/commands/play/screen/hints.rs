//! Hints: the actions that a network or a search would choose, with marks on the board.

use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread;

use ansi_to_tui::IntoText;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span, Text};

use super::super::hints::{BEST, expected, price};
use ludovec::engine::{Analysis, Interrupt, View};
use ludovec::play::player::Player;
use ludovec::play::seated_game::SeatedGame;

/// Colours of the first, second and third action of a hint.
const COLOURS: [Color; BEST] = [Color::Magenta, Color::Blue, Color::Cyan];

/// Hints: their source, and the one that is requested or shown.
pub(super) struct Hints {
    adviser: Player,
    /// The channel for the analysis, and the flag that ends it early.
    asked: Option<(Receiver<ludovec::engine::Result<Analysis>>, Interrupt)>,
    /// The best actions of the position, with their prices.
    pub(super) best: Vec<(u32, String)>,
}

impl Hints {
    pub(super) fn new(adviser: Player) -> Self {
        Self { adviser, asked: None, best: Vec::new() }
    }

    /// The player that gives hints.
    pub(super) fn adviser(&self) -> &Player {
        &self.adviser
    }

    /// Whether an answer is pending.
    pub(super) fn is_asked(&self) -> bool {
        self.asked.is_some()
    }

    /// Discards the hint after a change of the position.
    pub(super) fn forget(&mut self) {
        if let Some((_, interrupt)) = self.asked.take() {
            interrupt.raise();
        }
        self.best.clear();
    }

    /// The price of an action among the best ones.
    pub(super) fn price(&self, action: u32) -> Option<&str> {
        self.best.iter().find(|best| best.0 == action).map(|best| &*best.1)
    }

    /// The style of an action of a hint.
    pub(super) fn style(&self, action: u32, colours: bool) -> Option<Style> {
        self.best.iter().position(|best| best.0 == action).map(|index| mark(index, colours))
    }

    /// Requests a hint if the current player is a person; returns the message to show.
    pub(super) fn ask(&mut self, seated: &SeatedGame) -> Option<String> {
        if !seated.awaits_person() {
            return Some("hints are for your own turn".into());
        }
        if self.is_asked() {
            return None;
        }
        let (sender, receiver) = channel();
        let interrupt = Interrupt::default();
        let (adviser, game) = (self.adviser.clone(), seated.game().clone());
        self.asked = Some((receiver, interrupt.clone()));
        thread::spawn(move || {
            // Sending fails if an action was played meanwhile.
            let _ = sender.send(adviser.advise(&game, 1, &interrupt));
        });
        Some(format!("{} thinks...", self.adviser.name()))
    }

    /// Takes the requested hint once it has arrived; returns the message to show, or an error message if there is no
    /// hint.
    pub(super) fn take(&mut self, seated: &SeatedGame) -> Option<Result<String, String>> {
        let said = match self.asked.as_ref()?.0.try_recv() {
            Err(TryRecvError::Empty) => return None,
            Ok(Ok(analysis)) => {
                let best = analysis.best(BEST).into_iter();
                self.best = best.map(|(action, _)| (action, price(&analysis, action))).collect();
                Ok(expected(seated.game(), self.adviser.name(), &analysis))
            }
            Ok(Err(error)) => Err(error.to_string()),
            Err(TryRecvError::Disconnected) => Err("the player that gives hints failed".into()),
        };
        self.asked = None;
        Some(said)
    }

    /// The board with the best actions marked: for each action the cells that it would change, except the cells
    /// that all of them would change. An action with a random outcome has no mark.
    pub(super) fn board(
        &self,
        seated: &SeatedGame,
        now: &str,
        view: View,
        colours: bool,
    ) -> Option<Text<'static>> {
        let after = |(action, _): &(u32, String)| seated.preview(*action)?.to_text(view).ok();
        let boards: Vec<Option<String>> = self.best.iter().map(after).collect();
        let changes: Vec<Option<Vec<Vec<bool>>>> = boards
            .iter()
            .map(|board| board.as_ref().map(|board| changed(&cells(now), &cells(board))))
            .collect();
        let seen = changes.iter().flatten().count();
        let is_marked = |line: usize, column: usize| {
            let by = |change: &Vec<Vec<bool>>| change[line].get(column).is_some_and(|changed| *changed);
            let common = seen > 1 && changes.iter().flatten().all(by);
            changes.iter().position(|change| !common && change.as_ref().is_some_and(by))
        };
        let line = |(i, line): (usize, Vec<(char, Style)>)| {
            let cell = |(k, (letter, style)): (usize, (char, Style))| match is_marked(i, k) {
                Some(index) => Span::styled(letter.to_string(), style.patch(mark(index, colours))),
                None => Span::styled(letter.to_string(), style),
            };
            Line::from(line.into_iter().enumerate().map(cell).collect::<Vec<_>>())
        };
        (seen > 0).then(|| Text::from(cells(now).into_iter().enumerate().map(line).collect::<Vec<_>>()))
    }
}

/// The style of the rank of the first, second or third action.
fn mark(index: usize, colours: bool) -> Style {
    match colours {
        true => Style::new().bg(COLOURS[index]).fg(Color::White).add_modifier(Modifier::BOLD),
        false => Style::new().add_modifier(Modifier::REVERSED),
    }
}

/// The letters of a text with their styles, line by line.
fn cells(text: &str) -> Vec<Vec<(char, Style)>> {
    let text = text.into_text().unwrap_or_else(|_| Text::raw(text.to_string()));
    let line = |line: &Line<'_>| {
        let letters = |span: &Span<'_>| span.content.chars().map(|c| (c, span.style)).collect::<Vec<_>>();
        line.spans.iter().flat_map(letters).collect()
    };
    text.lines.iter().map(line).collect()
}

/// For each cell of a board, whether it differs from the same cell of another board.
fn changed(board: &[Vec<(char, Style)>], other: &[Vec<(char, Style)>]) -> Vec<Vec<bool>> {
    let differs =
        |i: usize, k: usize, cell: &(char, Style)| other.get(i).and_then(|line| line.get(k)) != Some(cell);
    let line = |(i, line): (usize, &Vec<(char, Style)>)| {
        line.iter().enumerate().map(|(k, cell)| differs(i, k, cell)).collect()
    };
    board.iter().enumerate().map(line).collect()
}
