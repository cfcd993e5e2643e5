//! Games and batches by id.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use ludovec::play::web_api::{Answer, Refused, Store};

/// The values of one page: the oldest one is dropped beyond `most`.
#[derive(Debug)]
pub(crate) struct RecentStore<T> {
    noun: &'static str,
    most: usize,
    shelf: RefCell<Shelf<T>>,
}

#[derive(Debug)]
struct Shelf<T> {
    made: u64,
    values: VecDeque<(String, Arc<Mutex<T>>)>,
}

impl<T> RecentStore<T> {
    /// Nothing yet; ids are numbered after `made`.
    pub(crate) fn new(noun: &'static str, most: usize, made: u64) -> Self {
        Self { noun, most, shelf: RefCell::new(Shelf { made, values: VecDeque::new() }) }
    }
}

impl<T> Store<T> for &RecentStore<T> {
    /// Ids start with the environment: the page has one library per environment.
    fn insert(&self, env: &str, value: T) -> String {
        let mut shelf = self.shelf.borrow_mut();
        if shelf.values.len() >= self.most {
            shelf.values.pop_front();
        }
        shelf.made += 1;
        let id = format!("{env}-{}", shelf.made);
        shelf.values.push_back((id.clone(), Arc::new(Mutex::new(value))));
        id
    }

    fn get(&self, id: &str) -> Answer<Arc<Mutex<T>>> {
        let shelf = self.shelf.borrow();
        let found = shelf.values.iter().find(|(known, _)| known == id);
        found.map(|(_, value)| value.clone()).ok_or_else(|| Refused::unknown(self.noun, id))
    }

    fn remove(&self, id: &str) -> Answer<()> {
        self.get(id)?;
        self.shelf.borrow_mut().values.retain(|(known, _)| known != id);
        Ok(())
    }
}
