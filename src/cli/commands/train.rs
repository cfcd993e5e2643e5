//! `ludovec train`, which the Python package implements: this program has no torch.

use crate::failure::{CommandResult, Failure};

#[derive(clap::Args)]
pub(super) struct Args {
    /// The environment and the options of the training; `ludovec train --help` of the Python package lists them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
    #[expect(dead_code, reason = "the Python package reads them before this program does")]
    arguments: Vec<String>,
}

/// Refuses: the command of the Python package never gets here.
pub(super) fn run(_: &Args) -> CommandResult {
    Err(Failure::Usage("train is part of the Python package: pip install 'ludovec[torch]'".to_string()))
}
