//! The fields of an observation: where each lies, and what its elements say.

use serde::Serialize;

use crate::contract::values::Values;

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
    /// The names of its indices, numbers and bits.
    #[serde(skip_serializing_if = "Values::is_empty")]
    pub values: Values,
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
            values: Values::default(),
        });
        offset
    }
    /// Names the indices, numbers and bits of the field that was pushed last.
    pub fn name(&mut self, values: Values) {
        if let Some(field) = self.fields.last_mut() {
            field.values = values;
        }
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
