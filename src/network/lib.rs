//! Networks that play: file formats, checks against an environment, and inference in this process.
//!
//! | file | holds |
//! |---|---|
//! | `model` | a network in a file, and the same under the options of an environment |
//! | `source` | a network as bytes: its file, and the files of weights beside it |
//! | `card` | the environment, version, options and rewards that it is made for |
//! | `tensors` | the numbers in a file |
//! | `inputs` | bytes of observations as inputs |
//! | `outputs` | which output belongs to which action |
//! | `architecture` | the architectures that are computed without another library |
//! | `residual`, `graph` | one of them each: over a board or numbers, over the nodes of a map |
//! | `layers`, `patches` | their layers; those between the cells of a board and patches of cells |
//! | `policy`, `value_head` | their heads |
//! | `precision` | the precision of their weights |
//! | `kernels` | the arithmetic of the layers |
//! | `onnx` | any other architecture, by ONNX Runtime |
//! | `protobuf` | finds the external weights of ONNX files |
//! | `random_files` | files of random networks, for tests |
//!
//! A row has the same result in any batch; with the built-in architecture, to the last bit, and on any processor.

use ludovec_engine as engine;
use ludovec_games as games;

mod architecture;
mod card;
mod graph;
mod inputs;
mod kernels;
mod layers;
mod model;
#[cfg(feature = "onnx")]
mod onnx;
mod outputs;
mod patches;
mod policy;
mod precision;
mod protobuf;
#[cfg(any(test, feature = "random-files"))]
#[doc(hidden)]
pub mod random_files;
mod residual;
mod source;
mod tensors;
#[cfg(test)]
mod tests;
mod value_head;

pub use self::card::{Allowed, Card};
pub use self::kernels::SparseInputs;
pub use self::model::{Answers, FittedNetwork, Network};
pub use self::precision::Precision;
pub use self::source::Source;
