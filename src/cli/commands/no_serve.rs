//! `ludovec serve` where there is no shared memory of this kind: says what it needs.

use crate::failure::{CommandResult, Failure};

#[derive(clap::Args)]
pub(super) struct Args {
    /// Not read here
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<String>,
}

pub(super) fn run(_: &Args) -> CommandResult {
    Err(Failure::no_fleets())
}
