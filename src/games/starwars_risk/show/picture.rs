//! Pictures of Star Wars Risk: in a terminal and as a drawing.

use serde_json::Value;

use super::{render, svg};
use crate::StarWarsRisk;
use crate::exchange::notation;
use crate::rules::state::State;
use ludovec_engine::{Beside, Caption, Picture, Place, Step, Theme, View};

impl Picture for StarWarsRisk {
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
        render::text(self, state, view, caption)
    }

    fn title(&self) -> String {
        "Star Wars Risk".into()
    }

    fn standing(&self, state: &State, names: &[String]) -> String {
        render::headline(state, [&names[0], &names[1]])
    }

    fn to_svg(&self, state: &State, last: Option<&Step<State>>, view: View, caption: Caption<'_>) -> String {
        let touched = last.map_or(Value::Null, |step| notation::to_json(self, &step.before, step.action));
        let spaces = ["from", "to", "space"];
        let about =
            |(key, value): &(&'static str, Value)| spaces.contains(key) && touched.get(*key) == Some(value);
        let places = svg::places(self, state, View::default())
            .into_iter()
            .filter(|place| place.means.iter().any(about));
        let last: Vec<String> = places.map(|place| place.outline).collect();
        svg::svg(self, state, &last, view, &self.title(), caption)
    }

    fn beside(&self, state: &State, view: View, caption: Caption<'_>) -> Option<Beside> {
        Some(svg::beside(self, state, view, caption))
    }

    fn places(&self, state: &State, view: View) -> Vec<Place> {
        svg::places(self, state, view)
    }
}
