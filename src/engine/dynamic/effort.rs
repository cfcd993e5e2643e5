//! The extent of the conformance suite, and its findings.

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
}

impl Default for Effort {
    fn default() -> Self {
        Self { games: 6, slow_positions: 8, batch_steps: 150 }
    }
}

/// Findings of the conformance suite in a game that passes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Findings {
    /// Sentences about what is probably wrong, or could not be checked.
    pub warnings: Vec<String>,
}
