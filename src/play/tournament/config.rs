//! Configuration of a tournament.

use crate::engine::Named;

/// Pairings of a tournament.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Pairings {
    /// Round robin: every group of as many players as there are seats plays the same number of games; with fewer
    /// players than seats there is one group.
    #[default]
    RoundRobin,
    /// Each run of games, one per seat, redraws its players.
    Random,
}

impl Named for Pairings {
    const NAMES: &'static [(&'static str, Self)] =
        &[("round_robin", Self::RoundRobin), ("random", Self::Random)];
}

/// Configuration of a tournament.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TournamentConfig {
    /// Number of games per table of players ([`Pairings::RoundRobin`]), or in total.
    pub games: u64,
    /// Seed of seats and games.
    pub seed: u64,
    /// Number of threads for the engine's bots; `None` uses all cores. Results never depend on it.
    pub threads: Option<usize>,
}
