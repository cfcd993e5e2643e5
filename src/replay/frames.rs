//! The drawings of all positions of a game, delta-coded.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::splices::{Splice, splices};
use crate::engine::{Result, SingleGame, Status, Theme, View};

/// Drawings, light and dark, scores and estimates of a game, position by position.
///
/// Delta coding: a drawing is a sequence of parts (elements). Each distinct part is stored once, as its difference to the
/// part that it replaced first, and each drawing as the changes since the previous one, because a move changes little.
#[derive(Debug, Default)]
pub struct Frames {
    /// The seat of the viewer; `None` sees everything.
    seat: Option<usize>,
    parts: Parts,
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

/// The distinct parts of all drawings.
#[derive(Debug, Default)]
struct Parts {
    numbers: HashMap<String, usize>,
    /// The text of each, or its [`difference`] to an earlier one.
    coded: Vec<Value>,
}

/// The drawings of one theme.
#[derive(Debug, Default)]
struct Track {
    /// The colours of the seats.
    colours: Vec<&'static str>,
    /// The parts of the last drawing.
    last: Vec<(usize, String)>,
    /// Per drawing its changes since the previous one: per splice the number of unchanged parts before it, the number of
    /// removed parts, the number of new parts, and the new parts.
    changes: Vec<Vec<usize>>,
}

impl Frames {
    /// An empty list of positions, drawn with the information visible to `seat`.
    #[must_use]
    pub fn new(seat: Option<usize>) -> Self {
        Self { seat, ..Self::default() }
    }

    /// Adds the position of a game.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](crate::engine::Error::InvalidConfig) if the game has no such seat.
    pub fn push(&mut self, game: &SingleGame) -> Result<()> {
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
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The players' names, by seat.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Descriptions of the steps.
    #[must_use]
    pub fn steps(&self) -> &[String] {
        &self.steps
    }

    /// The data read by the page.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let track = |track: &Track| json!({ "changes": track.changes, "colours": track.colours });
        json!({
            "parts": self.parts.coded,
            "light": track(&self.light),
            "dark": track(&self.dark),
            "scores": self.scores,
            "estimates": self.estimates,
            "score": self.score,
        })
    }
}

impl Parts {
    /// The number of a part; a new one is coded by its difference to `replaced`.
    fn number(&mut self, part: &str, replaced: Option<(usize, &str)>) -> usize {
        if let Some(&known) = self.numbers.get(part) {
            return known;
        }
        let number = self.coded.len();
        self.coded.push(replaced.and_then(|base| difference(base, part)).unwrap_or_else(|| part.into()));
        self.numbers.insert(part.into(), number);
        number
    }
}

/// A part as the number of its base, the lengths in UTF-16 units of their common beginning and end, and the text between
/// them; `None` if the text itself is shorter.
fn difference((number, base): (usize, &str), part: &str) -> Option<Value> {
    let length = |pairs: &mut dyn Iterator<Item = (char, char)>| {
        pairs.take_while(|(a, b)| a == b).fold((0, 0), |(bytes, units), (letter, _)| {
            (bytes + letter.len_utf8(), units + letter.len_utf16())
        })
    };
    let (front, front_units) = length(&mut base.chars().zip(part.chars()));
    let (old, new) = (&base[front..], &part[front..]);
    let (end, end_units) = length(&mut old.chars().rev().zip(new.chars().rev()));
    let middle = &new[..new.len() - end];
    // The numbers and their punctuation have some twenty letters.
    (front + end > 20).then(|| json!([number, front_units, end_units, middle]))
}

impl Track {
    fn push(&mut self, svg: &str, parts: &mut Parts) {
        let texts: Vec<&str> = svg.split_inclusive('>').collect();
        let before: Vec<&str> = self.last.iter().map(|(_, text)| text.as_str()).collect();
        let (mut drawing, mut change, mut at) = (Vec::with_capacity(texts.len()), Vec::new(), 0);
        for Splice { at: place, removed, inserted } in splices(&before, &texts) {
            drawing.extend_from_slice(&self.last[at..place]);
            change.extend([place - at, removed, inserted.len()]);
            for (i, &text) in texts[inserted].iter().enumerate() {
                let replaced = (i < removed).then(|| (self.last[place + i].0, before[place + i]));
                let number = parts.number(text, replaced);
                change.push(number);
                drawing.push((number, text.to_string()));
            }
            at = place + removed;
        }
        drawing.extend_from_slice(&self.last[at..]);
        self.changes.push(change);
        self.last = drawing;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The parts as the page decodes them.
    fn decoded(parts: &Parts) -> Vec<String> {
        let mut texts: Vec<String> = Vec::new();
        for part in &parts.coded {
            let text = match part.as_str() {
                Some(text) => text.to_string(),
                None => {
                    let (base, front, end, middle): (usize, usize, usize, String) =
                        serde_json::from_value(part.clone()).unwrap();
                    let base: Vec<u16> = texts[base].encode_utf16().collect();
                    let ends = [&base[..front], &base[base.len() - end..]]
                        .map(|end| String::from_utf16(end).unwrap());
                    format!("{}{middle}{}", ends[0], ends[1])
                }
            };
            texts.push(text);
        }
        texts
    }

    #[test]
    fn drawings_come_back_from_their_changes() {
        let long = "<path d='M1 2L3 4L5 6' stroke='#ffffff'/>";
        let drawings = [
            "<a><b>x</b></a>".to_string(),
            "<a><b>y</b></a>".into(),
            "<a></a>".into(),
            "<a></a>".into(),
            "<c/>".into(),
            "<c/><c/><c/>".into(),
            String::new(),
            format!("<a>{long}</a>"),
            format!("<a>{}</a>", long.replace("3 4", "\u{1f600}4")),
            format!("<a>{}</a>", long.replace("3 4", "\u{1f601}4")),
            format!("<a>{}{long}</a>", long.replace("3 4", "")),
        ];
        let mut parts = Parts::default();
        let mut track = Track::default();
        drawings.iter().for_each(|svg| track.push(svg, &mut parts));
        let texts = decoded(&parts);
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
            assert_eq!(&now.iter().map(|&i| texts[i].as_str()).collect::<String>(), svg);
        }
        assert_eq!(track.changes[3].len(), 0, "an equal drawing changes nothing");
        assert_eq!(parts.coded.iter().filter(|part| part.is_array()).count(), 3, "{:?}", parts.coded);
    }
}
