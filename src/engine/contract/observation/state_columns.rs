//! State columns: the memory layout and the meaning of each part of a game's true state.

use serde::{Deserialize, Serialize};

use crate::contract::observation::values::Values;

/// A named part of a state.
///
/// ```
/// use ludovec_engine::StateColumn;
///
/// struct State {
///     points: [u16; 2],
/// }
/// let column = StateColumn::of("points", 0, |state: &State| &state.points, "points by player");
/// assert_eq!((column.dtype, &column.shape[..], &column.strides[..]), ("uint16", &[2][..], &[2][..]));
/// assert_eq!(column.read(&[1, 0, 0, 1], 2), 256);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StateColumn {
    /// Its name.
    pub name: String,
    /// Bytes from the start of the state.
    pub offset: usize,
    /// The type of its elements: `uint8`, `uint16`, `uint32` or `uint64`; in games of Python also `bool`, `int8` to
    /// `int64`, `float32` or `float64`.
    pub dtype: &'static str,
    /// Its shape; empty for a single number.
    pub shape: Vec<usize>,
    /// Bytes from an element to the next along each axis.
    pub strides: Vec<usize>,
    /// Its meaning, in words.
    pub meaning: String,
    /// Tables that name its numbers.
    #[serde(skip_serializing_if = "Values::is_empty")]
    pub values: Values,
}

impl StateColumn {
    /// The column of a field of type `T`, `offset` bytes into the state. The function only tells the compiler the type.
    pub fn of<S, T: Column>(name: &str, offset: usize, _field: fn(&S) -> &T, meaning: &str) -> Self {
        let mut column = Self {
            name: name.into(),
            offset,
            dtype: T::DTYPE,
            shape: Vec::new(),
            strides: Vec::new(),
            meaning: meaning.into(),
            values: Values::default(),
        };
        column.lay_out(T::shape());
        column
    }
    /// Sets the shape of a column with contiguous elements in row-major order.
    pub fn lay_out(&mut self, shape: Vec<usize>) {
        self.strides = vec![self.item(); shape.len()];
        for axis in (1..shape.len()).rev() {
            self.strides[axis - 1] = self.strides[axis] * shape[axis];
        }
        self.shape = shape;
    }
    /// Prepends an axis: the same field in `count` structures, `stride` bytes apart.
    #[must_use]
    pub fn of_each(mut self, count: usize, stride: usize) -> Self {
        self.shape.insert(0, count);
        self.strides.insert(0, stride);
        self
    }
    /// Sets the names of its numbers.
    #[must_use]
    pub fn named(self, values: Values) -> Self {
        Self { values, ..self }
    }
    /// Bytes of an element.
    #[must_use]
    pub fn item(&self) -> usize {
        match self.dtype {
            "uint8" | "int8" | "bool" => 1,
            "uint16" | "int16" => 2,
            "uint32" | "int32" | "float32" => 4,
            _ => 8,
        }
    }
    /// The byte offset of each element, in row-major order.
    pub fn offsets(&self) -> impl Iterator<Item = usize> + '_ {
        let total: usize = self.shape.iter().product();
        (0..total).map(|flat| {
            let axes = self.shape.iter().zip(&self.strides).rev();
            axes.fold((flat, self.offset), |(rest, at), (n, stride)| (rest / n, at + rest % n * stride)).1
        })
    }
    /// Reads the element at one of the [`StateColumn::offsets`].
    #[must_use]
    pub fn read(&self, state: &[u8], at: usize) -> u64 {
        state[at..at + self.item()].iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
    }
}

/// Types of fields that can be columns: unsigned numbers, arrays of them, and types of the same layout.
///
/// ```
/// use ludovec_engine::Column;
/// assert_eq!((u16::DTYPE, u16::shape()), ("uint16", vec![]));
/// assert_eq!((<[u8; 6]>::DTYPE, <[u8; 6]>::shape()), ("uint8", vec![6]));
/// ```
pub trait Column {
    /// The type of elements.
    const DTYPE: &'static str;
    /// The shape.
    fn shape() -> Vec<usize>;
}

macro_rules! column {
    ($($type:ty: $dtype:literal $shape:expr,)+) => {
        $(impl Column for $type {
            const DTYPE: &'static str = $dtype;
            fn shape() -> Vec<usize> {
                $shape
            }
        })+
    };
}
column! {
    u8: "uint8" vec![],
    u16: "uint16" vec![],
    u32: "uint32" vec![],
    u64: "uint64" vec![],
    // The low word first on the little-endian machines that the package is built for.
    u128: "uint64" vec![2],
}

impl<T: Column, const N: usize> Column for [T; N] {
    const DTYPE: &'static str = T::DTYPE;
    fn shape() -> Vec<usize> {
        let mut shape = vec![N];
        shape.extend(T::shape());
        shape
    }
}

/// Lists the columns of a state: `state_columns!(State { field: "meaning", ... })`, with `=> Values` if the numbers
/// have names.
#[macro_export]
macro_rules! state_columns {
    ($State:ty { $($($field:ident).+ $(as $name:literal)?: $meaning:expr $(=> $values:expr)?,)+ }) => {
        vec![$({
            #[allow(unused_mut, unused_assignments, reason = "some columns are renamed")]
            let mut name = stringify!($($field).+).rsplit('.').next().unwrap_or_default();
            $(name = $name;)?
            let offset = std::mem::offset_of!($State, $($field).+);
            let column = $crate::StateColumn::of(name, offset, |state: &$State| &state.$($field).+, $meaning);
            $(let column = column.named($values);)?
            column
        }),+]
    };
}
