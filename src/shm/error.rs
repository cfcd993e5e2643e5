//! Errors of fleets.

use crate::engine::Error;

/// What happened to a fleet, as an error of the engine's.
pub(super) fn fleet_error(reason: impl Into<String>) -> Error {
    Error::Unavailable { host: "fleet", reason: reason.into() }
}
