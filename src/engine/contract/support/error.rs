//! Errors caused by the caller's input: the error families of every front end.

use std::fmt;

use thiserror::Error as ThisError;

use super::escape;

/// Why a call changed nothing.
///
/// Every message is one line with the problem and the allowed values. Hidden characters and line breaks in the caller's
/// text are [escaped](escape::escape_hidden), and long messages are cut in the middle.
///
/// ```
/// use ludovec_engine::{Error, RefusalKind};
/// let error = Error::illegal("a7 is empty");
/// assert_eq!(error.refusal_kind(), Some(RefusalKind::IllegalAction));
/// assert_eq!(error.to_string(), "illegal action: a7 is empty");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
#[non_exhaustive]
pub enum Error {
    /// An action was refused.
    #[error("{0}")]
    Refused(Refusal),
    /// An option, a configuration, a name or a file is invalid.
    #[error("invalid configuration: {0}")]
    InvalidConfig(String),
    /// A snapshot, a JSON position or a recorded game does not describe a reachable state.
    #[error("invalid state: {0}")]
    InvalidState(String),
    /// The server process that steps the games cannot be started or reached, or has ended.
    #[error("{host}: {reason}")]
    Unavailable {
        /// Kind of server.
        host: &'static str,
        /// Description of the failure.
        reason: String,
    },
    /// The caller's [`Interrupt`](crate::Interrupt) ended the call.
    #[error("interrupted: {0}")]
    Interrupted(String),
    /// The rules of a game are wrong: a rule raised an exception or returned nonsense.
    #[error("{0}")]
    Rules(String),
    /// The call needs more memory than is available.
    #[error("out of memory: {0}")]
    OutOfMemory(String),
}

/// `Result` with the engine's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A refused action: the reason, and where it happened as far as known.
///
/// ```
/// use ludovec_engine::Refusal;
/// let mut refusal = Refusal::illegal("a7 is empty");
/// refusal.game = Some(3);
/// assert_eq!(refusal.text(), "game 3: a7 is empty");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The kind of refusal.
    pub kind: RefusalKind,
    /// The game, in a batch.
    pub game: Option<usize>,
    /// The current player.
    pub player: Option<usize>,
    /// The action as given.
    pub action: Option<i64>,
    /// The problem and the allowed values, in words.
    pub reason: String,
}

/// The kind of a refusal.
///
/// ```
/// use ludovec_engine::{Refusal, RefusalKind};
/// assert_eq!(Refusal::game_over("it ended").kind, RefusalKind::GameOver);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalKind {
    /// The action is not legal in this position.
    IllegalAction,
    /// The action exists but does not belong to the current phase.
    InvalidPhase,
    /// The game is finished and takes no more actions.
    GameOver,
}

impl Refusal {
    /// A refusal without game, player and action.
    pub fn new(kind: RefusalKind, reason: impl Into<String>) -> Self {
        Self { kind, game: None, player: None, action: None, reason: one_line(reason.into()) }
    }

    /// An action that is not legal.
    pub fn illegal(reason: impl Into<String>) -> Self {
        Self::new(RefusalKind::IllegalAction, reason)
    }
    /// An action that does not belong to the current phase.
    pub fn wrong_phase(reason: impl Into<String>) -> Self {
        Self::new(RefusalKind::InvalidPhase, reason)
    }
    /// An action in a finished game.
    pub fn game_over(reason: impl Into<String>) -> Self {
        Self::new(RefusalKind::GameOver, reason)
    }
}

impl Refusal {
    /// The game, the player, the action and the reason as text.
    #[must_use]
    pub fn text(&self) -> String {
        let place = [
            self.game.map(|game| format!("game {game}")),
            self.player.map(|player| format!("player {player}")),
            self.action.map(|action| format!("action {action}")),
        ];
        let place: Vec<String> = place.into_iter().flatten().collect();
        if place.is_empty() { self.reason.clone() } else { format!("{}: {}", place.join(", "), self.reason) }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            RefusalKind::IllegalAction => "illegal action",
            RefusalKind::InvalidPhase => "wrong phase",
            RefusalKind::GameOver => "game over",
        };
        write!(f, "{kind}: {}", self.text())
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl Error {
    /// [`Refusal::illegal`] as an error.
    pub fn illegal(reason: impl Into<String>) -> Self {
        Refusal::illegal(reason).into()
    }
    /// [`Refusal::wrong_phase`] as an error.
    pub fn wrong_phase(reason: impl Into<String>) -> Self {
        Refusal::wrong_phase(reason).into()
    }
    /// [`Refusal::game_over`] as an error.
    pub fn game_over(reason: impl Into<String>) -> Self {
        Refusal::game_over(reason).into()
    }
    /// An [`Error::InvalidConfig`] from anything printable.
    ///
    /// ```
    /// use ludovec_engine::Error;
    /// assert_eq!(Error::config("players=9").to_string(), "invalid configuration: players=9");
    /// ```
    pub fn config(message: impl Into<String>) -> Self {
        Self::InvalidConfig(one_line(message.into()))
    }
    /// An [`Error::InvalidState`] from anything printable.
    ///
    /// ```
    /// use ludovec_engine::Error;
    /// assert_eq!(Error::state("two kings").to_string(), "invalid state: two kings");
    /// ```
    pub fn state(message: impl Into<String>) -> Self {
        Self::InvalidState(one_line(message.into()))
    }
    /// An [`Error::Rules`] from anything printable.
    pub fn rules(message: impl Into<String>) -> Self {
        Self::Rules(one_line(message.into()))
    }
    /// Ends a call of the engine in which a rule fails. The methods of [`Rules`](crate::Rules) return no errors:
    /// unwinding carries this one to the front end, which returns it instead of a panic. No panic hook runs.
    pub fn unwind(self) -> ! {
        std::panic::resume_unwind(Box::new(self))
    }
    /// An [`Error::Interrupted`] from anything printable.
    pub fn interrupted(message: impl Into<String>) -> Self {
        Self::Interrupted(one_line(message.into()))
    }

    /// An [`Error::OutOfMemory`]; `what` names the contents of the memory as a plural noun.
    ///
    /// ```
    /// use ludovec_engine::Error;
    /// let error = Error::out_of_memory("the rows", 3 << 20);
    /// assert_eq!(error.to_string(), "out of memory: the rows need 3 MiB, more than is available");
    /// ```
    #[must_use]
    pub fn out_of_memory(what: &str, bytes: usize) -> Self {
        let size = match bytes >> 20 {
            0 => format!("{bytes} bytes"),
            mib => format!("{mib} MiB"),
        };
        Self::OutOfMemory(one_line(format!("{what} need {size}, more than is available")))
    }

    /// The kind of refusal, if the error is a refusal.
    ///
    /// ```
    /// use ludovec_engine::Error;
    /// assert_eq!(Error::state("two kings").refusal_kind(), None);
    /// ```
    #[must_use]
    pub fn refusal_kind(&self) -> Option<RefusalKind> {
        match self {
            Self::Refused(refusal) => Some(refusal.kind),
            _ => None,
        }
    }
}

/// Maximum length of a message in characters.
const LONGEST: usize = 2000;

/// Escapes hidden characters and line breaks of a message and limits its length.
fn one_line(message: String) -> String {
    if message.len() <= LONGEST && !message.contains(escape::is_hidden) {
        return message;
    }
    // Cut first as well, so that megabytes of text are not escaped as a whole.
    escape::shorten(&escape::escape_hidden(&escape::shorten(&message, LONGEST)), LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_one_line_for_any_quoted_text() {
        let quoted = "field `a\nb\r\u{1b}[31m\u{202e}`, é";
        for error in [
            Error::config(quoted),
            Error::state(quoted),
            Error::interrupted(quoted),
            Error::illegal(quoted),
            Error::wrong_phase(quoted),
            Error::game_over(quoted),
        ] {
            let text = error.to_string();
            assert!(text.ends_with("field `a\\nb\\r\\u{1b}[31m\\u{202e}`, é"), "{text}");
        }
    }

    #[test]
    fn messages_have_bounded_length_and_keep_the_allowed_values() {
        for quoted in ["x".repeat(1 << 22), "\u{202e}".repeat(1 << 20)] {
            let text = Error::config(format!("option x={quoted}: 1 to 3 are allowed")).to_string();
            assert!(text.chars().count() <= LONGEST + 100, "{}", text.len());
            assert!(text.contains("option x=") && text.ends_with(": 1 to 3 are allowed"));
        }
    }
}
