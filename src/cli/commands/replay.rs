//! `ludovec replay`

mod film;

use std::collections::BTreeMap;
use std::io::{self, IsTerminal};
use std::path::PathBuf;

use serde_json::json;

use crate::arguments::{AllowedOptions, named};
use crate::failure::{CommandResult, Failure};
use crate::files;
use crate::output::{colours, is_dumb, print_json, print_table, progress};
use ludovec::engine::{Error, Interrupt, OptionValue, Record, SingleGame, Theme, View};
use ludovec::games;
use ludovec::play::player::{ADVISERS, DEFAULT_TIME_LIMIT, Player, can_analyse};
use ludovec::play::review::GameReview;
use ludovec::play::seated_game::{Seat, SeatedGame};
use ludovec::replay::film::Every;
use ludovec::replay::{Frames, page, parse, replay};

#[derive(clap::Args)]
pub(super) struct Args {
    /// A recorded game (`ludovec play --record`, `ludovec selfplay --record`, or `Game.record` in Python)
    file: PathBuf,
    /// Draw every position into this folder, one SVG file each
    #[arg(long, value_name = "DIR")]
    svg: Option<PathBuf>,
    /// Write one self-contained HTML page that plays the game
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Draw the last position, or the one after --step steps, as pixels
    #[cfg(feature = "raster")]
    #[arg(long, value_name = "FILE")]
    png: Option<PathBuf>,
    /// Write the game as an animated GIF
    #[cfg(feature = "raster")]
    #[arg(long, value_name = "FILE")]
    gif: Option<PathBuf>,
    /// Write the game as a video; needs ffmpeg
    #[cfg(feature = "raster")]
    #[arg(long, value_name = "FILE")]
    mp4: Option<PathBuf>,
    /// Write the game as one SVG document that plays by itself
    #[arg(long, value_name = "FILE")]
    svg_animation: Option<PathBuf>,
    /// The position that --png draws: after this many steps
    #[cfg(feature = "raster")]
    #[arg(long, value_name = "STEPS", requires = "png")]
    step: Option<usize>,
    /// Length of a drawing's longer side in pixels, 16 to 8192
    #[arg(long, value_name = "PIXELS", value_parser = clap::value_parser!(u32).range(16..=8192))]
    size: Option<u32>,
    /// Positions per second of animations and videos, at most 25
    #[arg(long, value_name = "NUMBER", default_value_t = 4.0)]
    fps: f64,
    /// Length of an animation or video in seconds: positions are left out if there are too many
    #[arg(long, value_name = "SECONDS", conflicts_with = "fps")]
    duration: Option<f64>,
    /// Show positions after every step, or after every turn
    #[arg(long, default_value = "step", value_parser = named::<Every>(&[]))]
    every: Every,
    /// Draw the board alone
    #[arg(long)]
    board_only: bool,
    /// Draw a board with two sides from the second side's point of view
    #[arg(long)]
    flipped: bool,
    /// Draw light on dark; the HTML page has both themes
    #[arg(long)]
    dark: bool,
    /// Draw the position from the point of view of this seat
    #[arg(long, value_name = "SEAT")]
    player: Option<usize>,
    /// Let this player, for example net:champion:64, value every position and price every action: prints the mistakes,
    /// and draws values and best lines into the page of --html and on the screen of --terminal
    #[arg(long, value_name = "PLAYER", conflicts_with_all = ["json", "export"])]
    review: Option<String>,
    /// Step through the game on the terminal
    #[arg(long, conflicts_with_all = ["json", "export", "svg", "html", "svg_animation", "every", "size", "duration"])]
    terminal: bool,
    /// Print the game in a format of other programs
    #[arg(long, value_name = "FORMAT", conflicts_with = "json")]
    export: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    allow: AllowedOptions,
}

impl Args {
    fn view(&self) -> View {
        View {
            theme: if self.dark { Theme::Dark } else { Theme::Light },
            seat: self.player,
            board_only: self.board_only,
            flipped: self.flipped,
            size: self.size,
            ..View::default()
        }
    }
}

/// A review in progress.
struct Reviewing {
    reviewer: Player,
    found: Option<GameReview>,
}

/// The player of `--review`.
fn reviewer(args: &Args, record: &Record) -> Result<Option<Player>, Failure> {
    let Some(name) = &args.review else { return Ok(None) };
    if !can_analyse(name) {
        return Err(Failure::Usage(format!("--review {name:?}: {ADVISERS} value positions")));
    }
    let options = serde_json::from_value::<BTreeMap<String, OptionValue>>(record.options.clone());
    let options = options.map_err(|e| Failure::Wrong(format!("record: options: {e}")))?;
    let game = games::find(&record.env)?.make(options)?;
    Ok(Some(Player::parse(&*game, name, DEFAULT_TIME_LIMIT)?))
}

impl Reviewing {
    fn new(args: &Args, record: &Record) -> Result<Option<Self>, Failure> {
        Ok(reviewer(args, record)?.map(|reviewer| Self { reviewer, found: None }))
    }

    fn push(&mut self, game: &SingleGame, played: Option<u32>) -> Result<(), Error> {
        let never = Interrupt::default();
        let review = match &mut self.found {
            Some(review) => review,
            None => self.found.insert(GameReview::new(game, &self.reviewer, &never)?),
        };
        review.push(game, played, &self.reviewer, &never)
    }
}

/// Most mistakes that are printed.
const TOLD: usize = 20;

/// The costliest actions of a game, with what would have been better.
fn print_mistakes(review: &GameReview, names: &[String]) {
    let mistakes = review.mistakes();
    println!(
        "{} of {} actions cost something ({})",
        mistakes.len(),
        review.prices.len(),
        review.unit.words()
    );
    let mut rows = vec![["step", "player", "played", "", "loss", "best line"].map(String::from).to_vec()];
    for (step, position, price) in mistakes.into_iter().take(TOLD) {
        let name = position.player.map_or("", |player| &names[player]);
        let played = position.played.as_ref().map_or("", |action| &action.words);
        let loss = format!("{:.2}", price.loss);
        let cells =
            [&(step + 1).to_string(), name, played, price.grade.mark(), &loss, &position.line.join(", ")];
        rows.push(cells.map(String::from).to_vec());
    }
    if rows.len() > 1 {
        print_table(&rows);
    }
}

/// Shows the game step by step on the terminal.
fn show(args: &Args, record: &Record) -> CommandResult {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() || is_dumb() {
        return Err(Failure::Usage("--terminal needs a terminal: --html FILE writes a page instead".into()));
    }
    let reviewer = reviewer(args, record)?;
    let seats = vec![Seat::new("", "random"); record.scores.len()];
    let seated = SeatedGame::of_record(record, seats, DEFAULT_TIME_LIMIT)?;
    super::play::step_through(seated, reviewer.as_ref(), colours())
}

pub(super) fn run(args: &Args) -> CommandResult {
    let text = files::read(&args.file)?;
    let wrong = |e: Error| Failure::Wrong(format!("{}: {e}", args.file.display()));
    let record = parse(&text, &args.allow.allowed()?).map_err(wrong)?;
    let seats = record.scores.len();
    if let Some(seat) = args.player.filter(|&seat| seat >= seats) {
        return Err(Failure::Usage(format!("--player {seat}: the game has {seats} seats, counted from 0")));
    }
    if args.terminal {
        return show(args, &record).map_err(|failure| match failure {
            Failure::Wrong(what) => Failure::Wrong(format!("{}: {what}", args.file.display())),
            failure => failure,
        });
    }
    film::check(args, record.actions.len())?;
    if let Some(dir) = &args.svg {
        files::make_folder(dir)?;
    }
    let view = args.view();
    let mut frames = args.html.as_ref().map(|_| Frames::new(args.player));
    let mut failed = None;
    let bar = progress(&record.env);
    bar.set_length(record.actions.len() as u64);
    let mut scenes = film::Scenes::new(args);
    let mut review = Reviewing::new(args, &record)?;
    let last = replay(&record, |game, step| {
        let position = step.map_or(0, |step| step + 1);
        bar.set_position(position as u64);
        bar.set_message(format!("step {position} of {}", record.actions.len()));
        if let (Some(dir), None) = (&args.svg, &failed) {
            let file = dir.join(format!("{position:05}.svg"));
            failed = files::write(&file, &game.to_svg(view)?).err();
        }
        scenes.push(game, position);
        if let Some(review) = &mut review {
            review.push(game, record.actions.get(position).copied())?;
        }
        frames.as_mut().map_or(Ok(()), |frames| frames.push(game))
    })
    .map_err(wrong)?;
    bar.finish_and_clear();
    if let (Some(file), Some(frames), None) = (&args.html, &frames, &failed) {
        let review = review.as_ref().and_then(|review| review.found.as_ref());
        failed = files::write(file, &page(&record, frames, review)).err();
    }
    if failed.is_none() {
        failed = scenes.write(args, view).err();
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
            "result": record.result,
        }));
    } else {
        println!("{} version {}: {} steps replay exactly", record.env, record.version, record.actions.len());
        println!("scores {:?}", last.scores());
        match (&record.returns, &record.result) {
            (Some(returns), _) => println!("outcome {returns:?}"),
            (None, Some(result)) => println!("outcome {result:?}, by the players"),
            (None, None) => println!("no outcome: {:?}", last.status()),
        }
        if let Some(review) = review.and_then(|review| review.found) {
            print_mistakes(&review, &last.names());
        }
    }
    // The error comes after the result has been printed: a full disk must not lose the result.
    failed.map_or(Ok(()), Err)
}
