//! A recorded game as one HTML file: the board, a slider, the actions, the scores.

use serde_json::json;

use super::frames::Frames;
use crate::engine::Record;

/// The page of a record whose positions, the first one included, are `frames`.
///
/// It needs nothing but a browser: no network, no other file. `#42` behind its address opens it after step 42.
/// The state of the page can be read from the attributes `data-step`, `data-steps` and `data-playing` of its body.
pub fn page(record: &Record, frames: &Frames) -> String {
    let data = json!({
        "players": record.players,
        "names": frames.names(),
        "labels": frames.steps(),
        "estimates": record.estimates,
        "seats": record.scores.len(),
        "returns": record.returns,
        "frames": frames.to_json(),
    });
    // "</" inside a string would end the script element, "<!--" change how it is read.
    let data = data.to_string().replace("</", "<\\/").replace("<!--", "<\\u0021--");
    let title = format!("{}, {} steps", frames.title(), record.actions.len());
    PAGE.replace("{{title}}", &title.replace('<', "&lt;")).replace("{{data}}", &data)
}

const PAGE: &str = include_str!("page.html");
