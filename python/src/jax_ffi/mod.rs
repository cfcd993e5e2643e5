//! Custom calls of XLA (`jax.ffi`): compiled programs of JAX reach games and searches without the interpreter.
//!
//! | file | holds |
//! |---|---|
//! | `call_frame` | the structs of XLA's C interface, and how a call is answered |
//! | `games` | resets and steps of a batch |
//! | `trees` | the calls of a tree search |

mod call_frame;
mod games;
mod trees;

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use crate::batch::BatchGames;
use crate::errors::CallError;
use crate::search::SharedTrees;
use call_frame::CallFrame;

/// What compiled programs know by number.
#[derive(Clone)]
enum Known {
    /// Games, with the columns that their calls return.
    Games(Arc<BatchGames>, Arc<[String]>),
    Search(Arc<SharedTrees>),
}

static KNOWN: LazyLock<Mutex<HashMap<i64, Known>>> = LazyLock::new(Mutex::default);

fn register(known: Known) -> i64 {
    let mut all = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let number = all.keys().max().map_or(1, |last| last + 1);
    all.insert(number, known);
    number
}

/// Makes a batch known to compiled programs; returns its number.
pub(crate) fn register_games(games: Arc<BatchGames>, columns: Vec<String>) -> i64 {
    register(Known::Games(games, columns.into()))
}

/// Makes a search known to compiled programs; returns its number.
pub(crate) fn register_trees(trees: Arc<SharedTrees>) -> i64 {
    register(Known::Search(trees))
}

/// Forgets a batch or a search.
pub(crate) fn forget(number: i64) {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner).remove(&number);
}

/// The address of the function that XLA calls.
pub(crate) fn address() -> usize {
    handle as *const () as usize
}

/// A call for the games or the trees whose number is the attribute `object`; the attribute `call` says which one.
extern "C" fn handle(frame: *mut CallFrame) -> *mut c_void {
    call_frame::serve(frame, |call| {
        let gone = "the environment of this program is closed";
        let number = call.number("object").ok_or(gone)?;
        let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner).get(&number).cloned();
        match known.ok_or(gone)? {
            Known::Games(games, columns) => games::answer(&games, &columns, call),
            Known::Search(trees) => trees::answer(&trees, call),
        }
    })
}

fn said(error: CallError) -> String {
    match error {
        CallError::Engine(error) => error.to_string(),
        CallError::Misuse(what) => what.into(),
        CallError::Panic(_) => "internal error".into(),
    }
}
