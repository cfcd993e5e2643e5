//! Rows per second of the shipped networks on one thread, by batch size and precision.
//!
//! `cargo bench --bench networks --features networks` prints a table. Seconds are processor time of the thread on
//! Linux, so that other programs disturb less. Slices of all cells are interleaved and medians reported, because clock
//! speeds drift. Positions come from random play, and the logits of legal actions are asked for, as a tree search does.
//!
//! Arguments after `--`: environment ids, `--batch 1,64,512`, `--precision float,int8,int16`, `--cpu LEVEL` (default:
//! the processor's), `--slices N` (default 5), `--seconds S` per slice (default 0.2), `--agreement GAMES`:
//! compares the answers in integers with those in single precision instead, `--serve`: for every
//! line `ENV PRECISION BATCH SECONDS` of the standard input, prints the rows per second in a slice of this length; `peak`
//! instead of the environment is the processor's peak in multiplications per second.
//! `benches/networks.py` compares other libraries so.

use std::collections::HashMap;
use std::hint::black_box;
use std::io::BufRead;
use std::sync::Arc;

use ludovec::engine::{BatchConfig, CpuLevel, Interrupt, LegalActions, Named, VectorEnv};
use ludovec::games::{self, GAMES};
use ludovec::network::{FittedNetwork, Network, Precision, Source};

/// Number of steps of random play before the positions.
const STEPS: usize = 60;

/// Number of random steps before a network plays on.
const OPENING: usize = 8;

/// Positions of games.
struct Positions {
    observations: Vec<u8>,
    legal: LegalActions,
}

impl Positions {
    /// Positions of random play: game `i` made `i % STEPS` steps.
    fn new(env: &mut dyn VectorEnv) -> Self {
        for step in 0..STEPS {
            Self::step_randomly(env, |game| game % STEPS > step);
        }
        Self::of(env)
    }

    fn step_randomly(env: &mut dyn VectorEnv, who: impl Fn(usize) -> bool) {
        let num_envs = env.config().num_envs;
        let mut actions = vec![0; num_envs];
        let ids: Vec<u32> = (0..num_envs as u32).filter(|&id| who(id as usize)).collect();
        env.sample_actions(&mut actions).expect("one action per game");
        let chosen: Vec<u32> = ids.iter().map(|&id| actions[id as usize]).collect();
        env.step_games(&ids, &chosen).expect("sampled actions are legal");
    }

    fn of(env: &dyn VectorEnv) -> Self {
        let columns = env.columns();
        let words = columns.mask_bits.len() / env.config().num_envs;
        let mut legal = LegalActions { offsets: vec![0], actions: Vec::new() };
        for mask in columns.mask_bits.chunks_exact(words) {
            let bits = mask.iter().enumerate().flat_map(|(word, &bits)| {
                (0..64).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| 64 * word as u32 + bit)
            });
            legal.actions.extend(bits);
            legal.offsets.push(legal.actions.len() as i64);
        }
        Self { observations: columns.observations.to_vec(), legal }
    }
}

/// The index of the likeliest action of each row among the legal ones.
fn best(legal: &LegalActions, logits: &[f32]) -> Vec<usize> {
    let of_row = |range: &[i64]| {
        let logits = &logits[range[0] as usize..range[1] as usize];
        (0..logits.len()).rev().max_by(|&a, &b| logits[a].total_cmp(&logits[b])).unwrap_or(0)
    };
    legal.offsets.windows(2).map(of_row).collect()
}

/// Prints how near integers are to single precision, in games that the latter plays on from random openings: how often
/// the best action is the same, the divergence (KL) of the policies in nats, and the difference of the values, each as
/// mean and 99th percentile.
fn agreement(id: &str, precisions: &[String], games: usize) {
    let float = Cell::new(id, "float", 1).network;
    let others: Vec<&String> = precisions.iter().filter(|name| *name != "float").collect();
    let networks: Vec<FittedNetwork> = others.iter().map(|name| Cell::new(id, name, 1).network).collect();
    let options = float.network().card().first_options();
    let game = games::find(id).and_then(|e| e.make(options)).unwrap_or_else(|e| panic!("{e}"));
    let config = BatchConfig { num_envs: games, threads: Some(1), seed: 2, ..BatchConfig::default() };
    let mut env = game.vector(config).unwrap_or_else(|e| panic!("{e}"));
    for step in 0..OPENING {
        Positions::step_randomly(&mut *env, |game| game % OPENING >= step);
    }
    let mut same = vec![0_usize; networks.len()];
    let mut errors = vec![[Vec::new(), Vec::new()]; networks.len()];
    for _ in 0..STEPS {
        let Positions { observations, legal } = Positions::of(&*env);
        let answer = |network: &FittedNetwork| {
            network.answer(&observations, Some(&legal), Some(1), &Interrupt::default()).expect("it answers")
        };
        let wanted = answer(&float);
        let wanted_best = best(&legal, &wanted.logits);
        let players = wanted.values.len() / games;
        for (network, (same, errors)) in networks.iter().zip(same.iter_mut().zip(&mut errors)) {
            let found = answer(network);
            let found_best = best(&legal, &found.logits);
            for (row, range) in legal.offsets.windows(2).enumerate() {
                let range = range[0] as usize..range[1] as usize;
                if range.len() > 1 {
                    *same += usize::from(wanted_best[row] == found_best[row]);
                    errors[0].push(divergence(&wanted.logits[range.clone()], &found.logits[range]));
                    let [a, b] = [&wanted, &found].map(|answers| f64::from(answers.values[row * players]));
                    errors[1].push((a - b).abs());
                }
            }
        }
        let action = |(row, &best): (usize, &usize)| legal.actions[legal.offsets[row] as usize + best];
        let actions: Vec<u32> = wanted_best.iter().enumerate().map(action).collect();
        env.step(&actions).expect("the best action is legal");
    }
    for ((name, same), errors) in others.iter().zip(same).zip(errors) {
        let count = errors[0].len();
        let [policy, values] = errors.map(|mut errors| {
            errors.sort_by(f64::total_cmp);
            (errors.iter().sum::<f64>() / count as f64, errors[count * 99 / 100])
        });
        println!(
            "{id:<16}{name:<8}{count:>8} positions with a choice, same best action {:.2} %, KL {:.2e} ({:.2e}), \
             values differ by {:.2e} ({:.2e}) of {}",
            100.0 * same as f64 / count as f64,
            policy.0,
            policy.1,
            values.0,
            values.1,
            float.network().card().value_scale
        );
    }
}

/// The Kullback-Leibler divergence of the policy with the second logits from that with the first.
fn divergence(wanted: &[f32], found: &[f32]) -> f64 {
    let logarithms = |logits: &[f32]| {
        let most = f64::from(logits.iter().copied().fold(f32::NEG_INFINITY, f32::max));
        let sum: f64 = logits.iter().map(|&logit| (f64::from(logit) - most).exp()).sum();
        logits.iter().map(|&logit| f64::from(logit) - most - sum.ln()).collect::<Vec<_>>()
    };
    let [wanted, found] = [wanted, found].map(logarithms);
    wanted.iter().zip(&found).map(|(wanted, found)| wanted.exp() * (wanted - found)).sum()
}

/// A network and its positions.
struct Cell {
    network: FittedNetwork,
    positions: Positions,
}

impl Cell {
    fn new(env: &str, precision: &str, rows: usize) -> Self {
        let entry = games::find(env).unwrap_or_else(|e| panic!("{e}"));
        let bytes = entry.champions.first().expect("a network is shipped");
        let precision = Precision::read(precision).unwrap_or_else(|e| panic!("{e}"));
        let source = Source::of_bytes(env, bytes).map(|source| source.with_precision(Some(precision)));
        let network =
            source.and_then(|source| Network::from_source(&source)).unwrap_or_else(|e| panic!("{e}"));
        let network = Arc::new(network);
        let options = network.card().first_options();
        let game = games::find(env).and_then(|e| e.make(options)).unwrap_or_else(|e| panic!("{e}"));
        let config = BatchConfig { num_envs: rows, threads: Some(1), seed: 1, ..BatchConfig::default() };
        let network = network.fit(game.spec()).unwrap_or_else(|e| panic!("{e}"));
        let mut env = game.vector(config).unwrap_or_else(|e| panic!("{e}"));
        Self { network, positions: Positions::new(&mut *env) }
    }

    /// Rows per second in batches of `rows` different positions.
    fn rate(&self, rows: usize, time: f64) -> f64 {
        let Positions { observations, legal } = &self.positions;
        let all = legal.offsets.len() - 1;
        let len = observations.len() / all;
        let batches: Vec<(&[u8], LegalActions)> = (0..all / rows)
            .map(|batch| {
                let range = batch * rows..(batch + 1) * rows;
                let offsets = &legal.offsets[range.start..=range.end];
                let actions = &legal.actions[offsets[0] as usize..offsets[rows] as usize];
                let legal = LegalActions {
                    offsets: offsets.iter().map(|offset| offset - offsets[0]).collect(),
                    actions: actions.to_vec(),
                };
                (&observations[range.start * len..range.end * len], legal)
            })
            .collect();
        let (start, mut answered) = (seconds(), 0);
        for (observations, legal) in batches.iter().cycle() {
            let answers = self.network.answer(observations, Some(legal), Some(1), &Interrupt::default());
            black_box(answers.expect("the network answers"));
            answered += rows;
            if seconds() - start >= time {
                break;
            }
        }
        answered as f64 / (seconds() - start)
    }
}

/// Seconds of processor time that this thread has used; elsewhere than on Linux, of elapsed time.
fn seconds() -> f64 {
    #[cfg(target_os = "linux")]
    {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // Safety: the clock exists and writes into `time`.
        let failed = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
        assert_eq!(failed, 0, "the thread has a clock");
        time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
    }
    #[cfg(not(target_os = "linux"))]
    {
        static START: std::sync::LazyLock<std::time::Instant> =
            std::sync::LazyLock::new(std::time::Instant::now);
        START.elapsed().as_secs_f64()
    }
}

/// Multiplications a second of the processor's peak: chains of multiply-adds in registers, in single precision or of
/// bytes. 0 on processors without AVX-512 and its dot products.
fn peak(precision: &str, time: f64) -> f64 {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vnni") {
        let (start, mut products) = (seconds(), 0.0);
        while seconds() - start < time {
            // Safety: the processor was just checked.
            products += unsafe { if precision == "int8" { x86::bytes() } else { x86::floats() } };
        }
        return products / (seconds() - start);
    }
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        let (start, mut products) = (seconds(), 0.0);
        while seconds() - start < time {
            // Safety: the processor was just checked.
            products += unsafe { if precision == "int8" { x86::words() } else { x86::floats_of_avx2() } };
        }
        return products / (seconds() - start);
    }
    let _ = (precision, time);
    0.0
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;
    use std::hint::black_box;

    /// Chains that are computed at once, and steps of each.
    const CHAINS: usize = 24;
    const STEPS: usize = 20_000;

    /// Computes the chains, and returns the number of products.
    #[target_feature(enable = "avx512f")]
    pub(super) fn floats() -> f64 {
        let (a, b) = black_box((_mm512_set1_ps(1.0), _mm512_set1_ps(1e-9)));
        let mut sums = [_mm512_setzero_ps(); CHAINS];
        for _ in 0..STEPS {
            for sum in &mut sums {
                *sum = _mm512_fmadd_ps(a, b, *sum);
            }
        }
        black_box(sums);
        (16 * CHAINS * STEPS) as f64
    }

    /// The same in AVX2, which has half the registers.
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn floats_of_avx2() -> f64 {
        let (a, b) = black_box((_mm256_set1_ps(1.0), _mm256_set1_ps(1e-9)));
        let mut sums = [_mm256_setzero_ps(); CHAINS / 2];
        for _ in 0..STEPS {
            for sum in &mut sums {
                *sum = _mm256_fmadd_ps(a, b, *sum);
            }
        }
        black_box(sums);
        (8 * CHAINS / 2 * STEPS) as f64
    }

    /// Products of 16 bits in AVX2, which the kernels take for bytes.
    #[target_feature(enable = "avx2")]
    pub(super) fn words() -> f64 {
        let a = black_box(_mm256_set1_epi16(1));
        let mut sums = [a; CHAINS / 2];
        for _ in 0..STEPS {
            for sum in &mut sums {
                *sum = _mm256_madd_epi16(*sum, a);
            }
        }
        black_box(sums);
        (16 * CHAINS / 2 * STEPS) as f64
    }

    /// The same for bytes.
    #[target_feature(enable = "avx512f,avx512vnni")]
    pub(super) fn bytes() -> f64 {
        let (a, b) = black_box((_mm512_set1_epi8(1), _mm512_set1_epi8(2)));
        let mut sums = [_mm512_setzero_si512(); CHAINS];
        for _ in 0..STEPS {
            for sum in &mut sums {
                *sum = _mm512_dpbusd_epi32(*sum, a, b);
            }
        }
        black_box(sums);
        (64 * CHAINS * STEPS) as f64
    }
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

/// Measures the networks named by the lines of the standard input.
fn serve() {
    let mut cells: HashMap<(String, String, usize), Cell> = HashMap::new();
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("a line of text");
        let words: Vec<&str> = line.split_whitespace().collect();
        let [env, precision, batch, slice] = words[..] else { panic!("ENV PRECISION BATCH SECONDS: {line}") };
        let (batch, slice): (usize, f64) = (batch.parse().expect("a batch"), slice.parse().expect("seconds"));
        if env == "peak" {
            println!("{}", peak(precision, slice));
            continue;
        }
        let cell = cells
            .entry((env.into(), precision.into(), batch))
            .or_insert_with(|| Cell::new(env, precision, batch.max(512)));
        println!("{}", cell.rate(batch, slice));
    }
}

fn main() {
    let mut ids: Vec<String> = Vec::new();
    let (mut batches, mut slices, mut slice) = (vec![1, 64, 512], 5, 0.2);
    let mut precisions = ["float", "int8", "int16"].map(String::from).to_vec();
    let mut games = None;
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().unwrap_or_else(|| panic!("{arg} needs a value"));
        match arg.as_str() {
            "--bench" => {}
            "--serve" => return serve(),
            "--agreement" => games = Some(value().parse().expect("--agreement needs a number of games")),
            "--batch" => batches = value().split(',').map(|n| n.parse().expect("numbers of rows")).collect(),
            "--cpu" => CpuLevel::named(&value()).expect("--cpu needs a level").limit_to(),
            "--precision" => precisions = value().split(',').map(String::from).collect(),
            "--slices" => slices = value().parse().expect("--slices needs a number"),
            "--seconds" => slice = value().parse().expect("--seconds needs a number"),
            id => ids.push(id.into()),
        }
    }
    if ids.is_empty() {
        ids = GAMES.iter().map(|e| e.id.to_string()).collect();
    }
    if let Some(games) = games {
        return ids.iter().for_each(|id| agreement(id, &precisions, games));
    }
    println!("rows a second on one thread, medians of {slices} slices");
    let peaks = ["float", "int8"].map(|precision| peak(precision, slice) / 1e9);
    println!("peak of the processor: {:.0} GMAC/s in single precision, {:.0} of bytes", peaks[0], peaks[1]);
    let heads: String = batches.iter().map(|batch| format!("{:>12}", format!("batch {batch}"))).collect();
    println!("{:<16}{:<10}{heads}", "environment", "precision");
    for id in &ids {
        let rows = batches.iter().copied().max().unwrap_or(1).max(512);
        let cells: Vec<Cell> = precisions.iter().map(|precision| Cell::new(id, precision, rows)).collect();
        let mut rates = vec![vec![Vec::new(); batches.len()]; precisions.len()];
        for _ in 0..slices {
            for (cell, rates) in cells.iter().zip(&mut rates) {
                for (&batch, rates) in batches.iter().zip(rates) {
                    rates.push(cell.rate(batch, slice));
                }
            }
        }
        for (precision, rates) in precisions.iter().zip(rates) {
            let rates: String = rates.into_iter().map(|rates| format!("{:>12.0}", median(rates))).collect();
            println!("{id:<16}{precision:<10}{rates}");
        }
    }
}
