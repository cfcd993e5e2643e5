//! The rules of Tilewe as the engine's `Rules`.

pub(crate) mod fit;
pub(crate) mod legal;
pub(crate) mod pieces;
pub(crate) mod placements;
pub(crate) mod ruleset;
pub(crate) mod start;
pub(crate) mod state;
pub(crate) mod step;
pub(crate) mod symmetry;
pub(crate) mod tiles;

use self::pieces::PIECES;
use self::ruleset::Ruleset;
use self::state::{MAX_COLORS, SMALL_COLORS, SMALL_SIZE, State};
use self::tiles::SIZE;
use super::{actions, observe, options, values};
use crate::exchange::validate;
use ludovec_engine::chance::Chance;
use ludovec_engine::{Options, PackedLayout, Result, Rules, Spec, Status, reward_range};

/// Version of the behaviour: every change of rules, indices or layout increments it.
pub(super) const VERSION: u32 = 1;

/// The rules under one set of options, for states with room for `N` rows and `C` colours.
///
/// [`Tilewe`] plays every game, [`SmallTilewe`] games of two colours on boards up to 14x14. Both have the same
/// indices and observations.
#[derive(Clone)]
pub struct Tilewe<const N: usize = SIZE, const C: usize = MAX_COLORS> {
    spec: Spec,
    pub(super) rules: Ruleset,
}

/// The rules with a [`SmallState`](super::SmallState).
pub type SmallTilewe = Tilewe<SMALL_SIZE, SMALL_COLORS>;

impl<const N: usize, const C: usize> std::fmt::Debug for Tilewe<N, C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tilewe").field("options", &self.spec.options).finish_non_exhaustive()
    }
}

impl Tilewe {
    /// The rules for 1 to 4 `players`.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](ludovec_engine::Error::InvalidConfig) for any other number.
    pub fn with_players(players: usize) -> Result<Self> {
        let value = (players as u32).into();
        Self::new(&Options::parse(&options::list(), [("players", value)])?)
    }
}

impl<const N: usize, const C: usize> Tilewe<N, C> {
    /// The rules under checked `options`.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](ludovec_engine::Error::InvalidConfig) if they contradict one another.
    ///
    /// # Panics
    /// If the states have no room for the board or the colours.
    pub fn new(options: &Options) -> Result<Self> {
        let rules = Ruleset::compile(options)?;
        assert!(rules.side <= N && rules.colors <= C, "a state with room for the game");
        let actions = actions::layout(&rules);
        let observation = observe::layout(&rules);
        let spec = Spec {
            env: super::ID,
            version: VERSION,
            summary: options::SUMMARY,
            options: options.clone(),
            players: rules.players,
            num_actions: actions.len(),
            actions: actions.into_families(),
            observation_shape: vec![observation.len()],
            observation: observation.into_fields(),
            score: if rules.bonus { "tiles on the board, and bonuses" } else { "tiles on the board" },
            reward_range: reward_range(options, (0.0, rules.largest_gain())),
            max_episode_steps: (rules.colors * PIECES) as u32,
            hidden_information: false,
            payoff: Default::default(),
            simultaneous: "",
            state_bytes: size_of::<State<N, C>>(),
            state: values::columns::<N, C>(&rules),
            values: values::tables(&rules),
        };
        Ok(Self { spec, rules })
    }
}

impl<const N: usize, const C: usize> Rules for Tilewe<N, C> {
    type State = State<N, C>;

    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn init<R: Chance + ?Sized>(&self, _chance: &mut R) -> State<N, C> {
        self.rules.init()
    }

    #[inline]
    fn status(&self, state: &State<N, C>) -> Status {
        if state.finished() { Status::Terminated } else { Status::Running }
    }

    #[inline]
    fn current_player(&self, state: &State<N, C>) -> usize {
        self.rules.seat(state.current())
    }

    #[inline]
    fn legal(&self, state: &State<N, C>, mask: &mut [u64]) {
        self.rules.legal_for(state, state.current(), mask);
    }

    #[inline]
    fn step<R: Chance + ?Sized>(&self, state: &mut State<N, C>, action: u32, _chance: &mut R) {
        if let Some(placement) = self.rules.placements.get(action) {
            self.rules.place(state, placement);
        }
    }

    #[inline]
    fn observe(&self, state: &State<N, C>, seat: usize, out: &mut [u8]) {
        self.rules.write_observation(state, seat, out);
    }

    #[inline]
    fn observe_packed(&self, state: &State<N, C>, seat: usize, _: &PackedLayout, row: &mut [u8]) {
        self.rules.write_packed(state, seat, row);
    }

    #[inline]
    fn scores(&self, state: &State<N, C>, out: &mut [f32]) {
        for (seat, score) in out.iter_mut().enumerate().take(self.rules.players) {
            *score = self.rules.score(state, seat) as f32;
        }
    }

    #[inline]
    fn ranks(&self, state: &State<N, C>, out: &mut [u8]) {
        let players = self.rules.players;
        for (seat, rank) in out.iter_mut().enumerate().take(players) {
            let score = self.rules.score(state, seat);
            *rank = (0..players).filter(|&other| self.rules.score(state, other) > score).count() as u8;
        }
    }

    fn validate(&self, state: &State<N, C>) -> Result<()> {
        validate::validate(&self.rules, &state.resized())
    }

    fn determinize<R: Chance + ?Sized>(
        &self,
        state: &State<N, C>,
        _seat: usize,
        _chance: &mut R,
    ) -> State<N, C> {
        *state
    }
}
