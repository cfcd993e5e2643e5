//! Small World in pictures: on a terminal and as a drawing.

use super::state::State;
use super::{SmallWorld, actions, render, svg};
use crate::engine::{Picture, Place, Step, Theme, View};

impl Picture for SmallWorld {
    fn seat_colours(theme: Theme) -> Vec<&'static str> {
        svg::seat_colours(theme)
    }

    fn to_text(&self, state: &State, _last: Option<&Step<State>>, view: View) -> String {
        render::text(&self.rules, state, view)
    }

    fn to_svg(&self, state: &State, last: Option<&Step<State>>, view: View) -> String {
        let last = last.and_then(|step| actions::region(step.action));
        render::svg(&self.rules, state, last, view)
    }

    fn places(&self, state: &State) -> Vec<Place> {
        svg::places(&state.map, state.row_len.into())
    }
}
