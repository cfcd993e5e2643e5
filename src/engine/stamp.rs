//! The stamp of a compiled engine, and the symbols of a library of games.
//!
//! A library of games and the program that loads it each contain the engine. Trait objects cross the border between
//! them, so that both must be compiled by the same compiler from the same sources with the same layouts. The stamp has
//! all of this as text; the loader compares it before it touches anything else.

use std::ffi::{CStr, c_char};
use std::mem::{align_of, size_of};

use crate::contract::spec::Spec;
use crate::contract::support::error::Error;
use crate::dynamic::config::BatchConfig;
use crate::dynamic::tree_search::SearchSettings;
pub use crate::guarded::Unwind;
use crate::guarded::{guarded_entries, notes_places};
use crate::registry::Entry;

/// The stamp of this build.
pub const STAMP: &str = concat!(
    "ludovec ",
    env!("CARGO_PKG_VERSION"),
    ", engine ",
    env!("LUDOVEC_SOURCES"),
    ", ",
    env!("LUDOVEC_COMPILER"),
    ", ",
    env!("LUDOVEC_TARGET"),
);

/// The type of the function `ludovec_stamp` of a library.
pub type StampFunction = extern "C" fn() -> *const c_char;

/// The type of the function `ludovec_games` of a library. It takes the loading program's [`Error::unwind`], by which
/// panics of the library's rules leave it.
pub type GamesFunction = extern "C" fn(games: &mut &'static [Entry], unwind: &Unwind);

/// The stamp with the features and the sizes of types that both sides exchange, which depend on other crates.
pub fn stamp() -> String {
    let sizes = [
        size_of::<Entry>(),
        size_of::<Spec>(),
        size_of::<Error>(),
        size_of::<BatchConfig>(),
        size_of::<SearchSettings>(),
        size_of::<serde_json::Value>(),
        align_of::<Spec>(),
    ];
    let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
    let unwinds = if cfg!(panic = "unwind") { "" } else { ", panic=abort" };
    let checks = if cfg!(any(test, feature = "conformance")) { ", conformance" } else { "" };
    format!("{STAMP}, layout {}{unwinds}{checks}", sizes.join("."))
}

/// The stamp as a text for other programs. It is made once per library and never freed.
pub fn stamp_text() -> *const c_char {
    use std::sync::OnceLock;
    static TEXT: OnceLock<std::ffi::CString> = OnceLock::new();
    TEXT.get_or_init(|| std::ffi::CString::new(stamp()).expect("a stamp has no zero bytes")).as_ptr()
}

/// Checks the stamp of a library.
///
/// # Errors
/// [`Error::InvalidConfig`] names the first part that differs.
pub fn check_stamp(library: &CStr) -> Result<(), Error> {
    let (theirs, ours) = (library.to_string_lossy(), stamp());
    if theirs == ours {
        return Ok(());
    }
    let differs = theirs.split(", ").zip(ours.split(", ")).find(|(theirs, ours)| theirs != ours);
    let (theirs, ours) = differs.unwrap_or((&theirs, &ours));
    Err(Error::config(format!(
        "it was built for {theirs:?}, this package has {ours:?}: build it again with the same version of ludovec and the \
         same compiler"
    )))
}

/// The games of a library, whose panics become errors of the program that loads it.
pub fn library_games(entries: &[Entry], unwind: Unwind) -> &'static [Entry] {
    notes_places();
    guarded_entries(entries, unwind)
}

/// Makes a crate of type `cdylib` a library of games, which `ludovec.load` and `ludovec --load` read:
///
/// ```
/// # use ludovec_engine::{Entry, Error};
/// # const ENTRY: Entry = Entry::new("go", "Go", "territory", Vec::new, |_| Err(Error::config("no rules yet")));
/// ludovec_engine::game_library!(ENTRY);
/// ```
#[macro_export]
macro_rules! game_library {
    ($($entry:expr),+ $(,)?) => {
        #[doc(hidden)]
        #[unsafe(no_mangle)]
        pub extern "C" fn ludovec_stamp() -> *const ::std::ffi::c_char {
            $crate::stamp::stamp_text()
        }

        #[doc(hidden)]
        #[unsafe(no_mangle)]
        pub extern "C" fn ludovec_games(
            games: &mut &'static [$crate::Entry],
            unwind: &$crate::stamp::Unwind,
        ) {
            *games = $crate::stamp::library_games(&[$($entry),+], *unwind);
        }
    };
}

#[cfg(test)]
mod tests {
    use std::ffi::CString;

    use super::*;

    #[test]
    fn another_stamp_is_refused_and_the_difference_named() {
        let own = stamp();
        check_stamp(&CString::new(own.clone()).unwrap()).unwrap();
        assert!(own.contains("rustc ") && own.contains("layout "), "{own}");
        let other = own.replace("rustc ", "rustc 0.");
        let said = check_stamp(&CString::new(other).unwrap()).unwrap_err().to_string();
        assert!(said.contains("built for \"rustc 0.") && said.contains("build it again"), "{said}");
        let said = check_stamp(c"").unwrap_err().to_string();
        assert!(said.contains("built for \"\""), "{said}");
    }
}
