//! Stepping does not allocate, in any game; searching allocates next to nothing.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use ludovec::engine::{
    BatchConfig, Logits, MaskFormat, ObservationFormat, SearchMethod, SearchSettings, ValueForm,
};
use ludovec::games::GAMES;

/// The system's allocator, counting per thread: concurrent output of the test harness does not matter.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// Safety: every call is forwarded unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // Safety: guaranteed by the caller.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // Safety: guaranteed by the caller.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn stepping_and_resetting_allocate_nothing() {
    for entry in GAMES {
        let config = BatchConfig {
            num_envs: 16,
            threads: Some(1),
            observation: ObservationFormat::F32,
            mask: MaskFormat::Bytes,
            ..BatchConfig::default()
        };
        let mut env = entry.make([]).unwrap().vector(config).unwrap();
        let mut actions = vec![0; 16];
        let before = ALLOCATIONS.get();
        let mut ended = 0;
        for _ in 0..3000 {
            env.sample_actions(&mut actions).unwrap();
            env.step(&actions).unwrap();
            ended += env.columns().terminated.iter().filter(|&&t| t == 1).count();
        }
        let allocated = ALLOCATIONS.get() - before;
        assert_eq!(allocated, 0, "{}: allocations in 3000 steps", entry.id);
        println!("{}: {ended} games ended", entry.id);
    }
}

/// The number of allocations of a call.
fn allocations<T>(call: impl FnOnce() -> T) -> (T, u64) {
    let before = ALLOCATIONS.get();
    let result = call();
    (result, ALLOCATIONS.get() - before)
}

/// A handful of buffers for every batch of leaves, regardless of the number of trees and simulations.
#[test]
fn searching_allocates_next_to_nothing_after_the_first_moves() {
    const TREES: usize = 16;
    for entry in GAMES {
        for (method, reuse) in [(SearchMethod::Gumbel, false), (SearchMethod::Puct, true)] {
            let config = BatchConfig { num_envs: TREES, threads: Some(1), ..BatchConfig::default() };
            let game = entry.make([]).unwrap();
            let (seats, hidden) = (game.spec().players, game.spec().hidden_information);
            let settings = SearchSettings {
                simulations: 32,
                method,
                reuse,
                value: ValueForm::Seats,
                threads: Some(1),
                ..SearchSettings::default()
            };
            let mut env = game.clone().vector(config.clone()).unwrap();
            let mut search = game.tree_search(&config, settings).unwrap();
            let values = vec![0.0; TREES * seats];
            search.start(&*env, None).unwrap();
            for number in 0..10 {
                let (mut rounds, mut of_select, mut of_expand) = (0, 0, 0);
                loop {
                    let (rows, allocated) = allocations(|| search.select().unwrap());
                    of_select += allocated;
                    if rows == 0 {
                        break;
                    }
                    rounds += 1;
                    let expand = || search.expand(Logits::Uniform, &values[..rows * seats]).unwrap();
                    of_expand += allocations(expand).1;
                }
                let (actions, of_actions) = allocations(|| search.actions());
                env.step(&actions).unwrap();
                let ((), of_advance) = allocations(|| search.advance(&*env, &actions).unwrap());
                if number < 5 {
                    continue;
                }
                let what = format!("{} {method:?}, move {number}, {rounds} rounds", entry.id);
                // A tree reserves more memory for a root with more legal actions than any root before.
                let of_roots = 2 * TREES as u64;
                assert!(of_actions <= 1 && of_advance <= 2 + of_roots, "{what}: {of_actions}, {of_advance}");
                assert!(of_expand <= 2 * rounds, "{what}: {of_expand} in expand");
                // Determinization of games with hidden information may allocate.
                assert!(hidden || of_select <= 3 * rounds + of_roots, "{what}: {of_select} in select");
            }
        }
    }
}
