//! Star Wars Risk: three battles, two decks of cards, hidden orders.
//!
//! The rebellion (seat 0) wants to destroy the Death Star, the empire (seat 1) every rebel ship. Each round
//! both draw to six cards and secretly order three of them; then they turn them one by one, the rebellion
//! first, and play at most one icon of each: ships move and attack on the board of 28 spaces, rolls advance
//! the run to the shield generator, the throne room is fought for bonus cards, the Death Star fires.
//!
//! Rules: `README` of sw-ksirk, the original, with what it leaves open settled thus:
//!
//! * A group of ships attacks with all that moved, with five at most: fewer dice never help.
//! * The Falcon and the Executor go one step or two; the second may lead back.
//! * TIE fighters are spawned four at a time or not at all.
//! * The turned card is discarded before its bonus cards are drawn.
//! * Which cards are ordered is asked three times, even where the hand holds one kind of card only: that
//!   the question was skipped would tell the opponent so. Every other single choice is taken by the rules.

mod actions;
mod board;
mod bots;
mod cards;
mod compound;
mod events;
mod hidden;
mod json;
mod legal;
mod observe;
mod render;
mod state;
mod step;
mod svg;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use serde_json::Value;

pub use board::{EMPIRE, REBEL, SHIPS, SIDES, SPACES, Ship, Space};
pub use bots::{TestResult, test_agents};
pub use cards::{ICONS, Icon, KINDS, Kind};
pub use compound::CardPlay;
pub use events::{Event, ShipCounter, SubAction};
pub use state::{Phase, State};

use crate::engine::chance::Chance;
use crate::engine::{
    Bot, CompoundAction, Entry, Error, Game, OptionSpec, Options, Place, Result, Spec, Status, Step, Theme,
    View, reward_range,
};

/// The registry's entry.
pub const ENTRY: Entry = Entry {
    id: StarWarsRisk::ID,
    name: "StarWarsRisk",
    summary: SUMMARY,
    options,
    combinations: Vec::new,
    build: |options| Ok(Arc::new(StarWarsRisk::new(options))),
    conform: None,
    perft: None,
    check_variant: None,
    exports: &[],
};

const SUMMARY: &str =
    "Star Wars Risk: three battles at once, ordered by cards that the opponent does not see";

fn options() -> Vec<OptionSpec> {
    vec![OptionSpec::int("max_rounds", 1, 1000, 100, "rounds after which the game is truncated")]
}

/// The rules under one set of options.
#[derive(Debug)]
pub struct StarWarsRisk {
    spec: Spec,
    tables: board::Tables,
    max_rounds: u16,
}

impl StarWarsRisk {
    /// The rules under checked options.
    pub fn new(options: &Options) -> Self {
        let max_rounds = options.int("max_rounds") as u16;
        let spec = Spec {
            env: Self::ID,
            version: Self::VERSION,
            summary: SUMMARY,
            options: options.clone(),
            players: 2,
            num_actions: actions::ACTIONS,
            actions: actions::layout().into_families(),
            observation_shape: vec![observe::LEN],
            observation: observe::layout().into_fields(),
            score: "1 for the winner",
            reward_range: reward_range(options, (0.0, 1.0)),
            max_episode_steps: most_decisions(max_rounds.into()),
            hidden_information: true,
            state_bytes: size_of::<State>(),
        };
        Self { spec, tables: board::Tables::load(), max_rounds }
    }
}

/// A bound on the decisions of a game: 6 to order a round's cards, 10 to play one.
///
/// Cards are turned 6 a round, and as bonus cards. The empire gets at most 55 (every one of 48 ships and the
/// Falcon alone on a space, 2 more for the Falcon, 4 in the throne room), the rebellion at most one for each
/// TIE fighter and the Executor and 5 in the throne room; 24 TIE fighters start, 4 come with each card the
/// empire turns.
fn most_decisions(rounds: u32) -> u32 {
    let empire = 3 * rounds + 55;
    let rebel = 3 * rounds + (24 + 4 * empire) + 1 + 5;
    6 * rounds + 10 * (empire + rebel)
}

impl Game for StarWarsRisk {
    type State = State;
    const ID: &'static str = "starwars_risk";
    const VERSION: u32 = 2;

    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn init<C: Chance + ?Sized>(&self, chance: &mut C) -> State {
        self.start(chance)
    }
    fn status(&self, state: &State) -> Status {
        match state.outcome {
            state::Outcome::None => Status::Running,
            state::Outcome::Rounds => Status::Truncated,
            state::Outcome::Rebel | state::Outcome::Empire => Status::Terminated,
        }
    }
    fn current_player(&self, state: &State) -> usize {
        state.seat()
    }
    fn legal(&self, state: &State, mask: &mut [u64]) {
        mask.copy_from_slice(&self.legal_mask(state));
    }
    fn step<C: Chance + ?Sized>(&self, state: &mut State, action: u32, chance: &mut C) {
        self.play(state, action, chance, &mut ());
    }
    fn observe(&self, state: &State, seat: usize, out: &mut [u8]) {
        self.write_observation(state, seat, out);
    }
    fn scores(&self, state: &State, out: &mut [f32]) {
        for (seat, score) in out.iter_mut().enumerate() {
            *score = f32::from(state.outcome.winner() == Some(seat));
        }
    }
    /// Ships and hit points on the board, and for the rebellion what it has passed of the shield run.
    fn estimate(&self, state: &State, out: &mut [f32]) {
        out[REBEL] = f32::from(2 * state.shield);
        out[EMPIRE] = 0.0;
        for ship in Ship::ALL {
            out[ship.side()] += f32::from(state.in_play(ship));
        }
    }
    fn ranks(&self, state: &State, out: &mut [u8]) {
        for (seat, rank) in out.iter_mut().enumerate() {
            *rank = u8::from(state.outcome.winner() == Some(1 - seat));
        }
    }

    fn validate(&self, state: &State) -> Result<()> {
        self.check(state)
    }
    fn state_to_json(&self, state: &State) -> Value {
        self.write_state(state)
    }
    fn state_from_json(&self, json: &Value) -> Result<State> {
        self.read_state(json)
    }
    fn determinize<C: Chance + ?Sized>(&self, state: &State, seat: usize, chance: &mut C) -> State {
        hidden::determinize(state, seat, self.tables.constants.round(), chance)
    }

    fn turn(&self, state: &State) -> Option<u32> {
        Some(state.round.into())
    }
    fn action_to_string(&self, state: &State, action: u32) -> String {
        self.label(state, action)
    }
    fn describe_step(&self, step: &Step<State>, seat: Option<usize>) -> String {
        self.tell(step, seat)
    }
    fn action_to_json(&self, state: &State, action: u32) -> Value {
        self.action_json(state, action)
    }
    fn action_from_json(&self, state: &State, json: &Value) -> Result<u32> {
        self.parse_action(state, json)
    }
    fn explain_illegal(&self, state: &State, action: u32) -> Error {
        self.refusal(state, action)
    }
    fn observation_to_json(&self, state: &State, seat: usize) -> Value {
        self.seen_json(state, seat)
    }
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

    fn bots() -> &'static [Bot<Self>] {
        &bots::BOTS
    }
    fn compound_actions(&self, state: &State) -> Vec<CompoundAction> {
        let named = |play: CardPlay| CompoundAction {
            sub_actions: play.sub_actions.into_iter().map(SubAction::to_json).collect(),
            actions: play.actions,
        };
        self.card_plays(state).into_iter().map(named).collect()
    }
    fn information_state(&self, state: &State, seat: usize, history: &[Step<State>]) -> Value {
        self.remember(state, seat, history)
    }
}
