//! Pictures of chess: a text board and a drawing.

use super::{ansi, render};
use crate::rules::board::position::MoveRules;
use crate::rules::state::State;
use crate::rules::variant::schema::Square;
use crate::rules::{Chess, Shows};
use ludovec_engine::{Caption, CellSize, Picture, Place, Rules, Step, Theme, View};

impl<R: MoveRules, H: Shows<R>> Chess<R, H> {
    /// The origin and destination squares of a step.
    fn touched(&self, step: Option<&Step<State<R, H>>>) -> Vec<Square> {
        let moved = step.and_then(|step| Some((step, self.decode(&step.before, step.action)?)));
        moved.map_or_else(Vec::new, |(step, mv)| render::touched(&self.tables, &step.before.position, mv))
    }
}

impl<R: MoveRules, H: Shows<R>> Picture for Chess<R, H> {
    fn seat_colours(&self, _: Theme) -> Vec<&'static str> {
        // Pure white or black would be invisible on a page of the same colour.
        vec!["#c8ab7c", "#7b5a48"]
    }

    fn to_text(
        &self,
        state: &State<R, H>,
        last: Option<&Step<State<R, H>>>,
        view: View,
        caption: Caption<'_>,
    ) -> String {
        if view.ansi {
            ansi::text(&self.tables, state, &self.touched(last), view.cells == CellSize::Large, caption)
        } else {
            render::to_text(&self.tables, state, caption)
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
        render::standing(&self.tables, state, names)
    }

    fn to_svg(
        &self,
        state: &State<R, H>,
        last: Option<&Step<State<R, H>>>,
        view: View,
        caption: Caption<'_>,
    ) -> String {
        render::to_svg(&self.tables, state, &self.touched(last), view, &self.title(), caption)
    }

    fn places(&self, _state: &State<R, H>, view: View) -> Vec<Place> {
        render::places(&self.tables, view)
    }
}
