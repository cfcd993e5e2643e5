//! Tilewe: 1 to 4 players lay 21 pieces each on a board of 20 by 20 tiles.
//!
//! A piece must touch an earlier piece of its colour by a corner and none by a side; the first goes into a
//! corner of the board. Who cannot place a piece is skipped; when nobody can, the most tiles win.
//!
//! [`Tilewe`] is the environment. [`Board`] is one game with the original's own methods, for people and
//! programs that think in [`Move`]s.

mod actions;
mod board;
mod bots;
mod conform;
mod fit;
mod json;
mod legal;
mod moves;
mod observe;
mod pieces;
mod placements;
mod render;
mod state;
mod step;
mod svg;
mod symmetry;
#[cfg(test)]
mod tests;
mod tiles;

use std::sync::Arc;

use serde_json::Value;

use crate::engine::chance::Chance;
use crate::engine::{
    Bot, Entry, Error, Game, OptionSpec, Options, Place, Result, Spec, Status, Step, Symmetry, Theme, View,
    reward_range,
};

pub use board::Board;
pub use moves::Move;
pub use pieces::{Color, PIECES, Piece, Rotation, Shape, shapes};
pub use placements::{PLACEMENTS, Placement};
pub use state::State;
pub use tiles::{SIZE, TILES, Tile, TileSet, Tiles};

use fit::Fits;
use state::MAX_SEATS;

/// The registry's entry.
pub(super) const ENTRY: Entry = Entry {
    id: Tilewe::ID,
    name: "Tilewe",
    summary: SUMMARY,
    options,
    combinations: Vec::new,
    build: |options| Ok(Arc::new(Tilewe::new(options))),
    conform: Some(conform::conform),
    perft: None,
    check_variant: None,
    exports: &[],
};

const SUMMARY: &str =
    "Tile-laying for 1 to 4 players on 20x20: pieces of a colour meet at corners, never at sides.";

fn options() -> Vec<OptionSpec> {
    vec![OptionSpec::int("players", 1, MAX_SEATS as i64, MAX_SEATS as i64, "number of players")]
}

/// The rules for a number of players.
#[derive(Clone)]
pub struct Tilewe {
    spec: Spec,
    players: usize,
    fits: &'static Fits,
}

impl Tilewe {
    /// The rules for 1 to 4 `players`.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] for any other number.
    pub fn with_players(players: usize) -> Result<Self> {
        let value = (players as u32).into();
        Ok(Self::new(&Options::parse(&options(), [("players", value)])?))
    }

    fn new(options: &Options) -> Self {
        let players = options.int("players") as usize;
        let actions = actions::layout();
        let observation = observe::layout(players);
        let spec = Spec {
            env: Self::ID,
            version: Self::VERSION,
            summary: SUMMARY,
            options: options.clone(),
            players,
            num_actions: actions.len(),
            actions: actions.into_families(),
            observation_shape: vec![observation.len()],
            observation: observation.into_fields(),
            score: "tiles on the board",
            reward_range: reward_range(options, (0.0, 5.0)),
            max_episode_steps: (players * PIECES) as u32,
            hidden_information: false,
            state_bytes: size_of::<State>(),
        };
        Self { spec, players, fits: fit::fits() }
    }
}

impl Game for Tilewe {
    type State = State;

    const ID: &'static str = "tilewe";
    const VERSION: u32 = 1;

    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn init<C: Chance + ?Sized>(&self, _chance: &mut C) -> State {
        State::new(self.players)
    }
    #[inline]
    fn status(&self, state: &State) -> Status {
        if state.finished() { Status::Terminated } else { Status::Running }
    }
    #[inline]
    fn current_player(&self, state: &State) -> usize {
        state.current()
    }
    #[inline]
    fn legal(&self, state: &State, mask: &mut [u64]) {
        self.legal_for(state, state.current(), mask);
    }
    #[inline]
    fn step<C: Chance + ?Sized>(&self, state: &mut State, action: u32, _chance: &mut C) {
        if let Some(placement) = Placement::new(action) {
            self.place(state, placement);
        }
    }
    #[inline]
    fn observe(&self, state: &State, seat: usize, out: &mut [u8]) {
        self.write_observation(state, seat, out);
    }
    #[inline]
    fn scores(&self, state: &State, out: &mut [f32]) {
        for (seat, score) in out.iter_mut().enumerate().take(self.players) {
            *score = state.score(seat) as f32;
        }
    }
    #[inline]
    fn ranks(&self, state: &State, out: &mut [u8]) {
        for (seat, rank) in out.iter_mut().enumerate().take(self.players) {
            let score = state.score(seat);
            *rank = (0..self.players).filter(|&other| state.score(other) > score).count() as u8;
        }
    }

    fn validate(&self, state: &State) -> Result<()> {
        json::validate(self, state)
    }
    fn state_to_json(&self, state: &State) -> Value {
        json::state_to_json(self, state)
    }
    fn state_from_json(&self, json: &Value) -> Result<State> {
        json::state_from_json(self, json)
    }
    fn determinize<C: Chance + ?Sized>(&self, state: &State, _seat: usize, _chance: &mut C) -> State {
        *state
    }

    fn action_to_string(&self, state: &State, action: u32) -> String {
        actions::to_string(state, action)
    }
    fn string_to_action(&self, state: &State, text: &str) -> Result<u32> {
        let m: Move = text.parse()?;
        let placement = m.placement()?;
        let seat = state.current();
        match self.objection_to_move(state, seat, m, placement) {
            None => Ok(placement.index()),
            Some(error) => Err(error),
        }
    }
    fn action_to_json(&self, state: &State, action: u32) -> Value {
        actions::to_json(state, action)
    }
    fn action_from_json(&self, _state: &State, json: &Value) -> Result<u32> {
        actions::from_json(json).map(Placement::index)
    }
    fn explain_illegal(&self, state: &State, action: u32) -> Error {
        let refuse = |placement| {
            self.objection(state, state.current(), placement).unwrap_or_else(|| {
                Error::illegal(format!("{} is legal", self.action_to_string(state, action)))
            })
        };
        actions::placement(action).map_or_else(|e| e, refuse)
    }
    fn observation_to_json(&self, state: &State, seat: usize) -> Value {
        json::observation_to_json(self, state, seat)
    }
    fn seat_colours(_: Theme) -> Vec<&'static str> {
        svg::seat_colours()
    }
    fn to_text(&self, state: &State, _last: Option<&Step<State>>, view: View) -> String {
        render::text(state, self.players, view)
    }
    fn to_svg(&self, state: &State, last: Option<&Step<State>>, view: View) -> String {
        let last = last.and_then(|step| Placement::new(step.action));
        svg::svg(state, last, self.players, view.theme)
    }
    fn places(&self, state: &State) -> Vec<Place> {
        svg::places(state)
    }

    fn bots() -> &'static [Bot<Self>] {
        bots::BOTS
    }
    fn symmetries(&self) -> Vec<Symmetry> {
        symmetry::all(self.players)
    }
}
