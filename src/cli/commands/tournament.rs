//! `ludovec tournament`

use std::io::{self, IsTerminal};
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crate::arguments::{EnvArgs, OLD_NAMES, PlayerArgs, named, player_texts, threads};
use crate::failure::{CommandResult, Failure};
use crate::files;
use crate::output::{print_faults, print_json, print_table, progress};
use crate::plot::{Bar, Labels, bars};
use crate::signals::{ended, interruptible};
use crate::web::{self, WatchedTournament};
use ludovec::engine::{Error, Theme};
use ludovec::play::results::thousands;
use ludovec::play::tournament::{
    GameFormat, Meetings, OpeningNodes, Openings, OpeningsOfGames, Pairings, Progress, Standing, StateFile,
    TournamentConfig, TournamentResult, play_from, play_shown,
};

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    env: EnvArgs,
    /// The players, comma-separated: names, search:PLAYOUTS, net:FILE, net:champion:SIMULATIONS, http://HOST:PORT,
    /// uci:COMMAND?nodes=N, gtp:COMMAND, cmd:COMMAND, llm:MODEL@URL
    #[arg(long, aliases = OLD_NAMES, required = true)]
    players: Vec<String>,
    /// Number of games, in all; with --sprt, at most
    #[arg(long, default_value_t = 200)]
    games: u64,
    /// Pairing: every group of players with the size of a table, random groups, or the first player against each other one
    #[arg(
        long,
        default_value = "round_robin",
        value_parser = named::<Pairings>(&[])
    )]
    pairings: Pairings,
    /// Threads; all cores by default
    #[arg(long, value_parser = threads)]
    threads: Option<usize>,
    /// Seed of seats, openings and games
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Start positions, each played from every seat: a number of random plies, or a file with PGN, EPD or FEN (chess),
    /// .blksgf (Tilewe), records or positions as JSON
    #[arg(long, value_name = "PLIES|FILE")]
    openings: Option<String>,
    /// Cut the games of the file after this many plies
    #[arg(long, value_name = "PLIES", requires = "openings")]
    opening_plies: Option<usize>,
    /// Positions of the games of the file: their ends, the ends of all variations, or every position of both
    #[arg(long, default_value = "end", value_parser = named::<OpeningNodes>(&[]), requires = "openings")]
    opening_nodes: OpeningNodes,
    /// Stop when the first player's lead over the second is decided: elo0=0,elo1=20 in normalized Elo, optionally
    /// alpha=0.05,beta=0.05,model=logistic (Elo)
    #[arg(long, value_name = "elo0=A,elo1=B")]
    sprt: Option<String>,
    #[command(flatten)]
    player: PlayerArgs,
    /// Resume from this file; it is created if it does not exist, and updated every few seconds. With more players after
    /// the others, or more games, only the new games are played
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// Show table and boards in a browser during the tournament: HOST:PORT to listen on, e.g. 127.0.0.1:8088
    #[arg(long, value_name = "ADDRESS")]
    watch: Option<String>,
    /// Draw the ratings into this SVG file
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Write the games into this file at the end: .pgn (chess), .blksgf (Tilewe), or .jsonl, a record per line
    #[arg(long, value_name = "FILE", conflicts_with = "state")]
    out: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Print the table as CSV
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

pub(super) fn run(args: &Args) -> CommandResult {
    let game = args.env.make()?;
    let players = args.player.parse(&*game, &player_texts(&args.players))?;
    let of_games = OpeningsOfGames { plies: args.opening_plies, nodes: args.opening_nodes };
    let openings = args.openings.as_ref().map(|text| Openings::parse(&game, text, of_games));
    let config = TournamentConfig {
        games: args.games,
        seed: args.seed,
        threads: args.threads,
        openings: openings.transpose()?.unwrap_or_default(),
        sprt: args.sprt.as_ref().map(|text| text.parse()).transpose()?,
        games_as: args.out.as_ref().map(|file| GameFormat::of_file(game.spec(), file)).transpose()?,
    };
    let bar = progress(&args.env.env);
    let interrupt = interruptible()?;
    let watched = args.watch.as_deref().map(watched).transpose()?;
    if let Some(watched) = &watched {
        let names: Vec<&str> = players.iter().map(|player| player.name()).collect();
        let plan = format!("{} against each other, {} games", names.join(", "), args.games);
        watched.announce(format!("Tournament of {}", args.env.env), plan);
    }
    let mut planned = 0;
    let meetings = Meetings::Pairings(args.pairings);
    let open = |path: &PathBuf| StateFile::open(path, &game, &players, meetings, &config, &interrupt);
    let mut state = args.state.as_ref().map(open).transpose().map_err(failure)?;
    let report = |progress: &Progress<'_>| {
        let (done, all) = (progress.done(), progress.all());
        planned = all;
        bar.set_position(1000 * done / all);
        let rate = done as f64 / bar.elapsed().as_secs_f64().max(1e-3);
        bar.set_message(format!("game {} of {}, {rate:.1} games/s", thousands(done), thousands(all)));
        watched.as_ref().map_or(Ok(()), |watched| watched.hand_over(progress))
    };
    let table = match &mut state {
        Some(state) => play_from(&game, &players, meetings, &config, state, &interrupt, report),
        None => play_shown(&game, &players, args.pairings, &config, &interrupt, report),
    };
    let table = table.map_err(failure)?;
    bar.finish_and_clear();
    print_faults(&table.faults, table.standings.iter().map(|s| s.faults).sum());
    // Printed before the plot is written: a failed write must not lose the results.
    if args.json {
        print_json(&table);
    } else if args.csv {
        print!("{}", table.to_csv());
    } else {
        print_table(&table.to_rows());
        table.remarks.iter().for_each(|remark| println!("{remark}"));
        if table.partial {
            println!("partial: interrupted after {} of {} games", thousands(table.games), thousands(planned));
        }
    }
    // From here on, a signal ends the program at once: the file system may not answer.
    if args.plot.is_some() || args.out.is_some() {
        interrupt.raise();
    }
    if let Some(file) = &args.out {
        files::write(file, &table.games_as_text.concat())?;
    }
    if let Some(file) = &args.plot {
        files::write(file, &draw(args, &table))?;
    }
    let partial = table.partial;
    if let Some(watched) = watched {
        watched.end(table);
        // A person at a terminal may still look at the page; scripts go on.
        if !partial && io::stdin().is_terminal() {
            eprintln!("the tournament is over; its page stays open until Ctrl-C");
            while !interrupt.is_raised() {
                thread::sleep(Duration::from_millis(100));
            }
        }
    }
    ended(partial)
}

/// The failure of a tournament. An interrupt that loses results says so.
fn failure(error: Error) -> Failure {
    let Error::Interrupted(what) = error else { return error.into() };
    eprintln!("ludovec: {what}");
    Failure::Interrupted
}

/// Starts a server for the page of the tournament.
fn watched(address: &str) -> Result<WatchedTournament, Failure> {
    let wrong =
        |e| Failure::Usage(format!("--watch {address} cannot be listened on: {e}; HOST:PORT is needed"));
    let listener = TcpListener::bind(address).map_err(wrong)?;
    let address = listener.local_addr().map_err(wrong)?;
    let watched = WatchedTournament::default();
    let live = Arc::new(watched.clone());
    thread::spawn(move || web::serve(listener, Some(live)));
    eprintln!("http://{address}/ shows the tournament while it is played");
    Ok(watched)
}

/// The ratings as bars with error bars, best first.
fn draw(args: &Args, table: &TournamentResult) -> String {
    let partial = if table.partial { ", interrupted" } else { "" };
    let title = format!("{}: {} games{partial}", args.env.env, thousands(table.games));
    let labels = Labels { title: &title, x: "Elo, with 95 % margins", y: "bot" };
    let standings = table.standings.iter();
    let bar = |s: &Standing| {
        let interval = s.margin.is_finite().then_some([s.elo - s.margin, s.elo + s.margin]);
        Bar { name: s.bot.clone(), value: s.elo, interval }
    };
    let ratings: Vec<Bar> = standings.map(bar).collect();
    bars(labels, &ratings, Some(0.0), Theme::Light)
}
