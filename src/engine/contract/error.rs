//! What can go wrong when a caller hands something in: the error families that every front end shows.

use std::fmt;

use thiserror::Error as ThisError;

/// Why a call changed nothing.
///
/// Every message is one line that says what is wrong and what is allowed. Texts of the caller's may be part of a message: their
/// control characters, line breaks among them, are escaped as in Rust's literals.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
#[non_exhaustive]
pub enum Error {
    /// An action was refused.
    #[error("{0}")]
    Refused(Refusal),
    /// An option, a configuration, a name or a file is not acceptable.
    #[error("invalid configuration: {0}")]
    InvalidConfig(String),
    /// A snapshot, a JSON position or a recorded game does not describe a reachable state.
    #[error("invalid state: {0}")]
    InvalidState(String),
    /// The process that steps the games (a server) cannot be started or reached, or has ended.
    #[error("{host}: {reason}")]
    Unavailable {
        /// Name of the kind of server.
        host: &'static str,
        /// What happened to it.
        reason: String,
    },
    /// The caller's [`Interrupt`](crate::Interrupt) ended the call.
    #[error("interrupted: {0}")]
    Interrupted(String),
}

/// `Result` with the engine's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An action that was refused: why, and where as far as that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// What is wrong with it.
    pub kind: RefusalKind,
    /// The game, in a batch.
    pub game: Option<usize>,
    /// The seat to move.
    pub player: Option<usize>,
    /// The action, as it was given.
    pub action: Option<i64>,
    /// What is wrong and what is allowed, in words.
    pub reason: String,
}

/// What is wrong with an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalKind {
    /// It is not legal in this position.
    IllegalAction,
    /// It exists, but its kind does not belong to the current phase.
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
    /// An action of a kind that does not belong to the phase.
    pub fn wrong_phase(reason: impl Into<String>) -> Self {
        Self::new(RefusalKind::InvalidPhase, reason)
    }
    /// An action in a finished game.
    pub fn game_over(reason: impl Into<String>) -> Self {
        Self::new(RefusalKind::GameOver, reason)
    }
}

impl Refusal {
    /// Where it happened, and why.
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
    pub fn config(message: impl Into<String>) -> Self {
        Self::InvalidConfig(one_line(message.into()))
    }
    /// An [`Error::InvalidState`] from anything printable.
    pub fn state(message: impl Into<String>) -> Self {
        Self::InvalidState(one_line(message.into()))
    }
    /// An [`Error::Interrupted`] from anything printable.
    pub fn interrupted(message: impl Into<String>) -> Self {
        Self::Interrupted(one_line(message.into()))
    }

    /// What kind of refusal it is, if it is one.
    pub fn refusal_kind(&self) -> Option<RefusalKind> {
        match self {
            Self::Refused(refusal) => Some(refusal.kind),
            _ => None,
        }
    }
}

/// Escapes control characters.
fn one_line(message: String) -> String {
    if !message.contains(char::is_control) {
        return message;
    }
    let escaped = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    message.chars().map(escaped).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_one_line_whatever_they_quote() {
        let quoted = "field `a\nb\r\u{1b}[31m`, é";
        for error in [
            Error::config(quoted),
            Error::state(quoted),
            Error::interrupted(quoted),
            Error::illegal(quoted),
            Error::wrong_phase(quoted),
            Error::game_over(quoted),
        ] {
            let text = error.to_string();
            assert!(text.ends_with("field `a\\nb\\r\\u{1b}[31m`, é"), "{text}");
        }
    }
}
