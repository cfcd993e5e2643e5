//! Recorded games: checks against this version of the rules, step by step, and drawings.
//!
//! | file | holds |
//! |---|---|
//! | `frames` | the drawings of all positions of a game, delta-coded |
//! | `splices` | the differences between two sequences |
//! | `grid` | boards of several games side by side |
//! | `film/` | animations and videos |

use ludovec_engine as engine;
use ludovec_games as games;
#[cfg(feature = "raster")]
use ludovec_raster as raster;

pub mod film;
mod frames;
mod grid;
mod splices;

use serde_json::Value;

use crate::engine::{Error, LogEntry, Record, Result, SingleGame, Status, Variation};
use crate::games::trusted_options::{TrustedOptions, options_of};

pub use frames::Frames;
pub use grid::grid;

fn wrong(what: &str) -> Error {
    Error::state(format!("this is not a record of a game: {what}"))
}

/// The keys that every record has.
const KEYS: [&str; 7] = ["env", "version", "options", "players", "actions", "labels", "scores"];

/// Reads a record, whose author is not trusted: options that may be paths are refused unless `allowed` has them.
///
/// # Errors
/// [`Error::InvalidState`] if the text is not a record, and as for [`TrustedOptions::check_options`].
pub fn parse(text: &str, allowed: &impl AsRef<TrustedOptions>) -> Result<Record> {
    let record = from_value(serde_json::from_str(text).map_err(|e| wrong(&e.to_string()))?)?;
    allowed.as_ref().check_record(&record)?;
    Ok(record)
}

/// Reads a record of a trusted author from its JSON.
///
/// # Errors
/// [`Error::InvalidState`] if it is not a record.
pub fn from_value(read: Value) -> Result<Record> {
    let Value::Object(fields) = &read else { return Err(wrong("an object in JSON is needed")) };
    if let Some(missing) = KEYS.iter().find(|key| !fields.contains_key(**key)) {
        return Err(wrong(&format!("the key {missing:?} is missing")));
    }
    serde_json::from_value(read).map_err(|e| wrong(&e.to_string()))
}

/// The variations of a record whose game is `game`, each as a whole log from the first step.
///
/// # Errors
/// [`Error::InvalidState`] names the first step that this version of the rules plays differently.
pub fn lines(record: &Record, game: &SingleGame) -> Result<Vec<Vec<LogEntry>>> {
    let line = |(i, variation): (usize, &Variation)| {
        let fail = |what: String| Error::state(format!("record, variation {i}: {what}"));
        let Variation { from, actions, labels, chance } = variation;
        if labels.len() != actions.len() || !(chance.is_empty() || chance.len() == actions.len()) {
            return Err(fail("actions, labels and chance are not equally long".into()));
        }
        let steps = record.actions.len();
        if *from > steps {
            return Err(fail(format!("it begins after {from} steps, the game has {steps}")));
        }
        let mut play = game.clone();
        (*from..steps).for_each(|_| {
            play.undo();
        });
        for (step, (&action, label)) in actions.iter().zip(labels).enumerate() {
            let script = chance.get(step).map_or(&[][..], Vec::as_slice);
            play.step_scripted(action, script).map_err(|e| fail(format!("step {step}: {e}")))?;
            let entry = play.log().pop().expect("a step was played");
            if entry.label != *label {
                return Err(fail(format!("step {step}: {:?}, the record says {label:?}", entry.label)));
            }
        }
        Ok(play.log())
    };
    record.variations.iter().enumerate().map(line).collect()
}

/// Replays a record and compares seats, labels, chance draws and the result. `visit` is called with every position,
/// including the first one, and the step before it.
///
/// # Errors
/// [`Error::InvalidConfig`] for an unknown environment or option; [`Error::InvalidState`] names the first step that
/// this version of the rules plays differently.
pub fn replay(
    record: &Record,
    mut visit: impl FnMut(&SingleGame, Option<usize>) -> Result<()>,
) -> Result<SingleGame> {
    let entry = games::find(&record.env)?;
    let game = entry.make(options_of(&record.options)?)?;
    if record.version != game.spec().version {
        return Err(Error::state(format!(
            "record: played by version {} of {}, this is version {}",
            record.version,
            record.env,
            game.spec().version
        )));
    }
    let steps = record.actions.len();
    let scripted = (!record.chance.is_empty()).then_some(record.chance.len());
    if [record.players.len(), record.labels.len(), scripted.unwrap_or(steps)] != [steps; 3] {
        return Err(Error::state("record: players, actions, labels and chance are not equally long"));
    }
    if !record.estimates.is_empty() && record.estimates.len() != steps {
        return Err(Error::state(format!("record: {} estimates for {steps} steps", record.estimates.len())));
    }
    let mut play = match (&record.position, record.stream) {
        (Some(position), _) => game.single_from_position(position, 0)?,
        (None, Some(stream)) => game.single_at(stream),
        (None, None) => game.single_scripted(&record.setup)?,
    };
    if let (Some(_), Some(stream)) = (&record.position, record.stream) {
        play.set_stream(stream, 0);
    }
    if play.record().setup != record.setup {
        return Err(Error::state("record: the set-up draws other outcomes"));
    }
    if !record.names.is_empty() {
        play.set_names(&record.names)?;
    }
    visit(&play, None)?;
    for (i, (&player, &action)) in record.players.iter().zip(&record.actions).enumerate() {
        let fail = |what: String| Error::state(format!("record, step {i}: {what}"));
        if player != play.current_player() {
            let current = play.current_player();
            return Err(fail(format!("player {player} acts, it is player {current}'s turn")));
        }
        let label = play.action_to_string(action).map_err(|e| fail(e.to_string()))?;
        if label != record.labels[i] {
            return Err(fail(format!(
                "action {action} is called {label:?}, the record says {:?}",
                record.labels[i]
            )));
        }
        let stepped = match record.stream {
            Some(_) => play.step(action),
            None => play.step_scripted(action, record.chance.get(i).map_or(&[], Vec::as_slice)),
        };
        stepped.map_err(|e| fail(e.to_string()))?;
        visit(&play, Some(i))?;
    }
    lines(record, &play)?;
    if let Some(result) = &record.result {
        play.set_result(result).map_err(|e| Error::state(format!("record: {e}")))?;
    }
    if play.scores() != record.scores {
        return Err(Error::state(format!(
            "record: the scores are {:?}, it says {:?}",
            play.scores(),
            record.scores
        )));
    }
    let returns = (play.status() == Status::Terminated).then(|| play.returns());
    if returns != record.returns {
        return Err(Error::state(format!(
            "record: the outcome is {returns:?}, it says {:?}",
            record.returns
        )));
    }
    Ok(play)
}
