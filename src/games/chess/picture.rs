//! Chess in pictures: a board of text, a drawing.

use super::board::position::MoveRules;
use super::rules::{Chess, Shows};
use super::state::State;
use super::variant::schema::Square;
use super::{render, terminal};
use crate::engine::{Picture, Place, Rules, Step, Theme, View};

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
        if view.ansi {
            terminal::text(&self.tables, state, &self.touched(last))
        } else {
            render::to_text(&self.tables, state)
        }
    }

    fn title(&self) -> String {
        let options = &Rules::spec(self).options;
        let flags: Vec<String> = options.flags("flags").iter().map(|flag| flag.replace('_', " ")).collect();
        let mut title = match self.tables.variant.name.as_str() {
            "chess" => "Chess".to_string(),
            name => format!("Chess, {}", name.replace('_', " ")),
        };
        if !flags.is_empty() {
            title += &format!(" with {}", flags.join(", "));
        }
        title
    }

    fn standing(&self, state: &State<R, H>, names: &[String]) -> String {
        render::caption(&self.tables, state, [&names[0], &names[1]])
    }

    fn to_svg(
        &self,
        state: &State<R, H>,
        last: Option<&Step<State<R, H>>>,
        view: View,
        names: &[String],
    ) -> String {
        render::to_svg(&self.tables, state, &self.touched(last), view, &self.title(), [&names[0], &names[1]])
    }

    fn places(&self, _state: &State<R, H>, view: View) -> Vec<Place> {
        render::places(&self.tables, view)
    }
}
