//! The registry: finds an environment by its id.
//!
//! Each game is its own crate in a folder here, and a feature of this crate (`game-chess`, ...).
//!
//! | file | holds |
//! |---|---|
//! | `trusted_options` | which options of a client are accepted |
//! | `library` | compiled libraries of games |
//! | `pinned` | specifications and rollouts in committed files |

#[cfg(feature = "game-chess")]
pub use ludovec_chess as chess;
#[cfg(feature = "game-empires")]
pub use ludovec_empires as empires;
#[cfg(feature = "game-smallworld")]
pub use ludovec_smallworld as smallworld;
#[cfg(feature = "game-starwars_risk")]
pub use ludovec_starwars_risk as starwars_risk;
#[cfg(feature = "game-tilewe")]
pub use ludovec_tilewe as tilewe;

#[cfg(feature = "libraries")]
pub mod library;
pub mod pinned;
pub mod trusted_options;

use std::collections::BTreeMap;
use std::sync::{OnceLock, PoisonError, RwLock};

use serde::Deserialize;
use serde_json::Value;

use ludovec_engine as engine;

use crate::engine::{AnyGame, Entry, Error, OptionValue, Result, SingleGame, registry};

/// Every environment of this crate, in the order of the documentation.
///
/// A static, not a constant: a constant would be compiled, including the games, into every crate that uses it.
pub static GAMES: &[Entry] = &[
    #[cfg(feature = "game-smallworld")]
    smallworld::ENTRY,
    #[cfg(feature = "game-tilewe")]
    tilewe::ENTRY,
    #[cfg(feature = "game-chess")]
    chess::ENTRY,
    #[cfg(feature = "game-starwars_risk")]
    starwars_risk::ENTRY,
    #[cfg(feature = "game-empires")]
    empires::ENTRY,
];

/// Environments of other crates, added by [`register`].
static REGISTERED: RwLock<Vec<&'static Entry>> = RwLock::new(Vec::new());

/// Registers an environment of another crate. Afterwards it is available by name like any other.
///
/// ```
/// # use ludovec_engine::{Entry, Options, OptionSpec, Error};
/// let entry = Entry::new("go", "Go", "territory", Vec::new, |_| Err(Error::config("no rules yet")));
/// ludovec_games::register(entry)?;
/// assert_eq!(ludovec_games::find("go")?.name, "Go");
/// assert!(ludovec_games::register(entry).is_err(), "ids are unique");
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// [`Error::InvalidConfig`] if there is already an environment with this id.
pub fn register(entry: Entry) -> Result<()> {
    let mut registered = REGISTERED.write().unwrap_or_else(PoisonError::into_inner);
    if GAMES.iter().chain(registered.iter().copied()).any(|known| known.id == entry.id) {
        return Err(Error::config(format!("environment {:?} is registered already", entry.id)));
    }
    registered.push(Box::leak(Box::new(entry)));
    Ok(())
}

/// Registers a [guest](Entry::guest), an environment that is made while the program runs, in place of an earlier one with the same
/// id: a notebook runs its cells again. Environments that exist keep their rules.
///
/// # Errors
/// [`Error::InvalidConfig`] if the id is that of an environment that was compiled in.
pub fn register_again(entry: Entry) -> Result<()> {
    let mut registered = REGISTERED.write().unwrap_or_else(PoisonError::into_inner);
    let fixed = GAMES.iter().chain(registered.iter().copied().filter(|known| !known.is_guest()));
    if !entry.is_guest() || fixed.clone().any(|known| known.id == entry.id) {
        return Err(Error::config(format!("environment {:?} is registered already", entry.id)));
    }
    registered.retain(|known| known.id != entry.id);
    registered.push(Box::leak(Box::new(entry)));
    Ok(())
}

/// Removes a [guest](Entry::guest); returns whether there was one.
/// Environments that exist keep their rules.
pub fn forget(id: &str) -> bool {
    let mut registered = REGISTERED.write().unwrap_or_else(PoisonError::into_inner);
    let before = registered.len();
    registered.retain(|known| known.id != id || !known.is_guest());
    registered.len() < before
}

/// All environments: the crate's own, then the registered ones.
///
/// ```
/// assert!(ludovec_games::all().len() >= ludovec_games::GAMES.len());
/// ```
pub fn all() -> Vec<&'static Entry> {
    let registered = REGISTERED.read().unwrap_or_else(PoisonError::into_inner);
    GAMES.iter().chain(registered.iter().copied()).collect()
}

/// A single game from a document of [`SingleGame::to_json`], or one that was written by hand without `version` and
/// `options`; `seed` seeds its chance.
///
/// ```
/// # use ludovec_engine::Error;
/// # use ludovec_games as games;
/// # if games::find("chess").is_err() { return Ok(()) }
/// let mut game = games::find("chess")?.make([])?.single(0);
/// game.step(game.string_to_action("e2e4")?)?;
/// let again = games::from_json(&game.to_json(), 0)?;
/// assert_eq!(again.position(), game.position());
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// [`Error::InvalidConfig`] for an unknown environment or option, [`Error::InvalidState`] for an invalid position and
/// for the document of another version.
pub fn from_json(document: &Value, seed: u64) -> Result<SingleGame> {
    let missing = |key: &str, what: &str| Error::state(format!("{key}: {what} is needed"));
    let id = document["env"].as_str().ok_or_else(|| missing("env", "the id of an environment"))?;
    let options = || missing("options", "an object of names with values");
    let given = match &document["options"] {
        Value::Null => BTreeMap::new(),
        given => BTreeMap::<String, OptionValue>::deserialize(given).map_err(|_| options())?,
    };
    let game = find(id)?.make(given)?;
    let version = game.spec().version;
    match &document["version"] {
        Value::Null => {}
        written if *written == version => {}
        written => {
            return Err(Error::state(format!(
                "written by version {written} of {id}, this is version {version}"
            )));
        }
    }
    if !document["position"].is_object() {
        return Err(missing("position", "an object"));
    }
    game.single_from_position(&document["position"], seed)
}

/// The environment called `id`, perhaps after asking the function of [`search_by`].
///
/// # Errors
/// [`Error::InvalidConfig`] lists the known ids.
///
/// ```
/// let error = ludovec_games::find("no_such_game").unwrap_err().to_string();
/// assert!(error.contains("unknown environment"));
/// ```
pub fn find(id: &str) -> Result<&'static Entry> {
    let found = registry::find(&all(), id);
    match (&found, SEARCH.get()) {
        (Err(_), Some(search)) => {
            search(id)?;
            registry::find(&all(), id)
        }
        _ => found,
    }
}

/// Searches for an environment that is not registered, and registers it if there is one.
type Search = fn(&str) -> Result<()>;

/// See [`search_by`].
static SEARCH: OnceLock<Search> = OnceLock::new();

/// Sets the function that [`find`] calls for an unknown id, such as a search of installed packages. The first one counts.
pub fn search_by(search: Search) {
    let _ = SEARCH.set(search);
}

/// The content of `env_spec/<env>.json`, for an environment under any options.
///
/// # Errors
/// [`Error::InvalidConfig`] for a game that is not registered.
pub fn document(game: &dyn AnyGame) -> Result<Value> {
    Ok(registry::document(find(game.spec().env)?, game))
}
