//! The rules of Small World as the engine's `Rules`.

pub(crate) mod abilities;
pub mod boards;
pub(crate) mod columns;
pub(crate) mod combos;
pub(crate) mod conquest;
pub(crate) mod conquest_costs;
pub(crate) mod decline;
pub(crate) mod legal;
pub mod map;
pub mod mapgen;
pub(crate) mod named;
pub(crate) mod phase;
pub(crate) mod pieces;
pub(crate) mod powers;
pub(crate) mod races;
pub(crate) mod redeploy;
pub(crate) mod refusals;
pub mod roster;
pub(crate) mod ruleset;
pub(crate) mod scoring;
pub(crate) mod state;
pub(crate) mod step;

use self::map::Map;
use self::phase::Phase;
use self::ruleset::Ruleset;
use self::state::State;
use self::step::{Stage, TurnContext};
use super::actions::Action;
use super::{ID, actions, observe, options, values};
use crate::exchange::validate;
use ludovec_engine::chance::{Chance, SeededChance};
use ludovec_engine::{Error, Options, PackedLayout, Result, Row, Rules, Spec, Status, reward_range};

/// Version of the behaviour: every change of rules, indices or layout increments it.
pub(super) const VERSION: u32 = 3;

/// An upper bound on the decisions of one turn, opponents' redeployments included.
const MAX_DECISIONS_PER_TURN: u32 = 256;

/// Small World under some options.
#[derive(Debug, Clone)]
pub struct SmallWorld {
    pub(super) rules: Ruleset,
    /// The map of all games, if they share one.
    pub(super) map: Option<Map>,
    /// Fallback if no attempt at a procedural map succeeds, which happens only with scripted chance.
    pub(super) spare_map: Map,
    spec: Spec,
}

impl SmallWorld {
    /// Compiles the rules under checked options.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] for a map that does not exist or is not playable, or a seed for a map that is not
    /// procedural.
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

    /// The active rules.
    #[must_use]
    pub fn rules(&self) -> &Ruleset {
        &self.rules
    }

    fn begin<C: Chance + ?Sized>(&self, map: &Map, chance: &mut C) -> State {
        let mut state = State::new(*map, self.rules.players);
        let mut play = TurnContext { rules: &self.rules, state: &mut state, chance };
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
        env: ID,
        version: VERSION,
        summary: options::SUMMARY,
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
        payoff: Default::default(),
        simultaneous: "",
        state_bytes: size_of::<State>(),
        state: values::columns(),
        values: values::tables(),
    }
}

impl Rules for SmallWorld {
    type State = State;

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
        TurnContext { rules: &self.rules, state, chance }.act(Action::decode(action));
    }

    #[inline]
    fn observe(&self, state: &State, seat: usize, out: &mut [u8]) {
        observe::observe(&self.rules, state, seat, Row::<false>::new(out));
    }

    #[inline]
    fn observe_packed(&self, state: &State, seat: usize, _: &PackedLayout, row: &mut [u8]) {
        observe::observe(&self.rules, state, seat, Row::<true>::new(row));
    }

    fn scores(&self, state: &State, out: &mut [f32]) {
        for (score, &coins) in out.iter_mut().zip(&state.coins) {
            *score = f32::from(coins);
        }
    }

    fn ranks(&self, state: &State, out: &mut [u8]) {
        state.ranks(out);
    }

    fn validate(&self, state: &State) -> Result<()> {
        state.map.validate()?;
        validate::check(&self.rules, state).map_err(Error::state)
    }

    fn determinize<C: Chance + ?Sized>(&self, state: &State, seat: usize, chance: &mut C) -> State {
        let mut state = *state;
        if !self.rules.public_coins {
            for other in (0..self.rules.players).filter(|&other| other != seat) {
                let (least, most) = state.assumed_coins(other);
                state.coins[other] = least + chance.uniform(u32::from(most - least) + 1) as u16;
            }
        }
        state
    }
}
