//! A recorded game as one HTML file: the board, a slider, the actions, the scores.

use serde_json::{Value, json};

use super::GameReview;
use crate::engine::Record;
use crate::replay::Frames;

/// The HTML page of a record; `frames` has all its positions, including the first one. With a review the page draws its
/// values, marks the mistakes, and shows the best line of every position.
///
/// The page needs only a browser: no network, no other file. `#42` after its address opens it after step 42. The
/// attributes `data-step`, `data-steps` and `data-playing` of its body expose its state.
pub fn page(record: &Record, frames: &Frames, review: Option<&GameReview>) -> String {
    let data = json!({
        "players": record.players,
        "names": frames.names(),
        "labels": frames.steps(),
        "estimates": record.estimates,
        "seats": record.scores.len(),
        "returns": record.outcome(),
        "review": review.map(review_data),
        "frames": frames.to_json(),
    });
    // "</" inside a string would end the script element, and "<!--" would change its parsing.
    let data = data.to_string().replace("</", "<\\/").replace("<!--", "<\\u0021--");
    let title = format!("{}, {} steps", frames.title(), record.actions.len());
    PAGE.replace("{{title}}", &title.replace('<', "&lt;")).replace("{{data}}", &data)
}

/// The parts of a review that the page shows.
fn review_data(review: &GameReview) -> Value {
    json!({
        "name": format!("{}, {}", review.unit.words(), review.reviewer),
        "values": review.positions.iter().map(|position| &position.values).collect::<Vec<_>>(),
        "lines": review.positions.iter().map(|position| position.line.join(", ")).collect::<Vec<_>>(),
        "prices": review.prices,
    })
}

const PAGE: &str = include_str!("page.html");
