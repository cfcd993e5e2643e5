//! `ludovec tournament`

use std::path::PathBuf;

use crate::cli::arguments::{EnvArgs, PlayerArgs, named};
use crate::cli::failure::Outcome;
use crate::cli::files;
use crate::cli::output::{print_faults, print_json, print_table, progress, thousands};
use crate::cli::signals::{ended, interruptible};
use crate::engine::Theme;
use crate::play::tournament::{Pairings, TournamentConfig, TournamentResult, play};
use crate::report::plot::{Bar, Labels, bars};

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
        value_parser = named::<Pairings>(&[])
    )]
    pairings: Pairings,
    /// Threads; all cores by default
    #[arg(long)]
    threads: Option<usize>,
    /// Seed of seats and games
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    player: PlayerArgs,
    /// Draw the ratings into this SVG file
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> Outcome {
    let game = args.env.make()?;
    let players = args.player.parse(&*game, &args.bots)?;
    let config = TournamentConfig { games: args.games, seed: args.seed, threads: args.threads };
    let bar = progress(&args.env.env);
    let interrupt = interruptible()?;
    let mut planned = 0;
    let table = play(&game, &players, args.pairings, config, &interrupt, |done, all| {
        planned = all;
        bar.set_position(1000 * done / all);
        let rate = done as f64 / bar.elapsed().as_secs_f64().max(1e-3);
        bar.set_message(format!("game {} of {}, {rate:.1} games/s", thousands(done), thousands(all)));
    })?;
    bar.finish_and_clear();
    print_faults(&table.faults, table.standings.iter().map(|s| s.faults).sum());
    // Before the plot: a file that cannot be written must not cost the games.
    if args.json {
        print_json(&table);
    } else {
        print_standings(&table);
        if table.partial {
            println!("partial: interrupted after {} of {} games", thousands(table.games), thousands(planned));
        }
    }
    if let Some(file) = &args.plot {
        files::write(file, &draw(args, &table))?;
    }
    ended(table.partial)
}

fn print_standings(table: &TournamentResult) {
    let head = ["bot", "Elo", "+/-", "games", "wins", "points", "mean score", "mean outcome", "faults"];
    let mut rows = vec![head.map(String::from).to_vec()];
    for s in &table.standings {
        rows.push(vec![
            s.bot.clone(),
            format!("{:+.0}", s.elo),
            if s.margin.is_finite() { format!("{:.0}", s.margin) } else { "?".into() },
            thousands(s.games),
            format!("{:.1} %", 100.0 * s.win_share),
            format!("{:.1} %", 100.0 * s.point_share),
            format!("{:.2}", s.mean_score),
            format!("{:+.3}", s.mean_return),
            thousands(s.faults),
        ]);
    }
    print_table(&rows);
}

/// The ratings as bars with error bars, best first.
fn draw(args: &Args, table: &TournamentResult) -> String {
    let partial = if table.partial { ", interrupted" } else { "" };
    let title = format!("{}: {} games{partial}", args.env.env, thousands(table.games));
    let labels = Labels { title: &title, x: "Elo, with 95 % margins", y: "bot" };
    let standings = table.standings.iter();
    let ratings: Vec<Bar> = standings
        .map(|s| Bar { name: s.bot.clone(), value: s.elo, margin: Some(s.margin).filter(|m| m.is_finite()) })
        .collect();
    bars(labels, &ratings, Some(0.0), Theme::Light)
}
