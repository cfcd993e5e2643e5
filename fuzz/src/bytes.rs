//! Decisions drawn from the bytes of an input.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use ludovec::engine::{AnyGame, OptionSet};
use ludovec::games::GAMES;

/// The bytes of an input, taken one after the other; zeros after the last.
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

    /// A number below `end`, which is at least 1.
    pub fn below(&mut self, end: usize) -> usize {
        let high = if end > 256 { self.byte() } else { 0 };
        usize::from(u16::from_le_bytes([self.byte(), high])) % end
    }

    pub fn pick<'t, T>(&mut self, items: &'t [T]) -> &'t T {
        &items[self.below(items.len())]
    }

    /// The bytes that are left.
    pub fn rest(self) -> &'a [u8] {
        self.0
    }

    /// The bytes that are left, if they are a text.
    pub fn text(self) -> Option<&'a str> {
        std::str::from_utf8(self.0).ok()
    }

    /// A game under one of the sets of options that its tests play, by two bytes.
    pub fn game(&mut self) -> Arc<dyn AnyGame> {
        thread_local! {
            static MADE: RefCell<HashMap<(usize, usize), Arc<dyn AnyGame>>> = RefCell::default();
        }
        let which = self.below(GAMES.len());
        let sets: Vec<OptionSet> = std::iter::once(Vec::new()).chain((GAMES[which].combinations)()).collect();
        let set = self.below(sets.len());
        MADE.with_borrow_mut(|made| {
            let make = |set: &OptionSet| GAMES[which].make(set.iter().cloned());
            // Some sets are there to be refused.
            let game = made.entry((which, set)).or_insert_with(|| {
                make(&sets[set]).or_else(|_| make(&Vec::new())).expect("the options have defaults")
            });
            game.clone()
        })
    }
}
