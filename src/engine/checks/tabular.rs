//! A game given as a table, for recorded searches.

use bytemuck::{Pod, Zeroable};

use crate::contract::chance::Chance;
use crate::contract::dialect::Dialect;
use crate::contract::guide::Guide;
use crate::contract::observation::ObservationLayout;
use crate::contract::options::Options;
use crate::contract::picture::Picture;
use crate::contract::rules::{Rules, Status};
use crate::contract::spec::{ActionLayout, Spec};
use crate::contract::support::error::{Error, Result};
use crate::contract::words::Words;

/// Maximum number of players.
const MOST_PLAYERS: usize = 4;
/// Rewards are whole multiples of `1 / UNIT`, so their sums are exact; scores count these multiples.
pub(crate) const UNIT: f64 = 10_000.0;

/// An outcome of an action.
#[derive(Debug, Clone)]
pub(crate) struct Branch {
    /// Relative probability: the weight divided by the sum of the weights.
    pub(crate) weight: u32,
    /// The next state, or `None` at the end.
    pub(crate) next: Option<usize>,
    /// The reward of every player.
    pub(crate) rewards: Vec<f64>,
}

/// A position, and the scores of the players so far.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct State {
    /// The state, or -1 at the end.
    pub(crate) at: i32,
    scores: [i32; MOST_PLAYERS],
}

/// A finite game: a graph of states, which a search unfolds into a tree.
pub(crate) struct Tabular {
    spec: Spec,
    root: usize,
    pub(crate) player: Vec<usize>,
    /// By state and action; empty if illegal.
    pub(crate) outcomes: Vec<Vec<Vec<Branch>>>,
}

impl Tabular {
    /// # Errors
    /// [`Error::InvalidConfig`] if the table does not define a game.
    pub(crate) fn new(
        players: usize,
        root: usize,
        player: Vec<usize>,
        outcomes: Vec<Vec<Vec<Branch>>>,
    ) -> Result<Self> {
        let states = outcomes.len();
        let actions = outcomes.first().map_or(0, Vec::len);
        let fits = (1..=MOST_PLAYERS).contains(&players)
            && root < states
            && player.len() == states
            && player.iter().all(|&player| player < players)
            && outcomes
                .iter()
                .all(|of_state| of_state.len() == actions && of_state.iter().any(|o| !o.is_empty()))
            && outcomes.iter().flatten().all(|outcomes| {
                let weights = outcomes.iter().try_fold(0u32, |sum, outcome| sum.checked_add(outcome.weight));
                outcomes.is_empty() || weights.is_some_and(|sum| sum > 0)
            })
            && outcomes.iter().flatten().flatten().all(|outcome| {
                outcome.next.is_none_or(|next| next < states)
                    && outcome.rewards.len() == players
                    && outcome.rewards.iter().all(|reward| reward.abs() <= 100.0)
            });
        if !fits {
            return Err(Error::config(
                "the table is no game: 1 to 4 players, states and players that exist, one row a state with one entry an \
                 action, a legal action in every state, weights above 0, a reward a player within 100 are needed",
            ));
        }
        let options = Options::parse(&[], [("reward", "score".into())])?;
        let mut families = ActionLayout::default();
        families.push("ACTION", actions as u32, "an action of the table");
        let mut observation = ObservationLayout::default();
        observation.push("state", &[4], u8::MAX, "number of the state, lowest byte first");
        let spec = Spec {
            env: "tabular",
            version: 1,
            summary: "a game given as a table",
            options,
            players,
            num_actions: families.len(),
            actions: families.into_families(),
            observation_shape: vec![observation.len()],
            observation: observation.into_fields(),
            score: "sum of the rewards",
            reward_range: (-100.0 * UNIT as f32, 100.0 * UNIT as f32),
            max_episode_steps: u32::MAX,
            hidden_information: false,
            payoff: Default::default(),
            simultaneous: "",
            state_bytes: size_of::<State>(),
            state: Vec::new(),
            values: Default::default(),
        };
        Ok(Self { spec, root, player, outcomes })
    }

    /// The root.
    pub(crate) fn start(&self) -> State {
        State { at: self.root as i32, scores: [0; MOST_PLAYERS] }
    }
}

impl Rules for Tabular {
    type State = State;

    fn spec(&self) -> &Spec {
        &self.spec
    }
    fn init<C: Chance + ?Sized>(&self, _: &mut C) -> State {
        self.start()
    }
    fn status(&self, state: &State) -> Status {
        if state.at < 0 { Status::Terminated } else { Status::Running }
    }
    fn current_player(&self, state: &State) -> usize {
        self.player.get(state.at as usize).copied().unwrap_or(0)
    }
    fn legal(&self, state: &State, mask: &mut [u64]) {
        mask.fill(0);
        let of_state = self.outcomes.get(state.at as usize).into_iter().flatten();
        for (action, _) in of_state.enumerate().filter(|(_, outcomes)| !outcomes.is_empty()) {
            mask[action / 64] |= 1 << (action % 64);
        }
    }
    fn step<C: Chance + ?Sized>(&self, state: &mut State, action: u32, chance: &mut C) {
        let outcomes = &self.outcomes[state.at as usize][action as usize];
        let drawn = match &outcomes[..] {
            [only] => only,
            all => {
                let weights: Vec<u32> = all.iter().map(|outcome| outcome.weight).collect();
                &all[chance.weighted(&weights)]
            }
        };
        state.at = drawn.next.map_or(-1, |next| next as i32);
        for (score, reward) in state.scores.iter_mut().zip(&drawn.rewards) {
            *score = score.saturating_add((reward * UNIT).round() as i32);
        }
    }
    fn observe(&self, state: &State, _: usize, out: &mut [u8]) {
        out.copy_from_slice(&state.at.to_le_bytes());
    }
    fn scores(&self, state: &State, out: &mut [f32]) {
        for (out, score) in out.iter_mut().zip(state.scores) {
            *out = score as f32;
        }
    }
    fn ranks(&self, state: &State, out: &mut [u8]) {
        let players = out.len();
        for (seat, rank) in out.iter_mut().enumerate() {
            *rank = (0..players).filter(|&other| state.scores[other] > state.scores[seat]).count() as u8;
        }
    }
    fn validate(&self, state: &State) -> Result<()> {
        let exists = state.at >= -1 && (state.at as i64) < self.outcomes.len() as i64;
        if exists { Ok(()) } else { Err(Error::state(format!("there is no state {}", state.at))) }
    }
    fn determinize<C: Chance + ?Sized>(&self, state: &State, _: usize, _: &mut C) -> State {
        *state
    }
}

impl Words for Tabular {}
impl Picture for Tabular {}
impl Guide for Tabular {}
impl Dialect for Tabular {}
