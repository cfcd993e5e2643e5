//! `ludovec play`
//!
//! | file | holds |
//! |---|---|
//! | `hints` | hints: the actions that a network or a search would choose, in words |
//! | `lines` | a game in lines of text: for pipes and scripts |
//! | `screen` | a game on the whole terminal |
//! | `seats` | the players of `--players` |

mod hints;
mod lines;
mod screen;
mod seats;

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::Duration;

use crate::arguments::{EnvArgs, PlayerArgs, player_texts, seconds_or_none};
use crate::failure::{CommandResult, Failure};
use crate::files;
use crate::output::{colours, is_dumb, json_line, print_faults, score_or_hidden};
use ludovec::engine::AnyGame;
use ludovec::play::player::{Player, advisers, can_analyse};
use ludovec::play::seated_game::SeatedGame;

pub(super) use screen::step_through;

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    env: EnvArgs,
    /// The players in seat order, comma-separated: a bot (greedy, search:50, net:FILE), NAME:BOT, human or human:NAME
    /// for a person; "me" means human:me. If the number of seats is an option, it is set to the number of players
    #[arg(long, value_name = "PLAYERS")]
    players: Vec<String>,
    /// Seed of the game
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Wait this many seconds before a bot's move; 0 does not wait
    #[arg(long, value_name = "SECONDS", value_parser = seconds_or_none)]
    delay: Option<Duration>,
    /// Player that gives hints on request (key ?): net:FILE, net:FILE:SIMULATIONS, search:PLAYOUTS. By default the
    /// network shipped with the game, or search
    #[arg(long, value_name = "PLAYER")]
    hints: Option<String>,
    /// Save the recorded game here when it ends or is quit. Beside it, FILE.transcript.jsonl gets every exchange with a
    /// language model at once
    #[arg(long)]
    record: Option<PathBuf>,
    /// Write every attempted action with its result, or the reason for its refusal, to this file immediately: one
    /// line of JSON each
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    #[command(flatten)]
    player: PlayerArgs,
    /// Lines of text instead of a full screen; automatic if input or output is no terminal, or TERM is "dumb".
    /// NO_COLOR=1 shows letters instead of signs and colours
    #[arg(long)]
    plain: bool,
    /// Show only the last position
    #[arg(long)]
    quiet: bool,
}

pub(super) fn run(args: &Args) -> CommandResult {
    let (game, seats) = seats::of(&args.env, &player_texts(&args.players))?;
    let adviser = adviser(args, &*game)?;
    let mut seated = SeatedGame::new(game, args.seed, seats, args.player.time_limit())?;
    if let Some(file) = &args.log {
        seated.log_to(file)?;
    }
    if let Some(file) = &args.record {
        seated.write_transcript(&file.with_extension("transcript.jsonl"))?;
    }
    let terminal = io::stdin().is_terminal() && io::stdout().is_terminal() && !is_dumb();
    let seated = if terminal && !args.plain && !args.quiet {
        screen::play(seated, adviser, args.delay.unwrap_or(Duration::from_millis(300)), colours())?
    } else {
        let detail = if args.quiet { lines::Detail::LastPosition } else { lines::Detail::All };
        lines::play(seated, &adviser, args.delay.unwrap_or_default(), detail)?
    };
    print_faults(seated.faults(), seated.faults().len() as u64);
    if let Some(result) = seated.result() {
        println!("{result}");
    }
    let ended = if seated.is_running() { "left" } else { "final scores" };
    let scores = seated.seats().iter().zip(seated.scores());
    let scores: Vec<String> =
        scores.map(|(seat, score)| format!("{} {}", seat.name, score_or_hidden(score))).collect();
    println!("{ended}: {}", scores.join(", "));
    if let Some(file) = &args.record {
        files::write(file, &(json_line(&seated.record()) + "\n"))?;
    }
    Ok(())
}

/// The player that gives hints.
fn adviser(args: &Args, game: &dyn AnyGame) -> Result<Player, Failure> {
    let named = args.hints.as_deref().unwrap_or_else(|| advisers(game)[0]);
    let player = Player::parse(game, named, args.player.time_limit())?;
    if !can_analyse(named) {
        return Err(Failure::Usage(format!(
            "--hints {named}: search:PLAYOUTS, flat:PLAYOUTS, net:FILE and net:FILE:SIMULATIONS give hints"
        )));
    }
    Ok(player)
}
