//! What games promise, checked and measured by playing them.
//!
//! | file | holds |
//! |---|---|
//! | `conformance` | the suite that every game passes (feature `conformance`) |
//! | `rollout` | checksums of whole rollouts |
//! | `workload` | the rules' hot operations alone, for benchmarks |

#[cfg(any(test, feature = "conformance"))]
pub(crate) mod conformance;
pub mod rollout;
pub(crate) mod workload;
