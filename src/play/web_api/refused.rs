//! The answer to a request that is refused.

use serde_json::{Value, json};

use crate::engine::escape::{escape_hidden, shorten};
use crate::engine::{Error, RefusalKind};

/// Most characters of an error.
const LONGEST: usize = 2000;

/// A refused request: the status in the terms of HTTP, and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The HTTP status.
    pub status: u16,
    /// The reason.
    pub what: String,
}

/// The answer to a request.
pub type Answer<T> = Result<T, Refused>;

impl Refused {
    /// A refusal with an HTTP status.
    pub fn new(status: u16, what: impl Into<String>) -> Self {
        Self { status, what: what.into() }
    }

    /// The request came too late: its game has changed.
    pub fn conflict(what: impl Into<String>) -> Self {
        Self::new(409, what)
    }

    /// There is no `noun` with this id.
    #[must_use]
    pub fn unknown(noun: &str, id: &str) -> Self {
        Self::new(404, format!("there is no {noun} {id:?}: it has ended or expired"))
    }

    /// `{"error": "one line"}`
    #[must_use]
    pub fn to_json(&self) -> Value {
        let what: Vec<&str> = self.what.split_whitespace().collect();
        json!({ "error": shorten(&escape_hidden(&what.join(" ")), LONGEST) })
    }
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        let status = match error.refusal_kind() {
            Some(RefusalKind::GameOver) => 409,
            _ => 400,
        };
        Self::new(status, error.to_string())
    }
}
