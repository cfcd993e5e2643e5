//! Games from texts: records, and games of other programs.

use serde::Deserialize;

use super::game::Match;
use super::refused::Answer;
use super::requests::RulesRequest;
use crate::engine::{Error, Record, Result};
use crate::games;
use crate::play::table::{Seat, Table};
use crate::replay::parse;

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
    pub fn record(&self) -> Result<Record> {
        read(&self.text)
    }

    /// The rules of a record.
    ///
    /// # Errors
    /// [`Error::InvalidState`] if its options are not an object.
    pub fn rules(record: &Record) -> Result<RulesRequest> {
        let options = serde_json::from_value(record.options.clone())
            .map_err(|_| Error::state("record: options is an object of names with values"))?;
        Ok(RulesRequest { env: record.env.clone(), options })
    }

    /// The game of a record. All seats are people's, so that it can be changed from any position on.
    ///
    /// # Errors
    /// [`Refused`](super::Refused) if this version of the rules plays it differently.
    pub fn begin(record: &Record, players: usize) -> Answer<Match> {
        let seats = vec![Seat::new("", Seat::HUMAN); players];
        Ok(Match::new(Table::of_record(record, seats, None)?))
    }
}

/// The first game of a text: a record, or a format that an environment imports.
fn read(text: &str) -> Result<Record> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Error::config("the text is empty: a record, PGN, FEN or a Blokus file is needed"));
    }
    if text.starts_with('{') {
        return parse(text)
            .or_else(|error| parse(text.lines().next().unwrap_or_default()).map_err(|_| error));
    }
    let mut refused = None;
    let mut empty = None;
    for entry in games::all() {
        for (format, read) in entry.imports() {
            let mut found = None;
            read(&mut text.as_bytes(), &[], &mut |game| {
                found = Some(game);
                false
            });
            match found {
                // A text of another format may read as a game without moves.
                Some(Ok(game)) if game.record.actions.is_empty() && game.record.position.is_none() => {
                    empty = Some(game.record);
                }
                Some(Ok(game)) => return Ok(game.record),
                Some(Err(error)) => refused = Some(format!("{format}: {error}")),
                None => {}
            }
        }
    }
    empty.ok_or_else(|| {
        let why = refused.unwrap_or_else(|| "it has no game".into());
        Error::config(format!("the text is no record, and no game of another program ({why})"))
    })
}
