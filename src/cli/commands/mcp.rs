//! `ludovec mcp`

use std::sync::OnceLock;

use crate::failure::{CommandResult, Failure};

#[derive(clap::Args)]
pub(super) struct Args {}

/// Serves until the input ends; an error is one line.
pub(crate) type Server = fn() -> Result<(), String>;

static SERVER: OnceLock<Server> = OnceLock::new();

/// Registers the server of this process; only the first call has an effect.
pub(crate) fn serve_by(server: Server) {
    let _ = SERVER.set(server);
}

pub(super) fn run(_: &Args) -> CommandResult {
    match SERVER.get() {
        Some(serve) => serve().map_err(Failure::Usage),
        None => Err(Failure::Usage(
            "mcp: the server is part of the Python package: pip install 'ludovec[mcp]', then \
             `python -m ludovec mcp`"
                .into(),
        )),
    }
}
