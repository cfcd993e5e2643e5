//! `ludovec serve` on systems without this kind of shared memory: prints the requirements.

use crate::failure::{CommandResult, Failure};

#[derive(clap::Args)]
pub(super) struct Args {
    /// Ignored
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<String>,
}

pub(super) fn run(_: &Args) -> CommandResult {
    Err(Failure::no_fleets())
}
