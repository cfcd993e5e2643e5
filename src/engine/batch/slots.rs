//! The memory of a batch's games, shared with views of their states that may outlive the batch.

use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use crate::batch::slot::Slot;
use crate::contract::rules::Rules;
use crate::dynamic::columns::Owner;
use crate::dynamic::vector::States;

/// The games of a batch. Their memory is freed when the batch and all owners returned by [`Slots::states`] are dropped.
pub(super) struct Slots<G: Rules> {
    games: ManuallyDrop<Vec<Slot<G>>>,
    memory: Arc<Memory<G>>,
}

/// Frees the memory of the games.
struct Memory<G: Rules> {
    first: *mut Slot<G>,
    games: usize,
    capacity: usize,
}

// Safety: the pointer is used only to free the memory, and slots may be sent to other threads.
unsafe impl<G: Rules> Send for Memory<G> {}
// Safety: as above; a shared reference gives no access.
unsafe impl<G: Rules> Sync for Memory<G> {}

impl<G: Rules> Drop for Memory<G> {
    fn drop(&mut self) {
        // Safety: these are the raw parts of the vector in `Slots::new`, which is never dropped itself.
        drop(unsafe { Vec::from_raw_parts(self.first, self.games, self.capacity) });
    }
}

impl<G: Rules> Slots<G> {
    pub(super) fn new(games: Vec<Slot<G>>) -> Self {
        let mut games = ManuallyDrop::new(games);
        let memory = Memory { first: games.as_mut_ptr(), games: games.len(), capacity: games.capacity() };
        Self { games, memory: Arc::new(memory) }
    }

    /// The location of the states in memory.
    pub(super) fn states(&self) -> Option<States> {
        if self.games.is_empty() {
            return None;
        }
        // Safety: there is a game at the start of the memory.
        let first = unsafe { &raw const (*self.memory.first).state };
        let owner: Owner = self.memory.clone();
        Some(States { first: first.cast(), stride: size_of::<Slot<G>>(), owner })
    }
}

impl<G: Rules> Deref for Slots<G> {
    type Target = [Slot<G>];
    #[inline]
    fn deref(&self) -> &[Slot<G>] {
        &self.games
    }
}

impl<G: Rules> DerefMut for Slots<G> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [Slot<G>] {
        &mut self.games
    }
}
