//! `ludovec selfplay`

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;

use crate::arguments::{BatchArgs, EnvArgs, OLD_NAMES, PlayerArgs, named, player_texts, seconds};
use crate::failure::{CommandResult, Failure};
use crate::files;
use crate::output::{json_line, one_line, print_faults, print_json, print_table, progress, waiting};
use crate::signals::{ended, interruptible};
use crate::{DataWriter, NotWritten};
use ludovec::engine::chance::StreamId;
use ludovec::engine::{BatchConfig, ObservationFormat, Options, Record};
use ludovec::play::results::{counted, thousands};
use ludovec::play::selfplay::{Limit, Recorder, Summary, run as play};

/// Default playing time.
const DEFAULT_TIME: Duration = Duration::from_secs(3);

#[derive(clap::Args, Default)]
pub(super) struct Args {
    #[command(flatten)]
    env: EnvArgs,
    #[command(flatten)]
    batch: BatchArgs,
    /// Keep every thread on a core of its own, with games of its own (Linux)
    #[arg(long)]
    pin: bool,
    /// Stop after this many seconds; 3 by default. Games in progress are then left out, which favours short ones:
    /// for means of whole games use --games
    #[arg(long, value_parser = seconds, group = "limit")]
    seconds: Option<Duration>,
    /// Stop after this many games
    #[arg(long, group = "limit")]
    games: Option<u64>,
    /// Stop after this many decisions in every game
    #[arg(long, group = "limit")]
    steps: Option<u64>,
    /// A player for every seat, or one for all
    #[arg(long, aliases = OLD_NAMES, default_value = "random")]
    players: Vec<String>,
    /// Observations written for a learner; bots read the state
    #[arg(long, value_parser = named::<ObservationFormat>(&[]), default_value = "u8")]
    obs: ObservationFormat,
    #[command(flatten)]
    player: PlayerArgs,
    /// Keep finished games in this folder, one file each, for `ludovec replay`
    #[arg(long, value_name = "DIR")]
    record: Option<PathBuf>,
    /// Maximum number of games to keep
    #[arg(long, value_name = "GAMES", default_value_t = 1000, requires = "record")]
    keep: u64,
    /// Write every decision into this folder, as shards of Parquet that ludovec.data reads. The Python package does
    /// it: pip install 'ludovec[data]'
    #[arg(long, value_name = "DIR", conflicts_with = "record")]
    out: Option<PathBuf>,
    /// Decisions of a shard
    #[arg(long, value_name = "ROWS", default_value_t = 1 << 20, requires = "out",
        value_parser = clap::value_parser!(u64).range(1..=1 << 32))]
    shard: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    /// The announcement: environment, number of games, and time.
    pub(super) fn announcement(&self) -> Result<String, Failure> {
        let (batch, game) = (&self.batch, self.env.make()?);
        Ok(format!(
            "Self-play of {}: {} players with random moves, {} games side by side on {}, seed {}, for {} seconds",
            game.spec().env,
            game.spec().players,
            thousands(batch.num_envs as u64),
            counted(batch.threads(), "thread"),
            batch.seed,
            self.seconds.unwrap_or(DEFAULT_TIME).as_secs()
        ))
    }
}

#[derive(Serialize)]
struct Report<'a> {
    env: &'a str,
    options: &'a Options,
    num_envs: usize,
    threads: usize,
    seed: u64,
    /// Whether games in progress at the end are left out, which favours short ones.
    short_games_favoured: bool,
    #[serde(flatten)]
    summary: &'a Summary,
}

pub(super) fn run(args: &Args, writer: Option<&DataWriter<'_>>) -> CommandResult {
    let game = args.env.make()?;
    let players = game.spec().players;
    let bots = match player_texts(&args.players).as_slice() {
        [] => vec!["random".to_string(); players],
        [one] => vec![one.clone(); players],
        many => many.to_vec(),
    };
    let seated = args.player.seat(&*game, &bots)?;
    let limit = match (args.seconds, args.games, args.steps) {
        (_, Some(0), _) | (_, _, Some(0)) => {
            return Err(Failure::Usage("at least 1 game or step is needed".into()));
        }
        (_, Some(games), _) => Limit::Games(games),
        (_, _, Some(steps)) => Limit::Steps(steps),
        (time, _, _) => Limit::Time(time.unwrap_or(DEFAULT_TIME)),
    };
    if let Some(dir) = &args.out {
        return write_data(args, dir, &bots, limit, writer);
    }
    // With fewer games than slots, some slots would never have a game that counts.
    let num_envs = args.games.map_or(args.batch.num_envs, |games| args.batch.num_envs.min(games as usize));
    let config = BatchConfig {
        num_envs,
        seed: args.batch.seed,
        threads: args.batch.threads,
        pinned: args.pin,
        observation: args.obs,
        ..BatchConfig::default()
    };
    let mut env = game.clone().vector(config)?;
    env.interrupt_by(interruptible()?);
    let bar = progress(&args.env.env);
    let kept = Cell::new(0);
    // If a record cannot be written, no more records are kept, but the games continue.
    let failed = RefCell::new(None);
    let recorder = match &args.record {
        Some(dir) => {
            files::make_folder(dir)?;
            Some(Recorder::new(&*env, args.keep, |record| {
                if failed.borrow().is_none() {
                    match save(dir, &record) {
                        Ok(()) => kept.set(kept.get() + 1),
                        Err(failure) => drop(failed.replace(Some(failure))),
                    }
                }
                Ok(())
            }))
        }
        None => None,
    };
    let summary = play(&mut *env, &seated, limit, recorder, |p| {
        bar.set_position((p.fraction * 1000.0) as u64);
        let rate = p.steps as f64 / p.elapsed.as_secs_f64().max(1e-9);
        let (games, rate) = (thousands(p.games), thousands(rate as u64));
        bar.set_message(format!("{games} games, {rate} steps/s, {:.0} s", p.elapsed.as_secs_f64()));
    })?;
    bar.finish_and_clear();
    print_faults(&summary.faults, summary.lost_moves);

    let spec = game.spec();
    let threads = args.batch.threads();
    let short_games_favoured = !matches!(limit, Limit::Games(_));
    if args.json {
        print_json(&Report {
            env: spec.env,
            options: &spec.options,
            num_envs,
            threads,
            seed: args.batch.seed,
            short_games_favoured,
            summary: &summary,
        });
        return failed.take().map_or_else(|| ended(summary.partial), Err);
    }
    println!(
        "{}: {players} players, {} games side by side, {}, seed {}, {:.1} s",
        spec.env,
        thousands(num_envs as u64),
        counted(threads, "thread"),
        args.batch.seed,
        summary.seconds
    );
    println!(
        "{} games finished ({} truncated), {:.1} decisions each, {} steps/s",
        thousands(summary.games),
        thousands(summary.truncated),
        summary.mean_game_length,
        thousands(summary.steps_per_second as u64)
    );
    println!();
    let mut rows =
        vec![["seat", "bot", "wins", "mean score", "mean outcome", "faults"].map(String::from).to_vec()];
    let names = game.clone().single(0).names();
    for (name, s) in names.into_iter().zip(&summary.seats) {
        rows.push(vec![
            name,
            s.bot.clone(),
            format!("{:.1} %", 100.0 * s.win_share),
            format!("{:.2}", s.mean_score),
            format!("{:+.3}", s.mean_return),
            thousands(s.faults),
        ]);
    }
    print_table(&rows);
    if short_games_favoured {
        println!(
            "\nGames in progress at the end are left out, which favours short games: use --games N \
             for means of whole games"
        );
    }
    if let Some(dir) = &args.record {
        let dir = one_line(&dir.display().to_string());
        println!("\n{} games kept in {dir}", thousands(kept.get()));
    }
    if summary.partial {
        println!("partial: interrupted before its end");
    }
    failed.take().map_or_else(|| ended(summary.partial), Err)
}

/// Lets the writer of the Python package play the games and write their decisions.
fn write_data(
    args: &Args,
    dir: &Path,
    bots: &[String],
    limit: Limit,
    writer: Option<&DataWriter<'_>>,
) -> CommandResult {
    let Some(write) = writer else {
        return Err(Failure::Usage(
            "--out: data is written by the Python package: pip install 'ludovec[data]', and then its command ludovec, \
             or python -m ludovec"
                .into(),
        ));
    };
    let game = args.env.make()?;
    let (kind, amount) = match limit {
        Limit::Games(games) => ("games", serde_json::json!(games)),
        Limit::Steps(steps) => ("steps", serde_json::json!(steps)),
        Limit::Time(time) => ("seconds", serde_json::json!(time.as_secs_f64())),
        _ => unreachable!("these are the limits of the command"),
    };
    let order = serde_json::json!({
        "env": game.spec().env,
        "options": &game.spec().options,
        "num_envs": args.batch.num_envs,
        "num_threads": args.batch.threads,
        "seed": args.batch.seed,
        "bots": bots,
        kind: amount,
        "shard": args.shard,
        "out": dir.to_str().ok_or_else(|| Failure::Usage("--out: a name in UTF-8 is needed".into()))?,
    });
    let line = waiting(game.spec().env);
    line.set_message(format!("writes decisions into {}", one_line(&dir.display().to_string())));
    line.enable_steady_tick(Duration::from_millis(200));
    let report = write(&order);
    line.finish_and_clear();
    let report = report.map_err(|error| match error {
        NotWritten::Interrupted => Failure::Interrupted,
        NotWritten::Failed(what) => Failure::Wrong(what),
    })?;
    if args.json {
        print_json(&report);
    } else {
        let number = |name: &str| report[name].as_f64().unwrap_or_default();
        println!(
            "{}: {} decisions of {} games in {} of {}, {} rows/s",
            game.spec().env,
            thousands(number("rows") as u64),
            thousands(number("games") as u64),
            counted(number("shards") as usize, "shard"),
            one_line(&dir.display().to_string()),
            thousands(number("rows_per_second") as u64)
        );
    }
    ended(report["partial"] == true)
}

/// Writes a record into a file named after the game's stream.
fn save(dir: &Path, record: &Record) -> CommandResult {
    let StreamId { seed, game, episode } = record.stream.expect("batches draw from streams");
    let file = dir.join(format!("{}-{seed}-{game}-{episode}.json", record.env));
    files::write(&file, &(json_line(record) + "\n"))
}
