//! The extent of the conformance suite, and its findings.

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
}

impl Default for Effort {
    fn default() -> Self {
        Self { games: 6, slow_positions: 8, batch_steps: 150, decisions: usize::MAX, hostile: true }
    }
}

/// Findings of the conformance suite in a game that passes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Findings {
    /// Sentences about what is probably wrong, or could not be checked.
    pub warnings: Vec<String>,
}
