//! Decisions per second of every environment by observation format and batch size, next to a chess move generator and
//! the memory bandwidth in the same run.
//!
//! `cargo bench --bench throughput` prints the table of docs/figures/engine.md. The unit C is the number of plies per
//! second of random playouts with the crate cozy-chess on one core of the same machine. Memory bandwidth is the rate
//! of filling 256 MiB repeatedly on as many threads as step the batch. Clock speeds and neighbouring loads vary from
//! second to second, so all measurements that are compared are interleaved in short slices. Each figure is a median
//! over the rounds: of the rate, of its ratio to C in the same round, and of the bytes of observations and masks
//! written as a share of the bandwidth in the same round.
//!
//! Arguments after `--`: environment ids, `--threads T` (default 1), `--seconds S` per slice (default 0.2), `--rounds
//! N` (default 5), `--num-envs A,B,...`, `--obs none,u8,packed`, `--cpu portable,avx2,...` (levels to compare;
//! default: the processor's), `--set key=value` (for all environments named).

use std::str::FromStr;
use std::time::{Duration, Instant};

use ludovec::engine::{BatchConfig, CpuLevel, Named, ObservationFormat, OptionValue, VectorEnv};
use ludovec::games::{self, GAMES};
use ludovec::play::throughput;
use rayon::prelude::*;

#[path = "shared/cozy_chess_playouts.rs"]
mod cozy_chess_playouts;
use cozy_chess_playouts::cozy_chess_plies_per_second;

/// Bytes per second written to memory by writes larger than the caches.
fn bytes_per_second(buffer: &mut [u8], threads: usize, time: Duration) -> f64 {
    let (start, mut written, mut value) = (Instant::now(), 0, 0);
    let share = buffer.len().div_ceil(threads);
    while start.elapsed() < time {
        value += 1;
        buffer.par_chunks_mut(share).for_each(|part| part.fill(value));
        written += buffer.len();
    }
    std::hint::black_box(buffer);
    written as f64 / start.elapsed().as_secs_f64()
}

/// One figure of the table: a batch and its measurements in each round.
struct Cell {
    env: Box<dyn VectorEnv>,
    rates: Vec<f64>,
    ratios: Vec<f64>,
    shares: Vec<f64>,
}

impl Cell {
    /// Bytes of observation and mask written per decision.
    fn bytes(&self) -> usize {
        let columns = self.env.columns();
        let all =
            columns.observations.len() + columns.observations_f32.len() * 4 + columns.mask_bits.len() * 8;
        all / self.env.config().num_envs
    }

    fn measure(&mut self, time: Duration, c: f64, bandwidth: f64) {
        let pace = throughput::measure(&mut *self.env, time).expect("resets are on");
        let rate = pace.decisions_per_second(self.env.config().num_envs);
        self.rates.push(rate);
        self.ratios.push(rate / c);
        self.shares.push(rate * self.bytes() as f64 / bandwidth);
    }

    fn text(&mut self) -> String {
        let [rate, ratio, share] =
            [&mut self.rates, &mut self.ratios, &mut self.shares].map(|values| median(values));
        format!("{:.2} ({ratio:.2}) {:.0}%", rate / 1e6, share * 100.0)
    }
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Command-line arguments.
struct Args {
    ids: Vec<String>,
    threads: usize,
    time: Duration,
    rounds: usize,
    sizes: Vec<usize>,
    formats: Vec<ObservationFormat>,
    levels: Vec<CpuLevel>,
    set: Vec<(String, OptionValue)>,
}

fn listed<T>(text: &str, read: impl Fn(&str) -> Option<T>) -> Vec<T> {
    text.split(',').map(|item| read(item).unwrap_or_else(|| panic!("{item:?} is not known here"))).collect()
}

fn number<T: FromStr>(text: &str) -> T {
    text.parse().unwrap_or_else(|_| panic!("{text:?} is not a number in the allowed range"))
}

impl Args {
    fn read() -> Self {
        let mut all = Self {
            ids: Vec::new(),
            threads: 1,
            time: Duration::from_millis(200),
            rounds: 5,
            sizes: vec![256, 4096, 65_536],
            formats: vec![ObservationFormat::None, ObservationFormat::U8, ObservationFormat::Packed],
            levels: vec![CpuLevel::current()],
            set: Vec::new(),
        };
        let mut args = std::env::args().skip(1);
        while let Some(arg) = args.next() {
            let mut value = || args.next().unwrap_or_else(|| panic!("{arg} needs a value"));
            match arg.as_str() {
                "--bench" => {}
                "--threads" => all.threads = number(&value()),
                "--seconds" => all.time = Duration::from_secs_f64(number(&value())),
                "--rounds" => all.rounds = number::<usize>(&value()).max(1),
                "--num-envs" => all.sizes = listed(&value(), |text| Some(number(text))),
                "--obs" => all.formats = listed(&value(), ObservationFormat::named),
                "--cpu" => all.levels = listed(&value(), CpuLevel::named),
                "--set" => {
                    let pair = value();
                    let (key, value) = pair.split_once('=').expect("--set needs key=value");
                    all.set.push((key.to_string(), OptionValue::from(value)));
                }
                id => all.ids.push(id.into()),
            }
        }
        if all.ids.is_empty() {
            all.ids = GAMES.iter().map(|e| e.id.to_string()).collect();
        }
        all
    }

    fn batch(&self, id: &str, observation: ObservationFormat, num_envs: usize) -> Cell {
        let game = games::find(id).and_then(|entry| entry.make(&self.set));
        let config =
            BatchConfig { num_envs, threads: Some(self.threads), observation, ..BatchConfig::default() };
        let env = game.and_then(|game| game.vector(config)).unwrap_or_else(|e| panic!("{e}"));
        Cell { env, rates: Vec::new(), ratios: Vec::new(), shares: Vec::new() }
    }
}

fn main() {
    let args = Args::read();
    rayon::ThreadPoolBuilder::new().num_threads(args.threads).build_global().expect("the pool is built once");
    println!(
        "million decisions a second on {} thread(s), sampled, stepped, reset, masks and observations written;\n\
         in brackets the ratio to C, random playouts of cozy-chess on one core; then the bytes of observation and mask\n\
         a second as a share of what filling memory reaches; medians of {} rounds",
        args.threads, args.rounds
    );
    print!("{:<14}{:<12}{:<7}{:>6}", "environment", "processor", "obs", "bytes");
    args.sizes.iter().for_each(|n| print!("{n:>18}"));
    println!();
    let mut buffer = vec![1; 256 << 20];
    let (mut speeds, mut bandwidths) = (Vec::new(), Vec::new());
    for id in &args.ids {
        let rows =
            args.formats.iter().flat_map(|&format| args.levels.iter().map(move |&level| (format, level)));
        let mut rows: Vec<(ObservationFormat, CpuLevel, Vec<Cell>)> = rows
            .map(|(format, level)| {
                (format, level, args.sizes.iter().map(|&n| args.batch(id, format, n)).collect())
            })
            .collect();
        for round in 0..=args.rounds {
            let c = cozy_chess_plies_per_second(args.time);
            let bandwidth = bytes_per_second(&mut buffer, args.threads, args.time);
            for (_, level, cells) in &mut rows {
                level.limit_to();
                for cell in cells {
                    // The first round is a warm-up: it maps pages and moves the games away from their start
                    // positions.
                    if round == 0 {
                        throughput::measure(&mut *cell.env, args.time / 4).expect("resets are on");
                    } else {
                        cell.measure(args.time, c, bandwidth);
                    }
                }
            }
            speeds.push(c);
            bandwidths.push(bandwidth);
        }
        for (format, level, cells) in &mut rows {
            print!("{id:<14}{:<12}{:<7}{:>6}", level.name(), format.name(), cells[0].bytes());
            cells.iter_mut().for_each(|cell| print!("{:>18}", cell.text()));
            println!();
        }
    }
    println!(
        "C: {:.2} million plies/s, memory: {:.1} GB/s",
        median(&mut speeds) / 1e6,
        median(&mut bandwidths) / 1e9
    );
}
