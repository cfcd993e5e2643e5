//! Star Wars Risk in pictures: on a terminal and as a drawing.

use serde_json::Value;

use super::state::State;
use super::{StarWarsRisk, svg};
use crate::engine::chance::{Chance, SeededChance};
use crate::engine::{
    AnyGame, Bot, CompoundAction, Dialect, Entry, Error, Guide, OptionSpec, Options, Picture, Place, Refusal,
    RefusalKind, Result, Rules, Spec, Status, Step, Symmetry, Theme, Tool, View, Words, reward_range,
};

impl Picture for StarWarsRisk {
    fn seat_colours(theme: Theme) -> Vec<&'static str> {
        svg::seat_colours(theme)
    }

    fn to_text(&self, state: &State, _last: Option<&Step<State>>, view: View) -> String {
        self.text(state, view)
    }

    fn to_svg(&self, state: &State, _last: Option<&Step<State>>, view: View) -> String {
        self.svg(state, view)
    }

    fn places(&self, state: &State) -> Vec<Place> {
        StarWarsRisk::places(self, state)
    }
}
