//! `ludovec check-variant`

use std::path::PathBuf;

use crate::arguments::with;
use crate::failure::{CommandResult, Failure};
use crate::files;
use ludovec::engine::{Tool, file};

/// A variant with an army, a promotion and an end of its own, which docs/make/variant_files.md explains.
const EXAMPLE: &str = include_str!("example_variant.toml");

#[derive(clap::Args)]
pub(super) struct Args {
    /// A variant file
    #[arg(required_unless_present = "example", conflicts_with = "example")]
    file: Option<PathBuf>,
    /// Print a small variant file to begin with
    #[arg(long)]
    example: bool,
}

pub(super) fn run(args: &Args) -> CommandResult {
    let Some(path) = &args.file else {
        print!("{EXAMPLE}");
        return Ok(());
    };
    let check = with("variant files", None, |tool| match tool {
        Tool::CheckVariant(check) => Some(*check),
        _ => None,
    })?;
    if let Err(error) = file::open(path) {
        return Err(files::inaccessible(path, error));
    }
    let said = check(&path.to_string_lossy()).map_err(|e| Failure::Wrong(e.to_string()))?;
    println!("{said}");
    Ok(())
}
