//! The command-line program.
//!
//! | file | holds |
//! |---|---|
//! | `commands/` | the subcommands, one file each |
//! | `program` | the program's name and games; programs of crates with games of their own |
//! | `arguments` | groups of arguments that several commands take, and how their values are read |
//! | `output` | printing lines, tables, JSON and progress |
//! | `files` | files as commands read and write them |
//! | `signals` | Ctrl-C, SIGTERM, a closed pipe |
//! | `failure` | failures of commands, and their exit codes |

#[macro_use]
mod output;

mod arguments;
mod commands;
mod failure;
mod files;
mod program;
pub mod report;
mod signals;
pub mod web;

use std::env;
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::FromArgMatches;
use clap::error::{ContextKind, ContextValue, ErrorKind};

pub use self::program::Program;

use commands::Cli;
use failure::{CommandResult, Failure, INTERRUPTED};
use output::one_line;

use ludovec::engine::CpuLevel;
use ludovec::play::trust::Trust;

/// Lets the command `mcp` serve by a function of the host; only the first call has an effect.
pub fn serve_mcp_by(server: fn(&Trust) -> Result<(), String>) {
    commands::serve_mcp_by(server);
}

/// Plays games and writes their decisions into a folder of data, as `ludovec selfplay --out` orders with an object;
/// returns the object that the command prints. The Python package has one.
pub type DataWriter<'a> = dyn Fn(&serde_json::Value) -> Result<serde_json::Value, NotWritten> + 'a;

/// The reason why a [`DataWriter`] has written nothing, or not everything.
#[derive(Debug)]
pub enum NotWritten {
    /// The user ended it.
    Interrupted,
    /// An error message.
    Failed(String),
}

/// Runs the program with the arguments of the process.
#[must_use]
pub fn main() -> ExitCode {
    ExitCode::from(run(env::args_os(), None))
}

/// Runs the program with `arguments`, the first of which is its name, and perhaps a writer of data; returns the exit
/// code.
///
/// Signals act on the whole process, so that the call is for programs that do nothing else: the binary, and
/// `python -m ludovec`.
pub fn run(arguments: impl IntoIterator<Item = OsString>, writer: Option<&DataWriter<'_>>) -> u8 {
    signals::end_with_the_reader();
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let call: Vec<String> = arguments.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let parsed = program::command().try_get_matches_from(arguments);
    let code = match parsed.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => exit_code(CpuLevel::limit().map_err(Failure::from).and_then(|_| cli.run(&call, writer))),
        Err(error) => usage(&error),
    };
    // A host that is not a Rust program would not write the last line at its end.
    match io::stdout().flush() {
        Err(error) if code == 0 => exit_code(Err(Failure::Wrong(format!("standard output: {error}")))),
        _ => code,
    }
}

/// Prints the failure of a command, if any, and returns its exit code.
fn exit_code(outcome: CommandResult) -> u8 {
    let (what, code) = match outcome {
        Ok(()) => return 0,
        Err(Failure::Interrupted) => return INTERRUPTED,
        Err(Failure::Wrong(what)) => (what, 1),
        Err(Failure::Usage(what)) => (what, 2),
    };
    eprintln!("{}: {}", program::name(), one_line(&without_os_code(&what)));
    code
}

/// Prints help unchanged, and a usage error as one line; returns the exit code.
fn usage(error: &clap::Error) -> u8 {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        let _ = error.print();
        return 0;
    }
    let text = error.to_string();
    let said: Vec<&str> = text
        .lines()
        .map(str::trim)
        .take_while(|l| !l.starts_with("Usage:") && !l.starts_with("For more information"))
        .filter(|l| !l.is_empty() && !l.starts_with("tip: a similar") && !l.starts_with("tip: some similar"))
        .collect();
    // A tip is a sentence of its own.
    let said = one_line(&said.join(" ").replace(" tip: ", "; "));
    eprintln!("{}: {}{}; see --help", program::name(), said.trim_start_matches("error: "), suggestion(error));
    2
}

/// The command, option or value that was probably meant, or nothing.
fn suggestion(error: &clap::Error) -> String {
    use ContextKind::{SuggestedArg, SuggestedSubcommand, SuggestedValue};
    let meant = [SuggestedSubcommand, SuggestedArg, SuggestedValue].iter().find_map(|kind| error.get(*kind));
    match meant {
        Some(ContextValue::String(word)) => format!(" (did you mean {word}?)"),
        // The most similar word is the last one.
        Some(ContextValue::Strings(words)) => {
            words.last().map_or(String::new(), |word| format!(" (did you mean {word}?)"))
        }
        _ => String::new(),
    }
}

/// A message without the operating system's numbers: "No such file or directory (os error 2)" says it twice.
fn without_os_code(what: &str) -> String {
    let mut out = String::with_capacity(what.len());
    let mut rest = what;
    while let Some((before, after)) = rest.split_once(" (os error ") {
        out.push_str(before);
        let digits = after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        match after[digits..].strip_prefix(')') {
            Some(after) if digits > 0 => rest = after,
            _ => {
                out.push_str(" (os error ");
                rest = after;
            }
        }
    }
    out + rest
}
