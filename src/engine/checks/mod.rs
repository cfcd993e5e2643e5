//! Checks and measurements of games by playing them.
//!
//! | file | holds |
//! |---|---|
//! | `conformance` | the suite that every game passes (feature `conformance`) |
//! | `twins` | the suite: what players are shown does not depend on hidden information |
//! | `draws` | the suite: probabilities of determinizations |
//! | `guides`, `symmetries` | the suite: bots and estimates; symmetries |
//! | `batches`, `hostile`, `results` | the suite: whole batches; damaged states; ranks |
//! | `names` | value names and state columns, for the suite |
//! | `inspect` | consistency checks of single positions |
//! | `recorded_search`, `tabular` | repeated recorded searches, solved games; games given as tables |
//! | `rollout` | checksums of whole rollouts |
//! | `workload` | the hot operations of the rules alone, for benchmarks |

#[cfg(any(test, feature = "conformance"))]
mod batches;
#[cfg(any(test, feature = "conformance"))]
pub(crate) mod conformance;
#[cfg(any(test, feature = "conformance"))]
mod draws;
#[cfg(any(test, feature = "conformance"))]
mod guides;
#[cfg(any(test, feature = "conformance"))]
mod hostile;
pub mod inspect;
#[cfg(any(test, feature = "conformance"))]
mod names;
pub(crate) mod recorded_search;
#[cfg(any(test, feature = "conformance"))]
mod results;
pub mod rollout;
#[cfg(any(test, feature = "conformance"))]
mod symmetries;
pub(crate) mod tabular;
#[cfg(any(test, feature = "conformance"))]
mod twins;
pub(crate) mod workload;
