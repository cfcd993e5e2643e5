//! `ludovec perft`

use std::time::Instant;

use serde_json::json;

use super::{Failure, Outcome, print_json, thousands, with};
use crate::engine::{OptionValue, Options};

#[derive(clap::Args)]
pub(super) struct Args {
    /// The variant: a name, or a file
    #[arg(long)]
    variant: String,
    /// Where to start; the variant's own start by default
    #[arg(long)]
    fen: Option<String>,
    /// Plies
    #[arg(long)]
    depth: u32,
    /// Threads
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Further options of the environment
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> Outcome {
    let (entry, perft) = with("game trees to count", |entry| entry.perft)?;
    if args.threads == 0 {
        return Err(Failure::Usage("--threads 0: at least 1 is needed".into()));
    }
    let mut given = super::pairs(&args.set)?;
    given.push(("variant".into(), OptionValue::from(args.variant.as_str())));
    given.extend(args.fen.as_deref().map(|fen| ("fen".to_string(), OptionValue::from(fen))));
    let options = Options::parse(&(entry.options)(), given)?;
    let start = Instant::now();
    let leaves = perft(&options, args.depth, args.threads)?;
    let seconds = start.elapsed().as_secs_f64();
    let per_second = leaves as f64 / seconds.max(1e-9);
    if args.json {
        print_json(&json!({
            "variant": args.variant,
            "fen": args.fen,
            "depth": args.depth,
            "threads": args.threads,
            "leaves": leaves,
            "seconds": seconds,
            "leaves_per_second": per_second,
        }));
    } else {
        println!("{leaves} leaves in {seconds:.3} s, {} a second", thousands(per_second as u64));
    }
    Ok(())
}
