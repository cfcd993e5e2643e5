//! Terminal of Empires in pictures: on a terminal and as a drawing.

use super::state::State;
use super::{Empires, svg};
use crate::engine::{Picture, Place, Step, View};

impl<const N: usize> Picture for Empires<N> {
    fn to_text(&self, state: &State<N>, _last: Option<&Step<State<N>>>, view: View) -> String {
        let position = state.with(&self.rules);
        if view.ansi { position.to_terminal() } else { position.to_text() }
    }

    fn to_svg(&self, state: &State<N>, last: Option<&Step<State<N>>>, view: View) -> String {
        let last = last.and_then(|step| self.action(step.action).parts().1);
        state.with(&self.rules).to_svg(last, view.theme)
    }

    fn places(&self, _state: &State<N>) -> Vec<Place> {
        svg::places(&self.rules.map)
    }
}
