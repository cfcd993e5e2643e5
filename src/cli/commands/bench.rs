//! `ludovec bench`

use std::time::{Duration, Instant};

use serde::Serialize;

use crate::cli::arguments::{BatchArgs, EnvArgs, named, seconds};
use crate::cli::failure::{Failure, Outcome};
use crate::cli::output::{print_json, progress, thousands};
use crate::engine::rollout::Checksum;
use crate::engine::{BatchConfig, MaskFormat, ObservationFormat, Options, VectorEnv};
use crate::play::throughput::{self, Pace};

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
    /// Masks written at every decision; bits are always there, legality is checked against them
    #[arg(long, value_parser = named(&[("none", MaskFormat::Bits)]), default_value = "bits")]
    mask: MaskFormat,
    /// Measure games of this fleet instead, as it is run; all of its free blocks
    #[cfg(target_os = "linux")]
    #[arg(long, value_name = "FLEET", conflicts_with_all = ["set", "num_envs", "threads", "obs", "mask"])]
    attach: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    /// The batch to measure.
    fn make(&self) -> Result<Box<dyn VectorEnv>, Failure> {
        #[cfg(target_os = "linux")]
        if let Some(name) = &self.attach {
            let mut env = crate::shm::attach(name, None)?;
            env.reset(Some(self.batch.seed))?;
            return Ok(Box::new(env));
        }
        let config = BatchConfig {
            num_envs: self.batch.num_envs,
            seed: self.batch.seed,
            threads: Some(self.batch.threads()),
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
}

pub(super) fn run(args: &Args) -> Outcome {
    if args.steps == Some(0) {
        return Err(Failure::Usage("--steps 0: at least 1 is needed".into()));
    }
    let mut env = args.make()?;
    let game = env.game();
    let spec = game.spec();
    let (num_envs, threads) = (env.config().num_envs, env.config().threads.unwrap_or(1));
    let n = num_envs as u64;
    let bar = progress("{prefix} [{bar:30}] {msg}");
    bar.set_prefix(spec.env);

    let mut checksum = args.steps.map(|_| Checksum::new(num_envs));
    match &mut checksum {
        Some(checksum) => checksum.update(&*env),
        // A short warm-up, so that pages are mapped and clocks are up.
        None => drop(throughput::measure(&mut *env, Duration::from_millis(300))?),
    }
    let time = args.seconds.unwrap_or(Duration::from_secs(5));
    let (mut games, mut length_sum) = (0u64, 0u64);
    let mut pace = Pace::default();
    let mut shown = Instant::now();
    loop {
        // One step at a time: hashing and counting are not part of the loop that is measured.
        pace += throughput::measure(&mut *env, Duration::ZERO)?;
        let columns = env.columns();
        for ((&terminated, &truncated), &length) in
            columns.terminated.iter().zip(&columns.truncated[..]).zip(&columns.episode_length[..])
        {
            if terminated + truncated > 0 {
                games += 1;
                length_sum += length as u64;
            }
        }
        if let Some(checksum) = &mut checksum {
            checksum.update(&*env);
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

    let widths = env.columns().widths();
    let seconds = pace.time.as_secs_f64();
    let report = Report {
        env: spec.env,
        options: &spec.options,
        num_envs,
        threads,
        steps: pace.steps * n,
        seconds,
        steps_per_second: pace.decisions_per_second(num_envs),
        games,
        mean_game_length: length_sum as f64 / games.max(1) as f64,
        state_bytes: spec.state_bytes,
        observation_bytes: if widths.observations_f32 > 0 {
            4 * widths.observations_f32
        } else {
            widths.observations
        },
        mask_bytes: if widths.mask_bytes > 0 { widths.mask_bytes } else { 8 * widths.mask_bits },
        checksum: checksum.map(|c| format!("{:016x}", c.value(0))),
    };
    if args.json {
        print_json(&report);
        return Ok(());
    }
    println!(
        "{}: {} steps/s ({} steps in {seconds:.2} s, {} games side by side, {} threads)",
        report.env,
        thousands(report.steps_per_second as u64),
        thousands(report.steps),
        thousands(n),
        report.threads
    );
    println!(
        "{} games finished, {:.1} decisions each; bytes a game: state {}, observation {}, mask {}",
        thousands(games),
        report.mean_game_length,
        report.state_bytes,
        report.observation_bytes,
        report.mask_bytes
    );
    if let Some(checksum) = report.checksum {
        println!("checksum {checksum}");
    }
    Ok(())
}
