//! Tilewe in pictures: on a terminal and as a drawing.

use super::placements::Placement;
use super::state::State;
use super::tiles::TileSet;
use super::{Tilewe, render, svg, terminal};
use crate::engine::{Picture, Place, Step, Theme, View};

impl Picture for Tilewe {
    fn seat_colours(_: Theme) -> Vec<&'static str> {
        svg::seat_colours()
    }

    fn to_text(&self, state: &State, last: Option<&Step<State>>, view: View) -> String {
        if !view.ansi {
            return render::text(state, self.players);
        }
        let last = last.and_then(|step| Placement::new(step.action));
        terminal::text(state, self.players, last.map_or(TileSet::EMPTY, Placement::tiles))
    }

    fn to_svg(&self, state: &State, last: Option<&Step<State>>, view: View) -> String {
        let last = last.and_then(|step| Placement::new(step.action));
        svg::svg(state, last, self.players, view.theme)
    }

    fn places(&self, state: &State) -> Vec<Place> {
        svg::places(state)
    }
}
