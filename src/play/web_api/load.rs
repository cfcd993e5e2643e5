//! Games from texts: records, and games of other programs.

use serde::Deserialize;

use super::game::Match;
use super::refused::Answer;
use super::requests::RulesRequest;
use crate::engine::{Error, ImportedGame, Record, Result};
use crate::games;
use crate::replay::parse;
use crate::seated_game::{Seat, SeatedGame};
use crate::trust::Trust;

/// The text of a game.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadRequest {
    text: String,
}

impl LoadRequest {
    /// The first game of the text.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] or [`Error::InvalidState`] if there is none, or if it is wrong.
    /// As by [`parse`] for options that are not allowed.
    pub fn record(&self, allowed: &Trust) -> Result<Record> {
        read(&self.text, allowed)
    }

    /// The game of a record. All seats are people's, so that it can be changed from any position on.
    ///
    /// # Errors
    /// [`Refused`](super::Refused) if this version of the rules plays it differently.
    pub fn begin(record: &Record, allowed: &Trust) -> Answer<Match> {
        let options = serde_json::from_value(record.options.clone())
            .map_err(|_| Error::state("record: options is an object of names with values"))?;
        let rules = RulesRequest { env: record.env.clone(), options }.make(allowed)?;
        let seats = vec![Seat::new("", Seat::HUMAN); rules.spec().players];
        Ok(Match::new(SeatedGame::of_record(record, seats, None)?, allowed))
    }
}

/// The first game of a text: a record, or a format that an environment imports.
fn read(text: &str, allowed: &Trust) -> Result<Record> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Error::config("the text is empty: a record, PGN, FEN or a Blokus file is needed"));
    }
    if text.starts_with('{') {
        return parse(text, allowed)
            .or_else(|error| parse(text.lines().next().unwrap_or_default(), allowed).map_err(|_| error));
    }
    let mut refused = Vec::new();
    let mut empty = None;
    for entry in games::all() {
        for (format, read) in entry.imports() {
            let mut found = None;
            read(&mut text.as_bytes(), &[], &mut |game| {
                found = Some(game);
                false
            });
            match found {
                Some(Ok(ImportedGame { error: Some(error), .. }) | Err(error)) => {
                    refused.push(format!("{format}: {error}"));
                }
                // A text of another format may read as a game without moves.
                Some(Ok(game)) if game.record.actions.is_empty() && game.record.position.is_none() => {
                    empty = Some(game.record);
                }
                Some(Ok(game)) => return Ok(game.record),
                None => {}
            }
        }
    }
    empty.ok_or_else(|| {
        let why = if refused.is_empty() { "it has no game".into() } else { refused.join("; ") };
        Error::config(format!("the text is no record, and no game of another program ({why})"))
    })
}
