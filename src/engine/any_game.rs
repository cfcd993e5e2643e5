//! The dynamic face of a game's rules: what front ends hold without knowing the game.

use super::game::Game;
use super::spec::Spec;

/// Rules of some game, behind a pointer. Every [`Game`] is one.
pub trait AnyGame: Send + Sync {
    /// What the environment looks like from outside.
    fn spec(&self) -> &Spec;
}

impl<G: Game> AnyGame for G {
    fn spec(&self) -> &Spec {
        Game::spec(self)
    }
}
