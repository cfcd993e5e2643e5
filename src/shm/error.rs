//! Errors of fleets.

use crate::engine::Error;
use crate::engine::escape::escape_hidden;

/// A failure of a fleet as an error of the engine.
pub(super) fn fleet_error(reason: impl Into<String>) -> Error {
    Error::Unavailable { host: "fleet", reason: escape_hidden(&reason.into()) }
}
