//! Configuration of a tournament.

use super::openings::Openings;
use super::sprt::Sprt;
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
    /// The first player plays every other one, which takes all other seats.
    Gauntlet,
}

impl Named for Pairings {
    const NAMES: &'static [(&'static str, Self)] =
        &[("round_robin", Self::RoundRobin), ("random", Self::Random), ("gauntlet", Self::Gauntlet)];
}

/// Configuration of a tournament.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TournamentConfig {
    /// Total number of games. Games come in runs, one per seat, in which every player of a table has every seat once.
    pub games: u64,
    /// Seed of seats, openings and games.
    pub seed: u64,
    /// Number of threads for the engine's bots; `None` uses all cores. Results never depend on it.
    pub threads: Option<usize>,
    /// The start positions: one per run.
    pub openings: Openings,
    /// A sequential test of the first player against the others, which may end the tournament early.
    pub sprt: Option<Sprt>,
}
