//! Stepping allocates nothing, whatever the game.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use ludovec::engine::{BatchConfig, MaskFormat, ObservationFormat, OptionValue};
use ludovec::games::GAMES;

/// The system's allocator, counting for each thread: what the test harness prints meanwhile does not matter.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// Safety: every call is passed on unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // Safety: as required of the caller.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // Safety: as required of the caller.
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
        let mut env = entry.make([] as [(&str, OptionValue); 0]).unwrap().vector(config).unwrap();
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
