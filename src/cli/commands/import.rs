//! `ludovec import`

use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::arguments::{EnvArgs, pairs};
use crate::failure::{CommandResult, Failure};
use crate::files;
use crate::output::{json_line, progress};
use ludovec::engine::{Entry, ImportedGame, ReadGames, file};
use ludovec::games;

#[derive(clap::Args)]
pub(super) struct Args {
    /// Games or positions of other programs: PGN, EPD, a list of FEN, Blokus SGF
    file: PathBuf,
    /// The format; by default the end of the file's name: .pgn, .epd, .fen or .blksgf
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
    /// An option of the environment, where the file does not give it itself
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Write the records into this file, one JSON object per line, instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Format names by the end of a file's name, where they differ.
const ENDINGS: [(&str, &str); 2] = [("fen", "epd"), ("txt", "epd")];

pub(super) fn run(args: &Args) -> CommandResult {
    let (entry, read) = reader(args)?;
    let set = pairs(&args.set)?;
    // Options are checked before the file is read.
    EnvArgs { env: entry.id.into(), set: args.set.clone() }.make()?;
    let input = file::open(&args.file).map_err(|e| files::inaccessible(&args.file, e))?;
    let bar = progress(entry.id);
    bar.set_length(input.metadata().map_or(0, |file| file.len()));
    bar.set_message("of the file");
    let mut records = Vec::new();
    let (mut games, mut moves, mut left_out, mut variations) = (0_u64, 0_u64, 0_u64, 0_u64);
    let (mut lost, mut wrong, mut said) = (0_u64, 0_u64, Vec::new());
    read(&mut BufReader::new(bar.wrap_read(input)), &set, &mut |found| {
        match found {
            Ok(game) => {
                games += 1;
                moves += game.record.actions.len() as u64;
                left_out += game.left_out as u64;
                variations += game.variations as u64;
                wrong += u64::from(game.error.is_some());
                said.extend(game.error.as_ref().map(|error| {
                    format!("{error}; the {} moves before are kept", game.record.actions.len())
                }));
                said.extend(game.contradiction.clone());
                records.extend(json_line(&record(&game)).into_bytes());
                records.push(b'\n');
            }
            Err(error) => {
                (lost, wrong) = (lost + 1, wrong + 1);
                said.push(error.to_string());
            }
        }
        true
    });
    bar.finish_and_clear();
    match &args.out {
        Some(out) => {
            files::write(out, &records)?;
            println!("{games} games with {moves} moves are in {}", out.display());
        }
        None => std::io::stdout().lock().write_all(&records).map_err(|e| Failure::Wrong(e.to_string()))?,
    }
    said.iter().for_each(|line| eprintln!("{line}"));
    if variations > 0 {
        eprintln!("variations left out: {variations}");
    }
    if left_out > 0 {
        eprintln!("{left_out} moves after the end of games are left out");
    }
    match wrong {
        0 => Ok(()),
        _ => Err(Failure::Wrong(format!(
            "{}: {wrong} of {} games are wrong",
            args.file.display(),
            games + lost
        ))),
    }
}

/// A record with the tags and comments of the file, and the error after which the game goes on there.
fn record(game: &ImportedGame) -> Value {
    let mut record = serde_json::to_value(&game.record).expect("a record is plain data");
    if !game.tags.is_empty() {
        let tags = game.tags.iter().map(|(name, value)| (name.clone(), value.as_str().into()));
        record["tags"] = Value::Object(tags.collect());
    }
    if !game.comments.is_empty() {
        record["comments"] = json!(game.comments);
    }
    if let Some(error) = &game.error {
        record["error"] = error.to_string().into();
    }
    record
}

/// The first environment that reads the format.
fn reader(args: &Args) -> Result<(&'static Entry, ReadGames), Failure> {
    let ending = |path: &Path| path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    let format = args.format.clone().or_else(|| ending(&args.file)).unwrap_or_default();
    let format = ENDINGS.iter().find(|(other, _)| *other == format).map_or(&*format, |(_, name)| name);
    let entries = games::all();
    let known = entries
        .iter()
        .flat_map(|entry| entry.imports().into_iter().map(move |(name, read)| (*entry, name, read)));
    let known: Vec<_> = known.collect();
    match known.iter().find(|(_, name, _)| *name == format) {
        Some((entry, _, read)) => Ok((entry, *read)),
        None => {
            let names: Vec<&str> = known.iter().map(|(_, name, _)| *name).collect();
            let names = names.join(" or ");
            Err(Failure::Usage(match format {
                "" => {
                    let file = args.file.display();
                    format!("{file}: its name does not tell the format: --format {names} is needed")
                }
                _ => format!("format {format:?}: --format {names} is allowed"),
            }))
        }
    }
}
