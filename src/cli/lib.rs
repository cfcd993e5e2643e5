//! The command-line program.
//!
//! | file | holds |
//! |---|---|
//! | `commands/` | the subcommands, one file each |
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
pub mod report;
mod signals;
pub mod web;

use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use commands::Cli;
use failure::{Failure, INTERRUPTED};
use output::one_line;

use ludovec::engine::CpuLevel;

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    signals::end_with_the_reader();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let outcome = CpuLevel::limit().map_err(Failure::from).and_then(|_| cli.run());
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

/// Prints help unchanged, and a usage error as one line.
fn usage(error: &clap::Error) -> ExitCode {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let text = error.to_string();
    let said: Vec<&str> = text
        .lines()
        .map(str::trim)
        .take_while(|l| !l.starts_with("Usage:") && !l.starts_with("For more information"))
        .filter(|l| !l.is_empty())
        .collect();
    eprintln!("ludovec: {}; see --help", one_line(&said.join(" ")).trim_start_matches("error: "));
    ExitCode::from(2)
}
