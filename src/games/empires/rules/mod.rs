//! The rules of Terminal of Empires as the engine's `Rules`.

pub(crate) mod legal;
pub(crate) mod map;
pub(crate) mod refusal;
pub(crate) mod ruleset;
pub(crate) mod state;
pub(crate) mod step;

use self::ruleset::Ruleset;
use self::state::State;
use super::actions::Action;
use super::{ID, actions, observe, options, values};
use ludovec_engine::chance::Chance;
use ludovec_engine::{Error, Options, PackedLayout, Result, Row, Rules, Spec, Status, reward_range};

/// Version of the behaviour: every change of rules, indices or layout increments it.
pub(super) const VERSION: u32 = 1;

/// The rules under one set of options; `N` is the size class of the states, see [`State`].
#[derive(Debug, Clone)]
pub struct Empires<const N: usize> {
    pub(super) rules: Ruleset,
    pub(super) spec: Spec,
}

impl<const N: usize> Empires<N> {
    /// Compiles the rules under checked `options`.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] if `castles` does not fit the map and the players, or the size class is too small.
    pub fn new(options: &Options) -> Result<Self> {
        let rules = Ruleset::compile(options)?;
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
            version: VERSION,
            summary: options::SUMMARY,
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
            payoff: Default::default(),
            simultaneous: "",
            state_bytes: size_of::<State<N>>(),
            state: values::columns::<N>(&rules),
            values: values::tables(&rules),
        };
        Ok(Self { rules, spec })
    }

    pub(super) fn action(&self, index: u32) -> Action {
        Action::from_index(index, &self.rules.map)
    }
}

impl<const N: usize> Rules for Empires<N> {
    type State = State<N>;

    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn init<C: Chance + ?Sized>(&self, chance: &mut C) -> State<N> {
        let mut state = State::empty();
        state.with_mut(&self.rules).set_up(chance);
        state
    }

    fn status(&self, state: &State<N>) -> Status {
        if state.with(&self.rules).is_over() { Status::Terminated } else { Status::Running }
    }

    fn current_player(&self, state: &State<N>) -> usize {
        state.with(&self.rules).current()
    }

    fn legal(&self, state: &State<N>, mask: &mut [u64]) {
        state.with(&self.rules).legal(mask);
    }

    fn step<C: Chance + ?Sized>(&self, state: &mut State<N>, action: u32, chance: &mut C) {
        state.with_mut(&self.rules).play(self.action(action), chance);
    }

    fn observe(&self, state: &State<N>, seat: usize, out: &mut [u8]) {
        state.with(&self.rules).observe(seat, Row::<false>::new(out));
    }

    fn observe_packed(&self, state: &State<N>, seat: usize, _: &PackedLayout, row: &mut [u8]) {
        state.with(&self.rules).observe(seat, Row::<true>::new(row));
    }

    fn scores(&self, state: &State<N>, out: &mut [f32]) {
        for (seat, score) in out.iter_mut().enumerate() {
            *score = state.with(&self.rules).tiles(seat) as f32;
        }
    }

    /// Living seats share the first place; the others are ranked by the turn of their elimination, later is better.
    /// If no seat is left, the seats eliminated last share the first place.
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
        state.with(&self.rules).validate()
    }

    fn determinize<C: Chance + ?Sized>(&self, state: &State<N>, _seat: usize, _chance: &mut C) -> State<N> {
        *state
    }
}
