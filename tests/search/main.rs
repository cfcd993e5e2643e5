//! Batched tree search over every environment, through the dynamic traits.

mod determinism;
mod exact;
mod hidden;
mod proofs;
mod recordings;

use std::sync::Arc;

use ludovec::engine::columns::Element;
use ludovec::engine::{
    AnyGame, BatchConfig, Entry, Evaluator, Interrupt, LeafBuffers, Logits, OptionValue, SearchMethod,
    SearchResults, SearchSettings, TreeSearch, ValueForm, VectorEnv, mask,
};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

const METHODS: [SearchMethod; 2] = [SearchMethod::Gumbel, SearchMethod::Puct];
const NO_OPTIONS: [(&str, OptionValue); 0] = [];

/// An environment under its default options.
fn default(entry: &Entry) -> Arc<dyn AnyGame> {
    entry.make(NO_OPTIONS).unwrap()
}

/// Settings that enable all sources of randomness, with values that fit any number of seats.
fn noisy(method: SearchMethod, simulations: u32) -> SearchSettings {
    SearchSettings {
        simulations,
        method,
        dirichlet_fraction: 0.25,
        temperature_moves: 1000,
        value: ValueForm::Seats,
        seed: Some(7),
        ..SearchSettings::default()
    }
}

/// The way leaves are evaluated.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Answers {
    /// By a network with logits for every action.
    All,
    /// By the same network, with logits for the legal actions only.
    Legal,
    /// By logits and values of 0, for every action.
    ZerosForAll,
    /// The same, for the legal actions only.
    ZerosForLegal,
    /// The same, as [`Logits::Uniform`](ludovec::engine::Logits::Uniform).
    Uniform,
    /// Without a network: like [`Answers::Uniform`].
    Null,
}

impl Answers {
    fn have_opinions(self) -> bool {
        matches!(self, Self::All | Self::Legal)
    }
}

/// A pseudo-random number in [-1, 1].
fn scrambled(key: u64, of: u64) -> f32 {
    let hash = xxh3_64_with_seed(&of.to_le_bytes(), key);
    (hash % 2001) as f32 / 1000.0 - 1.0
}

/// The leaves of a search, in its buffers.
struct Leaves {
    buffers: Vec<LeafBuffers>,
}

impl Leaves {
    fn of(search: &mut dyn TreeSearch) -> Self {
        Self { buffers: search.buffers() }
    }

    /// The first rows of a column of the waiting leaves, and its width.
    fn rows<T: Element>(&self, group: usize, name: &str, rows: usize) -> (&[T], usize) {
        let (column, _) = self.buffers[group].columns.iter().find(|(column, _)| column.name == name).unwrap();
        assert!(column.dtype == T::DTYPE && rows <= self.buffers[group].rows);
        // Safety: the buffers keep the memory alive; a search writes to it only while no leaves of the group wait.
        (unsafe { std::slice::from_raw_parts(column.address.cast(), rows * column.width) }, column.width)
    }

    /// Evaluates the waiting leaves. The result depends on the rows alone.
    fn answer(
        &self,
        search: &mut dyn TreeSearch,
        rows: usize,
        answers: Answers,
        actions: usize,
        seats: usize,
    ) {
        let group = search.group();
        let (observations, width) = self.rows::<u8>(group, "observations", rows);
        let (masks, words) = self.rows::<u64>(group, "mask_bits", rows);
        let (players, _) = self.rows::<i32>(group, "current_player", rows);
        let (trees, _) = self.rows::<i32>(group, "tree", rows);
        let legal = search.legal_actions().unwrap();
        let of_row = |row: usize| legal.offsets[row] as usize..legal.offsets[row + 1] as usize;
        let (mut logits, mut values) = (Vec::new(), Vec::new());
        for row in 0..rows {
            let of_mask = mask::iter(&masks[row * words..(row + 1) * words]);
            assert!(of_mask.eq(legal.actions[of_row(row)].iter().copied()), "the mask says what is legal");
            assert_eq!(
                trees[row] < 0,
                of_row(row).is_empty(),
                "padding has no tree, and leaves are not over"
            );
            let key = xxh3_64(&observations[row * width..(row + 1) * width]) ^ players[row] as u64;
            let logit =
                |action: u64| if answers.have_opinions() { 3.0 * scrambled(key, action) } else { 0.0 };
            match answers {
                Answers::All | Answers::ZerosForAll => logits.extend((0..actions as u64).map(logit)),
                _ => logits.extend(legal.actions[of_row(row)].iter().map(|&action| logit(action as u64))),
            }
            let value = |seat| if answers.have_opinions() { scrambled(key, 1 << 32 | seat) } else { 0.0 };
            match seats {
                // Two seats are opponents, so that one value is enough.
                2 => values.extend([value(0), -value(0)]),
                _ => values.extend((0..seats as u64).map(value)),
            }
        }
        if search.settings().value == ValueForm::Seat {
            values = values.into_iter().step_by(seats).collect();
        }
        let logits = match answers {
            Answers::All | Answers::ZerosForAll => Logits::All(&logits),
            Answers::Legal | Answers::ZerosForLegal => Logits::Legal(&logits),
            Answers::Uniform | Answers::Null => Logits::Uniform,
        };
        search.expand(logits, &values).unwrap();
    }
}

/// Runs a search to the end.
fn finish(search: &mut dyn TreeSearch, game: &dyn AnyGame, answers: Answers) -> SearchResults {
    if answers == Answers::Null {
        search.run(Evaluator::Null, &Interrupt::default()).unwrap();
        return search.results().unwrap();
    }
    let (actions, seats) = (game.spec().num_actions as usize, game.spec().players);
    let leaves = Leaves::of(search);
    while let rows @ 1.. = search.select().unwrap() {
        leaves.answer(search, rows, answers, actions, seats);
    }
    search.results().unwrap()
}

/// The result of a search at one root; floats as their bits.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Found {
    action: u32,
    legal: Vec<u32>,
    policy: Vec<u32>,
    visits: Vec<i32>,
    q: Vec<u32>,
    /// Mean values of the root, by player.
    values: Vec<u32>,
}

/// The same, per tree.
fn by_tree(results: &SearchResults) -> Vec<Found> {
    let bits = |numbers: &[f32]| numbers.iter().map(|number| number.to_bits()).collect();
    let seats = results.values.len() / results.actions.len();
    (0..results.actions.len())
        .map(|tree| {
            let legal = results.legal.offsets[tree] as usize..results.legal.offsets[tree + 1] as usize;
            Found {
                action: results.actions[tree],
                legal: results.legal.actions[legal.clone()].to_vec(),
                policy: bits(&results.policy[legal.clone()]),
                visits: results.visits[legal.clone()].to_vec(),
                q: bits(&results.q[legal]),
                values: bits(&results.mean_values[tree * seats..(tree + 1) * seats]),
            }
        })
        .collect()
}

/// The settings of games with searches.
#[derive(Debug, Clone)]
struct Run {
    settings: SearchSettings,
    answers: Answers,
    config: BatchConfig,
    /// Random moves before the first search.
    opening: usize,
    moves: usize,
}

impl Run {
    fn new(settings: SearchSettings, answers: Answers) -> Self {
        let config = BatchConfig { num_envs: 8, seed: 11, threads: Some(1), ..BatchConfig::default() };
        Self { settings, answers, config, opening: 12, moves: 2 }
    }

    /// Plays the moves found by searches; returns the results game by game and move by move.
    fn play(&self, game: &Arc<dyn AnyGame>) -> Vec<Vec<Found>> {
        let mut env = game.clone().vector(self.config.clone()).unwrap();
        (0..self.opening).for_each(|_| env.step_sampled().unwrap());
        let settings = SearchSettings { threads: self.config.threads, ..self.settings.clone() };
        let mut search = game.clone().tree_search(&self.config, settings).unwrap();
        self.play_on(game, &mut *env, &mut *search)
    }

    fn play_on(
        &self,
        game: &Arc<dyn AnyGame>,
        env: &mut dyn VectorEnv,
        search: &mut dyn TreeSearch,
    ) -> Vec<Vec<Found>> {
        let mut found = vec![Vec::new(); self.config.num_envs];
        search.start(env, None).unwrap();
        for _ in 0..self.moves {
            let results = finish(search, &**game, self.answers);
            assert_eq!(search.actions(), results.actions);
            found.iter_mut().zip(by_tree(&results)).for_each(|(of_game, of_move)| of_game.push(of_move));
            env.step(&results.actions).unwrap();
            search.advance(env, &results.actions).unwrap();
        }
        found
    }
}
