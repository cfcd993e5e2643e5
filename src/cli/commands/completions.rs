//! `ludovec completions`

use clap::CommandFactory;
use clap_complete::{Shell, generate};

use super::Cli;
use crate::failure::CommandResult;

#[derive(clap::Args)]
pub(super) struct Args {
    /// The shell
    shell: Shell,
}

pub(super) fn run(args: &Args) -> CommandResult {
    let mut script = Vec::new();
    generate(args.shell, &mut Cli::command(), "ludovec", &mut script);
    print!("{}", String::from_utf8_lossy(&script));
    Ok(())
}
