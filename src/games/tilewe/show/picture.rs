//! Pictures of Tilewe: in a terminal and as a drawing.

use super::{ansi, render, svg};
use crate::Tilewe;
use crate::rules::placements::Placement;
use crate::rules::state::State;
use crate::rules::tiles::TileSet;
use ludovec_engine::{Beside, Caption, CellSize, Picture, Place, Step, Theme, View};

impl<const N: usize, const C: usize> Tilewe<N, C> {
    fn last_placement(&self, last: Option<&Step<State<N, C>>>) -> Option<Placement> {
        last.and_then(|step| self.rules.placements.get(step.action))
    }
}

impl<const N: usize, const C: usize> Picture for Tilewe<N, C> {
    fn seat_colours(&self, _: Theme) -> Vec<&'static str> {
        svg::seat_colours()
    }

    fn to_text(
        &self,
        state: &State<N, C>,
        last: Option<&Step<State<N, C>>>,
        view: View,
        caption: Caption<'_>,
    ) -> String {
        let state = state.resized();
        if !view.ansi {
            return render::text(&self.rules, &state, caption);
        }
        let last = self.last_placement(last).map_or(TileSet::EMPTY, Placement::tiles);
        match view.cells {
            CellSize::Small => ansi::half_blocks(&self.rules, &state, last, caption),
            cells => ansi::text(&self.rules, &state, last, cells == CellSize::Large, caption),
        }
    }

    fn title(&self) -> String {
        "Tilewe".into()
    }

    fn to_svg(
        &self,
        state: &State<N, C>,
        last: Option<&Step<State<N, C>>>,
        view: View,
        caption: Caption<'_>,
    ) -> String {
        svg::svg(&self.rules, &state.resized(), self.last_placement(last), view, &self.title(), caption)
    }

    fn footprint(&self, _state: &State<N, C>, action: u32) -> Option<String> {
        self.rules.placements.get(action).map(|placement| svg::footprint(&self.rules, &placement))
    }

    fn beside(&self, state: &State<N, C>, _view: View, caption: Caption<'_>) -> Option<Beside> {
        Some(svg::beside(&self.rules, &state.resized(), caption))
    }

    fn places(&self, state: &State<N, C>, view: View) -> Vec<Place> {
        svg::places(&self.rules, &state.resized(), view)
    }
}
