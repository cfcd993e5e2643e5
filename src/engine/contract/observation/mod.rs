//! The fields of an observation: the position of each, and the meaning of its elements.

pub(crate) mod packed;
pub(crate) mod row;
pub(crate) mod state_columns;
pub(crate) mod values;

use serde::{Deserialize, Serialize};

use crate::contract::observation::values::Values;

/// A named field of the observation.
///
/// ```
/// use ludovec_engine::ObservationLayout;
/// let mut layout = ObservationLayout::default();
/// layout.push("board", &[2, 3], 1, "discs by row and column");
/// let fields = layout.into_fields();
/// assert_eq!((fields[0].strides.clone(), fields[0].indices().count()), (vec![3, 1], 6));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ObservationField {
    /// Its name.
    pub name: String,
    /// Index of its first element in the flattened observation.
    pub offset: usize,
    /// Its shape.
    pub shape: Vec<usize>,
    /// Strides in elements along each axis of `shape`; fields of channel-last images are not contiguous.
    pub strides: Vec<usize>,
    /// The meaning of an element.
    pub meaning: String,
    /// Largest value of an element; the smallest is 0.
    pub high: u8,
    /// Factor from a u8 element to its float32 value.
    pub scale: f32,
    /// Number of leading axes along which all elements are equal, such as a number repeated on every square of a
    /// board. Packed observations store it once.
    #[serde(skip)]
    pub uniform: usize,
    /// Tables that name its indices, numbers and bits.
    #[serde(skip_serializing_if = "Values::is_empty")]
    pub values: Values,
}

impl ObservationField {
    /// Whether its elements are contiguous in row-major order.
    pub(crate) fn is_contiguous(&self) -> bool {
        self.indices().eq((self.offset..).take(self.shape.iter().product()))
    }
    /// Indices of its elements in the flattened observation, in row-major order of its shape.
    ///
    /// ```
    /// use ludovec_engine::ObservationLayout;
    /// let mut layout = ObservationLayout::default();
    /// layout.push("turn", &[1], 9, "the turn");
    /// layout.push("points", &[2], 20, "points");
    /// let fields = layout.into_fields();
    /// assert_eq!(fields[1].indices().collect::<Vec<_>>(), [1, 2]);
    /// ```
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

/// Lays out fields one after the other.
///
/// ```
/// use ludovec_engine::ObservationLayout;
/// let mut layout = ObservationLayout::default();
/// assert_eq!(layout.push("points", &[2], 20, "points, own first"), 0);
/// assert_eq!(layout.push("turn", &[1], 9, "the turn"), 2);
/// assert_eq!(layout.len(), 3);
/// ```
#[derive(Debug, Default)]
pub struct ObservationLayout {
    fields: Vec<ObservationField>,
    len: usize,
}

impl ObservationLayout {
    /// Appends a contiguous field and returns its offset. Its float32 values are scaled to [0, 1].
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
    /// Sets the tables that name the indices, numbers and bits of the last field.
    ///
    /// ```
    /// use ludovec_engine::{ObservationLayout, Values};
    /// let mut layout = ObservationLayout::default();
    /// layout.push("piece", &[8], 3, "pieces by file");
    /// layout.name(Values::axes(&["file"]).of("piece"));
    /// assert_eq!(layout.into_fields()[0].values.element.as_deref(), Some("piece"));
    /// ```
    pub fn name(&mut self, values: Values) {
        if let Some(field) = self.fields.last_mut() {
            field.values = values;
        }
    }
    /// Number of elements so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }
    /// Whether there are no fields yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    /// The fields.
    #[must_use]
    pub fn into_fields(self) -> Vec<ObservationField> {
        self.fields
    }
}
