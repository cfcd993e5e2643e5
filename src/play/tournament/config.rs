//! Configuration of a tournament.

use std::path::Path;

use super::openings::Openings;
use super::sprt::Sprt;
use crate::engine::{Error, Named, Record, Result, Spec};

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

/// The format of the texts of finished games.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GameFormat {
    /// A record as JSON, one per line.
    Records,
    /// A format of other programs, such as `pgn`.
    Exported(String),
}

impl GameFormat {
    /// The format that the end of a file's name selects: `.jsonl`, or a format of the environment such as `.pgn`.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] lists the allowed ends.
    pub fn of_file(spec: &Spec, file: &Path) -> Result<Self> {
        let ending =
            file.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default();
        if ending == "jsonl" {
            return Ok(Self::Records);
        }
        let known = crate::games::find(spec.env).and_then(|entry| entry.exporter(&ending).map(|_| ()));
        known.map(|()| Self::Exported(ending)).map_err(|error| {
            Error::config(format!("{}: {error}, or as records in a file .jsonl", file.display()))
        })
    }

    /// The text of a game, with a line break at its end.
    pub(super) fn text(&self, record: &Record) -> Result<String> {
        match self {
            Self::Records => Ok(serde_json::to_string(record).expect("plain data becomes JSON") + "\n"),
            Self::Exported(format) => {
                crate::games::find(&record.env)?.export(record, format).map(|text| text + "\n")
            }
        }
    }
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
    /// The format of [`TournamentResult::games_as_text`](super::TournamentResult::games_as_text); `None` keeps no
    /// decisions.
    pub games_as: Option<GameFormat>,
}
