//! Helpers for Tilewe players: estimates and bots.

use super::bots;
use crate::Tilewe;
use crate::rules::symmetry;
use ludovec_engine::{Bot, Guide, Symmetry};

impl<const N: usize, const C: usize> Guide for Tilewe<N, C> {
    fn bots() -> &'static [Bot<Self>] {
        const { &bots::bots::<N, C>() }
    }

    fn symmetries(&self) -> Vec<Symmetry> {
        symmetry::all(&self.rules)
    }
}
