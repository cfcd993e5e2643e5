//! `ludovec import`

use std::path::PathBuf;

use crate::failure::{CommandResult, Failure};
use crate::files;
use crate::output::json_line;
use ludovec::games;

#[derive(clap::Args)]
pub(super) struct Args {
    /// Games in the format of another program; the file's extension names the format
    file: PathBuf,
}

/// Prints the games as records, one per line.
pub(super) fn run(args: &Args) -> CommandResult {
    let extension = args.file.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let Some(import) = games::all().into_iter().find_map(|entry| entry.importer(extension)) else {
        let mut known: Vec<_> = games::all().into_iter().flat_map(|entry| entry.imports()).collect();
        known.sort_unstable();
        return Err(Failure::Usage(format!(
            "{}: no games are read from files of this kind; the extensions are {}",
            args.file.display(),
            known.join(", ")
        )));
    };
    let text = files::read(&args.file)?;
    let records = import(&text).map_err(|e| Failure::Wrong(format!("{}: {e}", args.file.display())))?;
    records.iter().for_each(|record| println!("{}", json_line(record)));
    Ok(())
}
