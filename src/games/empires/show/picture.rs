//! Pictures of Terminal of Empires: in a terminal and as a drawing.

use super::svg;
use crate::Empires;
use crate::rules::state::State;
use ludovec_engine::{Beside, Caption, CellSize, Picture, Place, Step, View};

impl<const N: usize> Picture for Empires<N> {
    fn to_text(
        &self,
        state: &State<N>,
        _last: Option<&Step<State<N>>>,
        view: View,
        caption: Caption<'_>,
    ) -> String {
        let position = state.with(&self.rules);
        if !view.ansi {
            return position.to_text(caption);
        }
        position.to_terminal(view.cells == CellSize::Large, caption)
    }

    fn title(&self) -> String {
        let map = &self.rules.map;
        format!("Terminal of Empires, {} by {} cells", map.width, map.height)
    }

    fn standing(&self, state: &State<N>, names: &[String]) -> String {
        let position = state.with(&self.rules);
        let (turn, last) = (position.ledger.turn, self.rules.max_turns - 1);
        if !position.is_over() {
            return format!("turn {turn} of {last}, {} to move", names[position.current()]);
        }
        let (result, turn) = (self.result(state, names), turn - 1);
        match position.alive().count() {
            0 | 1 => format!("{result} cells after turn {turn}"),
            // Explains why several seats with different numbers of cells share the first place.
            _ => format!("{result} cells: they outlasted all {turn} turns"),
        }
    }

    fn to_svg(
        &self,
        state: &State<N>,
        last: Option<&Step<State<N>>>,
        view: View,
        caption: Caption<'_>,
    ) -> String {
        let last = last.and_then(|step| self.action(step.action).parts().1);
        state.with(&self.rules).to_svg(last, view, &self.title(), caption)
    }

    fn beside(&self, state: &State<N>, _view: View, caption: Caption<'_>) -> Option<Beside> {
        Some(state.with(&self.rules).beside(caption))
    }

    fn places(&self, _state: &State<N>, _view: View) -> Vec<Place> {
        svg::places(&self.rules.map)
    }
}
