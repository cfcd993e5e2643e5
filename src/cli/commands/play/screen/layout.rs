//! Where everything stands on the screen.

use ansi_to_tui::IntoText;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style, Stylize};
use ratatui::text::{Line, Text};
use ratatui::widgets::{Block, Clear, List, ListState, Paragraph, Wrap};

use super::state::{Pane, Screen};
use crate::cli::output::score_or_hidden;
use crate::engine::{Status, Theme, View};

/// From this width on the lists stand beside the board.
const WIDE: u16 = 100;

const HELP: &str = "\
type          narrows the actions down, by name or number
Enter         plays the marked action
Up, Down      move in the marked pane, as do PageUp and PageDown
Left, Right   move the board
Tab           marks the next pane: actions, board, log
Esc           forgets what was typed
Ctrl-Z        takes back everything since your last decision
Ctrl-C        leaves; the record is kept where --record says

while bots move or when the game is over:
Space         pauses or goes on
+ and -       change the delay between moves
u             takes the last move back
q             leaves

any key closes this";

impl Screen {
    pub(super) fn draw(&mut self, frame: &mut Frame) {
        let [head, body, foot] =
            Layout::vertical([Constraint::Length(1), Constraint::Fill(1), Constraint::Length(1)])
                .areas(frame.area());
        frame.render_widget(Line::from(self.headline()).bold(), head);
        frame.render_widget(Line::from(self.footline()).dim(), foot);
        let people = self.table.seats().len() as u16 + 2;
        // Where only bots play there is nothing to choose from.
        let share = if self.table.seats().iter().any(|s| s.bot.is_none()) { 3 } else { 0 };
        if body.width >= WIDE {
            let [board, side] = Layout::horizontal([Constraint::Fill(5), Constraint::Fill(3)]).areas(body);
            let [scores, actions, log] =
                Layout::vertical([Constraint::Length(people), Constraint::Fill(share), Constraint::Fill(2)])
                    .areas(side);
            self.draw_board(frame, board);
            self.draw_scores(frame, scores);
            self.draw_actions(frame, actions);
            self.draw_log(frame, log);
        } else {
            let [board, lists] = Layout::vertical([Constraint::Fill(3), Constraint::Fill(2)]).areas(body);
            let [actions, log] =
                Layout::horizontal([Constraint::Fill(share), Constraint::Fill(3)]).areas(lists);
            self.draw_board(frame, board);
            self.draw_actions(frame, actions);
            self.draw_log(frame, log);
        }
        if self.help {
            draw_help(frame);
        }
    }

    fn headline(&self) -> String {
        let game = self.table.game();
        let env = game.game().spec().env;
        let state = match game.status() {
            Status::Terminated => "the game is over".into(),
            Status::Truncated => "stopped without a result".into(),
            Status::Running => {
                let seat = &self.table.seats()[game.current_player()];
                match &seat.bot {
                    None => format!("{}: your turn", seat.name),
                    Some(bot) if self.paused => format!("paused, {} ({bot}) is to move", seat.name),
                    Some(bot) => format!("{} ({bot}) is to move", seat.name),
                }
            }
        };
        format!("{env}  step {}  {state}", self.table.steps())
    }

    fn footline(&self) -> String {
        if !self.message.is_empty() {
            return self.message.clone();
        }
        if self.table.awaits_person() {
            "F1 help  Enter play  Tab pane  Ctrl-Z undo  Ctrl-C leave".into()
        } else {
            let delay = self.delay.as_millis();
            format!("F1 help  Space pause  + - delay {delay} ms  u undo  q leave")
        }
    }

    fn block(&self, pane: Pane, title: impl Into<String>) -> Block<'static> {
        let style = if self.focus == pane { Style::new().bold() } else { Style::new().dim() };
        Block::bordered().title(title.into()).border_style(style)
    }

    fn draw_board(&mut self, frame: &mut Frame, area: Rect) {
        let view =
            View { theme: Theme::Dark, ansi: self.colours, seat: self.table.viewer(), ..View::default() };
        let text = self.table.game().to_text(view).unwrap_or_else(|error| error.to_string());
        let text = text.into_text().unwrap_or_else(|_| Text::raw(text));
        let block = self.block(Pane::Board, "board");
        let inner = block.inner(area);
        // Not further than the end.
        let last = |size: usize, window: u16| (size as u16).saturating_sub(window);
        let (line, column) = self.board_offset;
        self.board_offset =
            (line.min(last(text.height(), inner.height)), column.min(last(text.width(), inner.width)));
        frame.render_widget(Paragraph::new(text).block(block).scroll(self.board_offset), area);
    }

    fn draw_scores(&self, frame: &mut Frame, area: Rect) {
        let game = self.table.game();
        let mover = self.table.is_running().then(|| game.current_player());
        let rows =
            self.table.seats().iter().zip(self.table.scores()).enumerate().map(|(i, (seat, score))| {
                let player = seat.bot.as_ref().map_or(String::new(), |bot| format!(" ({bot})"));
                let mark = if mover == Some(i) { ">" } else { " " };
                let line =
                    Line::from(format!("{mark} {i} {}{player}: {}", seat.name, score_or_hidden(score)));
                if mover == Some(i) { line.bold() } else { line }
            });
        let block = Block::bordered().title("scores").border_style(Style::new().dim());
        frame.render_widget(Paragraph::new(rows.collect::<Vec<_>>()).block(block), area);
    }

    fn draw_actions(&self, frame: &mut Frame, area: Rect) {
        let matching = self.matching();
        let title = format!("actions {} of {}", matching.len(), self.choices.len());
        let block = self.block(Pane::Actions, title);
        let inner = block.inner(area);
        frame.render_widget(block, area);
        let [typed, list] = Layout::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(inner);
        if self.table.awaits_person() {
            frame.render_widget(Line::from(format!("> {}_", self.filter)), typed);
        }
        let items = matching.iter().map(|c| format!("{:>6}  {}", c.action, c.label));
        let list_widget = List::new(items).highlight_style(self.marker());
        let mut state = ListState::default().with_selected((!matching.is_empty()).then_some(self.marked));
        frame.render_stateful_widget(list_widget, list, &mut state);
    }

    fn marker(&self) -> Style {
        let style = Style::new().add_modifier(Modifier::REVERSED);
        if self.colours { style.fg(Color::Cyan) } else { style }
    }

    fn draw_log(&mut self, frame: &mut Frame, area: Rect) {
        let block = self.block(Pane::Log, "log");
        let window = usize::from(block.inner(area).height);
        let steps = self.table.steps();
        self.log_offset = self.log_offset.min(steps.saturating_sub(window));
        let first = steps.saturating_sub(window + self.log_offset);
        let lines = self.table.log(first).into_iter().take(window).enumerate().map(|(i, (player, text))| {
            Line::from(format!("{}. {}: {text}", first + i + 1, self.table.seats()[player].name))
        });
        frame.render_widget(Paragraph::new(lines.collect::<Vec<_>>()).block(block), area);
    }
}

fn draw_help(frame: &mut Frame) {
    let area = frame.area();
    let (width, height) = (70.min(area.width), (HELP.lines().count() as u16 + 2).min(area.height));
    let area = Rect::new((area.width - width) / 2, (area.height - height) / 2, width, height);
    let help = Paragraph::new(HELP).wrap(Wrap { trim: false }).block(Block::bordered().title("help"));
    frame.render_widget(Clear, area);
    frame.render_widget(help, area);
}
