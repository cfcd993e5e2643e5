//! The steps of a game, shared by its copies.

use std::iter::successors;
use std::sync::Arc;

use crate::contract::words::Step;

/// Steps in order, as a persistent linked list: copying a game takes constant time regardless of its length. Searches
/// copy a game for every position.
pub(super) struct History<S: Clone>(Option<Arc<Link<S>>>);

struct Link<S: Clone> {
    step: Step<S>,
    before: History<S>,
    /// Number of steps up to this one.
    len: usize,
}

impl<S: Clone> History<S> {
    /// No steps.
    pub(super) fn new() -> Self {
        Self(None)
    }
    pub(super) fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |link| link.len)
    }
    pub(super) fn last(&self) -> Option<&Step<S>> {
        self.0.as_ref().map(|link| &link.step)
    }
    pub(super) fn push(&mut self, step: Step<S>) {
        let len = self.len() + 1;
        let before = Self(self.0.take());
        self.0 = Some(Arc::new(Link { step, before, len }));
    }
    /// Removes the last step and returns the state before it.
    pub(super) fn pop(&mut self) -> Option<S> {
        let link = self.0.take()?;
        *self = link.before.clone();
        Some(link.step.before.clone())
    }
    /// The steps from `first` on, in order.
    pub(super) fn from(&self, first: usize) -> Vec<&Step<S>> {
        let links = successors(self.0.as_deref(), |link| link.before.0.as_deref());
        let mut steps: Vec<_> = links.take(self.len().saturating_sub(first)).map(|link| &link.step).collect();
        steps.reverse();
        steps
    }
}

impl<S: Clone> Clone for History<S> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<S: Clone> Drop for History<S> {
    /// Drops the links in a loop: recursive drops would need stack space proportional to the length of the game.
    fn drop(&mut self) {
        let mut link = self.0.take();
        while let Some(mut last) = link.and_then(Arc::into_inner) {
            link = last.before.0.take();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(before: u64) -> Step<u64> {
        Step { before, player: 0, action: before as u32, chance: Vec::new() }
    }

    #[test]
    fn copies_share_past_steps_and_continue_independently() {
        let mut one = History::new();
        (0..3).for_each(|k| one.push(step(k)));
        let mut two = one.clone();
        two.push(step(7));
        assert_eq!(one.pop(), Some(2));
        one.push(step(9));
        let actions = |h: &History<u64>, first| h.from(first).iter().map(|s| s.action).collect::<Vec<_>>();
        assert_eq!((actions(&one, 0), one.len()), (vec![0, 1, 9], 3));
        assert_eq!((actions(&two, 1), two.last().unwrap().before), (vec![1, 2, 7], 7));
        assert_eq!((actions(&two, 9), History::<u64>::new().pop()), (vec![], None));
    }

    #[test]
    fn a_long_game_is_dropped_without_a_deep_stack() {
        let mut history = History::new();
        (0..1_000_000).for_each(|k| history.push(step(k)));
        let copy = history.clone();
        drop(history);
        assert_eq!(copy.from(999_999).len(), 1);
    }
}
