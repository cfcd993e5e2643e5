//! The extent of the conformance suite, and its findings.

use std::time::{Duration, Instant};

/// The error of [`check_conformance`](crate::AnyGame) in builds without the suite.
pub const NO_SUITE: &str =
    "this build lacks the conformance suite: the feature `conformance` of ludovec has it";

/// The extent of the conformance suite.
///
/// ```
/// use ludovec_engine::Effort;
/// let quick = Effort { games: 2, ..Effort::default() };
/// assert!(quick.games < Effort::default().games);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Number of whole games.
    pub games: u64,
    /// The seed of the first game; the others count on.
    pub seed: u64,
    /// Number of positions per game with slow checks (every index, every label, mutated bytes). Unless this is 0, the
    /// last position gets them as well.
    pub slow_positions: usize,
    /// Number of decisions per game of the batch checks; 0 skips the batch checks.
    pub batch_steps: usize,
    /// Decisions after which a game is left; by default every game is played to its end.
    pub decisions: usize,
    /// Whether damaged bytes and JSON of states are tried, which [`Rules::validate`](crate::Rules::validate) must refuse
    /// or play on from.
    pub hostile: bool,
    /// Time after which no further position is begun. The numbers above are upper bounds then, and results depend on
    /// the machine.
    pub time: Option<Duration>,
}

impl Default for Effort {
    fn default() -> Self {
        Self {
            games: 6,
            seed: 0,
            slow_positions: 8,
            batch_steps: 150,
            decisions: usize::MAX,
            hostile: true,
            time: None,
        }
    }
}

/// The time of a part of the suite.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    started: Instant,
    time: Option<Duration>,
}

impl Clock {
    /// A clock that starts now, for a share of the time of `effort`.
    pub(crate) fn of(effort: &Effort, share: f64) -> Self {
        Self { started: Instant::now(), time: effort.time.map(|time| time.mul_f64(share)) }
    }
    /// Whether a share of the time is over.
    pub(crate) fn is_over(&self, share: f64) -> bool {
        self.time.is_some_and(|time| self.started.elapsed() >= time.mul_f64(share))
    }
}

/// Findings of the conformance suite in a game that passes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Findings {
    /// Sentences about what is probably wrong, or could not be checked.
    pub warnings: Vec<String>,
}
