//! How much the conformance suite plays.

/// How much the conformance suite plays.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Whole games.
    pub games: u64,
    /// Positions of a game that get the slow checks (every index, every label, mutated bytes); with some, its last does too.
    pub slow_positions: usize,
    /// Decisions a game of the batch checks; 0 for none of these.
    pub batch_steps: usize,
}

impl Default for Effort {
    fn default() -> Self {
        Self { games: 6, slow_positions: 8, batch_steps: 150 }
    }
}
