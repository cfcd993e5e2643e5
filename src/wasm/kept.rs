//! Games and batches by id.

use std::collections::VecDeque;

use ludovec::play::interface::{Answer, Refused};

/// The values of one page: the oldest one gives way beyond `most`.
#[derive(Debug)]
pub(crate) struct Kept<T> {
    noun: &'static str,
    most: usize,
    made: u64,
    values: VecDeque<(String, T)>,
}

impl<T> Kept<T> {
    /// Nothing yet; ids are numbered after `made`.
    pub(crate) fn new(noun: &'static str, most: usize, made: u64) -> Self {
        Self { noun, most, made, values: VecDeque::new() }
    }

    /// Keeps a value and returns its id. Ids start with the environment: the page has one library per environment.
    pub(crate) fn insert(&mut self, env: &str, value: T) -> String {
        if self.values.len() >= self.most {
            self.values.pop_front();
        }
        self.made += 1;
        let id = format!("{env}-{}", self.made);
        self.values.push_back((id.clone(), value));
        id
    }

    /// The value with this `id`.
    ///
    /// # Errors
    /// 404 for an unknown id.
    pub(crate) fn get(&mut self, id: &str) -> Answer<&mut T> {
        let found = self.values.iter_mut().find(|(known, _)| known == id);
        found.map(|(_, value)| value).ok_or_else(|| Refused::unknown(self.noun, id))
    }

    /// Deletes the value with this `id`.
    ///
    /// # Errors
    /// 404 for an unknown id.
    pub(crate) fn remove(&mut self, id: &str) -> Answer<()> {
        self.get(id)?;
        self.values.retain(|(known, _)| known != id);
        Ok(())
    }
}
