//! `ludovec play`

use std::fs;
use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::time::Duration;

use super::{EnvArgs, Failure, Outcome, seconds};
use crate::engine::{SingleGame, Status, View};

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    env: EnvArgs,
    /// Who plays, seat by seat, as name:bot; a person has no bot or the bot "human"
    #[arg(long, value_delimiter = ',', value_name = "NAME:BOT")]
    players: Vec<String>,
    /// Seed of the game
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Wait this long after a bot's move
    #[arg(long, value_parser = seconds)]
    delay: Option<Duration>,
    /// Save the recorded game here when it ends or is left
    #[arg(long)]
    record: Option<PathBuf>,
    /// Show only the last position
    #[arg(long)]
    quiet: bool,
}

struct Seat {
    name: String,
    /// None for a person.
    bot: Option<String>,
}

pub(super) fn run(args: &Args) -> Outcome {
    let game = args.env.make()?;
    let seats = seats(&args.players, game.spec().players)?;
    let known: Vec<&str> = game.bots().into_iter().map(|(name, _)| name).collect();
    if let Some(bot) = seats.iter().filter_map(|s| s.bot.as_deref()).find(|b| !known.contains(b)) {
        return Err(Failure::Usage(format!("unknown bot {bot:?}: human, {} are allowed", known.join(", "))));
    }
    let mut play = game.single(args.seed);
    let mut input = io::stdin().lock();
    let mut left = false;
    while play.status() == Status::Running && !left {
        let seat = &seats[play.current_player()];
        match &seat.bot {
            Some(bot) => {
                let action = play.bot_action(bot)?;
                let label = play.action_to_string(action)?;
                play.step(action)?;
                if !args.quiet {
                    println!("{}\n{} plays {label}\n", play.to_text(View::default())?, seat.name);
                }
                std::thread::sleep(args.delay.unwrap_or_default());
            }
            None => left = !turn(&mut *play, seat, &mut input)?,
        }
    }
    if args.quiet {
        println!("{}", play.to_text(View::default())?);
    }
    let scores: Vec<String> =
        seats.iter().zip(play.scores()).map(|(seat, score)| format!("{} {score}", seat.name)).collect();
    println!("{}: {}", if left { "left" } else { "final scores" }, scores.join(", "));
    if let Some(file) = &args.record {
        let text = serde_json::to_string(&play.record()).expect("a record becomes JSON");
        fs::write(file, text + "\n").map_err(|e| Failure::Usage(format!("{}: {e}", file.display())))?;
    }
    Ok(())
}

fn seats(given: &[String], players: usize) -> Result<Vec<Seat>, Failure> {
    if given.is_empty() {
        let seat = |i| Seat { name: format!("player {i}"), bot: (i > 0).then(|| "random".to_string()) };
        return Ok((0..players).map(seat).collect());
    }
    if given.len() != players {
        return Err(Failure::Usage(format!(
            "--players names {} players, the game has {players} seats",
            given.len()
        )));
    }
    let seat = |text: &String| match text.split_once(':') {
        None | Some((_, "human")) => Seat { name: text.trim_end_matches(":human").into(), bot: None },
        Some((name, bot)) => Seat { name: name.into(), bot: Some(bot.into()) },
    };
    Ok(given.iter().map(seat).collect())
}

/// Lets a person choose; false when they leave.
fn turn(play: &mut dyn SingleGame, seat: &Seat, input: &mut impl BufRead) -> Result<bool, Failure> {
    println!("{}", play.to_text(View::default())?);
    let legal = play.legal_actions();
    list(play, &legal, "")?;
    loop {
        print!("{} (a move, its number, ?text to list, undo, quit): ", seat.name);
        let _ = io::stdout().flush();
        let mut line = String::new();
        if input.read_line(&mut line).map_err(|e| Failure::Usage(e.to_string()))? == 0 {
            println!();
            return Ok(false);
        }
        let line = line.trim();
        match line {
            "" => continue,
            "quit" => return Ok(false),
            "undo" => {
                // Back to this person's decision before, over what the others did since.
                let me = play.current_player();
                while play.undo() && play.current_player() != me {}
                return Ok(true);
            }
            _ => {}
        }
        if let Some(filter) = line.strip_prefix('?') {
            list(play, &legal, filter.trim())?;
            continue;
        }
        let chosen = match line.parse::<u32>() {
            Ok(action) if legal.contains(&action) => Ok(action),
            _ => play.string_to_action(line),
        };
        match chosen.and_then(|action| play.step(action)) {
            Ok(()) => return Ok(true),
            Err(error) => println!("{error}"),
        }
    }
}

/// Lists legal actions whose label contains `filter`, not more than fit a screen.
fn list(play: &dyn SingleGame, legal: &[u32], filter: &str) -> Result<(), Failure> {
    const MOST: usize = 60;
    let mut shown = Vec::new();
    for &action in legal {
        let label = play.action_to_string(action)?;
        if label.contains(filter) {
            shown.push(format!("{action}={label}"));
        }
    }
    let more = shown.len().saturating_sub(MOST);
    shown.truncate(MOST);
    println!("{}{}", shown.join("  "), if more > 0 { format!("  and {more} more") } else { String::new() });
    Ok(())
}
