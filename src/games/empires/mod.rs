//! Terminal of Empires: empires grow over a grid of cells, turn by turn, until one has castles left.

use std::sync::Arc;

use serde_json::Value;

mod actions;
mod bots;
mod conform;
mod json;
mod legal;
mod map;

mod observe;
mod raw;
mod referee;
mod remote;
mod render;
mod rules;
mod state;
mod step;
mod svg;
#[cfg(test)]
mod tests;

pub use actions::Action;
pub use map::{Cell, Coordinates};

pub use raw::{Deed, Refusal};
pub use referee::{JournalEntry, Referee};
pub use rules::Structure;
pub use state::{Ledger, State};

use crate::engine::chance::Chance;
use crate::engine::{
    AnyGame, Bot, Entry, Error, Game, Options, Place, Result, Spec, Status, Step, View, reward_range,
};
use rules::Rules;

const ID: &str = "empires";
const SUMMARY: &str = "Terminal of Empires: farms, forts and castles on a grid, 2 to 8 players";

/// The registry's entry.
pub const ENTRY: Entry = Entry {
    id: ID,
    name: "Empires",
    summary: SUMMARY,
    options: rules::options,
    combinations: Vec::new,
    build,
    conform: Some(conform::conform),
    perft: None,
    check_variant: None,
    exports: &[],
};

/// Words for planes that the largest game, 64x64 cells with 8 players, takes.
const LARGEST: usize = 716;

/// The rules under one set of options; `N` is the size class of the states, see [`State`].
#[derive(Debug, Clone)]
pub struct Empires<const N: usize> {
    rules: Rules,
    spec: Spec,
}

/// The size classes double, so that no state takes much more than twice what its game needs; 100 is the class of
/// the default game.
fn build(options: &Options) -> Result<Arc<dyn AnyGame>> {
    let words = Rules::compile(options)?.state_words();
    macro_rules! smallest_class {
        ($($n:expr),+) => {{
            $(if words <= $n { return Ok(Arc::new(Empires::<{ $n }>::new(options)?)); })+
            unreachable!("the last class holds the largest game")
        }};
    }
    smallest_class!(48, 100, 200, 400, LARGEST)
}

impl<const N: usize> Empires<N> {
    /// Compiles the rules under checked `options`.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] when `castles` does not fit the map and the players, or the size class is too
    /// small.
    pub fn new(options: &Options) -> Result<Self> {
        let rules = Rules::compile(options)?;
        if rules.state_words() > N {
            return Err(Error::config(format!(
                "a map of {}x{} cells with {} players takes {} words, the size class has {N}",
                rules.map.width,
                rules.map.height,
                rules.players,
                rules.state_words()
            )));
        }
        let observation = observe::fields(&rules);
        let spec = Spec {
            env: ID,
            version: Self::VERSION,
            summary: SUMMARY,
            options: options.clone(),
            players: rules.players,
            num_actions: actions::num_actions(&rules.map),
            actions: actions::families(&rules.map),
            observation_shape: vec![observation.iter().map(|f| f.shape.iter().product::<usize>()).sum()],
            observation,
            score: "cells owned",
            reward_range: reward_range(options, (-1.0, 1.0)),
            max_episode_steps: (rules.max_turns - 1) * rules.players as u32,
            hidden_information: false,
            state_bytes: size_of::<State<N>>(),
        };
        Ok(Self { rules, spec })
    }

    fn action(&self, index: u32) -> Action {
        Action::from_index(index, &self.rules.map)
    }
}

impl<const N: usize> Game for Empires<N> {
    type State = State<N>;
    const ID: &'static str = ID;
    const VERSION: u32 = 1;

    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn init<C: Chance + ?Sized>(&self, chance: &mut C) -> State<N> {
        let mut state = State::empty();
        state.view_mut(&self.rules).set_up(chance);
        state
    }
    fn status(&self, state: &State<N>) -> Status {
        if state.view(&self.rules).is_over() { Status::Terminated } else { Status::Running }
    }
    fn current_player(&self, state: &State<N>) -> usize {
        state.view(&self.rules).current()
    }
    fn legal(&self, state: &State<N>, mask: &mut [u64]) {
        state.view(&self.rules).legal(mask);
    }
    fn step<C: Chance + ?Sized>(&self, state: &mut State<N>, action: u32, chance: &mut C) {
        state.view_mut(&self.rules).play(self.action(action), chance);
    }
    fn observe(&self, state: &State<N>, seat: usize, out: &mut [u8]) {
        state.view(&self.rules).observe(seat, out);
    }
    fn scores(&self, state: &State<N>, out: &mut [f32]) {
        for (seat, score) in out.iter_mut().enumerate() {
            *score = state.view(&self.rules).tiles(seat) as f32;
        }
    }
    /// Cells, up to what conquers a castle a twentieth of the resources, a bit for each producer, most of all
    /// castles.
    fn estimate(&self, state: &State<N>, out: &mut [f32]) {
        let view = state.view(&self.rules);
        for (seat, worth) in out.iter_mut().enumerate() {
            let castles = view.count(seat, Structure::Castle);
            let producers = view.count(seat, Structure::Farm) + castles;
            let saved = state.ledger.resources[seat].min(Structure::Castle.conquer_cost());
            *worth = view.tiles(seat) as f32
                + 0.05 * saved as f32
                + 1.2 * producers.min(20) as f32
                + 30.0 * castles as f32;
        }
    }
    /// The estimate, with castles counted twice, because who has none is out, and less for every turn that the next
    /// castle is away while it is within reach.
    fn outlook(&self, state: &State<N>, out: &mut [f32]) {
        const REACH: f32 = 20.0;
        self.estimate(state, out);
        let view = state.view(&self.rules);
        for (seat, worth) in out.iter_mut().enumerate() {
            let turns = view.turns_to_castle(seat).unwrap_or(REACH);
            *worth += 30.0 * view.count(seat, Structure::Castle) as f32 - 0.5 * turns.min(REACH);
        }
    }
    /// Who is alive shares the first place; the others are ranked by when they were eliminated, later is
    /// better. When nobody is left, those eliminated last share the first place.
    fn ranks(&self, state: &State<N>, out: &mut [u8]) {
        let lasted = |seat: usize| match state.ledger.eliminated[seat] {
            0 => u16::MAX,
            turn => turn,
        };
        for seat in 0..out.len() {
            out[seat] = (0..out.len()).filter(|&other| lasted(other) > lasted(seat)).count() as u8;
        }
    }

    fn validate(&self, state: &State<N>) -> Result<()> {
        if state.planes[self.rules.state_words()..].iter().any(|&word| word != 0) {
            return Err(Error::state("the words past the last plane are not 0"));
        }
        state.view(&self.rules).validate()
    }
    fn state_to_json(&self, state: &State<N>) -> Value {
        state.view(&self.rules).to_json()
    }
    fn state_from_json(&self, json: &Value) -> Result<State<N>> {
        json::from_json(&self.rules, json)
    }
    fn determinize<C: Chance + ?Sized>(&self, state: &State<N>, _seat: usize, _chance: &mut C) -> State<N> {
        *state
    }

    fn turn(&self, state: &State<N>) -> Option<u32> {
        Some(state.ledger.turn)
    }
    fn action_to_string(&self, _state: &State<N>, action: u32) -> String {
        self.action(action).label(&self.rules.map)
    }
    fn describe_step(&self, step: &Step<State<N>>, _seat: Option<usize>) -> String {
        let action = self.action(step.action);
        let label = action.label(&self.rules.map);
        match step.before.view(&self.rules).judge(action) {
            Ok(Deed::Passed) | Err(_) => label,
            Ok(deed) => format!("{label}: {}", deed.describe(|seat| self.rules.names[seat].clone())),
        }
    }
    fn action_to_json(&self, _state: &State<N>, action: u32) -> Value {
        self.action(action).to_json(&self.rules.map)
    }
    fn action_from_json(&self, _state: &State<N>, json: &Value) -> Result<u32> {
        Ok(Action::from_json(json, &self.rules.map)?.index(&self.rules.map))
    }
    fn explain_illegal(&self, state: &State<N>, action: u32) -> Error {
        let action = self.action(action);
        let reason = match state.view(&self.rules).judge(action) {
            Ok(_) => "the game is over".to_string(),
            Err(refusal) => refusal.to_string(),
        };
        Error::illegal(format!("{}: {reason}", action.label(&self.rules.map)))
    }
    fn observation_to_json(&self, state: &State<N>, seat: usize) -> Value {
        state.view(&self.rules).observation_to_json(seat)
    }
    fn to_text(&self, state: &State<N>, _last: Option<&Step<State<N>>>, view: View) -> String {
        let position = state.view(&self.rules);
        if view.ansi { position.to_terminal() } else { position.to_text() }
    }
    fn to_svg(&self, state: &State<N>, last: Option<&Step<State<N>>>, view: View) -> String {
        let last = last.and_then(|step| self.action(step.action).parts().1);
        state.view(&self.rules).to_svg(last, view.theme)
    }
    fn places(&self, _state: &State<N>) -> Vec<Place> {
        svg::places(&self.rules.map)
    }

    fn bot_request<C: Chance + ?Sized>(&self, state: &State<N>, seat: usize, _chance: &mut C) -> Value {
        state.view(&self.rules).bot_request(seat)
    }
    fn state_from_bot_request(&self, request: &Value) -> Result<State<N>> {
        remote::state_from_request(&self.rules, request)
    }
    fn bot_reply(&self, _state: &State<N>, action: u32) -> Value {
        remote::reply(self.action(action), &self.rules.map)
    }
    fn action_from_bot_reply(&self, _state: &State<N>, reply: &Value) -> Result<u32> {
        let action = reply.get("action").ok_or_else(|| Error::illegal("the answer has no \"action\""))?;
        let action =
            raw::parse(action, &self.rules.map).map_err(|refusal| Error::illegal(refusal.to_string()))?;
        Ok(action.index(&self.rules.map))
    }

    fn pass(&self, _state: &State<N>) -> Option<u32> {
        Some(Action::Pass.index(&self.rules.map))
    }
    fn bots() -> &'static [Bot<Self>] {
        macro_rules! bot {
            ($name:ident, $help:expr) => {
                Bot {
                    name: stringify!($name),
                    help: $help,
                    act: |game, state, legal, chance| {
                        bots::$name(state.view(&game.rules), legal, chance).index(&game.rules.map)
                    },
                }
            };
        }
        const {
            &[
                bot!(passive, "sits there without doing anything"),
                bot!(
                    pacifist,
                    "expands over neutral land and farms half of its cells, never attacks other players; plays \
                     as the original's documentation says, which is not its source"
                ),
                bot!(
                    aggressive,
                    "takes neutral land until it meets an enemy, then attacks, castles first, whenever it has \
                     saved 100, never builds; plays as the original's documentation says, which is not its source"
                ),
                bot!(defensive, "builds lots of forts and attacks a bit"),
                bot!(super_random, "tries any action on any cell; most are refused and count as passing"),
            ]
        }
    }
}
