//! Compiled libraries of games, loaded while the program runs.

use std::error::Error as _;
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;

use libloading::Library;
use ludovec_guest::{AbiFunction, GamesFunction, check_abi, entries};

use super::{forget, register};
use crate::engine::{Error, Result};

/// Loads a library of games, registers them, and returns their ids: a library that exports the C functions of
/// `ludovec_game.h`, in Rust by `ludovec_guest::export_game!`. It stays loaded until the program ends.
///
/// # Errors
/// [`Error::InvalidConfig`] if the file is no such library, has another version of the interface, or has the id of a
/// registered game; [`Error::Rules`] if one of its games does not start.
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
    #[cfg(all(target_os = "linux", target_pointer_width = "64"))]
    check_length(&place).map_err(|what| wrong(&what))?;
    // Safety: the caller vouches for the library.
    let library = unsafe { Library::new(&place) }.map_err(|error| wrong(&reason(&error)))?;
    // Entries refer to the library's code, so that it is never unloaded.
    let library = ManuallyDrop::new(library);
    let missing =
        |symbol: &str| wrong(&format_args!("it is no library of games: the symbol {symbol} is missing"));
    let named = |error: Error| match error {
        Error::InvalidConfig(what) => wrong(&what),
        other => other,
    };
    // Safety: the header gives the types of the symbols.
    let abi = unsafe { library.get::<AbiFunction>(c"ludovec_abi") }.map_err(|_| missing("ludovec_abi"))?;
    check_abi(abi()).map_err(named)?;
    // Safety: as above.
    let games =
        unsafe { library.get::<GamesFunction>(c"ludovec_games") }.map_err(|_| missing("ludovec_games"))?;
    let mut count = 0;
    let first = games(&mut count);
    // Safety: the caller vouches for the library.
    let entries = unsafe { entries(first, count) }.map_err(named)?;
    for entry in &entries {
        // One start, so that a game that cannot be played is found here.
        let game = entry.make([])?;
        catch_unwind(AssertUnwindSafe(|| drop(game.single(0)))).or_else(|payload| {
            match payload.downcast::<Error>() {
                Ok(error) => Err(*error),
                Err(payload) => resume_unwind(payload),
            }
        })?;
    }
    for (at, entry) in entries.iter().enumerate() {
        register(*entry).inspect_err(|_| entries[..at].iter().for_each(|entry| _ = forget(entry.id)))?;
    }
    Ok(entries.iter().map(|entry| entry.id).collect())
}

/// Refuses a file that ends before a part that loading maps into memory: an access behind its end would be a SIGBUS.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
fn check_length(path: &Path) -> std::result::Result<(), String> {
    use object::Endianness;
    use object::read::elf::ElfFile64;
    use object::read::{Object as _, ObjectSegment as _, ReadCache, ReadRef as _};

    let file = crate::engine::file::open(path).map_err(|error| error.to_string())?;
    let cache = ReadCache::new(file);
    let has = (&cache).len().map_err(|()| "its length cannot be read")?;
    let elf = ElfFile64::<Endianness, _>::parse(&cache)
        .map_err(|error| format!("it is no library, or is truncated: {error}"))?;
    for segment in elf.segments() {
        let (start, size) = segment.file_range();
        if start.checked_add(size).is_none_or(|end| end > has) {
            return Err(format!(
                "it is truncated: {has} bytes, at least {} are needed",
                start.saturating_add(size)
            ));
        }
    }
    Ok(())
}

/// An error with the operating system's sentence.
fn reason(error: &libloading::Error) -> String {
    error.source().map_or_else(|| error.to_string(), |source| format!("{error}: {source}"))
}

#[cfg(all(test, target_os = "linux", target_pointer_width = "64"))]
mod tests {
    use super::*;

    #[test]
    fn a_truncated_library_is_refused_before_it_is_loaded() {
        // This program is a file of the same format as a library.
        let whole = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let path = std::env::temp_dir().join(format!("ludovec-library-{}.so", std::process::id()));
        for length in
            [0, 1, 3, 16, 63, 64, 65, 100, whole.len() / 1000, whole.len() / 2, whole.len() * 9 / 10]
        {
            std::fs::write(&path, &whole[..length]).unwrap();
            // Safety: nothing is loaded.
            let said = unsafe { load(&path) }.unwrap_err().to_string();
            assert!(said.contains("truncated") && said.lines().count() == 1, "{length}: {said}");
        }
        std::fs::write(&path, b"#!/bin/sh\necho this is no library, and is longer than a header of one\n")
            .unwrap();
        // Safety: as above.
        let said = unsafe { load(&path) }.unwrap_err().to_string();
        assert!(said.contains("no library"), "{said}");
        std::fs::remove_file(path).unwrap();
    }
}
