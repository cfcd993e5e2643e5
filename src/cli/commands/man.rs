//! `ludovec man`

use std::path::PathBuf;

use clap_mangen::{Man, generate_to};

use crate::failure::{CommandResult, Failure};
use crate::files;
use crate::program;

#[derive(clap::Args)]
pub(super) struct Args {
    /// Write the page of the program and one of every command into this folder
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

pub(super) fn run(args: &Args) -> CommandResult {
    if let Some(dir) = &args.dir {
        files::make_folder(dir)?;
        return generate_to(program::command(), dir).map_err(|error| files::inaccessible(dir, error));
    }
    let mut page = Vec::new();
    Man::new(program::command()).render(&mut page).map_err(|error| Failure::Wrong(error.to_string()))?;
    print!("{}", String::from_utf8_lossy(&page));
    Ok(())
}
