//! `ludovec perft`

use std::time::Instant;

use serde_json::json;

use crate::arguments::{threads, with};
use crate::failure::{CommandResult, Failure};
use crate::output::{print_json, progress};
use ludovec::engine::Tool;
use ludovec::play::results::thousands;

#[derive(clap::Args)]
pub(super) struct Args {
    /// Environment id; by default the first one with game trees to count
    env: Option<String>,
    /// The variant: a name, or a file
    #[arg(long)]
    variant: String,
    /// Options applied to it, separated by commas: knooks,beta_decay
    #[arg(long, value_delimiter = ',')]
    flags: Vec<String>,
    /// Start position; the variant's own by default
    #[arg(long)]
    fen: Option<String>,
    /// Plies
    #[arg(long)]
    depth: u32,
    /// Threads
    #[arg(long, default_value = "1", value_parser = threads)]
    threads: usize,
    /// Print the count below each move as well
    #[arg(long)]
    divide: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> CommandResult {
    let perft = with("game trees to count", args.env.as_deref(), |tool| match tool {
        Tool::Perft(perft) => Some(*perft),
        _ => None,
    })?;
    if args.threads == 0 {
        return Err(Failure::Usage("--threads 0: at least 1 is needed".into()));
    }
    let flags: Vec<&str> = args.flags.iter().map(String::as_str).collect();
    let (bar, start) = (progress("perft"), Instant::now());
    let counted = |moves: usize, all: usize, leaves: u64| {
        bar.set_length(all as u64);
        bar.set_position(moves as u64);
        let rate = thousands((leaves as f64 / start.elapsed().as_secs_f64()) as u64);
        bar.set_message(format!("{moves} of {all} moves, {rate} leaves/s"));
    };
    let found = perft(&args.variant, &flags, args.fen.as_deref(), args.depth, args.threads, &counted)?;
    bar.finish_and_clear();
    let (leaves, seconds) = (found.leaves, found.time.as_secs_f64());
    let per_second = leaves as f64 / seconds.max(1e-9);
    let divided = args.divide.then_some(&found.moves);
    if args.json {
        print_json(&json!({
            "variant": args.variant,
            "flags": args.flags,
            "fen": args.fen,
            "depth": args.depth,
            "threads": args.threads,
            "leaves": leaves,
            "seconds": seconds,
            "leaves_per_second": per_second,
            "moves": divided,
        }));
    } else {
        for (name, leaves) in divided.into_iter().flatten() {
            println!("{name} {leaves}");
        }
        println!("{leaves} leaves in {seconds:.3} s, {} a second", thousands(per_second as u64));
    }
    Ok(())
}
