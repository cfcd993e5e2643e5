//! `ludovec conform`

use std::io::BufReader;
use std::path::PathBuf;

use crate::failure::{CommandResult, Failure};
use crate::files;
use crate::output::{json_line, progress};
use ludovec::engine::{Conform, conform_search, file};
use ludovec::games;

/// The word for recorded tree searches instead of an environment.
const SEARCH: &str = "search";

#[derive(clap::Args)]
pub(super) struct Args {
    /// Environment id, or "search" for recorded tree searches
    env: String,
    /// Recorded games, one JSON object per line
    file: PathBuf,
}

pub(super) fn run(args: &Args) -> CommandResult {
    let file = file::open(&args.file).map_err(|e| files::inaccessible(&args.file, e))?;
    let conform =
        if args.env == SEARCH { Some(conform_search as Conform) } else { games::find(&args.env)?.conform() };
    let Some(conform) = conform else {
        let with: Vec<_> = games::all().into_iter().filter(|e| e.conform().is_some()).map(|e| e.id).collect();
        return Err(Failure::Usage(format!(
            "no recordings of {} can be read; there are for {} and {SEARCH}",
            args.env,
            with.join(", ")
        )));
    };
    let bar = progress(&args.env);
    bar.set_length(file.metadata().map_or(0, |file| file.len()));
    bar.set_message("of the file");
    let report = conform(&mut BufReader::new(bar.wrap_read(file)));
    bar.finish_and_clear();
    let report = report.map_err(|e| Failure::Wrong(format!("{}: {e}", args.file.display())))?;
    println!("{}", json_line(&report));
    match report.mismatches {
        0 => Ok(()),
        n => Err(Failure::Wrong(format!("{n} mismatches in {}", args.file.display()))),
    }
}
