//! Criterion: cost of the rules of each game, without the engine.
//!
//! `cargo bench --bench rules -- smallworld` measures one game. `step` includes copying the position and choosing an
//! action.

use criterion::{Criterion, criterion_group, criterion_main};
use ludovec::games::GAMES;

fn rules(criterion: &mut Criterion) {
    for entry in GAMES {
        let game = entry.make([]).expect("the defaults are valid");
        let mut work = game.workload(2000);
        let mut group = criterion.benchmark_group(entry.id);
        group.bench_function("step", |b| b.iter(|| work.step()));
        group.bench_function("legal", |b| b.iter(|| work.legal()));
        group.bench_function("observe", |b| b.iter(|| work.observe()));
        group.bench_function("reset", |b| b.iter(|| work.reset()));
        group.finish();
    }
}

criterion_group!(benches, rules);
criterion_main!(benches);
