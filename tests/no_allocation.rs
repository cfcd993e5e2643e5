//! Stepping allocates nothing, whatever the game.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

use ludovec::engine::{BatchConfig, MaskFormat, ObservationFormat, OptionValue};
use ludovec::games::GAMES;

/// The system's allocator, counting.
struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// Safety: every call is passed on unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
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
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        let mut ended = 0;
        for _ in 0..3000 {
            env.sample_actions(&mut actions).unwrap();
            env.step(&actions).unwrap();
            ended += env.columns().terminated.iter().filter(|&&t| t == 1).count();
        }
        let allocated = ALLOCATIONS.load(Ordering::Relaxed) - before;
        assert_eq!(allocated, 0, "{}: allocations in 3000 steps", entry.id);
        println!("{}: {ended} games ended", entry.id);
    }
}
