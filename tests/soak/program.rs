//! `cargo run --release --package ludovec-soak`: random games under random options, with checks.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use ludovec::engine::file::read_text;
use ludovec::games;
use ludovec::play::files::FileLock;
use ludovec::play::results::thousands;
use ludovec_cli::tool::{
    CommandResult, Failure, ended, files, interruptible, json_line, print_json, print_text, progress, threads,
};
use ludovec_soak::{Soak, Tally, all_values};

/// Prints a line; a full disk behind standard output is an ordinary error.
macro_rules! println {
    ($($text:tt)*) => { print_text(format_args!("{}\n", format_args!($($text)*))) };
}

/// Play random games under random options and check the invariants
#[derive(clap::Parser)]
#[command(name = "soak", version)]
struct Args {
    /// Environment id; its options are random
    env: String,
    /// Stop after this many decisions, including earlier calls with the same --state
    #[arg(long, default_value_t = 10_000_000)]
    decisions: u64,
    /// Compare one game of the batch after this many steps: its arrays with a single game, its position with a
    /// recomputation from JSON; 1 to 1024
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u64).range(1..=1024))]
    every: u64,
    /// Seed of all random choices
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Threads that step; all cores by default
    #[arg(long, value_parser = threads)]
    threads: Option<usize>,
    /// Continue from this file, which is created if missing and replaced after every round
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// Begin with this round: a failed one can be played alone
    #[arg(long, default_value_t = 0, conflicts_with = "state")]
    round: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The content of the state file, also printed.
#[derive(Serialize, Deserialize)]
struct State {
    env: String,
    /// The version of the environment's rules.
    version: u32,
    seed: u64,
    every: u64,
    /// Seconds of play in all calls together.
    seconds: f64,
    #[serde(flatten)]
    tally: Tally,
}

impl State {
    fn begin(args: &Args, version: u32) -> Self {
        let tally = Tally { rounds: args.round, ..Tally::default() };
        Self { env: args.env.clone(), version, seed: args.seed, every: args.every, seconds: 0.0, tally }
    }

    /// The content of the file, if it exists and belongs to this call.
    fn read(args: &Args, version: u32, file: &Path) -> Result<Self, Failure> {
        let text = match read_text(file, files::LONGEST) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::begin(args, version)),
            Err(error) => return Err(files::inaccessible(file, error)),
        };
        let found: Self = serde_json::from_str(&text)
            .map_err(|error| files::inaccessible(file, format!("no state of a soak: {error}")))?;
        if (&found.env, found.version, found.seed, found.every) != (&args.env, version, args.seed, args.every)
        {
            let what = format!(
                "is of {} version {} with --seed {} --every {}: give the same, or another file",
                found.env, found.version, found.seed, found.every
            );
            return Err(files::inaccessible(file, what));
        }
        Ok(found)
    }
}

fn main() -> ExitCode {
    ludovec_cli::tool::main("soak", |args, _| run(args))
}

fn run(args: &Args) -> CommandResult {
    let entry = games::find(&args.env)?;
    let version = entry.make([])?.spec().version;
    let lock = |file: &PathBuf| {
        FileLock::of(file).map_err(|error| match error.kind() {
            ErrorKind::WouldBlock => files::inaccessible(file, "another process has it"),
            _ => files::inaccessible(file, error),
        })
    };
    let _lock = args.state.as_ref().map(lock).transpose()?;
    let mut state = match &args.state {
        Some(file) => State::read(args, version, file)?,
        None => State::begin(args, version),
    };
    let threads = args.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let soak = Soak { entry, seed: args.seed, every: args.every, threads };
    let interrupt = interruptible()?;
    let bar = progress(entry.id);
    let mut whole = true;
    while whole && state.tally.decisions < args.decisions {
        let start = Instant::now();
        whole = soak.play_round(&mut state.tally, &interrupt).map_err(Failure::Wrong)?;
        if whole {
            state.seconds += start.elapsed().as_secs_f64();
            if let Some(file) = &args.state {
                files::write(file, &(json_line(&state) + "\n"))?;
            }
            let Tally { decisions, games, .. } = state.tally;
            bar.set_position((1000.0 * decisions as f64 / args.decisions as f64) as u64);
            let rate = thousands((decisions as f64 / state.seconds) as u64);
            bar.set_message(format!(
                "{} decisions, {} games, {rate} decisions/s",
                thousands(decisions),
                thousands(games)
            ));
        }
    }
    bar.finish_and_clear();
    if args.json {
        print_json(&state);
        return ended(!whole);
    }
    let Tally { rounds, decisions, games, compared, inspected, refused, ref values } = state.tally;
    println!(
        "{}: {} decisions in {} games, {:.1} s; no invariant was violated",
        entry.id,
        thousands(decisions),
        thousands(games),
        state.seconds
    );
    println!(
        "{} positions compared and recomputed, all methods called on {} of them",
        thousands(compared),
        thousands(inspected)
    );
    println!(
        "{} rounds of random options: {} of {} values played, {} sets refused",
        thousands(rounds - args.round),
        values.len(),
        all_values(entry),
        thousands(refused)
    );
    if !whole {
        println!("partial: interrupted before its end");
    }
    ended(!whole)
}
