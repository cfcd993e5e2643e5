//! Small World in pictures: on a terminal and as a drawing.

use serde_json::Value;

use super::state::State;
use super::{SmallWorld, actions, render, svg};
use crate::engine::chance::{Chance, SeededChance};
use crate::engine::{
    AnyGame, Bot, CompoundAction, Dialect, Entry, Error, Guide, OptionSpec, Options, Picture, Place, Refusal,
    RefusalKind, Result, Rules, Spec, Status, Step, Symmetry, Theme, Tool, View, Words, reward_range,
};

impl Picture for SmallWorld {
    fn seat_colours(theme: Theme) -> Vec<&'static str> {
        svg::seat_colours(theme)
    }

    fn to_text(&self, state: &State, _last: Option<&Step<State>>, view: View) -> String {
        render::text(&self.rules, state, view)
    }

    fn to_svg(&self, state: &State, last: Option<&Step<State>>, view: View) -> String {
        let last = last.and_then(|step| actions::region(step.action));
        render::svg(&self.rules, state, last, view)
    }

    fn places(&self, state: &State) -> Vec<Place> {
        svg::places(&state.map, state.row_len.into())
    }
}
