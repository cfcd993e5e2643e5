//! `ludovec replay`

use std::path::PathBuf;

use serde_json::json;

use crate::cli::failure::{Failure, Outcome};
use crate::cli::files;
use crate::cli::output::{print_json, progress};
use crate::engine::{Error, Theme, View};
use crate::games;
use crate::replay::{Frames, page, parse, replay};

#[derive(clap::Args)]
pub(super) struct Args {
    /// A recorded game (`ludovec play --record`, `ludovec selfplay --record`, or `Game.record` in Python)
    file: PathBuf,
    /// Draw every position into this folder, one SVG file each
    #[arg(long, value_name = "DIR")]
    svg: Option<PathBuf>,
    /// Write one HTML page that plays the game, without need of a network
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Draw light on dark; the page has both
    #[arg(long)]
    dark: bool,
    /// Draw what this seat may see
    #[arg(long, value_name = "SEAT")]
    player: Option<usize>,
    /// Print the game in a format that other programs read
    #[arg(long, value_name = "FORMAT", conflicts_with = "json")]
    export: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> Outcome {
    let text = files::read(&args.file)?;
    let wrong = |e: Error| Failure::Wrong(format!("{}: {e}", args.file.display()));
    let record = parse(&text).map_err(wrong)?;
    let seats = record.scores.len();
    if let Some(seat) = args.player.filter(|&seat| seat >= seats) {
        return Err(Failure::Usage(format!("--player {seat}: the game has {seats} seats, counted from 0")));
    }
    if let Some(dir) = &args.svg {
        files::make_folder(dir)?;
    }
    let theme = if args.dark { Theme::Dark } else { Theme::Light };
    let view = View { theme, seat: args.player, ..View::default() };
    let mut frames = args.html.as_ref().map(|_| Frames::new(args.player));
    let mut failed = None;
    let bar = progress(&record.env);
    bar.set_length(record.actions.len() as u64);
    let last = replay(&record, |game, step| {
        let position = step.map_or(0, |step| step + 1);
        bar.set_position(position as u64);
        bar.set_message(format!("step {position} of {}", record.actions.len()));
        if let (Some(dir), None) = (&args.svg, &failed) {
            let file = dir.join(format!("{position:05}.svg"));
            failed = files::write(&file, &game.to_svg(view)?).err();
        }
        frames.as_mut().map_or(Ok(()), |frames| frames.push(game))
    })
    .map_err(wrong)?;
    bar.finish_and_clear();
    if let (Some(file), Some(frames), None) = (&args.html, &frames, &failed) {
        failed = files::write(file, &page(&record, frames)).err();
    }
    if let Some(format) = &args.export {
        print!("{}", games::find(&record.env)?.export(&record, format)?);
    } else if args.json {
        print_json(&json!({
            "env": record.env,
            "version": record.version,
            "steps": record.actions.len(),
            "scores": record.scores,
            "returns": record.returns,
        }));
    } else {
        println!("{} version {}: {} steps replay exactly", record.env, record.version, record.actions.len());
        println!("scores {:?}", last.scores());
        match &record.returns {
            Some(returns) => println!("outcome {returns:?}"),
            None => println!("no outcome: {:?}", last.status()),
        }
    }
    // After the result: a disk that is full must not cost it.
    failed.map_or(Ok(()), Err)
}
