//! What games promise, checked and measured by playing them.
//!
//! | file | holds |
//! |---|---|
//! | `conformance` | the suite that every game passes (feature `conformance`) |
//! | `names` | names of numbers and columns of states, for the suite |
//! | `inspect` | consistency checks of single positions |
//! | `recorded_search`, `tabular` | recorded searches repeated, solved games searched; games given as tables |
//! | `rollout` | checksums of whole rollouts |
//! | `workload` | the rules' hot operations alone, for benchmarks |

#[cfg(any(test, feature = "conformance"))]
pub(crate) mod conformance;
pub mod inspect;
#[cfg(any(test, feature = "conformance"))]
mod names;
pub(crate) mod recorded_search;
pub mod rollout;
pub(crate) mod tabular;
pub(crate) mod workload;
