//! Pictures of Small World: in a terminal and as a drawing.

use super::{render, svg};
use crate::rules::state::State;
use crate::{SmallWorld, actions};
use ludovec_engine::{Beside, Caption, OptionValue, Picture, Place, Rules, Status, Step, Theme, View};

impl Picture for SmallWorld {
    fn seat_colours(&self, theme: Theme) -> Vec<&'static str> {
        svg::seat_colours(theme)
    }

    fn to_text(
        &self,
        state: &State,
        _last: Option<&Step<State>>,
        view: View,
        caption: Caption<'_>,
    ) -> String {
        render::text(&self.rules, state, view, caption)
    }

    fn title(&self) -> String {
        let options = &Rules::spec(self).options;
        let rules =
            if options.get("rules") == &OptionValue::from("official") { ", official rules" } else { "" };
        let board = match options.text("map") {
            Some("board") if self.rules.players == 5 => ", board for five",
            Some("board") => ", published board",
            _ => "",
        };
        format!("Small World{board}{rules}")
    }

    fn standing(&self, state: &State, names: &[String]) -> String {
        match self.status(state) {
            Status::Running => render::standing(&self.rules, state, names),
            _ => self.result(state, names),
        }
    }

    fn to_svg(&self, state: &State, last: Option<&Step<State>>, view: View, caption: Caption<'_>) -> String {
        let last = last.and_then(|step| actions::region(step.action));
        render::svg(&self.rules, state, last, view, &self.title(), caption)
    }

    fn beside(&self, state: &State, view: View, caption: Caption<'_>) -> Option<Beside> {
        Some(render::beside(&self.rules, state, view, caption))
    }

    fn places(&self, state: &State, _view: View) -> Vec<Place> {
        svg::places(&state.map, state.row_len.into())
    }
}
