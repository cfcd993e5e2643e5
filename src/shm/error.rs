//! Errors of fleets.

use crate::engine::Error;
use crate::engine::visible::visible;

/// What happened to a fleet, as an error of the engine's.
pub(super) fn fleet_error(reason: impl Into<String>) -> Error {
    Error::Unavailable { host: "fleet", reason: visible(&reason.into()) }
}
