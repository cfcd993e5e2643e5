//! `ludovec completions`

use clap_complete::{Shell, generate};

use crate::failure::CommandResult;
use crate::program;

#[derive(clap::Args)]
pub(super) struct Args {
    /// The shell
    shell: Shell,
}

pub(super) fn run(args: &Args) -> CommandResult {
    let mut script = Vec::new();
    generate(args.shell, &mut program::command(), program::name(), &mut script);
    print!("{}", String::from_utf8_lossy(&script));
    Ok(())
}
