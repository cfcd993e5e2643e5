//! Decisions per second of every environment by batch size, beside a chess move generator in the same run.
//!
//! `cargo bench --bench throughput` prints the table that docs/speed.md quotes. One C is the number of plies
//! per second that random playouts with the crate cozy-chess make on one core of the same machine; it is
//! measured again before every environment, and ratios use the nearest measurement, because clocks drift.
//!
//! Arguments after `--`: environment ids, `--threads T` (default 1), `--seconds S` a cell (default 1),
//! `--num-envs A,B,...`, `--set key=value` (for all environments named).

use std::time::Duration;

use ludovec::engine::{BatchConfig, OptionValue};
use ludovec::games::{self, GAMES};
use ludovec::play::throughput;

#[path = "shared/cozy_chess_playouts.rs"]
mod cozy_chess_playouts;
use cozy_chess_playouts::cozy_chess_plies_per_second;

/// The best of several short runs of the vector loop: sampling, stepping, resetting, mask, observation.
fn steps_per_second(
    id: &str,
    set: &[(String, OptionValue)],
    num_envs: usize,
    threads: usize,
    time: Duration,
) -> f64 {
    let game = games::find(id).and_then(|e| e.make(set.iter().cloned())).unwrap_or_else(|e| panic!("{e}"));
    let config = BatchConfig { num_envs, threads: Some(threads), ..BatchConfig::default() };
    let mut env = game.vector(config).unwrap_or_else(|e| panic!("{e}"));
    throughput::measure(&mut *env, Duration::ZERO).expect("resets are on");
    let pace = |_| throughput::measure(&mut *env, time / 3).expect("resets are on");
    (0..3).map(pace).map(|pace| pace.decisions_per_second(num_envs)).fold(0.0, f64::max)
}

fn main() {
    let mut ids: Vec<String> = Vec::new();
    let (mut threads, mut seconds) = (1, 1.0);
    let mut sizes = vec![256, 1024, 4096, 16_384, 65_536];
    let mut set = Vec::new();
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().unwrap_or_else(|| panic!("{arg} needs a value"));
        match arg.as_str() {
            "--bench" => {}
            "--threads" => threads = value().parse().expect("--threads needs a number"),
            "--seconds" => seconds = value().parse().expect("--seconds needs a number"),
            "--num-envs" => {
                sizes = value().split(',').map(|n| n.parse().expect("--num-envs needs numbers")).collect();
            }
            "--set" => {
                let pair = value();
                let (key, value) = pair.split_once('=').expect("--set needs key=value");
                set.push((key.to_string(), OptionValue::from(value)));
            }
            id => ids.push(id.into()),
        }
    }
    if ids.is_empty() {
        ids = GAMES.iter().map(|e| e.id.to_string()).collect();
    }
    let time = Duration::from_secs_f64(seconds);
    println!(
        "million decisions a second, observation (u8) and bit mask written at each; {threads} thread(s)"
    );
    println!("in brackets: ratio to C, random playouts of cozy-chess on one core");
    print!("{:<16}{:>8}", "environment", "C");
    sizes.iter().for_each(|n| print!("{n:>16}"));
    println!();
    for id in &ids {
        let c = (0..3).map(|_| cozy_chess_plies_per_second(time / 3)).fold(0.0, f64::max);
        print!("{id:<16}{:>8.2}", c / 1e6);
        for &n in &sizes {
            let rate = steps_per_second(id, &set, n, threads, time);
            print!("{:>16}", format!("{:.2} ({:.2})", rate / 1e6, rate / c));
            use std::io::Write;
            let _ = std::io::stdout().flush();
        }
        println!();
    }
}
