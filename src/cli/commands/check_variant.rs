//! `ludovec check-variant`

use std::path::PathBuf;

use crate::arguments::with;
use crate::failure::{CommandResult, Failure};
use crate::files;
use ludovec::engine::{Tool, file};

#[derive(clap::Args)]
pub(super) struct Args {
    /// A variant file
    file: PathBuf,
}

pub(super) fn run(args: &Args) -> CommandResult {
    let check = with("variant files", None, |tool| match tool {
        Tool::CheckVariant(check) => Some(*check),
        _ => None,
    })?;
    if let Err(error) = file::open(&args.file) {
        return Err(files::inaccessible(&args.file, error));
    }
    let said = check(&args.file.to_string_lossy()).map_err(|e| Failure::Wrong(e.to_string()))?;
    println!("{said}");
    Ok(())
}
