//! A game between scripted bots, with a journal.

pub(crate) mod raw_actions;
pub(crate) mod raw_game;
