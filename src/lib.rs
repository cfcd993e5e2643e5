//! Vectorized reinforcement-learning environments for rule-heavy board games.

pub mod engine;
pub mod games;
