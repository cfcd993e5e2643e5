//! The drawings of all positions of a game, delta-coded.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::splices::{Splice, splices};
use crate::engine::{Result, SingleGame, Status, Theme, View};

/// Drawings, light and dark, scores and estimates of a game, position by position.
///
/// Delta coding: a drawing is a sequence of parts (elements). Each distinct part is stored once, and each drawing as
/// the changes since the previous one, because a move changes little.
#[derive(Debug, Default)]
pub struct Frames {
    /// The seat of the viewer; `None` sees everything.
    seat: Option<usize>,
    parts: HashMap<String, usize>,
    light: Track,
    dark: Track,
    scores: Vec<Vec<f32>>,
    /// The game's own estimates of the positions.
    estimates: Vec<Vec<f32>>,
    /// The meaning of the score.
    score: &'static str,
    /// The title of the game.
    title: String,
    /// The players' names.
    names: Vec<String>,
    /// Description of every step, as observed by the viewer.
    steps: Vec<String>,
}

/// The drawings of one theme.
#[derive(Debug, Default)]
struct Track {
    /// The colours of the seats.
    colours: Vec<&'static str>,
    /// The parts of the last drawing.
    last: Vec<usize>,
    /// Per drawing its changes since the previous one; see [`changes`].
    changes: Vec<Vec<usize>>,
}

impl Frames {
    /// An empty list of positions, drawn with the information visible to `seat`.
    pub fn new(seat: Option<usize>) -> Self {
        Self { seat, ..Self::default() }
    }

    /// Adds the position of a game.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](crate::engine::Error::InvalidConfig) if the game has no such seat.
    pub fn push(&mut self, game: &dyn SingleGame) -> Result<()> {
        for (theme, track) in [(Theme::Light, &mut self.light), (Theme::Dark, &mut self.dark)] {
            let svg = game.to_svg(View { theme, seat: self.seat, ..View::default() })?;
            track.colours = game.game().seat_colours(theme);
            track.push(&svg, &mut self.parts);
        }
        self.scores.push(game.scores());
        // A finished game has no estimate: the curve keeps its last value.
        let over = game.status() != Status::Running;
        let before = self.estimates.last().filter(|_| over).cloned();
        self.estimates.push(before.unwrap_or_else(|| game.estimates()));
        self.score = game.game().spec().score;
        self.title = game.title();
        self.names = game.names();
        if let Some(last) = game.steps().checked_sub(1) {
            self.steps.extend(game.narrate(last, self.seat).into_iter().map(|(_, text)| text));
        }
        Ok(())
    }

    /// The title of the game.
    pub(super) fn title(&self) -> &str {
        &self.title
    }

    /// The players' names, by seat.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// Descriptions of the steps.
    pub(super) fn steps(&self) -> &[String] {
        &self.steps
    }

    /// The data read by the page.
    pub(super) fn to_json(&self) -> Value {
        let mut parts = vec![""; self.parts.len()];
        for (part, &i) in &self.parts {
            parts[i] = part;
        }
        let track = |track: &Track| json!({ "changes": track.changes, "colours": track.colours });
        json!({
            "parts": parts,
            "light": track(&self.light),
            "dark": track(&self.dark),
            "scores": self.scores,
            "estimates": self.estimates,
            "score": self.score,
        })
    }
}

impl Track {
    fn push(&mut self, svg: &str, parts: &mut HashMap<String, usize>) {
        let drawing: Vec<usize> = svg
            .split_inclusive('>')
            .map(|part| {
                let next = parts.len();
                parts.get(part).copied().unwrap_or_else(|| *parts.entry(part.into()).or_insert(next))
            })
            .collect();
        self.changes.push(changes(&self.last, &drawing));
        self.last = drawing;
    }
}

/// The changes from one drawing to the next: per splice the number of unchanged parts before it, the number of removed
/// parts, the number of new parts, and the new parts.
fn changes(old: &[usize], new: &[usize]) -> Vec<usize> {
    let (mut out, mut at) = (Vec::new(), 0);
    for Splice { at: place, removed, inserted } in splices(old, new) {
        out.extend([place - at, removed, inserted.len()]);
        out.extend_from_slice(&new[inserted]);
        at = place + removed;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawings_come_back_from_their_changes() {
        let drawings =
            ["<a><b>x</b></a>", "<a><b>y</b></a>", "<a></a>", "<a></a>", "<c/>", "<c/><c/><c/>", ""];
        let mut parts = HashMap::new();
        let mut track = Track::default();
        drawings.iter().for_each(|svg| track.push(svg, &mut parts));
        let names: HashMap<usize, &String> = parts.iter().map(|(part, &i)| (i, part)).collect();
        let mut now: Vec<usize> = Vec::new();
        for (svg, change) in drawings.iter().zip(&track.changes) {
            let (mut next, mut at, mut rest) = (Vec::new(), 0, &change[..]);
            while let [same, removed, count, parts @ ..] = rest {
                next.extend_from_slice(&now[at..at + same]);
                next.extend_from_slice(&parts[..*count]);
                at += same + removed;
                rest = &parts[*count..];
            }
            next.extend_from_slice(&now[at..]);
            now = next;
            assert_eq!(&now.iter().map(|i| names[i].as_str()).collect::<String>(), svg);
        }
        assert_eq!(track.changes[3].len(), 0, "an equal drawing changes nothing");
    }
}
