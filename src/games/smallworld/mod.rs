//! Small World: races and powers that conquer, decline and score on a map of up to 48 regions.
//!
//! | file | holds |
//! |---|---|
//! | `map`, `mapgen`, `boards` | maps: the value, procedural ones, the published ones and files |
//! | `roster`, `races`, `powers`, `abilities` | numbers and texts; what each race and power changes |
//! | `state`, `columns` | the position as a plain value |
//! | `phase`, `step` | the order of a turn |
//! | `combos`, `conquest`, `redeploy`, `scoring`, `decline` | the rules, by what they are about |
//! | `actions`, `legal`, `observe`, `json`, `validate` | the position and the actions from outside |
//! | `render`, `svg`, `layout`, `shapes` | the position as text and as a picture |
//! | `bots` | scripted players |

mod abilities;
mod actions;
pub mod boards;
mod bots;
mod columns;
mod combos;
mod conquest;
mod decline;
mod json;
mod layout;
mod legal;
pub mod map;
pub mod mapgen;
mod observe;
mod phase;
mod powers;
mod races;
mod redeploy;
mod render;
pub mod roster;
mod ruleset;
mod scoring;
mod shapes;
mod state;
mod step;
mod svg;
#[cfg(test)]
mod tests;
mod validate;

use std::sync::Arc;

use serde_json::Value;

use self::actions::Action;
use self::map::Map;
use self::step::{Play, Stage};
use crate::engine::chance::{Chance, SeededChance};
use crate::engine::{
    Bot, Entry, Error, Game, OptionSpec, Options, Place, Result, Spec, Status, Step, Theme, View,
    reward_range,
};

pub use self::phase::Phase;
pub use self::ruleset::Ruleset;
pub use self::state::State;

/// The environment's entry in the registry.
pub const ENTRY: Entry = Entry {
    id: SmallWorld::ID,
    name: "SmallWorld",
    summary: SUMMARY,
    options,
    combinations: Vec::new,
    build: |options| Ok(Arc::new(SmallWorld::new(options)?)),
    conform: None,
    perft: None,
    check_variant: None,
    exports: &[],
};

const SUMMARY: &str =
    "Small World: conquer regions with a race and a power, decline in time, earn the most coins";

/// Decisions of one turn, opponents' redeployments included, are fewer.
const MAX_DECISIONS_PER_TURN: u32 = 256;

/// The options.
pub fn options() -> Vec<OptionSpec> {
    vec![
        OptionSpec::int("players", 2, 5, 3, "seats"),
        OptionSpec::choice(
            "rules",
            &["original", "official"],
            "original",
            "which rules hold where the original engine and the published rule book differ",
        ),
        OptionSpec::bool("seafaring_discount", false, "seas and lakes cost a Seafaring race one token less"),
        OptionSpec::bool("public_coins", false, "observations show the coins of all seats"),
        OptionSpec::text(
            "map",
            "procedural (a new one each game), board (the published one), a map file or the text of one",
        ),
        OptionSpec::optional_int("map_seed", 0, i64::MAX, "all games on the procedural map of this seed"),
    ]
}

/// Small World under some options.
#[derive(Debug, Clone)]
pub struct SmallWorld {
    rules: Ruleset,
    /// The map of all games, when they share one.
    map: Option<Map>,
    /// Stands in when no attempt at a procedural map succeeds, which only a scripted chance can bring about.
    spare_map: Map,
    spec: Spec,
}

impl SmallWorld {
    /// Compiles the rules under checked options.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] for a map that does not exist or cannot be played on, or a seed for a map
    /// that is not procedural.
    pub fn new(options: &Options) -> Result<Self> {
        let players = options.int("players") as usize;
        let preset = match options.text("rules") {
            Some("official") => Ruleset::official(players),
            _ => Ruleset::original(players),
        };
        let rules = Ruleset {
            seafaring_discount: options.bool("seafaring_discount"),
            public_coins: options.bool("public_coins"),
            ..preset
        };
        let map_seed = options.optional_int("map_seed");
        let procedural = |seed: i64| mapgen::generate(players, &mut SeededChance::from_seed(seed as u64));
        let map = match (options.text("map").unwrap_or("procedural"), map_seed) {
            ("procedural", seed) => seed.map(procedural).transpose()?,
            (map, Some(seed)) => {
                return Err(Error::config(format!(
                    "option map_seed={seed}: only procedural maps have a seed, map={map} has none"
                )));
            }
            ("board", None) => Some(*boards::board(players)?),
            (file, None) => Some(boards::load(file)?),
        };
        let spare_map = procedural(0)?;
        Ok(Self { rules, map, spare_map, spec: spec(options, &rules) })
    }

    /// The rules that hold.
    pub fn rules(&self) -> &Ruleset {
        &self.rules
    }

    /// A new game on `map`, up to its first decision.
    ///
    /// # Errors
    /// [`Error::InvalidState`] for a map that cannot be played on.
    pub fn init_on<C: Chance + ?Sized>(&self, map: &Map, chance: &mut C) -> Result<State> {
        map.validate()?;
        Ok(self.begin(map, chance))
    }

    fn begin<C: Chance + ?Sized>(&self, map: &Map, chance: &mut C) -> State {
        let mut state = State::new(*map, self.rules.players);
        let mut play = Play { rules: &self.rules, state: &mut state, chance };
        play.refill_row();
        play.run(Stage::Turn);
        state
    }
}

fn spec(options: &Options, rules: &Ruleset) -> Spec {
    let actions = actions::layout();
    let observation = observe::layout(rules.players);
    let decisions = u32::from(rules.turns) * rules.players as u32 * MAX_DECISIONS_PER_TURN;
    Spec {
        env: SmallWorld::ID,
        version: SmallWorld::VERSION,
        summary: SUMMARY,
        options: options.clone(),
        players: rules.players,
        num_actions: actions.len(),
        actions: actions.into_families(),
        observation_shape: vec![observation.len()],
        observation: observation.into_fields(),
        score: "victory coins",
        reward_range: reward_range(options, (-5.0, 255.0)),
        max_episode_steps: decisions,
        hidden_information: !rules.public_coins,
        state_bytes: size_of::<State>(),
    }
}

impl Game for SmallWorld {
    type State = State;

    const ID: &'static str = "smallworld";
    const VERSION: u32 = 2;

    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn init<C: Chance + ?Sized>(&self, chance: &mut C) -> State {
        match &self.map {
            Some(map) => self.begin(map, chance),
            None => {
                let map = mapgen::generate(self.rules.players, chance).unwrap_or(self.spare_map);
                self.begin(&map, chance)
            }
        }
    }

    #[inline]
    fn status(&self, state: &State) -> Status {
        if state.phase() == Phase::GameOver { Status::Terminated } else { Status::Running }
    }

    #[inline]
    fn current_player(&self, state: &State) -> usize {
        usize::from(state.mover)
    }

    #[inline]
    fn legal(&self, state: &State, mask: &mut [u64]) {
        legal::legal(&self.rules, state, mask);
    }

    #[inline]
    fn step<C: Chance + ?Sized>(&self, state: &mut State, action: u32, chance: &mut C) {
        Play { rules: &self.rules, state, chance }.act(Action::decode(action));
    }

    #[inline]
    fn observe(&self, state: &State, seat: usize, out: &mut [u8]) {
        observe::observe(&self.rules, state, seat, out);
    }

    fn scores(&self, state: &State, out: &mut [f32]) {
        for (score, &coins) in out.iter_mut().zip(&state.coins) {
            *score = f32::from(coins);
        }
    }

    /// Coins, what the turn under way will pay, and what the next one would.
    fn estimate(&self, state: &State, out: &mut [f32]) {
        for (seat, worth) in out.iter_mut().enumerate() {
            let mut payments = u16::from(state.turn < self.rules.turns);
            if seat == usize::from(state.seat) && !state.phase().is_paid() {
                payments += 1;
            }
            *worth = f32::from(state.coins[seat] + payments * state.income(seat));
        }
    }

    fn ranks(&self, state: &State, out: &mut [u8]) {
        state.ranks(out);
    }

    fn validate(&self, state: &State) -> Result<()> {
        state.map.validate()?;
        validate::check(&self.rules, state).map_err(Error::state)
    }

    fn state_to_json(&self, state: &State) -> Value {
        json::state_to_json(&self.rules, state)
    }

    fn state_from_json(&self, json: &Value) -> Result<State> {
        json::state_from_json(&self.rules, json)
    }

    fn determinize<C: Chance + ?Sized>(&self, state: &State, seat: usize, chance: &mut C) -> State {
        let mut state = *state;
        if !self.rules.public_coins {
            // Nobody tends to earn more than this a turn.
            let most = 5 + 12 * u32::from(state.turn);
            for other in (0..self.rules.players).filter(|&other| other != seat) {
                state.coins[other] = chance.uniform(most + 1) as u16;
            }
        }
        state
    }

    fn turn(&self, state: &State) -> Option<u32> {
        Some(state.turn.into())
    }

    fn action_to_string(&self, state: &State, action: u32) -> String {
        actions::to_text(&self.rules, state, action)
    }

    fn action_to_json(&self, state: &State, action: u32) -> Value {
        actions::to_json(&self.rules, state, action)
    }

    fn action_from_json(&self, state: &State, json: &Value) -> Result<u32> {
        actions::from_json(&self.rules, state, json)
    }

    fn explain_illegal(&self, state: &State, action: u32) -> Error {
        actions::explain(&self.rules, state, action)
    }

    fn observation_to_json(&self, state: &State, seat: usize) -> Value {
        json::observation(&self.rules, state, seat)
    }

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

    fn bots() -> &'static [Bot<Self>] {
        bots::BOTS
    }
}
