//! Failures of commands, and their exit codes.

use ludovec::engine::Error;

/// The failure of a command, which determines the exit code.
#[derive(Debug)]
pub enum Failure {
    /// The subject of the command is wrong: exit code 1.
    Wrong(String),
    /// The call is wrong: exit code 2.
    Usage(String),
    /// A signal ended the command early, after it has shown its results so far: exit code 130.
    Interrupted,
}

/// The exit code after a signal, as in shells for Ctrl-C.
pub(super) const INTERRUPTED: u8 = 130;

#[cfg(not(target_os = "linux"))]
impl Failure {
    /// The error of builds without fleets, with the requirements of fleets.
    pub(super) fn no_fleets() -> Self {
        let system = std::env::consts::OS;
        Self::Usage(format!(
            "fleets need Linux (POSIX shared memory and futexes), this is {system}: every other command has its \
             games in its own process"
        ))
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::InvalidConfig(what) => Self::Usage(what),
            other => Self::Wrong(other.to_string()),
        }
    }
}

/// The outcome of a command.
pub type CommandResult = Result<(), Failure>;
