//! Blokus as engines of the Go Text Protocol know it: the games of Pentobi.

use super::notation;
use crate::Tilewe;
use crate::rules::state::State;
use ludovec_engine::{Dialect, GtpGame, GtpPosition};

impl<const N: usize, const C: usize> Dialect for Tilewe<N, C> {
    fn gtp(&self) -> Option<GtpGame> {
        let game = notation::pentobi(&self.rules)?;
        Some(GtpGame { name: game.name.into(), colours: game.colors.to_vec() })
    }

    fn gtp_position(&self, state: &State<N, C>) -> GtpPosition {
        let state = state.resized();
        let played = notation::placements(&self.rules, &state).into_iter();
        let moves = played.map(|(color, placement)| (color, notation::tiles_text(placement))).collect();
        GtpPosition { moves, colour: state.current() }
    }
}
