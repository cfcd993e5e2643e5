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
//! | `plot` | curves, bars and histograms as SVG |
//! | `tool` | parts of commands for the tools of this repository |
//! | `failure` | failures of commands, and their exit codes |

#[macro_use]
mod output;

mod arguments;
mod commands;
mod failure;
mod files;
pub mod plot;
mod program;
mod signals;
#[doc(hidden)]
pub mod tool;
pub mod web;

use std::env;
use std::ffi::OsString;
use std::io::{self, Write};
use std::num::{IntErrorKind, ParseFloatError, ParseIntError};
use std::process::ExitCode;

use clap::FromArgMatches;
use clap::error::{ContextKind, ContextValue, ErrorKind};

pub use self::program::Program;

use commands::Cli;
use failure::{CommandResult, Failure, INTERRUPTED};
use output::one_line;

use ludovec::engine::{CpuLevel, similar};
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
        Ok(cli) => {
            if let Some(note) = arguments::note_on_players(&call) {
                eprintln!("{}: {note}", program::name());
            }
            exit_code(CpuLevel::limit().map_err(Failure::from).and_then(|_| cli.run(writer)))
        }
        Err(error) => usage(&error, call.get(1).map_or("", String::as_str)),
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

/// Prints help unchanged, and a usage error of the call of `command` as one line; returns the exit code.
fn usage(error: &clap::Error, command: &str) -> u8 {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        let _ = error.print();
        return 0;
    }
    eprintln!("{}: {}; see --help", program::name(), told(error, command));
    2
}

/// A usage error of the call of `command` as one line.
fn told(error: &clap::Error, command: &str) -> String {
    let text = error.to_string();
    let said: Vec<&str> = text
        .lines()
        .map(str::trim)
        .take_while(|l| !l.starts_with("Usage:") && !l.starts_with("For more information"))
        .filter(|l| {
            let is_tip =
                ["tip: a similar", "tip: some similar", "tip: to pass"].iter().any(|t| l.starts_with(t));
            !l.is_empty() && !is_tip
        })
        .collect();
    // A tip is a sentence of its own.
    let mut said = said.join(" ").replace(" tip: ", "; ");
    if let Some((parser, needed)) = number(error) {
        said = said.replace(&parser, needed);
    }
    let said = one_line(&said);
    let more = match error.kind() {
        ErrorKind::UnknownArgument => meant(error).unwrap_or_else(|| options(command)),
        _ => meant(error).unwrap_or_default(),
    };
    format!("{}{more}", said.trim_start_matches("error: "))
}

/// The words of Rust's parser about a value that should be a number, and what is needed instead.
fn number(error: &clap::Error) -> Option<(String, &'static str)> {
    let source = std::error::Error::source(error)?;
    let is_negative =
        matches!(error.get(ContextKind::InvalidValue), Some(ContextValue::String(v)) if v.starts_with('-'));
    let needed = match source.downcast_ref::<ParseIntError>().map(ParseIntError::kind) {
        Some(IntErrorKind::PosOverflow) => "the number is too large",
        Some(_) if is_negative => "a number below 0 is not allowed",
        Some(_) => "a whole number is needed",
        None => source.is::<ParseFloatError>().then_some("a number is needed")?,
    };
    Some((source.to_string(), needed))
}

/// The command, option or value that was probably meant.
fn meant(error: &clap::Error) -> Option<String> {
    use ContextKind::{InvalidArg, SuggestedArg, SuggestedSubcommand, SuggestedValue};
    let suggested =
        [SuggestedSubcommand, SuggestedArg, SuggestedValue].iter().find_map(|&kind| error.get(kind));
    let word = match suggested? {
        ContextValue::String(word) => word,
        // The most similar word is the last one.
        ContextValue::Strings(words) => words.last()?,
        _ => return None,
    };
    // Options that share a few letters only are not suggested.
    if let (ErrorKind::UnknownArgument, Some(ContextValue::String(given))) =
        (error.kind(), error.get(InvalidArg))
    {
        similar::similar(given.trim_start_matches('-'), [word.trim_start_matches('-')])?;
    }
    Some(format!(" (did you mean {word}?)"))
}

/// The options of a command, for a message about an unknown one.
fn options(command: &str) -> String {
    let whole = program::command();
    let Some(command) = whole.find_subcommand(command) else { return String::new() };
    let shown = command.get_arguments().filter(|argument| !argument.is_hide_set());
    let names: Vec<String> =
        shown.filter_map(|argument| Some(format!("--{}", argument.get_long()?))).collect();
    format!("; {} takes {}", command.get_name(), names.join(", "))
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

#[cfg(test)]
mod tests {
    use clap::ArgAction;

    use super::*;

    /// The message about a call, if it is refused before it runs.
    fn refused(arguments: &[&str]) -> Option<String> {
        let whole = [&["ludovec"], arguments].concat();
        let parsed = program::command().try_get_matches_from(whole);
        let error = parsed.and_then(|matches| Cli::from_arg_matches(&matches)).err()?;
        Some(told(&error, arguments[0]))
    }

    #[test]
    fn every_option_that_takes_a_number_says_so_in_words() {
        let mut numbers = 0;
        for command in program::command().get_subcommands() {
            for option in command.get_arguments() {
                let (Some(long), ArgAction::Set | ArgAction::Append) =
                    (option.get_long(), option.get_action())
                else {
                    continue;
                };
                let option = format!("--{long}");
                let mut found = Vec::new();
                for value in ["abc", "-5", "1e400x", "99999999999999999999999"] {
                    let Some(said) = refused(&[command.get_name(), &option, value]) else { continue };
                    for words in
                        ["invalid digit", "invalid float", "out of range integral", "too large to fit"]
                    {
                        assert!(!said.contains(words), "{} {option} {value}: {said}", command.get_name());
                    }
                    // A negative number is read as a value.
                    let unknown = said.starts_with("unexpected argument");
                    assert!(!unknown, "{} {option} {value}: {said}", command.get_name());
                    found.push(said);
                }
                numbers += usize::from(found.iter().any(|said| said.contains("number is needed")));
            }
        }
        assert!(numbers > 10, "{numbers} options");
    }

    #[test]
    fn unknown_options_name_a_similar_one_or_all() {
        assert!(refused(&["play", "chess", "--dealy", "1"]).unwrap().ends_with("(did you mean --delay?)"));
        let said = refused(&["perft", "--bot", "x"]).unwrap();
        assert!(said.contains("; perft takes --"), "{said}");
    }
}
