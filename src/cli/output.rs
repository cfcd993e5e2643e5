//! Output: lines, tables, JSON, progress.

use std::env;
use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::process;

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::program;
use ludovec::engine::escape::{escape_hidden, shorten};

use ludovec::play::player::Fault;
use ludovec::play::results::thousands;

/// Prints text like the standard macro, but a full disk behind standard output is an ordinary error.
macro_rules! print {
    ($($text:tt)*) => { $crate::output::print_text(format_args!($($text)*)) };
}

/// The same with a newline.
macro_rules! println {
    () => { print!("\n") };
    ($($text:tt)*) => { print!("{}\n", format_args!($($text)*)) };
}

/// Prints text, or ends the program with an error.
pub fn print_text(text: fmt::Arguments<'_>) {
    if let Err(error) = io::stdout().write_fmt(text) {
        eprintln!("{}: standard output: {error}", program::name());
        process::exit(1);
    }
}

/// Prints the moves that bots lost: `faults` one by one, and the number of the others among `all`.
pub(super) fn print_faults(faults: &[Fault], all: u64) {
    const TOLD: usize = 10;
    for fault in faults.iter().take(TOLD) {
        eprintln!("{}: {}", program::name(), one_line(&fault.to_string()));
    }
    if all > TOLD as u64 {
        eprintln!("{}: {} moves were lost in all", program::name(), thousands(all));
    }
}

/// A live line on standard error, if it is a terminal: the progress in words, and the remaining time.
#[must_use]
pub fn progress(prefix: &str) -> ProgressBar {
    debug_assert!(!prefix.contains('{'), "{prefix:?} is shown as it stands");
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let template = "{prefix} [{bar:30}] {msg}, {eta} left";
    let style = ProgressStyle::with_template(template).expect("the template is valid").progress_chars("=> ");
    ProgressBar::new(1000).with_style(style).with_prefix(prefix.to_string()).with_message("starting")
}

/// A live line on standard error, if it is a terminal, for work of unknown length: what is done, in words.
pub(super) fn waiting(prefix: &str) -> ProgressBar {
    debug_assert!(!prefix.contains('{'), "{prefix:?} is shown as it stands");
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{prefix} {msg}, {elapsed}").expect("the template is valid");
    ProgressBar::new_spinner().with_style(style).with_prefix(prefix.to_string())
}

/// Prints columns of text, the first left-aligned, the others right-aligned. Names of bots and files are escaped.
pub fn print_table(rows: &[Vec<String>]) {
    const WIDEST: usize = 100;
    let shown = |row: &Vec<String>| row.iter().map(|cell| shorten(&escape_hidden(cell), WIDEST)).collect();
    let rows: Vec<Vec<String>> = rows.iter().map(shown).collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |c: usize| rows.iter().filter_map(|r| r.get(c)).map(|s| s.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for row in &rows {
        let cells = row.iter().zip(&widths).enumerate();
        let line: Vec<String> =
            cells.map(|(c, (s, &w))| if c == 0 { format!("{s:<w$}") } else { format!("{s:>w$}") }).collect();
        println!("{}", line.join("  ").trim_end());
    }
}

/// Whether the terminal declares itself as line-only.
pub(super) fn is_dumb() -> bool {
    env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// Whether standard output shows colours: a colour terminal, unless the user has turned colours off
/// (<https://no-color.org>).
pub(super) fn colours() -> bool {
    let wanted = env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    io::stdout().is_terminal() && wanted && !is_dumb()
}

/// A score, or a placeholder if it is hidden from the viewer.
pub(super) fn score_or_hidden(score: Option<f32>) -> String {
    score.map_or("hidden".into(), |score| score.to_string())
}

/// A value as JSON in one line, without a newline.
pub fn json_line(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain data becomes JSON")
}

/// Prints a value as indented JSON.
pub fn print_json(value: &impl Serialize) {
    println!("{}", serde_json::to_string_pretty(value).expect("plain data becomes JSON"));
}

/// Text in one line: every run of white space or line breaks becomes one space, and hidden characters are escaped.
#[must_use]
pub fn one_line(text: &str) -> String {
    escape_hidden(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(
            [0, 999, 1000, 1234567].map(thousands),
            ["0", "999", "1,000", "1,234,567"].map(String::from)
        );
    }
}
