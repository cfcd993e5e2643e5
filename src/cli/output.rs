//! What is printed: lines, tables, JSON, progress.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::process;

use indicatif::{ProgressBar, ProgressStyle};

use crate::play::player::Fault;

/// Prints text as the standard macro does, but a full disk behind standard output is an error like others.
macro_rules! print {
    ($($text:tt)*) => { $crate::cli::output::print_text(format_args!($($text)*)) };
}

/// The same with a line's end.
macro_rules! println {
    () => { print!("\n") };
    ($($text:tt)*) => { print!("{}\n", format_args!($($text)*)) };
}

/// Prints text, or ends the program with what is wrong.
pub(super) fn print_text(text: fmt::Arguments<'_>) {
    if let Err(error) = io::stdout().write_fmt(text) {
        eprintln!("ludovec: standard output: {error}");
        process::exit(1);
    }
}

/// Says which moves bots lost, of `all` of them some one by one.
pub(super) fn print_faults(faults: &[Fault], all: u64) {
    const TOLD: usize = 10;
    for fault in faults.iter().take(TOLD) {
        eprintln!("ludovec: {}", one_line(&fault.to_string()));
    }
    if all > TOLD as u64 {
        eprintln!("ludovec: {} moves were lost in all", thousands(all));
    }
}

/// A live line on standard error, when that is a terminal.
pub(super) fn progress(template: &str) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template(template).expect("the template is valid").progress_chars("=> ");
    ProgressBar::new(1000).with_style(style)
}

/// Prints columns of text, the first left-aligned, the others right-aligned.
pub(super) fn print_table(rows: &[Vec<String>]) {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |c: usize| rows.iter().filter_map(|r| r.get(c)).map(|s| s.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for row in rows {
        let cells = row.iter().zip(&widths).enumerate();
        let line: Vec<String> =
            cells.map(|(c, (s, &w))| if c == 0 { format!("{s:<w$}") } else { format!("{s:>w$}") }).collect();
        println!("{}", line.join("  ").trim_end());
    }
}

/// A number with thousands separated.
pub(super) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

pub(super) fn print_json(value: &impl serde::Serialize) {
    println!("{}", serde_json::to_string_pretty(value).expect("plain data becomes JSON"));
}

pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
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
