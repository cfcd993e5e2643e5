//! Chess in pictures: a board of text, a drawing.

use super::board::position::MoveRules;
use super::render;
use super::rules::{Chess, Shows};
use super::state::State;
use super::variant::schema::Square;
use crate::engine::{Picture, Place, Step, Theme, View};

impl<R: MoveRules, H: Shows<R>> Chess<R, H> {
    /// The squares that a step went from and to.
    fn touched(&self, step: Option<&Step<State<R, H>>>) -> Vec<Square> {
        let moved = step.and_then(|step| Some((step, self.decode(&step.before, step.action)?)));
        moved.map_or_else(Vec::new, |(step, mv)| render::touched(&self.tables, &step.before.position, mv))
    }
}

impl<R: MoveRules, H: Shows<R>> Picture for Chess<R, H> {
    fn seat_colours(_: Theme) -> Vec<&'static str> {
        // White and black proper would not show on a page of the same colour.
        vec!["#c8ab7c", "#7b5a48"]
    }

    fn to_text(&self, state: &State<R, H>, last: Option<&Step<State<R, H>>>, view: View) -> String {
        render::to_text(&self.tables, state, &self.touched(last), view)
    }

    fn to_svg(&self, state: &State<R, H>, last: Option<&Step<State<R, H>>>, view: View) -> String {
        render::to_svg(&self.tables, state, &self.touched(last), view.theme)
    }

    fn places(&self, _state: &State<R, H>) -> Vec<Place> {
        render::places(&self.tables)
    }
}
