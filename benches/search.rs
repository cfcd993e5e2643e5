//! Simulations per second of tree search with a null network (uniform logits, value 0), next to a chess move
//! generator in the same run.
//!
//! `cargo bench --bench search` prints the table of docs/figures/search.md. The unit C is the number of plies per
//! second of random playouts with the crate cozy-chess on one core of the same machine. Slices of both are
//! interleaved and medians reported, because clock speeds drift.
//!
//! Arguments after `--`: environment ids, `--simulations N` per move (default 64), `--num-envs N` trees (default
//! 512), `--slices N` (default 7), `--method gumbel|puct`.

use std::time::Duration;

use ludovec::engine::{
    BatchConfig, Named, OptionValue, SearchMethod, SearchSettings, TreeSearch, ValueForm, VectorEnv,
};
use ludovec::games::{self, GAMES};
use ludovec::play::throughput;

#[path = "shared/cozy_chess_playouts.rs"]
mod cozy_chess_playouts;
use cozy_chess_playouts::cozy_chess_plies_per_second;

/// Length of a slice.
const SLICE: Duration = Duration::from_millis(600);

/// A batch of games and its trees.
struct Searched {
    env: Box<dyn VectorEnv>,
    search: Box<dyn TreeSearch>,
}

impl Searched {
    fn new(id: &str, num_envs: usize, threads: usize, simulations: u32, method: SearchMethod) -> Self {
        let none: [(&str, OptionValue); 0] = [];
        let game = games::find(id).and_then(|e| e.make(none)).unwrap_or_else(|e| panic!("{e}"));
        let config = BatchConfig { num_envs, threads: Some(threads), ..BatchConfig::default() };
        let settings = SearchSettings {
            simulations,
            method,
            value: ValueForm::Seats,
            threads: Some(threads),
            ..SearchSettings::default()
        };
        let env = game.clone().vector(config.clone()).unwrap_or_else(|e| panic!("{e}"));
        let mut search = game.tree_search(&config, settings).unwrap_or_else(|e| panic!("{e}"));
        search.start(&*env, None).expect("the trees fit these games");
        let mut searched = Self { env, search };
        searched.rate(Duration::ZERO);
        searched
    }

    /// Simulations per second.
    fn rate(&mut self, time: Duration) -> f64 {
        let pace = throughput::measure_search(&mut *self.env, &mut *self.search, time, &mut |_| ());
        let pace = pace.expect("resets are on");
        pace.simulations as f64 / pace.time.as_secs_f64()
    }
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

fn main() {
    let mut ids: Vec<String> = Vec::new();
    let (mut simulations, mut num_envs, mut slices, mut method) = (64, 512, 7, SearchMethod::Gumbel);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().unwrap_or_else(|| panic!("{arg} needs a value"));
        match arg.as_str() {
            "--bench" => {}
            "--simulations" => simulations = value().parse().expect("--simulations needs a number"),
            "--num-envs" => num_envs = value().parse().expect("--num-envs needs a number"),
            "--slices" => slices = value().parse().expect("--slices needs a number"),
            "--method" => method = SearchMethod::named(&value()).expect("--method needs gumbel or puct"),
            id => ids.push(id.into()),
        }
    }
    if ids.is_empty() {
        ids = GAMES.iter().map(|e| e.id.to_string()).collect();
    }
    println!("{simulations} simulations a move in {num_envs} trees, medians of {slices} slices");
    println!(
        "{:<16}{:>12}{:>20}{:>10}{:>14}{:>10}{:>14}",
        "environment", "C/s", "simulations/s", "by C", "two threads", "depth", "bytes a node"
    );
    for id in &ids {
        let mut one = Searched::new(id, num_envs, 1, simulations, method);
        let mut two = Searched::new(id, num_envs, 2, simulations, method);
        let (mut yardsticks, mut rates, mut ratios, mut gains) = (vec![], vec![], vec![], vec![]);
        for _ in 0..slices {
            let c = cozy_chess_plies_per_second(SLICE / 2);
            let (rate, of_two) = (one.rate(SLICE), two.rate(SLICE));
            yardsticks.push(c);
            rates.push(rate);
            ratios.push(rate / c);
            gains.push(of_two / rate);
        }
        let stats = one.search.stats();
        let nodes = num_envs as f64 * f64::from(simulations + 1);
        println!(
            "{id:<16}{:>12.0}{:>20.0}{:>10.3}{:>14.2}{:>10.2}{:>14.0}",
            median(yardsticks),
            median(rates),
            median(ratios),
            median(gains),
            stats.mean_depth,
            stats.bytes as f64 / nodes
        );
    }
}
