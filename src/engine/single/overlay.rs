//! Marks on a drawing: places and weights of actions.
//!
//! A game defines the clickable parts of its drawing ([`Place`]); this module draws marks on them. An action from one
//! place to another becomes an arrow; any other action fills its place.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::Value;

use super::document::view_box;
use crate::contract::show::drawing::{arrow, escape, shortened};
use crate::contract::show::view::{Place, Theme};

/// A marked action.
pub(super) struct Marked {
    /// The action as an object, which names its places.
    pub(super) object: Value,
    /// The action in words, used if it has no place.
    pub(super) words: String,
    /// Its share of all weights, or `None` for an action without a weight.
    pub(super) share: Option<f64>,
}

/// Maximum number of actions without a place in the list below the drawing.
const TOLD: usize = 4;
/// Maximum number of arrows.
const ARROWS: usize = 24;
/// Shares below this are not drawn.
const LEAST: f64 = 0.001;
/// Opacity of the fill of the place with the largest share, beyond that of the smallest.
const FILM: f64 = 0.26;
/// Smallest letters of a label; places with less room get none.
const SMALLEST: f64 = 8.5;
/// Height of the line below a drawing, as a share of its width.
const LINE: f64 = 0.045;

/// Colours of marks. White and black outlines keep them visible on any background.
const LEGAL: &str = "#00d5ff";
const WEIGHT: &str = "#d100a8";
const INK: &str = "#14161a";

/// The places of an action: its origin, if it has one, and the others.
fn places_of(places: &[Place], object: &Value) -> (Option<usize>, Vec<usize>) {
    let mut from = None;
    let mut at = Vec::new();
    for (i, place) in places.iter().enumerate().filter(|(_, place)| place.after.is_none()) {
        let named = |(key, value): &&(&'static str, Value)| object.get(*key) == Some(value);
        let keys: Vec<&str> = place.means.iter().filter(named).map(|(key, _)| *key).collect();
        if keys.contains(&"from") {
            from = Some(i);
        } else if !keys.is_empty() {
            at.push(i);
        }
    }
    (from, at)
}

/// The drawing with marks.
pub(super) fn lay(svg: &str, places: &[Place], actions: &[Marked], theme: Theme) -> String {
    let (shown, weighed): (Vec<&Marked>, Vec<&Marked>) = actions.iter().partition(|a| a.share.is_none());
    let mut marks = String::new();
    draw_shown(&mut marks, places, &shown);
    let told = draw_weighed(&mut marks, places, &weighed);
    let mut out = svg.trim_end().trim_end_matches("</svg>").to_string() + &marks;
    if !told.is_empty() {
        out = with_line(&out, &told.join("   "), theme);
    }
    out + "</svg>"
}

/// Draws rings at the origins of actions, spots at their targets.
fn draw_shown(out: &mut String, places: &[Place], actions: &[&Marked]) {
    let (mut origins, mut ends) = (BTreeMap::new(), BTreeMap::new());
    for action in actions {
        let (from, at) = places_of(places, &action.object);
        origins.extend(from.map(|i| (i, ())));
        ends.extend(at.into_iter().map(|i| (i, ())));
    }
    for &i in origins.keys() {
        let outline = &places[i].outline;
        _ = write!(
            out,
            "<path d=\"{outline}\" fill=\"none\" stroke=\"{INK}\" stroke-width=\"4.5\"/>\
             <path d=\"{outline}\" fill=\"none\" stroke=\"{LEGAL}\" stroke-width=\"2.5\"/>"
        );
    }
    for &i in ends.keys() {
        let Place { outline, centre: [x, y], room, .. } = &places[i];
        // In a large place, pieces occupy the middle, so the mark is drawn below it.
        let y = if *room > 24.0 { y + 0.62 * room } else { *y };
        let radius = (room * 0.32).clamp(2.0, 9.0);
        _ = write!(
            out,
            "<path d=\"{outline}\" fill=\"{LEGAL}\" fill-opacity=\"0.22\"/>\
             <circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\" fill=\"{LEGAL}\" stroke=\"{INK}\" \
             stroke-width=\"1.5\"/>"
        );
    }
}

/// Draws weighted actions: the opacity of places and the width of arrows follow the share. Returns the actions
/// without a place, in words.
fn draw_weighed(out: &mut String, places: &[Place], actions: &[&Marked]) -> Vec<String> {
    let mut fills: BTreeMap<usize, f64> = BTreeMap::new();
    let mut arrows: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    let mut told: Vec<(f64, &str)> = Vec::new();
    for action in actions {
        let share = action.share.unwrap_or(0.0);
        match places_of(places, &action.object) {
            (None, at) if at.is_empty() => told.push((share, &action.words)),
            (Some(from), at) if !at.is_empty() => {
                at.into_iter().for_each(|to| *arrows.entry((from, to)).or_default() += share);
            }
            (from, at) => from.into_iter().chain(at).for_each(|i| *fills.entry(i).or_default() += share),
        }
    }
    let strongest = fills.values().chain(arrows.values()).fold(LEAST, |most, &share| most.max(share));
    for (&i, &share) in fills.iter().filter(|(_, share)| **share >= LEAST) {
        // Pieces and numbers below stay legible: the fill is light, and the outline says the rest.
        let strength = share / strongest;
        _ = write!(
            out,
            "<path d=\"{}\" fill=\"{WEIGHT}\" fill-opacity=\"{:.2}\" stroke=\"{WEIGHT}\" stroke-opacity=\"{:.2}\" \
             stroke-width=\"{:.1}\" stroke-linejoin=\"round\"/>",
            places[i].outline,
            0.06 + FILM * strength,
            0.25 + 0.7 * strength,
            (places[i].room * 0.14).clamp(1.0, 4.0)
        );
    }
    let mut arrows: Vec<_> = arrows.into_iter().filter(|(_, share)| *share >= LEAST).collect();
    arrows.sort_by(|a, b| a.1.total_cmp(&b.1));
    for &((from, to), share) in arrows.iter().rev().take(ARROWS).rev() {
        let (a, b) = (places[from].centre, places[to].centre);
        let width = (places[to].room * (0.12 + 0.5 * share / strongest)).max(1.5);
        out.push_str(&arrow(a, b, width, WEIGHT, "#ffffff", 0.35 + 0.55 * share / strongest));
    }
    let mut labels = Labels::default();
    let arrows_to = |to: usize| arrows.iter().filter(|((_, end), _)| *end == to).count();
    for (&i, &share) in &fills {
        if arrows_to(i) == 0 {
            labels.place(out, &places[i], share);
        }
    }
    // The strongest arrows get their labels first.
    for &((from, to), share) in arrows.iter().rev() {
        match arrows_to(to) {
            1 => labels.place(out, &places[to], share + fills.get(&to).unwrap_or(&0.0)),
            // Each arrow says its own share, on its way.
            _ => labels.arrow(out, &places[from], &places[to], share),
        }
    }
    told.retain(|(share, _)| *share >= LEAST);
    told.sort_by(|a, b| b.0.total_cmp(&a.0));
    let more = told.len().saturating_sub(TOLD);
    let mut told: Vec<String> = told
        .iter()
        .take(TOLD)
        .map(|(share, words)| format!("{} {}", shortened(words, 40), percent(*share)))
        .collect();
    if more > 0 {
        told.push(format!("and {more} more"));
    }
    told
}

/// Labels with shares, without overlaps.
#[derive(Default)]
struct Labels {
    /// Left, top, width and height of each.
    boxes: Vec<[f64; 4]>,
}

impl Labels {
    /// A share in the lower part of a place, if the place is large enough for legible text.
    fn place(&mut self, out: &mut String, place: &Place, share: f64) {
        let size = (place.room * 0.62).clamp(SMALLEST, 15.0);
        let height = size * 1.25;
        let middle = [place.centre[0], place.centre[1] + (place.room - height / 2.0).clamp(0.0, 44.0)];
        if place.room >= SMALLEST {
            self.draw(out, middle, size, share);
        }
    }

    /// A share on the way of an arrow, nearer to its head.
    fn arrow(&mut self, out: &mut String, from: &Place, to: &Place, share: f64) {
        let size = (to.room * 0.5).clamp(SMALLEST, 13.0);
        let along = |axis: usize| from.centre[axis] + 0.62 * (to.centre[axis] - from.centre[axis]);
        if to.room >= SMALLEST {
            self.draw(out, [along(0), along(1)], size, share);
        }
    }

    fn draw(&mut self, out: &mut String, [x, y]: [f64; 2], size: f64, share: f64) {
        if share < 0.01 {
            return;
        }
        let words = percent(share);
        let (width, height) = (size * (0.6 * words.len() as f64 + 0.3), size * 1.25);
        let (left, top) = (x - width / 2.0, y - height / 2.0);
        let apart = |&[a, b, w, h]: &[f64; 4]| {
            a >= left + width || a + w <= left || b >= top + height || b + h <= top
        };
        if !self.boxes.iter().all(apart) {
            return;
        }
        self.boxes.push([left, top, width, height]);
        _ = write!(
            out,
            "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"{:.1}\" \
             fill=\"#ffffff\"/><text x=\"{x:.1}\" y=\"{:.1}\" font-family=\"Arial, Helvetica, sans-serif\" \
             font-size=\"{size:.1}\" font-weight=\"bold\" fill=\"{INK}\" text-anchor=\"middle\">{words}</text>",
            height / 3.0,
            y + size * 0.36
        );
    }
}

/// A share in whole percents. Halves are rounded up, also those that floating-point numbers miss, as everywhere.
fn percent(share: f64) -> String {
    format!("{}%", (100.0 * share + 1e-3).round())
}

/// The drawing, without its closing tag, with a line of words below it.
fn with_line(svg: &str, words: &str, theme: Theme) -> String {
    let Some([left, top, width, height]) = view_box(svg) else { return svg.into() };
    let line = width * LINE;
    let (paper, ink) = (theme.pick("#ffffff", "#16181d"), theme.pick("#16181d", "#f0f0f0"));
    let (before, rest) = svg.split_once("viewBox=").expect("it has one");
    let quote = &rest[..1];
    let (_, after) = rest[1..].split_once(quote).expect("an attribute has two quotes");
    format!(
        "{before}viewBox=\"{left} {top} {width} {:.1}\"{after}\
         <rect x=\"{left}\" y=\"{:.1}\" width=\"{width}\" height=\"{line:.1}\" fill=\"{paper}\"/>\
         <text x=\"{:.1}\" y=\"{:.1}\" font-family=\"Arial, Helvetica, sans-serif\" font-size=\"{:.1}\" \
         fill=\"{ink}\" text-anchor=\"middle\">{}</text>",
        height + line,
        top + height,
        left + width / 2.0,
        top + height + line * 0.66,
        (line * 0.5).min(1.8 * width / words.chars().count().max(1) as f64),
        escape(words)
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn squares() -> Vec<Place> {
        let square = |i: u32| {
            let means = vec![("from", json!(i)), ("to", json!(i))];
            Place::rectangle(means, [f64::from(i) * 20.0, 0.0], [20.0, 20.0])
        };
        (0..3).map(square).collect()
    }

    fn marked(object: Value, share: Option<f64>) -> Marked {
        Marked { object, words: "pass".into(), share }
    }

    const BOARD: &str = "<svg viewBox='0 0 60 20'></svg>\n";

    #[test]
    fn actions_mark_their_source_and_destination() {
        let actions = [marked(json!({"from": 0, "to": 1}), None), marked(json!({"from": 0, "to": 2}), None)];
        let svg = lay(BOARD, &squares(), &actions, Theme::Light);
        assert_eq!(svg.matches("<circle ").count(), 2, "{svg}");
        assert_eq!(svg.matches("fill=\"none\" stroke=\"#00d5ff\"").count(), 1, "{svg}");
        assert!(svg.ends_with("</svg>") && svg.matches("</svg>").count() == 1);
    }

    #[test]
    fn arrows_to_one_place_have_labels_of_their_own() {
        let places = squares();
        let actions = [
            marked(json!({"from": 0, "to": 1}), Some(0.5)),
            marked(json!({"from": 2, "to": 1}), Some(0.125)),
        ];
        let svg = lay(BOARD, &places, &actions, Theme::Light);
        assert!(svg.contains(">50%<") && !svg.contains(">63%<") && !svg.contains(">62%<"), "{svg}");
        let far: Vec<Place> = places
            .into_iter()
            .map(|place| Place { centre: [8.0 * place.centre[0], 10.0], ..place })
            .collect();
        let svg = lay(BOARD, &far, &actions, Theme::Light);
        assert!(svg.contains(">50%<") && svg.contains(">13%<"), "halves are rounded up: {svg}");
    }

    #[test]
    fn weights_are_arrows_fills_and_words_with_their_shares() {
        let actions = [
            marked(json!({"from": 0, "to": 1}), Some(0.5)),
            marked(json!({"to": 2}), Some(0.3)),
            marked(json!({"type": "pass"}), Some(0.2)),
        ];
        let svg = lay(BOARD, &squares(), &actions, Theme::Dark);
        for expected in ["L", ">50%<", ">30%<", ">pass 20%<", "viewBox=\"0 0 60 22.7\""] {
            assert!(svg.contains(expected), "{expected}: {svg}");
        }
        // Pieces and numbers below a filled place show through.
        let opacity = svg.split("fill-opacity=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
        assert!((0.05..0.4).contains(&opacity.parse::<f64>().unwrap()), "{opacity}");
        assert!(lay(BOARD, &squares(), &[], Theme::Light).starts_with("<svg viewBox='0 0 60 20'>"));
    }
}
