//! A game step by step on the terminal: the board, the moves, and a review with values, best lines and prices.

#[cfg(test)]
mod tests;

use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread;

use ansi_to_tui::IntoText;
use ratatui::Frame;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style, Stylize};
use ratatui::symbols::Marker;
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{Axis, Block, Chart, Dataset, GraphType, List, ListItem, ListState, Paragraph};

use super::layout::{NARROWEST_LISTS, WIDE, beginning, broken};
use ludovec::engine::{Error, Interrupt, Result, SingleGame, Theme, View};
use ludovec::play::player::Player;
use ludovec::play::review::{GameReview, Grade, Judgement, ReviewedPosition, Unit};
use ludovec::play::seated_game::SeatedGame;

/// Colours of the curves by seat.
const COLOURS: [Color; 6] =
    [Color::Cyan, Color::Yellow, Color::Magenta, Color::Green, Color::Blue, Color::Red];
/// Signs of the curves by seat, which tell them apart without colours.
const MARKERS: [(Marker, char); 4] =
    [(Marker::Braille, '⠒'), (Marker::Dot, '•'), (Marker::Block, '█'), (Marker::Bar, '▄')];
/// Lines of the curve.
const CURVE: u16 = 8;
/// The number of steps of a page key.
const PAGE: usize = 10;

/// A part of a review as it comes from the reviewer's thread.
enum Part {
    Position(Box<ReviewedPosition>, Option<Judgement>),
    Failed(String),
}

/// The screen of a game that is looked at step by step.
pub(super) struct Review {
    seated: SeatedGame,
    colours: bool,
    /// The number of steps before the position on the screen.
    at: usize,
    game: SingleGame,
    /// The moves in words.
    moves: Vec<String>,
    board_offset: (u16, u16),
    /// The name of the reviewer; empty without one.
    reviewer: String,
    unit: Option<Unit>,
    positions: Vec<ReviewedPosition>,
    prices: Vec<Option<Judgement>>,
    /// The channel for parts of the review, and the flag that ends it.
    coming: Option<(Receiver<Part>, Interrupt)>,
    message: String,
}

impl Drop for Review {
    fn drop(&mut self) {
        if let Some((_, interrupt)) = &self.coming {
            interrupt.raise();
        }
    }
}

impl Review {
    /// The game with its players, at the position after `at` steps; `reviewer` starts to review it.
    pub(super) fn new(
        seated: SeatedGame,
        reviewer: Option<&Player>,
        at: usize,
        colours: bool,
    ) -> Result<Self> {
        let name = |(player, text): (usize, String)| format!("{}: {text}", seated.seats()[player].name);
        let moves = seated.log(0).into_iter().map(name).collect();
        let mut review = Self {
            at,
            game: seated.at(at)?,
            moves,
            colours,
            board_offset: (0, 0),
            reviewer: String::new(),
            unit: None,
            positions: Vec::new(),
            prices: Vec::new(),
            coming: None,
            message: String::new(),
            seated,
        };
        if let Some(reviewer) = reviewer {
            review.begin(reviewer)?;
        }
        Ok(review)
    }

    /// Starts the review, unless it would reveal information that is hidden from the person at the screen.
    fn begin(&mut self, reviewer: &Player) -> Result<()> {
        for step in 0..=self.seated.steps() {
            if !self.seated.may_analyse(step)? {
                self.message = "values come at the end of the game: others' information is hidden".into();
                return Ok(());
            }
        }
        self.reviewer = reviewer.name().into();
        let (sender, receiver) = channel();
        let interrupt = Interrupt::default();
        let (record, reviewer, ended) = (self.seated.record(), reviewer.clone(), interrupt.clone());
        self.coming = Some((receiver, interrupt));
        thread::spawn(move || {
            // Sending fails once the review is closed.
            let send = |part| sender.send(part).map_err(|_| Error::interrupted("the review was closed"));
            let reviewed = GameReview::of_record(&record, &reviewer, &ended, |_, review| {
                let last = review.positions.last().expect("a position was added").clone();
                send(Part::Position(Box::new(last), review.prices.last().copied().flatten()))
            });
            if let Err(error) = reviewed {
                let _ = send(Part::Failed(error.to_string()));
            }
        });
        Ok(())
    }

    /// Whether parts of the review are still to come.
    pub(super) fn is_waiting(&self) -> bool {
        self.coming.is_some()
    }

    /// Takes the parts that have arrived.
    pub(super) fn take(&mut self) {
        let Some((parts, _)) = &self.coming else { return };
        loop {
            match parts.try_recv() {
                Ok(Part::Position(position, price)) => {
                    self.unit = Some(position.unit);
                    if !self.positions.is_empty() {
                        self.prices.push(price);
                    }
                    self.positions.push(*position);
                }
                Ok(Part::Failed(error)) => self.message = error,
                Err(TryRecvError::Empty) => return,
                Err(TryRecvError::Disconnected) => {
                    self.coming = None;
                    return;
                }
            }
        }
    }

    /// Handles a key; false if it closes the review.
    pub(super) fn press(&mut self, key: KeyEvent) -> bool {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let last = self.seated.steps();
        match key.code {
            KeyCode::Char('c' | 'q') if control => return false,
            KeyCode::Esc | KeyCode::F(2) | KeyCode::Char('q') => return false,
            KeyCode::Left => self.seek(self.at.saturating_sub(1)),
            KeyCode::Right => self.seek(self.at + 1),
            KeyCode::PageUp => self.seek(self.at.saturating_sub(PAGE)),
            KeyCode::PageDown => self.seek(self.at + PAGE),
            KeyCode::Home => self.seek(0),
            KeyCode::End => self.seek(last),
            KeyCode::Char('n') => self.seek_mistake((self.at + 1)..=last),
            KeyCode::Char('p') => self.seek_mistake((1..=self.at.saturating_sub(1)).rev()),
            KeyCode::Up => self.board_offset.0 = self.board_offset.0.saturating_sub(1),
            KeyCode::Down => self.board_offset.0 += 1,
            KeyCode::Char('<') => self.board_offset.1 = self.board_offset.1.saturating_sub(2),
            KeyCode::Char('>') => self.board_offset.1 += 2,
            _ => {}
        }
        true
    }

    fn seek(&mut self, at: usize) {
        let at = at.min(self.seated.steps());
        match self.seated.at(at) {
            Ok(game) => (self.at, self.game, self.message) = (at, game, String::new()),
            Err(error) => self.message = error.to_string(),
        }
    }

    /// Shows the position after the first mistake among the steps that end in `positions`.
    fn seek_mistake(&mut self, mut positions: impl Iterator<Item = usize>) {
        match positions.find(|&at| self.verdict(at - 1).is_some()) {
            Some(at) => self.seek(at),
            None => self.message = "there is no other mistake".into(),
        }
    }

    /// The price of a step that cost something.
    fn verdict(&self, step: usize) -> Option<Judgement> {
        self.prices.get(step).copied().flatten().filter(|price| price.is_mistake())
    }

    /// What the review says about the position on the screen.
    fn told(&self) -> Vec<String> {
        let mut told = Vec::new();
        let names = self.seated.seats().iter().map(|seat| &seat.name);
        if let (Some(unit), Some(position)) = (self.unit, self.positions.get(self.at)) {
            let values: Vec<String> = names
                .clone()
                .zip(&position.values)
                .map(|(name, value)| format!("{name} {value:+.2}"))
                .collect();
            told.push(format!("{} ({})", values.join(", "), unit.words()));
            if !position.line.is_empty() {
                told.push(format!("best line: {}", position.line.join(", ")));
            }
        }
        if let Some(price) = self.at.checked_sub(1).and_then(|step| self.verdict(step)) {
            let better = self.positions[self.at - 1].best.as_ref().map_or("", |best| &best.words);
            let lost =
                format!("{} the last move cost {:.2}; better: {better}", price.grade.mark(), price.loss);
            told.insert(0, lost);
        }
        if self.at == self.seated.steps() && !self.is_waiting() && !self.positions.is_empty() {
            told.extend(names.enumerate().map(|(seat, name)| self.summary(seat, name)));
        }
        told
    }

    /// The mistakes of a player, counted.
    fn summary(&self, seat: usize, name: &str) -> String {
        let priced = self.prices.iter().zip(&self.positions);
        let own: Vec<Judgement> = priced
            .filter(|(_, position)| position.player == Some(seat))
            .filter_map(|(price, _)| *price)
            .collect();
        let count = |grade| own.iter().filter(|price| price.confirmed && price.grade == grade).count();
        let mean = own.iter().map(|price| price.loss).sum::<f32>() / own.len().max(1) as f32;
        format!(
            "{name}: {} ??, {} ?, {} ?!; a move cost {mean:.2}",
            count(Grade::Blunder),
            count(Grade::Mistake),
            count(Grade::Inaccuracy)
        )
    }

    pub(super) fn draw(&mut self, frame: &mut Frame<'_>) {
        let width = usize::from(frame.area().width);
        let steps = self.seated.steps();
        let head = format!("{}  position {} of {steps}", self.game.title(), self.at);
        let above = broken(&head, 2, width);
        let foot = match &*self.message {
            "" => "Left, Right: moves  n, p: mistakes  Home, End  Up, Down: board  q closes",
            message => message,
        };
        let below = broken(foot, 2, width);
        let [head, body, foot] = Layout::vertical([
            Constraint::Length(above.len() as u16),
            Constraint::Fill(1),
            Constraint::Length(below.len() as u16),
        ])
        .areas(frame.area());
        frame.render_widget(Paragraph::new(above.join("\n")).bold(), head);
        frame.render_widget(Paragraph::new(below.join("\n")).dim(), foot);
        let text = self.board();
        let (main, moves) = if body.width >= WIDE {
            let needed = (text.width() as u16 + 2).min(body.width - NARROWEST_LISTS).max(body.width * 5 / 8);
            let [main, moves] =
                Layout::horizontal([Constraint::Length(needed), Constraint::Fill(1)]).areas(body);
            (main, moves)
        } else {
            let [main, moves] = Layout::vertical([Constraint::Fill(5), Constraint::Fill(1)]).areas(body);
            (main, moves)
        };
        let told: Vec<String> =
            self.told().iter().flat_map(|line| broken(line, 2, main.width.into())).collect();
        // At the end, every player has a line.
        let most = if self.at == steps { main.height / 2 } else { main.height / 3 };
        let curve = if self.reviewer.is_empty() { 0 } else { CURVE.min(main.height / 3) };
        let [board, curve, words] = Layout::vertical([
            Constraint::Fill(1),
            Constraint::Length(curve),
            Constraint::Length((told.len() as u16).min(most)),
        ])
        .areas(main);
        self.draw_board(frame, board, text);
        self.draw_curve(frame, curve);
        frame.render_widget(Paragraph::new(told.join("\n")), words);
        self.draw_moves(frame, moves);
    }

    fn board(&self) -> Text<'static> {
        let seat = self.seated.observer();
        let view = View { theme: Theme::Dark, ansi: self.colours, seat, ..View::default() };
        let text = self.game.to_text(view).unwrap_or_else(|error| error.to_string());
        text.into_text().unwrap_or_else(|_| Text::raw(text))
    }

    fn draw_board(&mut self, frame: &mut Frame<'_>, area: Rect, text: Text<'_>) {
        let block = Block::bordered().title("board").border_style(Style::new().dim());
        let inner = block.inner(area);
        let last = |size: usize, window: u16| (size as u16).saturating_sub(window);
        let (lines, columns) = (last(text.height(), inner.height), last(text.width(), inner.width));
        self.board_offset = (self.board_offset.0.min(lines), self.board_offset.1.min(columns));
        let block = match (lines, columns) {
            (0, 0) => block,
            (_, 0) => block.title_bottom(" Up, Down: more "),
            _ => block.title_bottom(" Up, Down, <, >: more "),
        };
        frame.render_widget(Paragraph::new(text).block(block).scroll(self.board_offset), area);
    }

    fn style(&self, seat: usize) -> Style {
        if self.colours { Style::new().fg(COLOURS[seat % COLOURS.len()]) } else { Style::new() }
    }

    /// The values by position, one curve per seat, with the mistakes and the position on the screen.
    fn draw_curve(&self, frame: &mut Frame<'_>, area: Rect) {
        if area.height < 3 {
            return;
        }
        let seats = self.seated.seats();
        let mut title = vec![Span::raw("values ")];
        for (seat, player) in seats.iter().enumerate() {
            let sign = MARKERS[seat % MARKERS.len()].1;
            title.push(Span::styled(format!("{sign} {} ", player.name), self.style(seat)));
        }
        if self.is_waiting() {
            let done = format!("{} of {} positions ", self.positions.len(), self.seated.steps() + 1);
            title.push(Span::raw(done));
        }
        let block = Block::bordered().title(Line::from(title)).border_style(Style::new().dim());
        let values =
            || self.positions.iter().flat_map(|position| &position.values).map(|&value| f64::from(value));
        let (low, high) = match self.unit {
            Some(Unit::Outcome) => (-1.0, 1.0),
            _ => (values().fold(0.0, f64::min), values().fold(1e-3, f64::max)),
        };
        let curves: Vec<Vec<(f64, f64)>> = (0..seats.len())
            .map(|seat| {
                let point = |(step, position): (usize, &ReviewedPosition)| {
                    (step as f64, f64::from(position.values[seat]))
                };
                self.positions.iter().enumerate().map(point).collect()
            })
            .collect();
        let marked: Vec<(f64, f64)> = (0..self.prices.len())
            .filter(|&step| self.verdict(step).is_some())
            .filter_map(|step| {
                let player = self.positions[step].player?;
                Some(((step + 1) as f64, f64::from(self.positions[step + 1].values[player])))
            })
            .collect();
        let here = [(self.at as f64, low), (self.at as f64, high)];
        let line = |points| Dataset::default().data(points).graph_type(GraphType::Line);
        let mut drawn = vec![line(&here[..]).marker(Marker::Braille).style(Style::new().dim())];
        drawn.extend(curves.iter().enumerate().map(|(seat, points)| {
            line(points).marker(MARKERS[seat % MARKERS.len()].0).style(self.style(seat))
        }));
        let red = if self.colours { Style::new().fg(Color::Red) } else { Style::new().bold() };
        let mistakes = Dataset::default().data(&marked).graph_type(GraphType::Scatter);
        drawn.push(mistakes.marker(Marker::Dot).style(red));
        let labels = [format!("{low:+.1}"), format!("{high:+.1}")];
        let chart = Chart::new(drawn)
            .block(block)
            .legend_position(None)
            .x_axis(Axis::default().bounds([0.0, self.seated.steps().max(1) as f64]))
            .y_axis(Axis::default().bounds([low, high]).labels(labels));
        frame.render_widget(chart, area);
    }

    fn draw_moves(&self, frame: &mut Frame<'_>, area: Rect) {
        let block = Block::bordered().title("moves").border_style(Style::new().dim());
        let width = usize::from(block.inner(area).width);
        let item = |(step, text): (usize, &String)| {
            let price = self.verdict(step);
            let end = price
                .map_or(String::new(), |price| format!(" {} costs {:.2}", price.grade.mark(), price.loss));
            let style = match price {
                Some(_) if self.colours => Style::new().fg(Color::Red),
                Some(_) => Style::new().bold(),
                None => Style::new(),
            };
            let line = format!("{}. {text}{end}", step + 1);
            ListItem::new(broken(&line, 4, width).join("\n")).style(style)
        };
        let items: Vec<ListItem<'_>> = self.moves.iter().enumerate().map(item).collect();
        let list = List::new(items)
            .block(block.title_bottom(beginning(" Left, Right ", width)))
            .highlight_style(Style::new().add_modifier(Modifier::REVERSED));
        let mut state = ListState::default().with_selected(self.at.checked_sub(1));
        frame.render_stateful_widget(list, area, &mut state);
    }
}
