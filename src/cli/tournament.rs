//! `ludovec tournament`

use super::{EnvArgs, Outcome, print_json, print_table, progress};
use crate::tournament::round_robin;

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    env: EnvArgs,
    /// The bots, comma-separated
    #[arg(long, value_delimiter = ',', required = true)]
    bots: Vec<String>,
    /// Games between every two bots
    #[arg(long, default_value_t = 200)]
    games: u64,
    /// Threads; all cores by default
    #[arg(long)]
    threads: Option<usize>,
    /// Seed of all games
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> Outcome {
    let game = args.env.make()?;
    let bar = progress("{prefix} [{bar:30}] {msg}");
    bar.set_prefix(args.env.env.clone());
    let table = round_robin(&game, &args.bots, args.games, args.seed, args.threads, |done, all| {
        bar.set_position((1000 * done / all) as u64);
        bar.set_message(format!("pairing {done} of {all}"));
    })?;
    bar.finish_and_clear();
    if args.json {
        print_json(&table);
        return Ok(());
    }
    let mut rows = vec![["bot", "Elo", "+/-", "games", "points"].map(String::from).to_vec()];
    for s in &table.standings {
        rows.push(vec![
            s.bot.clone(),
            format!("{:+.0}", s.elo),
            format!("{:.0}", s.margin),
            s.games.to_string(),
            format!("{:.1} %", 100.0 * s.points / s.games as f64),
        ]);
    }
    print_table(&rows);
    Ok(())
}
