//! How a tournament is played.

use crate::engine::Named;

/// Who meets whom in a tournament.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Pairings {
    /// Every group of as many players as there are seats plays the same number of games; with fewer players than
    /// seats there is one group.
    #[default]
    RoundRobin,
    /// Each run of games, one for every seat, draws its players anew.
    Random,
}

impl Named for Pairings {
    const NAMES: &'static [(&'static str, Self)] =
        &[("round_robin", Self::RoundRobin), ("random", Self::Random)];
}

/// How a tournament is played.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TournamentConfig {
    /// Games of every table of players ([`Pairings::RoundRobin`]), or in all.
    pub games: u64,
    /// Seed of seats and games.
    pub seed: u64,
    /// Threads of the engine's bots; `None` uses all cores. Results never depend on it.
    pub threads: Option<usize>,
}
