//! Networks that play: file formats, checks against an environment, and inference in this process.
//!
//! | file | holds |
//! |---|---|
//! | `model` | a network file, and the network under the options of an environment |
//! | `card` | the environment, version, options and rewards that a network supports |
//! | `tensors` | the tensors in a file |
//! | `inputs` | inputs from bytes of observations |
//! | `outputs` | the mapping from actions to outputs |
//! | `residual` | the built-in architecture, without another library |
//! | `layers` | its layers |
//! | `onnx` | any other architecture, by ONNX Runtime |
//!
//! A row has the same result in any batch; with the built-in architecture, to the last bit.

mod card;
mod inputs;
mod layers;
mod model;
#[cfg(feature = "onnx")]
mod onnx;
mod outputs;
mod residual;
mod tensors;
#[cfg(test)]
pub(crate) mod tests;

pub use self::card::{Allowed, Card};
pub use self::model::{Answers, Network, Seated};
