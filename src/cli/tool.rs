//! Parts of commands, for the tools of this repository: `benches/report`, `tests/soak`.

use std::process::ExitCode;

use clap::Parser;

pub use crate::arguments::{pairs, seconds, threads};
pub use crate::failure::{CommandResult, Failure};
pub use crate::output::{json_line, one_line, print_json, print_table, print_text, progress};
pub use crate::signals::{ended, interruptible};

/// Files as commands read and write them.
pub mod files {
    pub use crate::files::{LONGEST, inaccessible, make_folder, read, write};
}

/// Runs the tool `name` with the arguments of the process; `run` gets them parsed, and as words.
pub fn main<A: Parser>(name: &'static str, run: impl FnOnce(&A, &[String]) -> CommandResult) -> ExitCode {
    crate::signals::end_with_the_reader();
    crate::program::is_called(name);
    let call: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let code = match A::try_parse() {
        Ok(args) => crate::exit_code(run(&args, &call)),
        Err(error) => crate::usage(&error, ""),
    };
    ExitCode::from(code)
}
