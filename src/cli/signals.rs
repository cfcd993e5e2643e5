//! Signal handling: Ctrl-C, SIGTERM, a closed pipe.

use std::process;

use super::failure::{CommandResult, Failure, INTERRUPTED};
use ludovec::engine::Interrupt;

/// A flag raised by Ctrl-C or SIGTERM, so that a command can show its results so far; a second signal ends the
/// program at once.
pub fn interruptible() -> Result<Interrupt, Failure> {
    let interrupt = Interrupt::default();
    let signalled = interrupt.clone();
    let handler = move || {
        if signalled.is_raised() {
            process::exit(INTERRUPTED.into());
        }
        signalled.raise();
    };
    handle_signals(handler)?;
    Ok(interrupt)
}

/// Calls `handler` in a thread of its own on Ctrl-C and SIGTERM.
pub(super) fn handle_signals(handler: impl FnMut() + Send + 'static) -> CommandResult {
    ctrlc::set_handler(handler).map_err(|e| Failure::Wrong(format!("signals cannot be handled: {e}")))
}

/// The outcome of a command that shows partial results after a signal.
pub fn ended(partial: bool) -> CommandResult {
    if partial { Err(Failure::Interrupted) } else { Ok(()) }
}

/// Lets a closed pipe (`ludovec spec | head`) end the program quietly, like other programs.
pub(super) fn end_with_the_reader() {
    #[cfg(target_os = "linux")]
    // Safety: no thread of the program has been started yet that could rely on the signal's disposition, and a host
    // such as Python only wants its own writes to end; sockets do not raise it.
    unsafe {
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
    }
}
