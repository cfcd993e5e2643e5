//! Decisions drawn from the bytes of an input.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, LazyLock};

use ludovec::engine::{AnyGame, OptionSet, SingleGame, chance::SeededChance};
use ludovec::games::GAMES;
use ludovec_soak::random_options;

/// The bytes of an input, consumed one after the other; zeros after the last.
pub struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    pub fn new(data: &'a [u8]) -> Self {
        Self(data)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        *first
    }

    /// A number below `end`, which is 1 to 256.
    pub fn below(&mut self, end: usize) -> usize {
        usize::from(self.byte()) % end
    }

    pub fn pick<'t, T>(&mut self, items: &'t [T]) -> &'t T {
        &items[self.below(items.len())]
    }

    /// The remaining bytes.
    pub fn rest(self) -> &'a [u8] {
        self.0
    }

    /// The remaining bytes, if they are valid text.
    pub fn text(self) -> Option<&'a str> {
        std::str::from_utf8(self.0).ok()
    }

    /// A game under some options, selected by three bytes.
    pub fn game(&mut self) -> Arc<dyn AnyGame> {
        made(self.which())
    }

    /// The same game after some random decisions, selected by a fourth byte.
    pub fn begun(&mut self) -> SingleGame {
        thread_local! {
            static BEGUN: Kept<(Which, u8), SingleGame> = Kept::default();
        }
        let (which, steps) = (self.which(), self.byte() % 32);
        let begin = || {
            let mut play = made(which).single(3);
            for _ in 0..steps {
                match play.bot_action("random") {
                    Ok(action) => play.step(action).expect("bots play legal actions"),
                    Err(_) => break,
                }
            }
            play
        };
        BEGUN.with(|begun| begun.get((which, steps), begin, |play| play.clone()))
    }

    /// One byte for the game, two for its options.
    pub fn which(&mut self) -> Which {
        (self.below(GAMES.len()), u16::from_le_bytes([self.byte(), self.byte()]))
    }
}

/// A game and a set of options, by number.
pub type Which = (usize, u16);

/// Options of a game by number: none, the option sets of its tests, then random ones.
pub fn options((game, set): Which) -> OptionSet {
    static COMBINATIONS: LazyLock<Vec<Vec<OptionSet>>> =
        LazyLock::new(|| GAMES.iter().map(|entry| (entry.combinations)()).collect());
    match set.checked_sub(1) {
        None => OptionSet::new(),
        Some(set) => COMBINATIONS[game]
            .get(usize::from(set))
            .cloned()
            .unwrap_or_else(|| random_options(&GAMES[game], &mut SeededChance::from_seed(u64::from(set)))),
    }
}

/// The game with these numbers.
pub fn made(which: Which) -> Arc<dyn AnyGame> {
    thread_local! {
        static MADE: Kept<Which, Arc<dyn AnyGame>> = Kept::default();
    }
    let make = |options: OptionSet| GAMES[which.0].make(options);
    // Some sets are invalid on purpose, and random options may contradict one another.
    let game =
        || make(options(which)).or_else(|_| make(OptionSet::new())).expect("the options have defaults");
    MADE.with(|games| games.get(which, game, Arc::clone))
}

/// A cache of values for later inputs, because creating one takes longer than reading most inputs.
pub struct Kept<K, V>(RefCell<HashMap<K, V>>);

impl<K, V> Default for Kept<K, V> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<K: Eq + Hash, V> Kept<K, V> {
    /// Maximum number of cached values.
    const MOST: usize = 500;

    /// A copy of the value of `key`, which is created if it is not in the cache.
    pub fn get(&self, key: K, make: impl FnOnce() -> V, copy: impl FnOnce(&V) -> V) -> V {
        if let Some(kept) = self.0.borrow().get(&key) {
            return copy(kept);
        }
        let made = make();
        self.put(key, copy(&made));
        made
    }

    /// Removes the value of `key` from the cache.
    pub fn take(&self, key: K) -> Option<V> {
        self.0.borrow_mut().remove(&key)
    }

    pub fn put(&self, key: K, value: V) {
        let mut kept = self.0.borrow_mut();
        if kept.len() >= Self::MOST {
            kept.clear();
        }
        kept.insert(key, value);
    }
}
