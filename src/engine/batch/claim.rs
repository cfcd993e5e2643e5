//! Claims on memory provided by callers: a claim prevents two columns or batches from writing to the same bytes.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::contract::support::error::{Error, Result};
use crate::dynamic::columns::Foreign;

/// Every claimed range: start address to end address. Ranges do not overlap.
static CLAIMED: Mutex<BTreeMap<usize, usize>> = Mutex::new(BTreeMap::new());

fn claimed() -> MutexGuard<'static, BTreeMap<usize, usize>> {
    CLAIMED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Memory that one batch of this process writes while this value lives.
#[derive(Debug)]
pub(super) struct Claim {
    start: usize,
}

impl Claim {
    /// Claims the memory provided for a column.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] if another batch writes some of it.
    pub(super) fn new(column: &str, memory: &Foreign) -> Result<Self> {
        let start = memory.start.addr().get();
        let end = start + memory.bytes.max(1);
        let mut claimed = claimed();
        // Claimed ranges do not overlap, so only the last one that begins before `end` can overlap the new range.
        if claimed.range(..end).next_back().is_some_and(|(_, &other_end)| other_end > start) {
            return Err(Error::config(format!(
                "memory for column {column}: another column or batch writes there, close it first or give memory of its \
                 own"
            )));
        }
        claimed.insert(start, end);
        Ok(Self { start })
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        claimed().remove(&self.start);
    }
}

#[cfg(test)]
mod tests {
    use std::ptr::NonNull;
    use std::sync::Arc;

    use super::*;

    #[test]
    fn memory_in_use_is_refused_until_it_is_given_back() {
        let bytes = Arc::new(vec![0_u8; 64]);
        let part = |from: usize, to: usize| {
            let start = NonNull::from(&bytes[from]);
            Claim::new("c", &Foreign { start, bytes: to - from, owner: bytes.clone() })
        };
        let middle = part(16, 32).unwrap();
        for (from, to) in [(16, 32), (0, 17), (31, 40), (20, 24), (0, 64)] {
            assert!(part(from, to).is_err(), "{from} to {to}");
        }
        let (before, after) = (part(0, 16).unwrap(), part(32, 64).unwrap());
        drop(middle);
        assert!(part(15, 20).is_err() && part(30, 33).is_err());
        let again = part(16, 32).unwrap();
        drop((before, again, after));
        part(0, 64).unwrap();
    }
}
