//! Soak test: random games under random options for any length of time, with checks of the game contract.
//!
//! Play is divided into rounds. A round is a batch of games; its options, formats and seeds depend only on the soak's
//! seed and the round's number, so every round can be repeated.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use ludovec::engine::chance::{Chance, SeededChance, StreamId};
use ludovec::engine::inspect::{inspect_position, inspect_recomputed, inspect_row};
use ludovec::engine::{
    ActionId, AnyGame, AutoReset, BatchConfig, Entry, Error, Interrupt, Named, OptionKind, OptionSet,
    OptionValue, Status, VectorEnv, mask,
};

/// Number of games per round.
const GAMES: usize = 64;
/// Number of batch steps per round.
const STEPS: u64 = 2048;
/// One in this many compared positions is inspected by calling every method.
const RARER: u64 = 32;
/// Maximum number of option sets drawn for a round before it falls back to default options: random sets often
/// contradict themselves and are rejected.
const DRAWS: usize = 20;
/// Steps at the end of a round in which a batch with another configuration plays the same games.
const TWIN_STEPS: usize = 8;

/// Counters of the test.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Number of rounds.
    pub rounds: u64,
    /// Number of decisions in all games.
    pub decisions: u64,
    /// Number of finished games.
    pub games: u64,
    /// Number of positions with rows compared with a single game, and with recomputed state.
    pub compared: u64,
    /// Number of compared positions inspected by calling every method.
    pub inspected: u64,
    /// Number of rejected option sets.
    pub refused: u64,
    /// Option values played, as `key=value`; for numbers, only the option's name.
    pub values: BTreeSet<String>,
}

impl Tally {
    /// Adds the counters of another round.
    fn add(&mut self, round: Self) {
        self.rounds += round.rounds;
        self.decisions += round.decisions;
        self.games += round.games;
        self.compared += round.compared;
        self.inspected += round.inspected;
        self.refused += round.refused;
        self.values.extend(round.values);
    }
}

/// Configuration of the test.
#[derive(Debug, Clone, Copy)]
pub struct Soak<'a> {
    /// The environment.
    pub entry: &'a Entry,
    /// Seed of all rounds.
    pub seed: u64,
    /// After every this many steps (at least 1), one game of the batch is compared.
    pub every: u64,
    /// Number of threads for stepping.
    pub threads: usize,
}

impl Soak<'_> {
    /// Plays the round after the rounds of `tally` and adds it. Returns false, without adding, if it was interrupted.
    ///
    /// # Errors
    /// A sentence that names the round, its options and the violation.
    pub fn play_round(&self, tally: &mut Tally, interrupt: &Interrupt) -> Result<bool, String> {
        let mut chance = SeededChance::new(StreamId { seed: self.seed, game: tally.rounds, episode: 0 });
        let mut round = Tally { rounds: 1, ..Tally::default() };
        let (game, given) = self.draw(&mut chance, &mut round);
        let whole = catch_unwind(AssertUnwindSafe(|| self.play(game, &mut chance, &mut round, interrupt)));
        let whole = whole.unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            Err(format!("panicked: {}", text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no text")))
        });
        let set = || given.iter().map(|(key, value)| format!(" --set {key}={value}")).collect::<String>();
        let whole = whole
            .map_err(|broken| format!("{}{}, round {}: {broken}", self.entry.id, set(), tally.rounds))?;
        if whole {
            tally.add(round);
        }
        Ok(whole)
    }

    /// A game under random options.
    fn draw(&self, chance: &mut SeededChance, round: &mut Tally) -> (Arc<dyn AnyGame>, OptionSet) {
        for _ in 0..DRAWS {
            let given = random_options(self.entry, chance);
            if let Ok(game) = self.entry.make(&given) {
                round.values.extend(given.iter().flat_map(|(key, value)| values(self.entry, key, value)));
                return (game, given);
            }
            round.refused += 1;
        }
        (self.entry.make([]).expect("an environment's defaults make a game"), OptionSet::new())
    }

    /// Plays a whole round, unless it is interrupted.
    fn play(
        &self,
        game: Arc<dyn AnyGame>,
        chance: &mut SeededChance,
        round: &mut Tally,
        interrupt: &Interrupt,
    ) -> Result<bool, String> {
        let said = |error: Error| error.to_string();
        let config = BatchConfig {
            num_envs: GAMES,
            seed: chance.uniform(u32::MAX).into(),
            threads: Some(self.threads),
            autoreset: named(chance),
            observation: named(chance),
            mask: named(chance),
            ..BatchConfig::default()
        };
        let autoreset = config.autoreset;
        let mut env = game.vector(config).map_err(said)?;
        let mut actions = vec![0; GAMES];
        let mut compared = 0;
        for step in 1..=STEPS {
            if interrupt.is_raised() {
                return Ok(false);
            }
            if autoreset == AutoReset::Disabled {
                env.reset_games(&finished(&*env), None).map_err(said)?;
            }
            if chance.uniform(8) == 0 {
                env.sample_actions(&mut actions).and_then(|()| env.step(&actions)).map_err(said)?;
            } else {
                env.step_sampled().map_err(said)?;
            }
            let columns = env.columns();
            round.decisions += columns.acting_player.iter().filter(|&&seat| seat >= 0).count() as u64;
            round.games += columns.done.iter().filter(|&&done| done != 0).count() as u64;
            if step % self.every == 0 {
                let play = inspect_row(&*env, chance.uniform(GAMES as u32)).map_err(|e| at(step, &e))?;
                round.compared += 1;
                compared += 1;
                if compared % RARER == 0 {
                    round.inspected += 1;
                    inspect_position(&play).map_err(|e| at(step, &e))?;
                } else {
                    inspect_recomputed(&play).map_err(|e| at(step, &e))?;
                }
            }
        }
        self.twin(&mut *env, chance).map(|()| true)
    }

    /// Continues the same games in a batch with other formats and threads; the results must not change.
    fn twin(&self, env: &mut dyn VectorEnv, chance: &mut SeededChance) -> Result<(), String> {
        let said = |error: Error| error.to_string();
        let config = BatchConfig {
            threads: Some(1),
            observation: named(chance),
            mask: named(chance),
            ..env.config().clone()
        };
        let mut twin = env.game().vector(config).map_err(said)?;
        let all: Vec<u32> = (0..GAMES as u32).collect();
        if env.config().autoreset == AutoReset::Disabled {
            env.reset_games(&finished(env), None).map_err(said)?;
        }
        twin.restore(&all, &env.save(&all).map_err(said)?).map_err(said)?;
        for _ in 0..TWIN_STEPS {
            let running: Vec<u32> =
                all.iter().copied().filter(|&id| env.single(id).is_ok_and(is_running)).collect();
            let words = env.columns().widths().mask_bits;
            let mut any = |&id: &u32| {
                let row = &env.columns().mask_bits[id as usize * words..][..words];
                mask::select(row, chance.uniform(mask::count(row))).expect("the index is below the count")
            };
            let actions: Vec<ActionId> = running.iter().map(&mut any).collect();
            env.step_games(&running, &actions).map_err(said)?;
            twin.step_games(&running, &actions).map_err(said)?;
            if env.save(&all).map_err(said)? != twin.save(&all).map_err(said)? {
                return Err("a restored batch with other threads and formats continues differently".into());
            }
        }
        Ok(())
    }
}

fn at(step: u64, broken: &str) -> String {
    format!("step {step}: {broken}")
}

fn is_running(play: ludovec::engine::SingleGame) -> bool {
    play.status() == Status::Running
}

fn finished(env: &dyn VectorEnv) -> Vec<u32> {
    let done = env.columns().done.iter().zip(0..);
    done.filter(|&(&done, _)| done != 0).map(|(_, id)| id).collect()
}

/// A random value of a setting.
fn named<T: Named>(chance: &mut SeededChance) -> T {
    T::NAMES[chance.uniform(T::NAMES.len() as u32) as usize].1
}

/// Random options of an environment: one of its sets of interacting options, or each option with some probability.
/// They may contradict one another.
pub fn random_options(entry: &Entry, chance: &mut SeededChance) -> OptionSet {
    let mut sets = (entry.combinations)();
    if !sets.is_empty() && chance.uniform(4) == 0 {
        return sets.swap_remove(chance.uniform(sets.len() as u32) as usize);
    }
    let mut given = OptionSet::new();
    for option in entry.option_list() {
        if chance.uniform(3) > 0 {
            continue;
        }
        let value = match option.kind {
            OptionKind::Bool => (chance.uniform(2) == 1).into(),
            OptionKind::Int { min, max } => number(min, max, chance).into(),
            OptionKind::Choice { values } => {
                values[chance.uniform(values.len() as u32) as usize].as_str().into()
            }
            OptionKind::Flags { values } => {
                values.into_iter().filter(|_| chance.uniform(6) == 0).collect::<Vec<_>>().into()
            }
            // Texts (positions, files, names) are left to fuzzing.
            _ => continue,
        };
        given.push((option.name, value));
    }
    given
}

/// A number from `min` to `max`; all orders of magnitude are about equally likely.
fn number(min: i64, max: i64, chance: &mut SeededChance) -> i64 {
    let span = max.abs_diff(min);
    let bits = chance.uniform(u64::BITS - span.leading_zeros() + 1);
    let most = span.min((1_u64 << bits.min(31)) - 1) as u32;
    min.saturating_add_unsigned(chance.uniform(most + 1).into())
}

/// The names of a played value in [`Tally::values`].
fn values(entry: &Entry, key: &str, value: &OptionValue) -> Vec<String> {
    let option = entry.option_list().into_iter().find(|option| option.name == key);
    match option.map(|option| option.kind) {
        Some(OptionKind::Flags { .. }) => {
            let words = value.to_string();
            words.split(',').filter(|word| !word.is_empty()).map(|word| format!("{key}={word}")).collect()
        }
        Some(OptionKind::Bool | OptionKind::Choice { .. }) => vec![format!("{key}={value}")],
        Some(OptionKind::Int { .. }) => vec![key.to_string()],
        _ => Vec::new(),
    }
}

/// Number of entries of [`Tally::values`] with full coverage, without free texts.
#[must_use]
pub fn all_values(entry: &Entry) -> usize {
    let count = |kind| match kind {
        OptionKind::Bool => 2,
        OptionKind::Int { .. } => 1,
        OptionKind::Choice { values } | OptionKind::Flags { values } => values.len(),
        _ => 0,
    };
    entry.option_list().into_iter().map(|option| count(option.kind)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludovec::games::GAMES as ALL;

    #[test]
    fn rounds_follow_from_seed_and_number_alone() {
        let entry = &ALL[0];
        let play = |threads| {
            let soak = Soak { entry, seed: 3, every: 512, threads };
            let mut tally = Tally::default();
            for _ in 0..2 {
                assert_eq!(soak.play_round(&mut tally, &Interrupt::default()), Ok(true));
            }
            tally
        };
        let tally = play(1);
        assert_eq!(tally, play(2));
        assert_eq!((tally.rounds, tally.compared), (2, 8));
        assert!(tally.decisions > GAMES as u64 * STEPS);
    }

    #[test]
    fn an_interrupted_round_is_not_counted() {
        let soak = Soak { entry: &ALL[0], seed: 3, every: 16, threads: 1 };
        let (mut tally, interrupt) = (Tally::default(), Interrupt::default());
        interrupt.raise();
        assert_eq!(soak.play_round(&mut tally, &interrupt), Ok(false));
        assert_eq!(tally, Tally::default());
    }

    #[test]
    fn every_value_of_an_option_is_drawn_sooner_or_later() {
        for entry in ALL {
            let mut chance = SeededChance::from_seed(1);
            let drawn: BTreeSet<String> = (0..2000)
                .flat_map(|_| random_options(entry, &mut chance))
                .flat_map(|(key, value)| values(entry, key, &value))
                .collect();
            assert_eq!(drawn.len(), all_values(entry), "{}: {drawn:?}", entry.id);
        }
    }
}
