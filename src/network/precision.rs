//! The precision of a network's weights.

use crate::engine::{Error, Named, Result};

/// The numbers in which the residual blocks of a network are computed, or the layers of a graph's nodes. The first layers
/// and the heads are in single precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Precision {
    /// Single precision.
    #[default]
    Float,
    /// Integers of 8 bits, with a scale for every output and for the inputs of every position or node.
    Int8,
    /// The same with integers of up to 16 bits, near enough to single precision to play alike.
    Int16,
}

impl Named for Precision {
    const NAMES: &'static [(&'static str, Self)] =
        &[("float", Self::Float), ("int8", Self::Int8), ("int16", Self::Int16)];
}

impl Precision {
    /// The precision with this name.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] lists the names.
    pub fn read(name: &str) -> Result<Self> {
        Self::named(name).ok_or_else(|| {
            let names: Vec<&str> = Self::NAMES.iter().map(|(name, _)| *name).collect();
            Error::config(format!("precision={name:?}: one of {} is allowed", names.join(", ")))
        })
    }
}
