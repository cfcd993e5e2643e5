//! The error families every front end shows, one variant each.

use thiserror::Error as ThisError;

/// What can go wrong when a caller hands something in.
///
/// Every message is one line that says what is wrong and what is allowed. Nothing has changed when an
/// error is returned.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
pub enum Error {
    /// The action is not legal in this position.
    #[error("illegal action: {0}")]
    IllegalAction(String),
    /// The action exists, but its kind does not belong to the current phase.
    #[error("wrong phase: {0}")]
    InvalidPhase(String),
    /// The game is finished and takes no more actions.
    #[error("game over: {0}")]
    GameOver(String),
    /// An option, a configuration, a name or a file is not acceptable.
    #[error("invalid configuration: {0}")]
    InvalidConfig(String),
    /// A snapshot, a JSON position or a recorded game does not describe a reachable state.
    #[error("invalid state: {0}")]
    InvalidState(String),
    /// A fleet cannot be started, reached, or is gone.
    #[error("fleet: {0}")]
    Fleet(String),
    /// The caller's [`Interrupt`](super::Interrupt) ended the call.
    #[error("interrupted: {0}")]
    Interrupted(String),
}

/// `Result` with the engine's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An [`Error::IllegalAction`] from anything printable.
    pub fn illegal(message: impl Into<String>) -> Self {
        Self::IllegalAction(message.into())
    }
    /// An [`Error::InvalidConfig`] from anything printable.
    pub fn config(message: impl Into<String>) -> Self {
        Self::InvalidConfig(message.into())
    }
    /// An [`Error::InvalidState`] from anything printable.
    pub fn state(message: impl Into<String>) -> Self {
        Self::InvalidState(message.into())
    }
    /// An [`Error::Interrupted`] from anything printable.
    pub fn interrupted(message: impl Into<String>) -> Self {
        Self::Interrupted(message.into())
    }
    /// An [`Error::Fleet`] from anything printable.
    pub fn fleet(message: impl Into<String>) -> Self {
        Self::Fleet(message.into())
    }
}
