//! Tests of all code with `unsafe` memory accesses, small enough for Miri and the sanitizers (`make sanitize`):
//! batches in memory of the caller, on several threads; states as bytes; searches; fleets.
//!
//! Miri is about a thousand times slower, so its games are fewer and shorter.

mod columns;

use std::ptr::NonNull;
use std::sync::{Arc, Barrier, LazyLock};
use std::thread;

use ludovec::engine::columns::{Column, DType, Foreign, Owner};
use ludovec::engine::{
    AnyGame, AutoReset, BatchConfig, Logits, MaskFormat, Named, ObservationFormat, SearchSettings, ValueForm,
    VectorEnv,
};
use ludovec::games::GAMES;

use columns::shown;

/// Games in a batch: on two threads more than one task's share.
const NUM_ENVS: usize = if cfg!(miri) { 2 } else { 200 };
/// Steps of a batch.
const STEPS: usize = if cfg!(miri) { 2 } else { 200 };

/// Every game without options, created once: under Miri this takes longer than the steps.
fn games() -> impl DoubleEndedIterator<Item = Arc<dyn AnyGame>> {
    static MADE: LazyLock<Vec<Arc<dyn AnyGame>>> =
        LazyLock::new(|| GAMES.iter().map(|entry| entry.make([]).unwrap()).collect());
    MADE.iter().cloned()
}

fn config(observation: ObservationFormat) -> BatchConfig {
    BatchConfig {
        num_envs: NUM_ENVS,
        seed: 3,
        threads: Some(if cfg!(miri) { 1 } else { 2 }),
        observation,
        mask: MaskFormat::Bytes,
        ..BatchConfig::default()
    }
}

/// Bytes between columns, which must not be written.
const GAP: usize = 64;
/// The content of the gaps.
const UNTOUCHED: u8 = 0xa5;

/// Memory of the caller: all columns one after the other, with gaps.
struct Arena {
    owner: Owner,
    start: NonNull<u8>,
    used: usize,
    gaps: Vec<usize>,
}

impl Arena {
    fn new(bytes: usize) -> Self {
        let mut memory = Column::<u64>::zeroed(bytes.div_ceil(8));
        memory.fill(u64::from_ne_bytes([UNTOUCHED; 8]));
        let start = NonNull::from(&mut memory[..]).cast();
        Self { owner: Arc::new(memory), start, used: GAP, gaps: vec![0] }
    }

    fn place(&mut self, bytes: usize) -> Foreign {
        let at = self.used;
        let end = at + bytes;
        self.gaps.push(end);
        self.used = (end + GAP).next_multiple_of(64);
        // Safety: the arena is larger than all columns and gaps.
        let start = unsafe { self.start.add(at) };
        // The `final_*` columns are not written until an episode ends: zeros, as in a batch's own columns.
        // Safety: the bytes up to `end` are the column's.
        unsafe { start.write_bytes(0, bytes) };
        Foreign { start, bytes, owner: self.owner.clone() }
    }

    fn gaps_are_untouched(&self) -> bool {
        let byte = |at: usize| {
            // Safety: inside the arena; no column is in a gap.
            unsafe { self.start.add(at).read() }
        };
        self.gaps.iter().all(|&gap| (gap..gap + GAP).all(|at| byte(at) == UNTOUCHED))
    }
}

#[test]
fn a_batch_in_memory_of_the_caller_writes_there_and_nowhere_else() {
    let formats = ObservationFormat::NAMES.iter().filter(|(name, _)| !cfg!(miri) || *name == "f32");
    for (game, &(_, format)) in games().flat_map(|game| formats.clone().map(move |f| (game.clone(), f))) {
        let list = game.widths(&config(format)).list();
        let bytes: usize =
            list.iter().map(|(_, dtype, width)| NUM_ENVS * width * dtype.size() + 2 * GAP + 64).sum();
        let mut arena = Arena::new(bytes + 4 * GAP);
        let mut place = |name: &'static str, _: DType, bytes: usize| {
            list.iter().any(|(listed, ..)| *listed == name).then(|| arena.place(bytes))
        };
        // Safety: disjoint parts of the arena, which its owner keeps alive.
        let mut env = unsafe { game.clone().vector_placed(config(format), &mut place) }.unwrap();
        let mut own = game.vector(config(format)).unwrap();
        for _ in 0..STEPS {
            env.step_sampled().unwrap();
            own.step_sampled().unwrap();
        }
        assert_eq!(shown(&*env), shown(&*own));
        drop(env);
        assert!(arena.gaps_are_untouched());
    }
}

#[test]
fn states_are_bytes_and_come_back_from_them() {
    for game in games() {
        let all: Vec<u32> = (0..NUM_ENVS as u32).collect();
        let config = || BatchConfig { autoreset: AutoReset::NextStep, ..config(ObservationFormat::Packed) };
        let mut env = game.clone().vector(config()).unwrap();
        for _ in 0..STEPS {
            env.step_sampled().unwrap();
        }
        let saved = env.save(&all).unwrap();
        let mut again = game.vector(config()).unwrap();
        again.restore(&all, &saved).unwrap();
        assert_eq!(again.save(&all).unwrap(), saved);
        again.fork(&[0], &all[1..], true).unwrap();
        again.determinize(&all, None, 5).unwrap();
        let play = again.single(0).unwrap();
        let position = play.position_bytes();
        assert_eq!(play.game().single_from_position(&play.position(), 0).unwrap().position_bytes(), position);
    }
}

#[test]
fn trees_grow_on_the_threads_of_a_search() {
    for game in games() {
        let config =
            BatchConfig { num_envs: if cfg!(miri) { 1 } else { 40 }, ..config(ObservationFormat::U8) };
        let mut env = game.clone().vector(config.clone()).unwrap();
        let simulations = if cfg!(miri) { 2 } else { 16 };
        let settings = SearchSettings {
            simulations,
            threads: config.threads,
            value: ValueForm::Seats,
            ..SearchSettings::default()
        };
        let players = game.spec().players;
        let mut search = game.tree_search(&config, settings).unwrap();
        search.start(&*env, None).unwrap();
        for _ in 0..if cfg!(miri) { 1 } else { 4 } {
            loop {
                let rows = search.select().unwrap();
                if rows == 0 {
                    break;
                }
                search.expand(Logits::Uniform, &vec![0.0; rows * players]).unwrap();
            }
            let actions = search.actions();
            env.step(&actions).unwrap();
            search.advance(&*env, &actions).unwrap();
        }
    }
}

#[test]
fn batches_step_side_by_side_and_move_between_threads() {
    for game in games() {
        let mut envs: Vec<_> =
            (0..3).map(|_| game.clone().vector(config(ObservationFormat::U8)).unwrap()).collect();
        for _ in 0..if cfg!(miri) { 1 } else { 20 } {
            // Like asynchronous stepping: a worker takes the batch and returns it.
            let workers = envs.into_iter().map(|mut env| {
                thread::spawn(move || {
                    (0..2).for_each(|_| env.step_sampled().unwrap());
                    env
                })
            });
            let workers: Vec<_> = workers.collect();
            envs = workers.into_iter().map(|worker| worker.join().unwrap()).collect();
        }
        assert_eq!(shown(&*envs[0]), shown(&*envs[2]));
    }
}

/// Two threads under Miri: its memory model finds data races even if no actual run shows them.
#[test]
fn two_threads_write_rows_of_one_batch() {
    let game = games().next_back().unwrap();
    // A task steps 64 games.
    let num_envs = if cfg!(miri) { 66 } else { 130 };
    let config = BatchConfig { num_envs, threads: Some(2), ..config(ObservationFormat::U8) };
    let mut env = game.vector(config).unwrap();
    for _ in 0..if cfg!(miri) { 1 } else { STEPS } {
        env.step_sampled().unwrap();
    }
}

/// Not under Miri, which does not support shared mappings.
#[cfg(all(target_os = "linux", not(miri)))]
#[test]
fn a_fleet_and_its_clients_share_memory() {
    use ludovec::shm::{Fleet, FleetConfig, attach};
    for game in games() {
        let name = format!("memory-{}-{}", std::process::id(), game.spec().env.replace('_', "-"));
        let batch = BatchConfig { mask: MaskFormat::Bits, ..config(ObservationFormat::U8) };
        let fleet_config =
            FleetConfig { name: name.clone(), blocks: Some(2), mode: 0o600, batch: batch.clone() };
        let fleet = Fleet::start(game.clone(), fleet_config).unwrap();
        // A block that a client left goes to the next client as it is, so both attach before either of them steps.
        let attached = Barrier::new(2);
        let stepped = thread::scope(|scope| {
            let client = || {
                // A client that fails must not leave the other one waiting.
                let env = attach(&name, Some(1));
                attached.wait();
                let mut env = env.unwrap();
                for _ in 0..STEPS {
                    env.step_sampled().unwrap();
                }
                (
                    env.config().first_game as usize,
                    env.columns().rewards.to_vec(),
                    env.columns().mask_bits.to_vec(),
                )
            };
            [scope.spawn(client), scope.spawn(client)].map(|client| client.join().unwrap())
        });
        drop(fleet);
        let mut local = game.vector(batch).unwrap();
        for _ in 0..STEPS {
            local.step_sampled().unwrap();
        }
        let widths = *local.columns().widths();
        for (first, rewards, mask_bits) in stepped {
            assert_eq!(local.columns().rewards[first * widths.rewards..][..rewards.len()], rewards);
            assert_eq!(local.columns().mask_bits[first * widths.mask_bits..][..mask_bits.len()], mask_bits);
        }
    }
}
