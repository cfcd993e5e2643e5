//! The hot operations of a game's rules, for benchmarks.

/// Runs single operations over positions sampled from whole random games, one after the other.
pub trait Workload {
    /// Copies the next position and plays a random legal action in it.
    fn step(&mut self);
    /// Writes the mask of the next position.
    fn legal(&mut self);
    /// Writes the observation of the current player in the next position.
    fn observe(&mut self);
    /// Begins a new game.
    fn reset(&mut self);
}
