//! The command-line program; see `ludovec --help`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ludovec::cli::main()
}
