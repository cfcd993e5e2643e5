//! Games of a compiled library behind a guard: a panic of their rules becomes an error of the program.
//!
//! A library has a standard library of its own, and a panic that leaves it would end the process: the program cannot
//! catch panics of another standard library. So the guard, which is compiled into the library, catches panics in every
//! call of the dynamic traits. It calls the program's own [`Error::unwind`] instead.

mod batch;
mod game;
mod search;
mod single;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::{Arc, Mutex, Once, PoisonError};

use crate::contract::options::Options;
use crate::contract::options::option_spec::OptionSpec;
use crate::contract::support::error::{Error, Result};
use crate::dynamic::any_game::AnyGame;
use crate::registry::{Entry, GameMaker};

/// Ends a call of the program with an error: [`Error::unwind`] of the program that loads a library.
pub type Unwind = fn(Error) -> !;

/// The place of the last panic, of a library that [`notes_places`].
static PLACE: Mutex<Option<String>> = Mutex::new(None);

/// The state of a guard.
#[derive(Clone, Copy)]
struct Guard {
    env: &'static str,
    unwind: Unwind,
}

impl Guard {
    /// Runs `call`. After a panic the error unwinds into the program.
    fn run<T>(self, call: impl FnOnce() -> T) -> T {
        match catch_unwind(AssertUnwindSafe(call)) {
            Ok(result) => result,
            Err(payload) => {
                let error = self.error(payload);
                (self.unwind)(error)
            }
        }
    }
    fn error(self, payload: Box<dyn Any + Send>) -> Error {
        let payload = match payload.downcast::<Error>() {
            Ok(error) => return *error,
            Err(payload) => payload,
        };
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or(payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
        let place = PLACE.lock().unwrap_or_else(PoisonError::into_inner).take();
        let place = place.map(|place| format!(" at {place}")).unwrap_or_default();
        Error::rules(format!("{}: the rules panicked{place}: {text}", self.env))
    }
}

/// Methods that only call the methods of the field `inner`, under the guard.
macro_rules! guarded {
    ($(ref fn $name:ident($($arg:ident: $type:ty),* $(,)?) $(-> $out:ty)?;)*) => { $(
        fn $name(&self, $($arg: $type),*) $(-> $out)? {
            self.guard.run(|| self.inner.$name($($arg),*))
        }
    )* };
    ($(mut fn $name:ident($($arg:ident: $type:ty),* $(,)?) $(-> $out:ty)?;)*) => { $(
        fn $name(&mut self, $($arg: $type),*) $(-> $out)? {
            self.guard.run(|| self.inner.$name($($arg),*))
        }
    )* };
}
use guarded;

/// The maker of a guarded environment.
struct Made {
    entry: Entry,
    guard: Guard,
}

impl GameMaker for Made {
    fn options(&self) -> Vec<OptionSpec> {
        self.guard.run(|| self.entry.options())
    }
    fn build(&self, options: &Options) -> Result<Arc<dyn AnyGame>> {
        let guard = self.guard;
        guard.run(|| self.entry.build(options)).map(|inner| game::Guarded { guard, inner }.shared())
    }
}

/// The same environments under the guard. They live until the program ends.
pub(crate) fn guarded_entries(entries: &[Entry], unwind: Unwind) -> &'static [Entry] {
    let guarded = entries.iter().map(|entry| {
        let guard = Guard { env: entry.id, unwind };
        entry.made_by_library(Box::leak(Box::new(Made { entry: *entry, guard })))
    });
    Box::leak(guarded.collect())
}

/// Silences the panic hook: place and message of a panic are in the error. `RUST_BACKTRACE` brings the usual report
/// back.
pub(crate) fn notes_places() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let report = take_hook();
        set_hook(Box::new(move |panic| {
            let place = panic.location().map(ToString::to_string);
            *PLACE.lock().unwrap_or_else(PoisonError::into_inner) = place;
            if std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0") {
                report(panic);
            }
        }));
    });
}
