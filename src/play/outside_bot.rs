//! What a bot outside the engine does: code of the caller's, or another program.

use crate::engine::{Interrupt, SingleGame};

/// A bot outside the engine.
pub trait OutsideBot: Send {
    /// Chooses in every one of `games`, in each of which it is to move: an action, or why there is none.
    ///
    /// An action that is not legal is a fault; it needs no check here. Once `interrupt` is raised nobody wants to know
    /// any more: who takes long for each game then leaves the others out.
    fn choose(&mut self, games: &[&dyn SingleGame], interrupt: &Interrupt) -> Vec<Result<u32, String>>;
}
