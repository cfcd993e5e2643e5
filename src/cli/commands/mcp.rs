//! `ludovec mcp`

use std::sync::OnceLock;

use crate::arguments::AllowArgs;
use crate::failure::{CommandResult, Failure};
use ludovec::play::trust::Trust;

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    allow: AllowArgs,
}

/// Serves until the input ends, and lets clients use the texts; an error is one line.
pub(crate) type Server = fn(&Trust) -> Result<(), String>;

static SERVER: OnceLock<Server> = OnceLock::new();

/// Registers the server of this process; only the first call has an effect.
pub(crate) fn serve_by(server: Server) {
    let _ = SERVER.set(server);
}

pub(super) fn run(args: &Args) -> CommandResult {
    match SERVER.get() {
        Some(serve) => serve(&args.allow.allowed()?).map_err(Failure::Usage),
        None => Err(Failure::Usage(
            "mcp: the server is part of the Python package: pip install 'ludovec[mcp]', then \
             `python -m ludovec mcp`"
                .into(),
        )),
    }
}
