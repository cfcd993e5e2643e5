//! Fleets in real use: real processes, real kills.
#![cfg(target_os = "linux")]

mod clients;
#[path = "../../../../tests/columns/mod.rs"]
mod columns;
mod faults;
mod names;
mod processes;
mod slow_bots;
mod spectators;

use std::hash::{DefaultHasher, Hash, Hasher};

use ludovec::engine::{AutoReset, BatchConfig, VectorEnv};
use ludovec::games::GAMES;
use ludovec::shm::{Fleet, FleetConfig};

use columns::shown;

/// The amount of work of a test: more in a long run.
fn effort(ordinary: usize, long: usize) -> usize {
    if std::env::var_os("LUDOVEC_LONG").is_some() { long } else { ordinary }
}

/// A pseudo-random number (deterministic).
fn scrambled(n: u64) -> u64 {
    let mut hasher = DefaultHasher::new();
    n.hash(&mut hasher);
    hasher.finish()
}

/// A name used by no other test.
fn fresh_name() -> String {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("test-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// A fleet of this process. Episodes are short, so that games end all the time.
fn fleet(env: &str, num_envs: usize, blocks: usize, autoreset: AutoReset) -> (Fleet, String) {
    let batch = BatchConfig { threads: Some(2), ..config(num_envs, autoreset) };
    let name = fresh_name();
    let config = FleetConfig { name: name.clone(), blocks: Some(blocks), mode: 0o600, batch };
    (Fleet::start(rules(env), config).unwrap(), name)
}

fn rules(env: &str) -> std::sync::Arc<dyn ludovec::engine::AnyGame> {
    ludovec::games::find(env).unwrap().make([("max_steps", 7)].map(|(k, v)| (k, v.into()))).unwrap()
}

fn config(num_envs: usize, autoreset: AutoReset) -> BatchConfig {
    BatchConfig { num_envs, seed: 5, threads: Some(1), autoreset, ..BatchConfig::default() }
}

/// The same games in this process.
fn local(env: &str, num_envs: usize, autoreset: AutoReset) -> Box<dyn VectorEnv> {
    rules(env).vector(config(num_envs, autoreset)).unwrap()
}

/// The environment with the fastest games.
fn light() -> &'static str {
    GAMES.iter().find(|e| e.id == "starwars_risk").unwrap_or(&GAMES[0]).id
}

#[track_caller]
fn assert_same(attached: &dyn VectorEnv, local: &dyn VectorEnv, when: &str) {
    let (attached_columns, local_columns) = (shown(attached), shown(local));
    assert_eq!(attached_columns.len(), local_columns.len());
    for ((name, a), (same, b)) in attached_columns.into_iter().zip(local_columns) {
        assert_eq!(name, same);
        assert!(a == b, "{}, {when}: column {name} differs", local.game().spec().env);
    }
}
