//! Compiled libraries of games, loaded while the program runs.

use std::ffi::{CStr, c_char};
use std::mem::ManuallyDrop;
use std::path::Path;

use libloading::Library;

use super::register;
use crate::engine::stamp::{GamesFunction, StampFunction, Unwind, check_stamp};
use crate::engine::{Entry, Error, Result};

/// Loads a library that [`game_library`](crate::engine::game_library) has made, registers its games, and returns their
/// ids. The library stays loaded until the program ends.
///
/// # Errors
/// [`Error::InvalidConfig`] if the file is no such library, was built for another version of the engine, or has the id
/// of a registered game.
///
/// # Safety
/// Loading runs code of the library.
pub unsafe fn load(path: &Path) -> Result<Vec<&'static str>> {
    let wrong = |what: &dyn std::fmt::Display| Error::config(format!("{}: {what}", path.display()));
    if !path.is_file() {
        return Err(wrong(&"no such file"));
    }
    // Without a folder, the operating system would search its own.
    let place = std::path::absolute(path).map_err(|error| wrong(&error))?;
    // Safety: the caller vouches for the library.
    let library = unsafe { Library::new(&place) }.map_err(|error| wrong(&error))?;
    // Entries refer to the library's code, so that it is never unloaded.
    let library = ManuallyDrop::new(library);
    let missing = |_| wrong(&"it is no library of games: game_library! makes one");
    // Safety: the symbols are made by `game_library`.
    let stamp = unsafe { library.get::<StampFunction>(b"ludovec_stamp\0") }.map_err(missing)?;
    let text: *const c_char = stamp();
    // Safety: the function returns a text that is never freed.
    let text = unsafe { CStr::from_ptr(text) };
    check_stamp(text).map_err(|error| match error {
        Error::InvalidConfig(what) => wrong(&what),
        other => other,
    })?;
    // Safety: as above; the stamp says that both sides know the same types.
    let games = unsafe { library.get::<GamesFunction>(b"ludovec_games\0") }.map_err(missing)?;
    let mut entries: &'static [Entry] = &[];
    games(&mut entries, &(Error::unwind as Unwind));
    for entry in entries {
        register(*entry)?;
    }
    Ok(entries.iter().map(|entry| entry.id).collect())
}
