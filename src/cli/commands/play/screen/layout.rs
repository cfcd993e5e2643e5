//! The layout of the screen.

use ansi_to_tui::IntoText;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style, Stylize};
use ratatui::text::{Line, Text};
use ratatui::widgets::{Block, Clear, List, ListItem, ListState, Paragraph};

use super::state::{Candidate, Pane, Screen};
use crate::output::score_or_hidden;
use ludovec::engine::{CellSize, SingleGame, Status, Theme, View};

/// From this width on the lists are beside the board.
pub(super) const WIDE: u16 = 100;

/// Least width of the lists beside the board.
pub(super) const NARROWEST_LISTS: u16 = 32;

/// Lines that fit an 80-column terminal without wrapping.
const HELP: &str = "\
type          narrows the actions down, by words, name or number
Enter         plays the marked action
Up, Down      move in the marked pane, as do PageUp and PageDown
Left, Right   move the board, if its frame announces more
Tab           marks the next pane: actions, board, log
Esc           clears the typed text
?             a hint: the best actions first, with marks on the board
F2            the moves one by one, with values and mistakes
Ctrl-Z        takes back all moves since your last decision
+ and -       change the delay between the moves of bots, while
              nothing is typed
Ctrl-C        leaves, as does the word quit; the record is saved to
              the file of --record

while bots move or when the game is over:
Space         pauses or continues
u             takes the last move back
q             leaves

any other key closes this";

impl Screen {
    pub(super) fn draw(&mut self, frame: &mut Frame) {
        if let Some(review) = &mut self.review {
            return review.draw(frame);
        }
        let width = usize::from(frame.area().width);
        let [above, below] = [self.headline(), self.footline()].map(|text| broken(&text, 2, width));
        let [head, body, foot] = Layout::vertical([
            Constraint::Length(above.len() as u16),
            Constraint::Fill(1),
            Constraint::Length(below.len() as u16),
        ])
        .areas(frame.area());
        frame.render_widget(Paragraph::new(above.join("\n")).bold(), head);
        frame.render_widget(Paragraph::new(below.join("\n")).dim(), foot);
        // Without people the list of choices needs no space.
        let share = if self.seated.seats().iter().any(|s| s.bot.is_none()) { 3 } else { 0 };
        let beside = body.width >= WIDE;
        self.cells = self.largest_cells(match beside {
            true => [body.width - NARROWEST_LISTS, body.height],
            false => [body.width, body.height * 3 / 5],
        });
        if beside {
            // The board gets what it needs, as long as the lists stay legible.
            let needed = (self.board_size(self.view())[0] + 2).min(body.width - NARROWEST_LISTS);
            let board = needed.max(body.width * 5 / 8);
            let [board, side] =
                Layout::horizontal([Constraint::Length(board), Constraint::Fill(1)]).areas(body);
            let standings = self.scores_below_each_other(side.width.saturating_sub(2).into());
            let [scores, actions, log] = Layout::vertical([
                Constraint::Length(standings.len() as u16 + 2),
                Constraint::Fill(share),
                Constraint::Fill(2),
            ])
            .areas(side);
            self.draw_board(frame, board);
            let block = Block::bordered().title("scores").border_style(Style::new().dim());
            frame.render_widget(Paragraph::new(standings).block(block), scores);
            self.draw_actions(frame, actions);
            self.draw_log(frame, log);
        } else {
            let scores = self.scores_side_by_side(body.width.into());
            let [head, board, lists] = Layout::vertical([
                Constraint::Length(scores.len() as u16),
                Constraint::Fill(3),
                Constraint::Fill(2),
            ])
            .areas(body);
            let [actions, log] =
                Layout::horizontal([Constraint::Fill(share), Constraint::Fill(3)]).areas(lists);
            frame.render_widget(Paragraph::new(scores), head);
            self.draw_board(frame, board);
            self.draw_actions(frame, actions);
            self.draw_log(frame, log);
        }
        self.draw_help(frame);
    }

    fn headline(&self) -> String {
        let game = self.seated.game();
        let state = match game.status() {
            Status::Terminated | Status::Truncated => {
                format!("the game is over: {}", self.seated.result().unwrap_or_default())
            }
            Status::Running => {
                let seat = &self.seated.seats()[game.current_player()];
                match &seat.bot {
                    None => format!("{}: your turn", seat.name),
                    Some(bot) if self.paused => format!("paused, {} ({bot}) is to move", seat.name),
                    Some(bot) => format!("{} ({bot}) is to move", seat.name),
                }
            }
        };
        format!("{}  step {}  {state}", game.title(), self.seated.steps())
    }

    fn footline(&self) -> String {
        if !self.message.is_empty() {
            return self.message.clone();
        }
        let delay = self.delay.as_millis();
        if self.seated.awaits_person() {
            format!("F1 help  ? hint  Enter play  Tab pane  ^Z undo  + - delay {delay} ms  ^C leave")
        } else {
            format!("F1 help  F2 review  Space pause  + - delay {delay} ms  u undo  q leave")
        }
    }

    fn block(&self, pane: Pane, title: impl Into<String>) -> Block<'static> {
        let style = if self.focus == pane { Style::new().bold() } else { Style::new().dim() };
        Block::bordered().title(title.into()).border_style(style)
    }

    pub(super) fn view(&self) -> View {
        let seat = self.seated.observer();
        View { theme: Theme::Dark, ansi: self.colours, cells: self.cells, seat, ..View::default() }
    }

    /// The columns and lines of the board's text.
    fn board_size(&self, view: View) -> [u16; 2] {
        let text = self.seated.game().to_text(view).unwrap_or_default();
        text.into_text().map_or([0; 2], |text| [text.width() as u16, text.height() as u16])
    }

    /// The largest cells with a board that fits into a frame of this size, with all lines below it.
    fn largest_cells(&self, frame: [u16; 2]) -> CellSize {
        let fits = |cells: &CellSize| {
            let needed = self.board_size(View { cells: *cells, ..self.view() });
            needed.iter().zip(frame).all(|(&needed, frame)| needed + 2 <= frame)
        };
        [CellSize::Large, CellSize::Medium].into_iter().find(fits).unwrap_or(CellSize::Small)
    }

    fn draw_board(&mut self, frame: &mut Frame, area: Rect) {
        let view = self.view();
        let preview = self.previewed().and_then(|choice| {
            let after = self.seated.preview(choice.action)?;
            let changed = self.changed_cell(&after, view);
            Some((format!("board after {}", choice.words), after.to_text(view).ok()?, changed))
        });
        let now = || self.seated.game().to_text(view).unwrap_or_else(|error| error.to_string());
        let (title, text, changed) = preview.unwrap_or_else(|| ("board".into(), now(), None));
        let hinted = || {
            let marked = self.hints.board(&self.seated, &text, view, self.colours);
            marked.map(|text| ("board, best actions marked".into(), text))
        };
        let hinted = if title == "board" { hinted() } else { None };
        let plain = || (title, text.into_text().unwrap_or_else(|_| Text::raw(text)));
        let (title, text): (String, Text<'_>) = hinted.unwrap_or_else(plain);
        let block = self.block(Pane::Board, beginning(&title, area.width.saturating_sub(2).into()));
        let inner = block.inner(area);
        // Scrolling stops at the end.
        let last = |size: usize, window: u16| (size as u16).saturating_sub(window);
        let (lines, columns) = (last(text.height(), inner.height), last(text.width(), inner.width));
        let (line, column) = self.board_offset;
        let (mut line, mut column) = (line.min(lines), column.min(columns));
        if let Some((changed_line, changed_column)) = changed {
            let seen = |changed: u16, first: u16, window: u16, last: u16| match changed {
                _ if (first..first + window).contains(&changed) => first,
                _ => changed.saturating_sub(window / 2).min(last),
            };
            line = seen(changed_line, line, inner.height, lines);
            column = seen(changed_column, column, inner.width, columns);
        }
        self.board_offset = (line, column);
        let outside: Vec<&str> =
            [(line > 0, "above"), (line < lines, "below"), (column > 0, "left"), (column < columns, "right")]
                .into_iter()
                .filter_map(|(is, side)| is.then_some(side))
                .collect();
        let block = match outside.is_empty() {
            true => block,
            false => block.title_bottom(format!(" more {}: Tab here, then arrows ", outside.join(", "))),
        };
        frame.render_widget(Paragraph::new(text).block(block).scroll(self.board_offset), area);
    }

    /// The line and the column of the board that show a previewed action: the first cell marked as the last move
    /// or, without a mark, the first changed cell.
    fn changed_cell(&self, after: &SingleGame, view: View) -> Option<(u16, u16)> {
        let mut unmarked = after.game().single_from_position(&after.position(), 0).ok()?;
        unmarked.set_names(&after.names()).ok()?;
        let shown = after.to_text(view).ok()?;
        // The first line names the current player, which changes with every action: it does not count.
        let first = usize::from(shown.starts_with(&after.standing()));
        let shown = cells(&shown)?;
        let differs = |other: String| {
            let other = cells(&other)?;
            let lines = shown.iter().zip(&other).enumerate().skip(first);
            lines.into_iter().find_map(|(line, (now, then))| {
                let same = now.iter().zip(then).take_while(|(now, then)| now == then).count();
                (now != then).then_some((line as u16, same as u16))
            })
        };
        differs(unmarked.to_text(view).ok()?).or_else(|| differs(self.seated.game().to_text(view).ok()?))
    }

    /// The choice previewed on the board: the marked one, once the person has typed or moved the mark.
    fn previewed(&self) -> Option<&Candidate> {
        let chosen = self.focus == Pane::Actions && (self.marked > 0 || !self.filter.is_empty());
        if chosen { self.matching().get(self.marked).copied() } else { None }
    }

    /// A line about each player: current player, name, bot, score.
    fn standings(&self) -> impl Iterator<Item = (bool, String)> {
        let mover = self.seated.is_running().then(|| self.seated.game().current_player());
        self.seated.seats().iter().zip(self.seated.scores()).enumerate().map(move |(i, (seat, score))| {
            let player = seat.bot.as_ref().map_or(String::new(), |bot| format!(" ({bot})"));
            let mark = if mover == Some(i) { ">" } else { " " };
            (mover == Some(i), format!("{mark} {}{player}: {}", seat.name, score_or_hidden(score)))
        })
    }

    /// The players side by side, on as few lines as possible.
    fn scores_side_by_side(&self, width: usize) -> Vec<Line<'static>> {
        let mut lines = vec![Line::default()];
        for (moves, text) in self.standings() {
            for part in broken(&format!("{text}  "), 4, width) {
                let last = lines.last_mut().expect("there is one at least");
                let span = if moves { part.bold() } else { part.into() };
                if last.width() > 0 && last.width() + span.width() > width {
                    lines.push(span.into());
                } else {
                    last.push_span(span);
                }
            }
        }
        lines
    }

    /// The players in lines of their own, long names in several.
    fn scores_below_each_other(&self, width: usize) -> Vec<Line<'static>> {
        let line = |(moves, text): (bool, String)| {
            let lines = broken(&text, 4, width).into_iter().map(Line::from);
            lines.map(move |line| if moves { line.bold() } else { line })
        };
        self.standings().flat_map(line).collect()
    }

    fn draw_actions(&self, frame: &mut Frame, area: Rect) {
        let matching = self.matching();
        let title = format!("actions {} of {}", matching.len(), self.choices.len());
        let block = self.block(Pane::Actions, title);
        let inner = block.inner(area);
        let [typed, list] = Layout::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(inner);
        if self.seated.awaits_person() {
            let text = ending(&self.filter, usize::from(typed.width).saturating_sub(3));
            frame.render_widget(Line::from(format!("> {text}_")), typed);
        }
        let width = usize::from(list.width);
        let items = matching.iter().map(|c| match self.hints.price(c.action) {
            None => ListItem::new(broken(&c.words, 2, width).join("\n")),
            Some(price) => {
                let text = broken(&format!("{price} {}", c.words), 6, width).join("\n");
                ListItem::new(text).style(self.hints.style(c.action, self.colours).unwrap_or_default())
            }
        });
        let items: Vec<ListItem<'_>> = items.collect();
        let lines: usize = items.iter().map(ListItem::height).sum();
        let block = match lines > usize::from(list.height) {
            true => block.title_bottom(" Up, Down: the others "),
            false => block,
        };
        frame.render_widget(block, area);
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
        let (window, width) = (usize::from(block.inner(area).height), usize::from(block.inner(area).width));
        // An entry takes at least one line: the latest ones fill the window, unless the person scrolled.
        let first = if self.log_offset > 0 { 0 } else { self.seated.steps().saturating_sub(window) };
        let entries = self.seated.log(first).into_iter().enumerate();
        let lines: Vec<String> = entries
            .flat_map(|(i, (player, text))| {
                let name = &self.seated.seats()[player].name;
                broken(&format!("{}. {name}: {text}", first + i + 1), 4, width)
            })
            .collect();
        let hidden = lines.len().saturating_sub(window);
        let block = match first == 0 && hidden == 0 {
            true => block,
            false => block.title_bottom(" Tab here, Up, Down: the others "),
        };
        self.log_offset = self.log_offset.min(hidden);
        let lines = lines.into_iter().skip(hidden - self.log_offset).take(window);
        frame.render_widget(Paragraph::new(lines.map(Line::from).collect::<Vec<_>>()).block(block), area);
    }

    /// The help, over everything else; if it does not fit, the frame announces it and arrows scroll.
    fn draw_help(&mut self, frame: &mut Frame) {
        let Some(line) = self.help else { return };
        let area = frame.area();
        let width = 70.min(area.width);
        let lines: Vec<String> =
            HELP.lines().flat_map(|line| broken(line, 14, width.saturating_sub(2).into())).collect();
        let height = (lines.len() as u16 + 2).min(area.height);
        let area = Rect::new((area.width - width) / 2, (area.height - height) / 2, width, height);
        let last = (lines.len() as u16).saturating_sub(height.saturating_sub(2));
        let line = line.min(last);
        self.help = Some(line);
        let block = match last {
            0 => Block::bordered(),
            _ => Block::bordered().title_bottom(" Up, Down: the others "),
        };
        let help = Paragraph::new(lines.join("\n")).scroll((line, 0)).block(block.title("help"));
        frame.render_widget(Clear, area);
        frame.render_widget(help, area);
    }
}

/// The characters of each line of a text with their styles.
fn cells(text: &str) -> Option<Vec<Vec<(char, Style)>>> {
    let text = text.into_text().ok()?;
    let of_line = |line: &Line<'_>| {
        let spans = line.spans.iter();
        spans.flat_map(|span| span.content.chars().map(|letter| (letter, span.style))).collect()
    };
    Some(text.lines.iter().map(of_line).collect())
}

/// A text in lines of at most `width` characters, all except the first one indented. Words that fit stay whole.
pub(super) fn broken(text: &str, indent: usize, width: usize) -> Vec<String> {
    let width = width.max(1);
    let indent = if indent < width { indent } else { 0 };
    let mut lines = vec![String::new()];
    let mut used = 0;
    // Whether the line already has a part of the text.
    let mut begun = false;
    for word in text.split_inclusive(' ') {
        let mut breaks = begun && used + word.trim_end().chars().count() > width;
        for letter in word.chars() {
            if breaks || (used >= width && letter != ' ') {
                lines.push(" ".repeat(indent));
                (used, breaks) = (indent, false);
            }
            if used < width {
                lines.last_mut().expect("there is one at least").push(letter);
                (used, begun) = (used + 1, true);
            }
        }
    }
    lines
}

/// The beginning of a text that is too long, followed by a sign for the omission.
pub(super) fn beginning(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.into();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

/// The end of a text that is too long, after a sign for the omission.
fn ending(text: &str, width: usize) -> String {
    let length = text.chars().count();
    if length <= width {
        return text.into();
    }
    let end = text.chars().skip(length + 1 - width.max(1));
    ['…'].into_iter().chain(end).collect()
}

#[cfg(test)]
mod tests {
    use super::{beginning, broken, ending};

    #[test]
    fn a_long_text_is_truncated_at_its_start_or_end() {
        assert_eq!([ending("e2e4", 4), ending("e2e4", 3), ending("e2e4", 0)], ["e2e4", "…e4", "…"]);
        assert_eq!([4, 3, 0].map(|width| beginning("e2e4", width)), ["e2e4", "e2…", "…"]);
    }

    #[test]
    fn words_stay_whole_where_they_fit() {
        assert_eq!(broken("strike with the lightsaber", 2, 14), ["strike with ", "  the ", "  lightsaber"]);
        assert_eq!(broken("abcdefghij kl", 2, 6), ["abcdef", "  ghij", "  kl"]);
        assert_eq!(broken("fits", 2, 4), ["fits"]);
        assert_eq!(broken("", 2, 4), [""]);
        assert_eq!(broken("ab", 2, 0), ["a", "b"]);
        for width in 1..20 {
            let text = "Order the card: move X-wings, end the duel";
            let lines = broken(text, 2, width);
            assert!(lines.iter().all(|line| line.chars().count() <= width));
            let letters = |text: &str| text.replace(' ', "");
            assert_eq!(letters(&lines.concat()), letters(text));
        }
    }
}
