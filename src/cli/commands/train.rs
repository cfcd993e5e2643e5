//! `ludovec train`, which the Python package implements: this program has no torch.

use crate::failure::{CommandResult, Failure};

#[derive(clap::Args)]
pub(super) struct Args {
    /// The environment and the settings; `ludovec train --help` of the Python package lists them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
    arguments: Vec<String>,
}

/// Refuses: the program of the Python package handles the command itself.
pub(super) fn run(args: &Args) -> CommandResult {
    let call = args.arguments.join(" ");
    let install = "train is part of the Python package: pip install 'ludovec[torch]', then";
    Err(Failure::Usage(format!("{install} python -m ludovec train {call}").trim_end().to_string()))
}
