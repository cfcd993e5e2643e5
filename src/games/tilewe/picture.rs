//! Pictures of Tilewe: in a terminal and as a drawing.

use super::placements::Placement;
use super::state::State;
use super::tiles::TileSet;
use super::{Tilewe, ansi, render, svg};
use ludovec_engine::{Caption, Picture, Place, Step, Theme, View};

impl Picture for Tilewe {
    fn seat_colours(_: Theme) -> Vec<&'static str> {
        svg::seat_colours()
    }

    fn to_text(&self, state: &State, last: Option<&Step<State>>, view: View, caption: Caption<'_>) -> String {
        if !view.ansi {
            return render::text(state, caption);
        }
        let last = last.and_then(|step| Placement::new(step.action));
        ansi::text(state, last.map_or(TileSet::EMPTY, Placement::tiles), caption)
    }

    fn title(&self) -> String {
        "Tilewe".into()
    }

    fn to_svg(&self, state: &State, last: Option<&Step<State>>, view: View, caption: Caption<'_>) -> String {
        let last = last.and_then(|step| Placement::new(step.action));
        svg::svg(state, last, view, &self.title(), caption)
    }

    fn places(&self, state: &State, _view: View) -> Vec<Place> {
        svg::places(state)
    }
}
