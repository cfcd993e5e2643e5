//! Checks and measurements of games by playing them.
//!
//! | file | holds |
//! |---|---|
//! | `conformance` | the suite that every game passes |
//! | `twins` | the suite: what players are shown does not depend on hidden information |
//! | `histories` | the suite: whole games that a player cannot tell apart |
//! | `draws` | the suite: probabilities of determinizations |
//! | `unsaid` | the suite: hidden information that the spec denies |
//! | `simultaneous` | the suite: sealed decisions stay unknown until all players have decided |
//! | `guides`, `symmetries` | the suite: bots and estimates; symmetries |
//! | `batches`, `hostile`, `results` | the suite: whole batches; damaged states; ranks |
//! | `names` | value names and state columns, for the suite |
//! | `inspect` | consistency checks of single positions |
//! | `recorded_search`, `tabular` | repeated recorded searches, solved games; games given as tables |
//! | `rollout` | checksums of whole rollouts |
//! | `workload` | the hot operations of the rules alone, for benchmarks |

mod batches;
pub(crate) mod conformance;
mod draws;
mod guides;
mod histories;
mod hostile;
pub mod inspect;
mod names;
pub(crate) mod recorded_search;
mod results;
pub mod rollout;
mod simultaneous;
mod symmetries;
pub(crate) mod tabular;
mod twins;
mod unsaid;
pub(crate) mod workload;
