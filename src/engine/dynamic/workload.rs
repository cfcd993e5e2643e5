//! The hot operations of a game's rules, for benchmarks.

/// Runs single operations over positions sampled from whole random games, one after the other.
///
/// ```
/// use std::time::Instant;
///
/// # use ludovec_engine::{Dialect, Guide, Picture, Words};
/// # mod nim { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/nim.rs")); }
/// # use nim::*;
/// # impl Words for Nim {}
/// # impl Picture for Nim {}
/// # impl Guide for Nim {}
/// # impl Dialect for Nim {}
/// # let nim: Arc<dyn AnyGame> = Arc::new(Nim::new(&options()));
///
/// let mut workload = nim.workload(100);
/// let start = Instant::now();
/// (0..1000).for_each(|_| workload.step());
/// println!("{:?} a step", start.elapsed() / 1000);
/// ```
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
