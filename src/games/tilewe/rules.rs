//! The rules of Tilewe as the engine's `Rules`.

use super::fit::Fits;
use super::pieces::PIECES;
use super::placements::Placement;
use super::state::State;
use super::{actions, fit, observe, options, validate, values};
use ludovec_engine::chance::Chance;
use ludovec_engine::{Options, PackedLayout, Result, Rules, Spec, Status, reward_range};

/// The rules for a number of players.
#[derive(Clone)]
pub struct Tilewe {
    spec: Spec,
    pub(super) players: usize,
    pub(super) fits: &'static Fits,
}

impl std::fmt::Debug for Tilewe {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tilewe").field("players", &self.players).finish_non_exhaustive()
    }
}

impl Tilewe {
    /// The rules for 1 to 4 `players`.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](ludovec_engine::Error::InvalidConfig) for any other number.
    pub fn with_players(players: usize) -> Result<Self> {
        let value = (players as u32).into();
        Ok(Self::new(&Options::parse(&options::list(), [("players", value)])?))
    }

    pub(super) fn new(options: &Options) -> Self {
        let players = options.int("players") as usize;
        let actions = actions::layout();
        let observation = observe::layout(players);
        let spec = Spec {
            env: Self::ID,
            version: Self::VERSION,
            summary: options::SUMMARY,
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
            state: values::columns(),
            values: values::tables(),
        };
        Self { spec, players, fits: fit::fits() }
    }
}

impl Rules for Tilewe {
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
    fn observe_packed(&self, state: &State, seat: usize, _: &PackedLayout, row: &mut [u8]) {
        self.write_packed(state, seat, row);
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
        validate::validate(self, state)
    }

    fn determinize<C: Chance + ?Sized>(&self, state: &State, _seat: usize, _chance: &mut C) -> State {
        *state
    }
}
