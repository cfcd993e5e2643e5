//! `ludovec spec`

use std::path::PathBuf;

use crate::arguments::EnvArgs;
use crate::failure::{CommandResult, Failure};
use crate::files;
use crate::program;
use ludovec::engine::file::read_text;
use ludovec::games;

#[derive(clap::Args)]
pub(super) struct Args {
    /// Environment id; all of them by default
    env: Option<String>,
    /// An option of the environment
    #[arg(long = "set", value_name = "KEY=VALUE", requires = "env")]
    set: Vec<String>,
    /// Compare the committed files with the code; exit with 1 if they differ
    #[arg(long, conflicts_with = "set")]
    check: bool,
    /// Write the files
    #[arg(long, conflicts_with_all = ["set", "check"])]
    write: bool,
    /// Folder of the files
    #[arg(long, default_value = "env_spec")]
    dir: PathBuf,
}

pub(super) fn run(args: &Args) -> CommandResult {
    let entries = match &args.env {
        Some(id) => vec![games::find(id)?],
        None => program::offered_games(),
    };
    let mut different = Vec::new();
    for entry in entries {
        let set = EnvArgs { env: entry.id.into(), set: args.set.clone() };
        let text = format!("{:#}\n", games::document(&*set.make()?)?);
        let file = args.dir.join(format!("{}.json", entry.id));
        if args.write {
            files::write(&file, &text)?;
        } else if !args.check {
            print!("{text}");
        } else if read_text(&file, files::LONGEST).ok().as_ref() != Some(&text) {
            different.push(file.display().to_string());
        }
    }
    match different.as_slice() {
        [] => Ok(()),
        files => Err(Failure::Wrong(format!(
            "{}: differs from the code; run {} spec --write",
            files.join(", "),
            program::name()
        ))),
    }
}
