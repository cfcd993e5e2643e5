//! `ludovec tournament`

use clap::builder::PossibleValuesParser;

use super::{EnvArgs, Outcome, PlayerArgs, print_faults, print_json, print_table, progress, thousands};
use crate::tournament::{Pairings, TournamentConfig, play};

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    env: EnvArgs,
    /// The bots, comma-separated: names, search:PLAYOUTS, http://HOST:PORT
    #[arg(long, value_delimiter = ',', required = true)]
    bots: Vec<String>,
    /// Games of every table of bots (round_robin), or in all (random)
    #[arg(long, default_value_t = 200)]
    games: u64,
    /// Who meets whom: every group of as many bots as there are seats, or groups drawn at random
    #[arg(
        long,
        default_value = "round_robin",
        value_parser = PossibleValuesParser::new(Pairings::NAMES.map(|(name, _)| name))
    )]
    pairings: String,
    /// Threads; all cores by default
    #[arg(long)]
    threads: Option<usize>,
    /// Seed of seats and games
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    player: PlayerArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> Outcome {
    let game = args.env.make()?;
    let mut players = args.player.parse(&*game, &args.bots)?;
    let pairings = Pairings::NAMES.into_iter().find(|(name, _)| *name == args.pairings);
    let config = TournamentConfig {
        pairings: pairings.expect("the parser lets no other name pass").1,
        games: args.games,
        seed: args.seed,
        threads: args.threads,
    };
    let bar = progress("{prefix} [{bar:30}] {msg}");
    bar.set_prefix(args.env.env.clone());
    let table = play(&game, &mut players, config, |done, all| {
        bar.set_position(1000 * done / all);
        bar.set_message(format!("game {} of {}", thousands(done), thousands(all)));
        Ok(())
    })?;
    bar.finish_and_clear();
    print_faults(&table.faults, table.standings.iter().map(|s| s.faults).sum());
    if args.json {
        print_json(&table);
        return Ok(());
    }
    let head = ["bot", "Elo", "+/-", "games", "wins", "points", "mean score", "mean outcome"];
    let mut rows = vec![head.map(String::from).to_vec()];
    for s in &table.standings {
        rows.push(vec![
            s.bot.clone(),
            format!("{:+.0}", s.elo),
            format!("{:.0}", s.margin),
            thousands(s.games),
            format!("{:.1} %", 100.0 * s.wins / s.games.max(1) as f64),
            format!("{:.1} %", 100.0 * s.points / s.comparisons.max(1) as f64),
            format!("{:.2}", s.mean_score),
            format!("{:+.3}", s.mean_return),
        ]);
    }
    print_table(&rows);
    Ok(())
}
