//! Star Wars Risk in pictures: on a terminal and as a drawing.

use super::state::State;
use super::{StarWarsRisk, render, svg};
use crate::engine::{Picture, Place, Step, Theme, View};

impl Picture for StarWarsRisk {
    fn seat_colours(theme: Theme) -> Vec<&'static str> {
        svg::seat_colours(theme)
    }

    fn to_text(&self, state: &State, _last: Option<&Step<State>>, view: View) -> String {
        render::text(self, state, view)
    }

    fn to_svg(&self, state: &State, _last: Option<&Step<State>>, view: View) -> String {
        svg::svg(self, state, view)
    }

    fn places(&self, state: &State) -> Vec<Place> {
        svg::places(self, state)
    }
}
