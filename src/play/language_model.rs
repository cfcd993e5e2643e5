//! Players that are language models behind an address: `llm:MODEL@URL`.
//!
//! The texts of games and the reader of replies are written in Python. The Python package therefore makes these
//! players; it registers itself here. A program without Python refuses their names.

use std::ops::{AddAssign, Sub};
use std::sync::OnceLock;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::player::Player;
use crate::engine::{Error, Result};

/// The prefix of the names.
const PREFIX: &str = "llm:";
/// The settings behind the question mark of a name: `llm:MODEL@URL?legal=listed,retries=1`.
pub const SETTINGS: [&str; 8] =
    ["key", "legal", "log", "max_tokens", "parallel", "retries", "temperature", "timeout"];

/// Whether a text names a language model, even if malformed.
#[must_use]
pub fn is_language_model(text: &str) -> bool {
    text.starts_with(PREFIX)
}

/// Requests and tokens that a player has used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Answered and unanswered requests.
    pub requests: u64,
    /// Requests among these that repeat or correct an earlier one of the same move.
    pub retries: u64,
    /// Tokens of the messages, as counted by the server.
    pub prompt_tokens: u64,
    /// Tokens of the replies, as counted by the server.
    pub completion_tokens: u64,
}

impl AddAssign for Usage {
    fn add_assign(&mut self, more: Self) {
        self.requests += more.requests;
        self.retries += more.retries;
        self.prompt_tokens += more.prompt_tokens;
        self.completion_tokens += more.completion_tokens;
    }
}

impl Sub for Usage {
    type Output = Self;

    fn sub(self, less: Self) -> Self {
        Self {
            requests: self.requests - less.requests,
            retries: self.retries - less.retries,
            prompt_tokens: self.prompt_tokens - less.prompt_tokens,
            completion_tokens: self.completion_tokens - less.completion_tokens,
        }
    }
}

/// Makes the player named by a text. The time limit is per move; `None` is the maker's own default.
pub type Maker = fn(&str, Option<Duration>) -> Result<Player>;

static MAKER: OnceLock<Maker> = OnceLock::new();

/// Registers the maker of this process; only the first call has an effect.
pub fn make_by(maker: Maker) {
    let _ = MAKER.set(maker);
}

/// The player named by a text.
///
/// # Errors
/// [`Error::InvalidConfig`] without a maker, and for a malformed text.
pub(super) fn player(text: &str, time_limit: Option<Duration>) -> Result<Player> {
    let maker = MAKER.get().ok_or_else(|| {
        Error::config(format!(
            "bot {text:?}: language models are players of the Python package: pip install ludovec, then \
             `python -m ludovec`"
        ))
    })?;
    maker(text, time_limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_python_the_name_is_refused_in_one_line() {
        let Some(entry) = crate::games::all().first().copied() else { return };
        let game = entry.make(Vec::<(String, crate::engine::OptionValue)>::new()).unwrap();
        let error = Player::parse(&*game, "llm:some@http://127.0.0.1:1/v1", None).unwrap_err().to_string();
        assert!(error.contains("pip install ludovec") && !error.contains('\n'), "{error}");
        assert!(is_language_model("llm:") && !is_language_model("net:llm:"));
    }
}
