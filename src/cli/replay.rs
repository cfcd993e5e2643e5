//! `ludovec replay`

use std::fs;
use std::path::PathBuf;

use serde_json::json;

use super::{Failure, Outcome, print_json};
use crate::engine::{Error, Theme, View};
use crate::games::GAMES;
use crate::replay::{page, parse, replay};

#[derive(clap::Args)]
pub(super) struct Args {
    /// A recorded game (`ludovec play --record`, or `Game.record` in Python)
    file: PathBuf,
    /// Draw every position into this folder, one SVG file each
    #[arg(long)]
    svg: Option<PathBuf>,
    /// Draw the game as one HTML page
    #[arg(long)]
    html: Option<PathBuf>,
    /// Draw light on dark
    #[arg(long)]
    dark: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> Outcome {
    let at = |e: &dyn std::fmt::Display, path: &PathBuf| format!("{}: {e}", path.display());
    let text = fs::read_to_string(&args.file).map_err(|e| Failure::Usage(at(&e, &args.file)))?;
    let wrong = |e: Error| Failure::Wrong(at(&e, &args.file));
    let record = parse(&text).map_err(wrong)?;
    let draw = args.svg.is_some() || args.html.is_some();
    let mut drawings = Vec::new();
    let last = replay(GAMES, &record, |game, _| {
        if draw {
            drawings.push(game.to_svg(View {
                theme: if args.dark { Theme::Dark } else { Theme::Light },
                ..View::default()
            })?);
        }
        Ok(())
    })
    .map_err(wrong)?;
    if let Some(dir) = &args.svg {
        fs::create_dir_all(dir).map_err(|e| Failure::Usage(at(&e, dir)))?;
        for (i, drawing) in drawings.iter().enumerate() {
            let file = dir.join(format!("{i:05}.svg"));
            fs::write(&file, drawing).map_err(|e| Failure::Usage(at(&e, &file)))?;
        }
    }
    if let Some(file) = &args.html {
        fs::write(file, page(&record, &drawings)).map_err(|e| Failure::Usage(at(&e, file)))?;
    }
    if args.json {
        print_json(&json!({
            "env": record.env,
            "version": record.version,
            "steps": record.steps.len(),
            "scores": record.scores,
            "returns": record.returns,
        }));
    } else {
        println!("{} version {}: {} steps replay exactly", record.env, record.version, record.steps.len());
        println!("scores {:?}", last.scores());
        match &record.returns {
            Some(returns) => println!("outcome {returns:?}"),
            None => println!("no outcome: {:?}", last.status()),
        }
    }
    Ok(())
}
