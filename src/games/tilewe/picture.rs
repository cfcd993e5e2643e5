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

    fn title(&self) -> String {
        "Tilewe".into()
    }

    fn to_svg(&self, state: &State, last: Option<&Step<State>>, view: View, names: &[String]) -> String {
        let last = last.and_then(|step| Placement::new(step.action));
        let headline = format!("{}: {}", self.title(), self.standing(state, names));
        svg::svg(state, last, view, &headline, names)
    }

    fn places(&self, state: &State, _view: View) -> Vec<Place> {
        svg::places(state)
    }
}
