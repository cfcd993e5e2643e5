//! How much the conformance suite plays.

/// How much the conformance suite plays.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Whole games.
    pub games: u64,
    /// How many positions of a game get the slow checks (every index, every label, mutated bytes). Unless this is 0,
    /// the last position gets them as well.
    pub slow_positions: usize,
    /// How many decisions the batch checks play in each of their games; 0 leaves the batch checks out.
    pub batch_steps: usize,
}

impl Default for Effort {
    fn default() -> Self {
        Self { games: 6, slow_positions: 8, batch_steps: 150 }
    }
}
