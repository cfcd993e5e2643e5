//! Checks and measurements of games by playing them.
//!
//! | file | holds |
//! |---|---|
//! | `conformance` | the suite that every game passes (feature `conformance`) |
//! | `names` | value names and state columns, for the suite |
//! | `inspect` | consistency checks of single positions |
//! | `recorded_search`, `tabular` | repeated recorded searches, solved games; games given as tables |
//! | `rollout` | checksums of whole rollouts |
//! | `workload` | the hot operations of the rules alone, for benchmarks |

#[cfg(any(test, feature = "conformance"))]
pub(crate) mod conformance;
pub mod inspect;
#[cfg(any(test, feature = "conformance"))]
mod names;
pub(crate) mod recorded_search;
pub mod rollout;
pub(crate) mod tabular;
pub(crate) mod workload;
