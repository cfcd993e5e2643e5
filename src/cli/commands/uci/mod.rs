//! `ludovec uci`: the program as an engine of the Universal Chess Interface.
//!
//! | file | holds |
//! |---|---|
//! | `engine` | the state of the engine: options, the position |
//! | `go` | the limits of a search, and the lines `info` and `bestmove` |

mod engine;
mod go;

use std::hash::{BuildHasher, RandomState};
use std::io::{BufRead, stdin};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use self::engine::Engine;
use crate::arguments::{PlayerArgs, pairs};
use crate::failure::CommandResult;

#[derive(clap::Args)]
pub(super) struct Args {
    /// The player that chooses the moves; by default the shipped network with 400 simulations, where it plays the
    /// variant, and search:400 elsewhere
    #[arg(long)]
    player: Option<String>,
    /// An option of the environment; `ludovec spec chess` lists them
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// The seed of players that draw random numbers, such as levels; by default another one at every start
    #[arg(long)]
    seed: Option<u64>,
    #[command(flatten)]
    limits: PlayerArgs,
}

pub(super) fn run(args: &Args) -> CommandResult {
    let seed = args.seed.unwrap_or_else(|| RandomState::new().hash_one(()));
    let mut engine = Engine::new(args.player.clone(), pairs(&args.set)?, args.limits.time_limit(), seed)?;
    // Reading blocks, and a search must hear `stop`.
    let lines = read_lines();
    while let Ok(line) = lines.recv() {
        if !engine.obey(line.trim()) {
            break;
        }
    }
    engine.end();
    Ok(())
}

/// The lines of standard input, read by another thread.
fn read_lines() -> Receiver<String> {
    let (sender, lines) = channel();
    thread::spawn(move || {
        let mut input = stdin().lock();
        let mut line = Vec::new();
        while input.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
            if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                return;
            }
            line.clear();
        }
    });
    lines
}
