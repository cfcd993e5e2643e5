//! What an environment looks like from outside, as data: the content of `env_spec/<env>.json`.

use serde::Serialize;

use crate::engine::contract::mask;
use crate::engine::contract::options::Options;
use crate::engine::contract::packed::PackedLayout;

/// Most seats any game may have.
pub const MAX_PLAYERS: usize = 8;

/// A run of action indices with one meaning.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ActionFamily {
    /// The action's name, as in labels and structured actions.
    pub name: String,
    /// First index.
    pub offset: u32,
    /// How many indices.
    pub count: u32,
    /// What index `offset + i` does.
    pub meaning: String,
}

/// A named part of the observation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ObservationField {
    /// Its name.
    pub name: String,
    /// Index of its first element in the flattened observation.
    pub offset: usize,
    /// Its shape.
    pub shape: Vec<usize>,
    /// Elements to skip along each axis of `shape`; channel-last images have fields that are not contiguous.
    pub strides: Vec<usize>,
    /// What an element says.
    pub meaning: String,
    /// Largest value an element takes; the smallest is 0.
    pub high: u8,
    /// What a u8 element is multiplied by in float32 observations.
    pub scale: f32,
    /// Along so many of the first axes all elements are equal: a number shown on every square of a board. Packed
    /// observations hold it once.
    #[serde(skip)]
    pub uniform: usize,
}

impl ObservationField {
    /// Whether its elements lie side by side in row-major order.
    pub(crate) fn is_contiguous(&self) -> bool {
        self.indices().eq((self.offset..).take(self.shape.iter().product()))
    }
    /// Index in the flattened observation of each of its elements, in row-major order of its shape.
    pub fn indices(&self) -> impl Iterator<Item = usize> + '_ {
        let total: usize = self.shape.iter().product();
        (0..total).map(|flat| {
            let axes = self.shape.iter().zip(&self.strides).rev();
            let (_, index) = axes.fold((flat, self.offset), |(rest, index), (n, stride)| {
                (rest / n, index + rest % n * stride)
            });
            index
        })
    }
}

/// Lays fields out one after the other.
#[derive(Debug, Default)]
pub struct ObservationLayout {
    fields: Vec<ObservationField>,
    len: usize,
}

impl ObservationLayout {
    /// Appends a contiguous field and returns its offset. In float32 it is scaled to [0, 1].
    pub fn push(&mut self, name: &str, shape: &[usize], high: u8, meaning: &str) -> usize {
        let offset = self.len;
        let mut strides = vec![1; shape.len()];
        for axis in (0..shape.len().saturating_sub(1)).rev() {
            strides[axis] = strides[axis + 1] * shape[axis + 1];
        }
        self.len += shape.iter().product::<usize>();
        self.fields.push(ObservationField {
            name: name.into(),
            offset,
            shape: shape.to_vec(),
            strides,
            meaning: meaning.into(),
            high,
            scale: 1.0 / f32::from(high.max(1)),
            uniform: 0,
        });
        offset
    }
    /// Elements so far.
    pub fn len(&self) -> usize {
        self.len
    }
    /// Whether no field was pushed yet.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    /// The fields.
    pub fn into_fields(self) -> Vec<ObservationField> {
        self.fields
    }
}

/// Lays action families out one after the other.
#[derive(Debug, Default)]
pub struct ActionLayout {
    families: Vec<ActionFamily>,
    len: u32,
}

impl ActionLayout {
    /// Appends a family and returns its offset.
    pub fn push(&mut self, name: &str, count: u32, meaning: &str) -> u32 {
        let offset = self.len;
        self.families.push(ActionFamily { name: name.into(), offset, count, meaning: meaning.into() });
        self.len += count;
        offset
    }
    /// Actions so far.
    pub fn len(&self) -> u32 {
        self.len
    }
    /// Whether no family was pushed yet.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    /// The families.
    pub fn into_families(self) -> Vec<ActionFamily> {
        self.families
    }
}

/// What an environment looks like under one set of options.
///
/// [`document`](crate::engine::registry::document) adds which options and bots there are.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Spec {
    /// Environment id.
    pub env: &'static str,
    /// Version of the environment's behaviour; it changes with any change of rules, indices or layout.
    pub version: u32,
    /// One sentence.
    pub summary: &'static str,
    /// The options this spec holds for.
    pub options: Options,
    /// Number of seats, at most [`MAX_PLAYERS`].
    pub players: usize,
    /// Number of action indices.
    pub num_actions: u32,
    /// The action indices by family.
    pub actions: Vec<ActionFamily>,
    /// Shape of an observation (u8).
    pub observation_shape: Vec<usize>,
    /// The observation by field.
    pub observation: Vec<ObservationField>,
    /// What `reward=score` counts.
    pub score: &'static str,
    /// Least and greatest reward that a step can pay a seat, under the options that this spec holds for.
    pub reward_range: (f32, f32),
    /// No episode has more decisions than this.
    pub max_episode_steps: u32,
    /// Whether a seat sees less than the whole state.
    pub hidden_information: bool,
    /// Bytes of one game's state.
    pub state_bytes: usize,
}

impl Spec {
    /// Elements of one observation.
    pub fn observation_len(&self) -> usize {
        self.observation_shape.iter().product()
    }
    /// Where everything lies in packed observations. Computed anew by every call.
    pub fn packed(&self) -> PackedLayout {
        PackedLayout::new(&self.observation)
    }
    /// `u64` words of one mask row.
    pub fn mask_words(&self) -> usize {
        mask::words(self.num_actions as usize)
    }
    /// The family that `action` belongs to, with the index inside it.
    pub fn family(&self, action: u32) -> Option<(&ActionFamily, u32)> {
        let family = self.actions.iter().find(|f| action >= f.offset && action - f.offset < f.count)?;
        Some((family, action - family.offset))
    }
}
