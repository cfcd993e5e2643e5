//! What a class says about its game.

use std::collections::HashMap;

use ludovec::engine::{ActionLayout, ObservationLayout, Options, Payoff, Spec, StateColumn, reward_range};
use ludovec_guest::Function;
use pyo3::prelude::*;

use super::maker::kept;

/// Name, offset, type, shape and strides of a field of the state.
type FieldOfState = (String, usize, String, Vec<usize>, Vec<usize>);

/// The game under some options, as the Python package describes it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(super) struct Description {
    version: u32,
    summary: String,
    players: usize,
    /// Name, number and meaning of each family of actions.
    actions: Vec<(String, u32, String)>,
    /// Name, shape, highest value and meaning of each field of the observation.
    observation: Vec<(String, Vec<usize>, u8, String)>,
    observation_shape: Vec<usize>,
    score: String,
    reward_range: (f32, f32),
    /// "ranks", "common" or "general".
    payoff: String,
    max_episode_steps: u32,
    hidden_information: bool,
    pub(super) hides_actions: bool,
    pub(super) hides_scores: bool,
    state: Vec<FieldOfState>,
    pub(super) state_bytes: usize,
    /// Makes an array of one state.
    pub(super) make_state: Py<PyAny>,
    /// Converts observations to bytes.
    pub(super) as_bytes: Py<PyAny>,
    /// The rules by name.
    pub(super) methods: HashMap<String, Method>,
    /// Name, description and function of each bot.
    pub(super) bots: Vec<(String, String, Py<PyAny>)>,
}

/// A rule: a function of Python, or the address of a C function.
pub(super) enum Method {
    Python(Py<PyAny>),
    C(Function),
}

impl<'py> FromPyObject<'_, 'py> for Method {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match object.extract::<usize>().ok().and_then(Function::at) {
            Some(function) => Ok(Self::C(function)),
            None => Ok(Self::Python(object.to_owned().unbind())),
        }
    }
}

impl Description {
    pub(super) fn spec(&self, env: &'static str, options: &Options) -> Spec {
        let mut actions = ActionLayout::default();
        for (name, count, meaning) in &self.actions {
            actions.push(name, *count, meaning);
        }
        let mut observation = ObservationLayout::default();
        for (name, shape, high, meaning) in &self.observation {
            observation.push(name, shape, *high, meaning);
        }
        let column = |(name, offset, dtype, shape, strides): &FieldOfState| StateColumn {
            name: name.clone(),
            offset: *offset,
            dtype: kept(dtype),
            shape: shape.clone(),
            strides: strides.clone(),
            meaning: String::new(),
            values: Default::default(),
        };
        let (low, high) = self.reward_range;
        let payoff = match self.payoff.as_str() {
            "common" => Payoff::Common { low, high },
            "general" => Payoff::General { low, high },
            _ => Payoff::Ranks,
        };
        // Where scores are the outcome, the range is that of scores, which can fall as well as rise.
        let change =
            if payoff.is_ranks() { (low, high) } else { (low.min(low - high), high.max(high - low)) };
        Spec {
            env,
            version: self.version,
            summary: kept(&self.summary),
            options: options.clone(),
            players: self.players,
            num_actions: actions.len(),
            actions: actions.into_families(),
            observation_shape: self.observation_shape.clone(),
            observation: observation.into_fields(),
            score: kept(&self.score),
            reward_range: reward_range(options, change),
            payoff,
            max_episode_steps: self.max_episode_steps,
            hidden_information: self.hidden_information,
            state_bytes: self.state_bytes,
            state: self.state.iter().map(column).collect(),
            values: Default::default(),
        }
    }
}
