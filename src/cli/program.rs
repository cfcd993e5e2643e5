//! The program: its name, its version and its own games. A crate with games of its own makes its program of them.

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::OnceLock;

use clap::builder::StyledStr;
use clap::{Command, CommandFactory};

use super::commands::Cli;
use ludovec::engine::{Entry, Tool};
use ludovec::games;

/// The name of the program of this repository.
const LUDOVEC: &str = "ludovec";

/// The program of a crate with games of its own.
///
/// ```no_run
/// # use ludovec::engine::{Entry, Error};
/// # use std::process::ExitCode;
/// # const GO: Entry = Entry::new("go", "Go", "territory", Vec::new, |_| Err(Error::config("no rules yet")));
/// fn main() -> ExitCode {
///     ludovec_cli::Program::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")).with_games([GO]).main()
/// }
/// ```
#[derive(Debug)]
pub struct Program {
    name: &'static str,
    version: &'static str,
    games: Vec<Entry>,
}

/// The program that runs, with the ids of its own games.
struct Running {
    name: &'static str,
    version: &'static str,
    games: Vec<&'static str>,
}

static RUNNING: OnceLock<Running> = OnceLock::new();

impl Program {
    /// A program without games of its own; `name` is the first word of its messages and examples.
    #[must_use]
    pub const fn new(name: &'static str, version: &'static str) -> Self {
        Self { name, version, games: Vec::new() }
    }

    /// The same program with games of its own. The first is the default of every command.
    #[must_use]
    pub fn with_games(mut self, games: impl IntoIterator<Item = Entry>) -> Self {
        self.games.extend(games);
        self
    }

    /// Registers the games and runs the program with the arguments of the process.
    #[must_use]
    pub fn main(self) -> ExitCode {
        ExitCode::from(self.run(std::env::args_os()))
    }

    /// The same with `arguments`, the first of which is the program's name; returns the exit code.
    ///
    /// A process runs one program: a second one with another name or other games keeps the first one's.
    pub fn run(self, arguments: impl IntoIterator<Item = OsString>) -> u8 {
        let Self { name, version, games } = self;
        let ids = games.iter().map(|entry| entry.id).collect();
        let is_first = RUNNING.set(Running { name, version, games: ids }).is_ok();
        for entry in games.into_iter().filter(|_| is_first) {
            if let Err(error) = games::register(entry) {
                eprintln!("{name}: {error}");
                return 2;
            }
        }
        super::run(arguments, None)
    }
}

/// Names the program that runs.
pub(crate) fn is_called(name: &'static str) {
    let _ = RUNNING.set(Running { name, version: env!("CARGO_PKG_VERSION"), games: Vec::new() });
}

/// The name of the program that runs.
pub(crate) fn name() -> &'static str {
    RUNNING.get().map_or(LUDOVEC, |program| program.name)
}

/// The program's own games; for `ludovec`, all games.
pub(crate) fn offered_games() -> Vec<&'static Entry> {
    let own = RUNNING.get().map_or(&[][..], |program| &program.games);
    let all = games::all();
    if own.is_empty() { all } else { all.into_iter().filter(|entry| own.contains(&entry.id)).collect() }
}

/// Whether the program has games of its own.
pub(crate) fn is_custom() -> bool {
    RUNNING.get().is_some_and(|program| !program.games.is_empty())
}

/// The commands as this program offers them: under its name, with examples of its games, and only tools that a game
/// has.
pub(crate) fn command() -> Command {
    let mut command = Cli::command();
    let own = offered_games();
    if let Some(program) = RUNNING.get() {
        command = command.name(program.name).version(program.version);
    }
    for (tool, has) in [
        ("perft", (|tool| matches!(tool, Tool::Perft(_))) as fn(&Tool) -> bool),
        ("check-variant", |tool| matches!(tool, Tool::CheckVariant(_))),
        ("import", |tool| matches!(tool, Tool::Import(..))),
        ("uci", |tool| matches!(tool, Tool::Uci(_))),
    ] {
        if !own.iter().any(|entry| entry.tools.iter().any(has)) {
            command = command.mut_subcommand(tool, |command| command.hide(true));
        }
    }
    let shown = |command: &&Command| !command.is_hide_set();
    let names: Vec<String> =
        command.get_subcommands().filter(shown).map(|command| command.get_name().to_string()).collect();
    let with_env: Vec<String> = command
        .get_subcommands()
        .filter(|command| command.get_positionals().next().is_some_and(|argument| argument.get_id() == "env"))
        .map(|command| command.get_name().to_string())
        .collect();
    // An example is kept if its command is offered and its environment, if it names one, is a game of this program.
    let fits = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let env = words.get(2).filter(|word| !word.starts_with('-'));
        match words.get(1) {
            Some(name) if with_env.iter().any(|with| with == name) => {
                names.iter().any(|offered| offered == name)
                    && env.is_none_or(|env| own.iter().any(|entry| entry.id == *env))
            }
            _ => true,
        }
    };
    for name in &names {
        // A negative number is a value, which the argument refuses, instead of an unknown option.
        let own = |command| with_examples(command, &fits).allow_negative_numbers(true);
        command = command.mut_subcommand(name, own);
    }
    with_examples(command, &fits)
}

/// A command with those of its examples that fit, under the program's name.
fn with_examples(command: Command, fits: &impl Fn(&str) -> bool) -> Command {
    const HEADING: &str = "Examples:";
    let command = if name() == LUDOVEC { command } else { renamed(command) };
    let Some(text) = command.get_after_help().map(ToString::to_string) else { return command };
    let examples: Vec<String> = text
        .lines()
        .filter(|line| *line != HEADING && fits(line))
        .map(|line| line.replace(LUDOVEC, name()))
        .collect();
    let shown =
        if examples.is_empty() { String::new() } else { format!("{HEADING}\n{}", examples.join("\n")) };
    command.after_help(shown)
}

/// A command with the program's name in the texts of its arguments.
fn renamed(command: Command) -> Command {
    let own = |text: &StyledStr| text.to_string().replace(LUDOVEC, name());
    let (about, long) = (command.get_about().map(own), command.get_long_about().map(own));
    let command = if let Some(about) = about { command.about(about) } else { command };
    let command = if let Some(long) = long { command.long_about(long) } else { command };
    command.mut_args(|argument| {
        let (help, long) = (argument.get_help().map(own), argument.get_long_help().map(own));
        let argument = if let Some(help) = help { argument.help(help) } else { argument };
        if let Some(long) = long { argument.long_help(long) } else { argument }
    })
}
