//! Texts and files that live as long as the program, each once: specs and options refer to texts of the code.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Deserializer};
use serde_json::Value;

type Kept<T> = Mutex<Option<HashSet<&'static T>>>;

static TEXTS: Kept<str> = Mutex::new(None);
static FILES: Kept<[u8]> = Mutex::new(None);

/// A text, kept for the life of the program.
#[must_use]
pub fn kept(text: &str) -> &'static str {
    kept_in(&TEXTS, text)
}

/// The content of a file, kept for the life of the program.
#[must_use]
pub fn kept_file(file: &[u8]) -> &'static [u8] {
    kept_in(&FILES, file)
}

fn kept_in<T: ?Sized + Eq + Hash>(known: &Kept<T>, given: &T) -> &'static T
where
    for<'a> Box<T>: From<&'a T>,
{
    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
    let known = known.get_or_insert_default();
    if let Some(known) = known.get(given) {
        return known;
    }
    let leaked: &'static T = Box::leak(given.into());
    known.insert(leaked);
    leaked
}

/// A JSON document that is kept for the life of the program, because its readers borrow its texts.
///
/// # Errors
/// If the text is no JSON.
pub fn kept_json(text: &str) -> serde_json::Result<&'static Value> {
    static DOCUMENTS: Mutex<Option<HashMap<&'static str, &'static Value>>> = Mutex::new(None);
    let mut known = DOCUMENTS.lock().unwrap_or_else(PoisonError::into_inner);
    let known = known.get_or_insert_default();
    if let Some(known) = known.get(text) {
        return Ok(known);
    }
    let document: &'static Value = Box::leak(Box::new(serde_json::from_str(text)?));
    known.insert(kept(text), document);
    Ok(document)
}

/// Reads a list of kept keys with values.
pub(crate) fn keys<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<(&'static str, Value)>, D::Error> {
    let given = Vec::<(String, Value)>::deserialize(from)?;
    Ok(given.into_iter().map(|(key, value)| (kept(&key), value)).collect())
}

/// Reads a kept key with a value, or null.
pub(crate) fn key<'de, D: Deserializer<'de>>(from: D) -> Result<Option<(&'static str, Value)>, D::Error> {
    Ok(Option::<(String, Value)>::deserialize(from)?.map(|(key, value)| (kept(&key), value)))
}

/// Reads a list of kept texts.
pub(crate) fn texts<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<&'static str>, D::Error> {
    Ok(Vec::<String>::deserialize(from)?.iter().map(|text| kept(text)).collect())
}
