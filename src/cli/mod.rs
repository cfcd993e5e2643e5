//! The command-line program: one file a command.

/// Prints text as the standard macro does, but a full disk behind standard output is an error like others.
macro_rules! print {
    ($($text:tt)*) => { $crate::cli::print_text(format_args!($($text)*)) };
}

/// The same with a line's end.
macro_rules! println {
    () => { print!("\n") };
    ($($text:tt)*) => { print!("{}\n", format_args!($($text)*)) };
}

mod commands;
mod files;

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::process::{self, ExitCode};
use std::sync::Arc;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Args, Parser};
use indicatif::{ProgressBar, ProgressStyle};

use commands::Cli;

use crate::engine::{AnyGame, Entry, Error, Interrupt, Named, OptionValue};
use crate::games;
use crate::play::player::{DEFAULT_TIME_LIMIT, Fault, Player};

/// How a command failed, which decides the exit code.
enum Failure {
    /// The thing asked about is wrong: exit code 1.
    Wrong(String),
    /// The call is wrong: exit code 2.
    Usage(String),
    /// A signal ended it early; what there is was shown: exit code 130.
    Interrupted,
}

/// The exit code after a signal, as shells have it for Ctrl-C.
const INTERRUPTED: u8 = 130;

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::InvalidConfig(what) => Self::Usage(what),
            other => Self::Wrong(other.to_string()),
        }
    }
}

type Outcome = Result<(), Failure>;

/// Runs the program with the process's arguments.
pub fn main() -> ExitCode {
    end_with_the_reader();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let outcome = cli.run();
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Wrong(what)) => {
            eprintln!("ludovec: {}", one_line(&what));
            ExitCode::from(1)
        }
        Err(Failure::Usage(what)) => {
            eprintln!("ludovec: {}", one_line(&what));
            ExitCode::from(2)
        }
        Err(Failure::Interrupted) => ExitCode::from(INTERRUPTED),
    }
}

/// Is raised by Ctrl-C or SIGTERM, so that what was played can be shown; the second signal ends the program at once.
fn interruptible() -> Result<Interrupt, Failure> {
    let interrupt = Interrupt::default();
    let signalled = interrupt.clone();
    let handler = move || {
        if signalled.is_raised() {
            process::exit(INTERRUPTED.into());
        }
        signalled.raise();
    };
    handle_signals(handler)?;
    Ok(interrupt)
}

/// Calls `handler` in a thread of its own on Ctrl-C and SIGTERM.
fn handle_signals(handler: impl FnMut() + Send + 'static) -> Outcome {
    ctrlc::set_handler(handler).map_err(|e| Failure::Wrong(format!("signals cannot be handled: {e}")))
}

/// How a command ends that shows what there is when a signal comes.
fn ended(partial: bool) -> Outcome {
    if partial { Err(Failure::Interrupted) } else { Ok(()) }
}

/// Prints text, or ends the program with what is wrong.
fn print_text(text: fmt::Arguments<'_>) {
    if let Err(error) = io::stdout().write_fmt(text) {
        eprintln!("ludovec: standard output: {error}");
        process::exit(1);
    }
}

/// Lets a closed pipe (`ludovec spec | head`) end the program quietly, as it does other programs.
fn end_with_the_reader() {
    #[cfg(target_os = "linux")]
    // Safety: no thread has been started that could rely on the signal's disposition; sockets do not raise it.
    unsafe {
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
    }
}

/// Help goes out as it is, a wrong call as one line.
fn usage(error: &clap::Error) -> ExitCode {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let text = error.to_string();
    let said: Vec<&str> = text
        .lines()
        .map(str::trim)
        .take_while(|l| !l.starts_with("Usage:"))
        .filter(|l| !l.is_empty())
        .collect();
    eprintln!("ludovec: {}; see --help", said.join(" ").trim_start_matches("error: "));
    ExitCode::from(2)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Which environment, under which options.
#[derive(Args)]
struct EnvArgs {
    /// Environment id
    #[arg(default_value = "smallworld")]
    env: String,
    /// An option of the environment; `ludovec spec ENV` lists them
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
}

impl Default for EnvArgs {
    fn default() -> Self {
        Self { env: "smallworld".into(), set: Vec::new() }
    }
}

impl EnvArgs {
    fn entry(&self) -> Result<&'static Entry, Failure> {
        Ok(games::find(&self.env)?)
    }

    fn make(&self) -> Result<Arc<dyn AnyGame>, Failure> {
        self.make_named(&[])
    }

    /// The game, with its players called so where it has an option for that.
    fn make_named(&self, names: &[&str]) -> Result<Arc<dyn AnyGame>, Failure> {
        let entry = self.entry()?;
        let mut set = pairs(&self.set)?;
        let takes_names = (entry.options)().iter().any(|option| option.name == "names");
        if takes_names && !names.is_empty() && !set.iter().any(|(key, _)| key == "names") {
            set.push(("names".into(), OptionValue::from(names.join(","))));
        }
        Ok(entry.make(set)?)
    }
}

/// Options as they stand on the command line.
fn pairs(set: &[String]) -> Result<Vec<(String, OptionValue)>, Failure> {
    let pair = |text: &String| match text.split_once('=') {
        Some((key, value)) => Ok((key.trim().to_string(), OptionValue::from(value))),
        None => Err(Failure::Usage(format!("--set {text}: key=value is needed"))),
    };
    set.iter().map(pair).collect()
}

/// How bots outside the engine are treated.
#[derive(Args, Default)]
struct PlayerArgs {
    /// Seconds that a bot in another program has for a move; 2 by default
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    bot_timeout: Option<Duration>,
}

impl PlayerArgs {
    fn time_limit(&self) -> Duration {
        self.bot_timeout.unwrap_or(DEFAULT_TIME_LIMIT)
    }

    /// The players that texts mean.
    fn parse(&self, game: &dyn AnyGame, texts: &[String]) -> Result<Vec<Player>, Failure> {
        let time_limit = self.time_limit();
        Ok(texts.iter().map(|text| Player::parse(game, text, time_limit)).collect::<Result<_, _>>()?)
    }
}

/// Says which moves bots lost, of `all` of them some one by one.
fn print_faults(faults: &[Fault], all: u64) {
    const TOLD: usize = 10;
    for fault in faults.iter().take(TOLD) {
        eprintln!("ludovec: {}", one_line(&fault.to_string()));
    }
    if all > TOLD as u64 {
        eprintln!("ludovec: {} moves were lost in all", thousands(all));
    }
}

/// How many games, threads, which seed.
#[derive(Args)]
struct BatchArgs {
    /// Games side by side
    #[arg(long, default_value_t = 4096)]
    num_envs: usize,
    /// Threads that step; all cores by default
    #[arg(long)]
    threads: Option<usize>,
    /// Seed of all games
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

impl Default for BatchArgs {
    fn default() -> Self {
        Self { num_envs: 4096, threads: None, seed: 0 }
    }
}

impl BatchArgs {
    /// The number of threads that will be used.
    fn threads(&self) -> usize {
        self.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
    }
}

/// Reads one of the names of a setting, or one of `more`.
fn named<T: Named>(more: &'static [(&'static str, T)]) -> impl TypedValueParser<Value = T> {
    let names = move || T::NAMES.iter().chain(more);
    PossibleValuesParser::new(names().map(|(name, _)| *name)).map(move |given| {
        let (_, value) = names().find(|(name, _)| *name == given).expect("no other name passes");
        *value
    })
}

/// What a command needs, from the first environment that has it.
fn with<T>(what: &str, of: impl Fn(&Entry) -> Option<T>) -> Result<T, Failure> {
    games::GAMES.iter().find_map(of).ok_or_else(|| Failure::Usage(format!("no environment has {what}")))
}

/// A duration from a positive number of seconds.
fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| "a number of seconds is needed".to_string())?;
    if number > 0.0 && number <= 1e9 {
        Ok(Duration::from_secs_f64(number))
    } else {
        Err("more than 0 and at most 1e9 seconds are allowed".into())
    }
}

/// A live line on standard error, when that is a terminal.
fn progress(template: &str) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template(template).expect("the template is valid").progress_chars("=> ");
    ProgressBar::new(1000).with_style(style)
}

/// Prints columns of text, the first left-aligned, the others right-aligned.
fn print_table(rows: &[Vec<String>]) {
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
fn thousands(number: u64) -> String {
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

fn print_json(value: &impl serde::Serialize) {
    println!("{}", serde_json::to_string_pretty(value).expect("plain data becomes JSON"));
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
