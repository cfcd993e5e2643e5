//! The description of a game of a library: JSON as in `env_spec`, in which most keys have defaults.

use ludovec_engine::{Error, MAX_PLAYERS, OptionSpec, Options, Spec, kept_json, reward_range};
use serde::Deserialize;
use serde_json::Value;

use crate::state::LARGEST_RECORD;

/// The properties of a game beyond its spec.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Features {
    /// The bots of the game.
    pub bots: Vec<BotName>,
    /// Whether other players do not see the actions of a player, other than by what
    /// [`observe`](crate::GuestRules::observe) shows.
    pub hides_actions: bool,
    /// Whether other players do not know the score of a player in a running game.
    pub hides_scores: bool,
    /// Whether the game has scores of its own; otherwise a finished game's scores are its returns.
    pub keeps_scores: bool,
    /// Whether the game has an estimate of its own; otherwise scores are the estimate.
    pub has_estimate: bool,
    /// Whether the estimate of a finished game is that of the rules, too; otherwise it is the returns.
    pub estimates_ends: bool,
    /// Number of leading axes of each field of the observation along which its elements are equal.
    pub uniform: Vec<usize>,
    /// Least and largest change of a score in a step, for a spec without `reward_range`.
    pub score_change: Option<(f32, f32)>,
}

/// A bot of a game.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct BotName {
    /// Its name on command lines.
    pub name: String,
    /// One sentence on how it plays.
    pub help: String,
}

impl Features {
    /// A game without bots, scores and estimates of its own that hides nothing.
    pub const NONE: Self = Self {
        bots: Vec::new(),
        hides_actions: false,
        hides_scores: false,
        keeps_scores: false,
        has_estimate: false,
        estimates_ends: false,
        uniform: Vec::new(),
        score_change: None,
    };
}

/// The types of fields of a state.
const DTYPES: [&str; 11] =
    ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"];
/// Most elements of an observation.
const LARGEST: usize = 1 << 24;

/// The product of sizes, up to [`LARGEST`].
fn product(sizes: &[usize]) -> Option<usize> {
    sizes.iter().try_fold(1usize, |all, &size| all.checked_mul(size)).filter(|&all| all <= LARGEST)
}

/// Completes the strides of a field whose elements are `item` long, and checks that it ends at `end`.
fn lay_out(
    name: &str,
    offset: usize,
    shape: &[usize],
    strides: &mut Vec<usize>,
    item: usize,
    end: usize,
) -> Result<(), String> {
    let ends = |at: usize, (&size, &stride): (&usize, &usize)| {
        size.checked_sub(1)?.checked_mul(stride)?.checked_add(at)
    };
    let fits = |strides: &[usize]| {
        let last = shape.iter().zip(strides).try_fold(offset.checked_add(item)?, ends)?;
        (shape.len() == strides.len() && last <= end).then_some(())
    };
    let elements = product(shape).filter(|&elements| elements > 0);
    if elements.is_some() && strides.is_empty() {
        *strides = (1..=shape.len()).map(|axis| item * shape[axis..].iter().product::<usize>()).collect();
    }
    elements.and_then(|_| fits(strides)).ok_or_else(|| {
        format!("the field {name} of shape {shape:?} at {offset} does not end at {end} or before")
    })
}

/// The spec of an environment from the JSON of its description, and what else that says.
///
/// # Errors
/// [`Error::Rules`] names the first value that is wrong.
pub fn described_spec(
    env: &'static str,
    summary: &'static str,
    options: &Options,
    text: &str,
) -> ludovec_engine::Result<(Spec, Features)> {
    read(env, summary, options, text).map_err(|what| Error::rules(format!("{env}: description: {what}")))
}

fn read(
    env: &'static str,
    summary: &'static str,
    options: &Options,
    text: &str,
) -> Result<(Spec, Features), String> {
    let said = |error: serde_json::Error| error.to_string();
    let json = kept_json(text).map_err(said)?;
    let features = Features::deserialize(json).map_err(said)?;
    let mut spec = Spec { env, summary, options: options.clone(), ..Spec::deserialize(json).map_err(said)? };
    spec.version = spec.version.max(1);
    spec.max_episode_steps = if spec.max_episode_steps == 0 { u32::MAX } else { spec.max_episode_steps };
    let mut actions = 0usize;
    for family in &mut spec.actions {
        family.offset = actions as u32;
        actions += family.count as usize;
        let shape: Vec<usize> = family.shape.iter().map(|&size| size as usize).collect();
        if !shape.is_empty() && product(&shape) != Some(family.count as usize) {
            return Err(format!("{} actions {} of shape {shape:?}", family.count, family.name));
        }
    }
    spec.num_actions = actions as u32;
    let is_given = !spec.observation_shape.is_empty();
    if !is_given {
        let sizes = spec.observation.iter().map(|field| product(&field.shape).unwrap_or(LARGEST));
        spec.observation_shape = vec![sizes.sum()];
    }
    let elements = product(&spec.observation_shape).unwrap_or(0);
    let mut next = 0;
    for (at, field) in spec.observation.iter_mut().enumerate() {
        field.offset = if field.strides.is_empty() { next } else { field.offset };
        lay_out(&field.name, field.offset, &field.shape, &mut field.strides, 1, elements)?;
        next = field.offset + field.shape.iter().product::<usize>();
        field.uniform = features.uniform.get(at).copied().unwrap_or(0).min(field.shape.len());
        field.scale = if field.scale == 0.0 { 1.0 / f32::from(field.high.max(1)) } else { field.scale };
    }
    for column in &mut spec.state {
        if !DTYPES.contains(&column.dtype) {
            let (dtype, name) = (column.dtype, &column.name);
            return Err(format!("the type {dtype:?} of {name}: {} are allowed", DTYPES.join(", ")));
        }
        let item = column.item();
        lay_out(&column.name, column.offset, &column.shape, &mut column.strides, item, spec.state_bytes)?;
    }
    if spec.reward_range == (0.0, 0.0) {
        spec.reward_range = reward_range(options, features.score_change.unwrap_or((-1.0, 1.0)));
    }
    for (what, number, most) in [
        ("players", spec.players, MAX_PLAYERS),
        ("actions", actions, i32::MAX as usize),
        ("elements of an observation", elements, LARGEST),
        ("bytes of a state", spec.state_bytes, LARGEST_RECORD),
    ] {
        if !(1..=most).contains(&number) {
            return Err(format!("{number} {what}, 1 to {most} are allowed"));
        }
    }
    if !spec.simultaneous.is_empty() && spec.flags().next().is_none() {
        return Err(format!(
            "simultaneous={:?}: the name of an observation field is needed",
            spec.simultaneous
        ));
    }
    let (low, high) = spec.payoff.range().unwrap_or_default();
    let (least, most) = spec.reward_range;
    let scales = spec.observation.iter().map(|field| field.scale);
    if ![low, high, least, most].into_iter().chain(scales).all(f32::is_finite) || least > most {
        return Err("numbers that are not finite, or a least reward above the largest".into());
    }
    Ok((spec, features))
}

/// The options of a JSON array, as `option_list` of a spec.
///
/// # Errors
/// [`Error::InvalidConfig`] if the text is something else.
pub fn read_options(env: &str, text: &str) -> ludovec_engine::Result<Vec<OptionSpec>> {
    let options = kept_json(text).and_then(Vec::deserialize);
    options.map_err(|error| Error::config(format!("{env}: options: {error}")))
}

/// The options as [`read_options`] reads them.
pub(crate) fn options_json(options: &[OptionSpec]) -> Value {
    let written = |option: &OptionSpec| {
        let mut json = serde_json::to_value(option)?;
        json["paths"] = serde_json::to_value(&option.paths)?;
        Ok(json)
    };
    let written: serde_json::Result<Vec<Value>> = options.iter().map(written).collect();
    written.expect("options are plain data").into()
}
