//! `ludovec bench`: the loop of a random rollout, or of tree search with a network or without one.

use std::time::{Duration, Instant};

use serde::Serialize;

use crate::arguments::{BatchArgs, EnvArgs, named, seconds};
use crate::failure::{CommandResult, Failure};
use crate::output::{print_json, progress};
use ludovec::engine::rollout::Checksum;
use ludovec::engine::{
    BatchConfig, MaskFormat, Named, ObservationFormat, Options, SearchMethod, SearchSettings, TreeSearch,
    ValueForm, VectorEnv,
};
#[cfg(feature = "networks")]
use ludovec::play::network::named_network;
use ludovec::play::results::{counted, thousands};
#[cfg(feature = "networks")]
use ludovec::play::throughput::NetworkLeaves;
use ludovec::play::throughput::{self, SearchPace, StepRate};

/// The network that evaluates leaves, if there is one.
#[cfg(feature = "networks")]
type Leaves<'a> = Option<NetworkLeaves<'a>>;
#[cfg(not(feature = "networks"))]
type Leaves<'a> = Option<std::convert::Infallible>;

/// Default measurement time.
const DEFAULT_TIME: Duration = Duration::from_secs(5);

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    env: EnvArgs,
    #[command(flatten)]
    batch: BatchArgs,
    /// Measure for this many seconds; 5 by default
    #[arg(long, value_parser = seconds, group = "limit")]
    seconds: Option<Duration>,
    /// Make exactly this many decisions in every game and print a checksum of all observations, masks, rewards and
    /// done flags that are written
    #[arg(long, group = "limit")]
    steps: Option<u64>,
    /// Observations written at every decision
    #[arg(long, value_parser = named::<ObservationFormat>(&[]), default_value = "u8")]
    obs: ObservationFormat,
    /// Masks written at every decision; bits are always written, since legality is checked against them
    #[arg(long, value_parser = named(&[("none", MaskFormat::Bits)]), default_value = "bits")]
    mask: MaskFormat,
    /// Keep every thread on a core of its own, with games of its own (Linux)
    #[arg(long)]
    pin: bool,
    /// Measure games of this fleet instead, with its configuration; uses all of its free blocks
    #[arg(long, value_name = "FLEET", conflicts_with_all = ["set", "num_envs", "threads", "pin", "obs", "mask"])]
    attach: Option<String>,
    /// Measure tree search with this many simulations per move in every game and a dummy network (uniform policy,
    /// value 0)
    #[arg(long, value_name = "SIMULATIONS", value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "steps")]
    search: Option<u32>,
    /// Method by which the search chooses; gumbel by default, or the network's
    #[arg(long, value_parser = named::<SearchMethod>(&[]), requires = "search")]
    method: Option<SearchMethod>,
    /// Network that evaluates the leaves of the search, in 256 games by default, with the shares of the time: champion,
    /// or FILE[?precision=float|int8|int16]
    #[cfg(feature = "networks")]
    #[arg(long, requires = "search")]
    network: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    /// The batch to measure.
    fn make(&self) -> Result<Box<dyn VectorEnv>, Failure> {
        #[cfg(target_os = "linux")]
        if let Some(name) = &self.attach {
            let mut env = ludovec::shm::attach(name, None)?;
            env.reset(Some(self.batch.seed))?;
            return Ok(Box::new(env));
        }
        #[cfg(not(target_os = "linux"))]
        if self.attach.is_some() {
            return Err(Failure::no_fleets());
        }
        let config = BatchConfig {
            num_envs: self.batch.num_envs,
            seed: self.batch.seed,
            threads: Some(self.batch.threads()),
            pinned: self.pin,
            observation: self.obs,
            mask: self.mask,
            ..BatchConfig::default()
        };
        Ok(self.env.make()?.vector(config)?)
    }
}

#[derive(Serialize)]
struct Report<'a> {
    env: &'a str,
    options: &'a Options,
    num_envs: usize,
    threads: usize,
    steps: u64,
    seconds: f64,
    steps_per_second: f64,
    games: u64,
    mean_game_length: f64,
    state_bytes: usize,
    observation_bytes: usize,
    mask_bytes: usize,
    /// Only with `--steps`; as text, because JSON numbers lose bits in many readers.
    checksum: Option<String>,
    #[serde(flatten)]
    search: Option<SearchReport>,
}

/// Further results of a search benchmark.
#[derive(Serialize)]
struct SearchReport {
    method: &'static str,
    simulations_per_second: f64,
    simulations: u64,
    trees: usize,
    nodes: u64,
    mean_depth: f64,
    moves_per_second: f64,
    /// Memory of all trees at the end.
    search_bytes: u64,
    #[serde(flatten)]
    network: Option<NetworkReport>,
}

/// Further results of a search with a network.
#[derive(Serialize)]
struct NetworkReport {
    network: String,
    precision: &'static str,
    /// Positions answered a second.
    rows_per_second: f64,
    /// Share of the time that trees and games take.
    tree_share: f64,
    /// Share of the encoding of observations as inputs.
    encoding_share: f64,
    /// Share of the network without the encoding.
    network_share: f64,
}

/// The number of moves played, with or without a search.
#[derive(Default)]
struct Tally {
    moves: u64,
    time: Duration,
    games: u64,
    length_sum: u64,
}

impl Tally {
    /// Counts the games that ended in the last step.
    fn count_games(&mut self, env: &dyn VectorEnv) {
        let columns = env.columns();
        let ends = columns.terminated.iter().zip(&columns.truncated[..]);
        for ((&terminated, &truncated), &length) in ends.zip(&columns.episode_length[..]) {
            if terminated + truncated > 0 {
                self.games += 1;
                self.length_sum += length as u64;
            }
        }
    }
}

/// Searches and plays for `time` with a network, or with a dummy one.
fn measure(
    leaves: &mut Leaves<'_>,
    env: &mut dyn VectorEnv,
    search: &mut dyn TreeSearch,
    time: Duration,
    played: &mut dyn FnMut(&dyn VectorEnv),
) -> ludovec::engine::Result<SearchPace> {
    match leaves {
        None => throughput::measure_search(env, search, time, played),
        #[cfg(feature = "networks")]
        Some(leaves) => {
            let evaluate = &mut |search: &mut dyn TreeSearch, rows: usize| leaves.evaluate(search, rows);
            throughput::measure_search_with(env, search, time, evaluate, played)
        }
        #[cfg(not(feature = "networks"))]
        Some(never) => match *never {},
    }
}

/// Searches and plays until the time is up; every tree searches, plays its move, and restarts after its game.
fn bench_search(
    args: &Args,
    env: &mut dyn VectorEnv,
    simulations: u32,
) -> Result<(Tally, SearchReport), Failure> {
    let game = env.game();
    let mut settings = SearchSettings {
        simulations,
        value: ValueForm::Seats,
        threads: env.config().threads,
        ..SearchSettings::default()
    };
    #[cfg(feature = "networks")]
    let network = args.network.as_deref().map(|text| named_network(game.spec(), text)).transpose()?;
    #[cfg(feature = "networks")]
    let interrupt = env.interrupt().clone();
    #[cfg(not(feature = "networks"))]
    let mut leaves = None;
    #[cfg(feature = "networks")]
    let mut leaves = network.as_ref().map(|network| {
        let card = network.network().card();
        (settings.method, settings.c_init, settings.reward) = (card.method, card.c_init, Some(card.reward));
        NetworkLeaves::new(network, settings.threads, &interrupt)
    });
    settings.method = args.method.unwrap_or(settings.method);
    let method = settings.method;
    let mut search = game.tree_search(env.config(), settings)?;
    search.start(env, None)?;
    let bar = progress(env.game().spec().env);
    bar.set_message("the first move");
    bar.tick();
    // Warm-up: the first move maps pages and raises the processor's clock rate.
    measure(&mut leaves, env, &mut *search, Duration::ZERO, &mut |_| ())?;
    #[cfg(feature = "networks")]
    if let Some(leaves) = &mut leaves {
        leaves.reset();
    }
    let mut tally = Tally::default();
    let limit = args.seconds.unwrap_or(DEFAULT_TIME);
    let (start, mut simulated) = (Instant::now(), 0);
    let pace = measure(&mut leaves, env, &mut *search, limit, &mut |env| {
        tally.count_games(env);
        simulated += env.config().num_envs as u64 * u64::from(simulations);
        let seconds = start.elapsed().as_secs_f64();
        bar.set_position((1000.0 * (seconds / limit.as_secs_f64().max(1e-9)).min(1.0)) as u64);
        bar.set_message(format!("{} simulations/s", thousands((simulated as f64 / seconds) as u64)));
    })?;
    bar.finish_and_clear();
    #[cfg(feature = "networks")]
    let (network, time) = match &leaves {
        None => (None, pace.time),
        Some(leaves) => {
            let time = pace.time.saturating_sub(leaves.timing);
            let share = |part: Duration| part.as_secs_f64() / time.as_secs_f64();
            let encoding = leaves.encoding.min(leaves.answers);
            let report = NetworkReport {
                network: args.network.clone().unwrap_or_default(),
                precision: leaves.network().network().card().precision.name(),
                rows_per_second: leaves.rows as f64 / time.as_secs_f64(),
                tree_share: share(time.saturating_sub(leaves.answers)),
                encoding_share: share(encoding),
                network_share: share(leaves.answers - encoding),
            };
            (Some(report), time)
        }
    };
    #[cfg(not(feature = "networks"))]
    let (network, time) = (None, pace.time);
    (tally.moves, tally.time) = (pace.moves * env.config().num_envs as u64, time);
    let stats = search.stats();
    let seconds = tally.time.as_secs_f64();
    let report = SearchReport {
        method: method.name(),
        simulations_per_second: pace.simulations as f64 / seconds,
        simulations: pace.simulations,
        trees: env.config().num_envs,
        nodes: pace.nodes,
        mean_depth: stats.mean_depth,
        moves_per_second: tally.moves as f64 / seconds,
        search_bytes: stats.bytes,
        network,
    };
    Ok((tally, report))
}

/// Steps with sampled actions until the time is up or the number of steps is reached.
fn bench_steps(args: &Args, env: &mut dyn VectorEnv) -> Result<(Tally, Option<Checksum>), Failure> {
    let num_envs = env.config().num_envs;
    let bar = progress(env.game().spec().env);
    let mut checksum = args.steps.map(|_| Checksum::new(num_envs));
    match &mut checksum {
        Some(checksum) => checksum.update(env),
        // A short warm-up maps pages and raises the processor's clock rate.
        None => drop(throughput::measure(env, Duration::from_millis(300))?),
    }
    let time = args.seconds.unwrap_or(DEFAULT_TIME);
    let mut tally = Tally::default();
    let mut pace = StepRate::default();
    let mut shown = Instant::now();
    loop {
        // One step at a time: hashing and counting are not part of the measured loop.
        pace += throughput::measure(env, Duration::ZERO)?;
        tally.count_games(env);
        if let Some(checksum) = &mut checksum {
            checksum.update(env);
        }
        let fraction = match args.steps {
            Some(steps) => pace.steps as f64 / steps as f64,
            None => pace.time.as_secs_f64() / time.as_secs_f64(),
        };
        if shown.elapsed() > Duration::from_millis(100) {
            shown = Instant::now();
            bar.set_position((fraction * 1000.0) as u64);
            bar.set_message(format!("{} steps/s", thousands(pace.decisions_per_second(num_envs) as u64)));
        }
        if fraction >= 1.0 {
            break;
        }
    }
    bar.finish_and_clear();
    (tally.moves, tally.time) = (pace.steps * num_envs as u64, pace.time);
    Ok((tally, checksum))
}

pub(super) fn run(args: &Args) -> CommandResult {
    if args.steps == Some(0) {
        return Err(Failure::Usage("--steps 0: at least 1 is needed".into()));
    }
    let mut env = args.make()?;
    let game = env.game();
    let spec = game.spec();
    let (num_envs, threads) = (env.config().num_envs, env.config().threads.unwrap_or(1));
    let (tally, checksum, search) = match args.search {
        Some(simulations) => {
            let (tally, report) = bench_search(args, &mut *env, simulations)?;
            (tally, None, Some(report))
        }
        None => {
            let (tally, checksum) = bench_steps(args, &mut *env)?;
            (tally, checksum, None)
        }
    };
    let widths = env.columns().widths();
    let seconds = tally.time.as_secs_f64();
    let report = Report {
        env: spec.env,
        options: &spec.options,
        num_envs,
        threads,
        steps: tally.moves,
        seconds,
        steps_per_second: tally.moves as f64 / seconds,
        games: tally.games,
        mean_game_length: tally.length_sum as f64 / tally.games.max(1) as f64,
        state_bytes: spec.state_bytes,
        observation_bytes: if widths.observations_f32 > 0 {
            4 * widths.observations_f32
        } else {
            widths.observations
        },
        mask_bytes: if widths.mask_bytes > 0 { widths.mask_bytes } else { 8 * widths.mask_bits },
        checksum: checksum.map(|c| format!("{:016x}", c.value(0))),
        search,
    };
    if args.json {
        print_json(&report);
        return Ok(());
    }
    println!(
        "{}: {} steps/s ({} steps in {seconds:.2} s, {} games side by side, {})",
        report.env,
        thousands(report.steps_per_second as u64),
        thousands(report.steps),
        thousands(num_envs as u64),
        counted(report.threads, "thread")
    );
    let games = match report.games {
        0 => "no game finished".into(),
        games => {
            format!("{} games finished, {:.1} decisions each", thousands(games), report.mean_game_length)
        }
    };
    println!(
        "{games}; bytes a game: state {}, observation {}, mask {}",
        report.state_bytes, report.observation_bytes, report.mask_bytes
    );
    if let Some(search) = &report.search {
        println!(
            "search by {}: {} simulations/s, {:.1} deep on average; {} bytes a tree",
            search.method,
            thousands(search.simulations_per_second as u64),
            search.mean_depth,
            thousands(search.search_bytes / num_envs as u64)
        );
        if let Some(network) = &search.network {
            println!(
                "network {} ({}): {} positions/s; time: trees {:.0} %, encoding {:.0} %, network {:.0} %",
                network.network,
                network.precision,
                thousands(network.rows_per_second as u64),
                100.0 * network.tree_share,
                100.0 * network.encoding_share,
                100.0 * network.network_share
            );
        }
    }
    if let Some(checksum) = report.checksum {
        println!("checksum {checksum}");
    }
    Ok(())
}
