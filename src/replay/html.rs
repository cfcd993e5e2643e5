//! A recorded game as one HTML file: the board, a slider, the actions, the scores.

use serde_json::json;

use super::frames::Frames;
use crate::engine::Record;

/// The HTML page of a record; `frames` has all its positions, including the first one.
///
/// The page needs only a browser: no network, no other file. `#42` after its address opens it after step 42. The
/// attributes `data-step`, `data-steps` and `data-playing` of its body expose its state.
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
    // "</" inside a string would end the script element, and "<!--" would change its parsing.
    let data = data.to_string().replace("</", "<\\/").replace("<!--", "<\\u0021--");
    let title = format!("{}, {} steps", frames.title(), record.actions.len());
    PAGE.replace("{{title}}", &title.replace('<', "&lt;")).replace("{{data}}", &data)
}

const PAGE: &str = include_str!("page.html");
