//! A game as one animated SVG document, playable in browsers without scripts.

use std::fmt::Write;
use std::ops::Range;

use crate::engine::{Error, Result};
use crate::splices::splices;

/// The drawings one after the other, each for its duration in seconds, in an endless loop.
///
/// Every element is stored once and shown in its drawings: the board is drawn once, and changed. A viewer without
/// animations shows the last drawing.
///
/// # Errors
/// [`Error::InvalidState`] if there is no drawing.
pub fn animated_svg(drawings: &[(String, f64)]) -> Result<String> {
    let Some((last, _)) = drawings.last() else {
        return Err(Error::state("animation: there is nothing to show"));
    };
    let mut layers = Layers::default();
    for (i, (svg, _)) in drawings.iter().enumerate() {
        let parts = elements(svg);
        let opened: Vec<Element<'_>> =
            parts[1..parts.len() - 1].iter().flat_map(|part| opened(part)).collect();
        layers.push(i, &opened);
    }
    let mut begins = vec![0.0];
    begins.extend(drawings.iter().scan(0.0, |sum, (_, seconds)| {
        *sum += seconds;
        Some(*sum)
    }));
    // The head (tag, title and description) is from the last drawing, which states the result of the game.
    let mut out = elements(last)[0].to_string();
    if drawings.len() > 1 {
        // The clock of the loop: all other times count from its begin.
        let total = rounded(begins[drawings.len()]);
        write!(
            out,
            "<path visibility=\"hidden\" d=\"M0 0\"><animate id=\"l\" attributeName=\"visibility\" from=\"hidden\" \
             to=\"hidden\" begin=\"0;l.end\" dur=\"{total}\"/></path>"
        )
        .expect("a String takes everything");
    }
    layers.write(&mut out, drawings.len(), &begins);
    Ok(out + "</svg>")
}

/// A time in seconds, the unit of SVG, rounded to milliseconds.
fn rounded(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}

/// An element of a drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Element<'a> {
    /// The opening tag of the group around it; empty without a group.
    group: &'a str,
    text: &'a str,
}

/// An element and the drawings that show it.
struct Layer<'a> {
    element: Element<'a>,
    /// Ranges of drawings, in order and apart.
    shown: Vec<Range<usize>>,
    /// The next layer above.
    above: Option<usize>,
}

/// All elements of all drawings, each drawing in its own order: a linked list from the lowest to the highest.
#[derive(Default)]
struct Layers<'a> {
    all: Vec<Layer<'a>>,
    lowest: Option<usize>,
    /// The layers of the last drawing.
    last: Vec<usize>,
}

impl<'a> Layers<'a> {
    /// Adds the elements of drawing `number`.
    fn push(&mut self, number: usize, elements: &[Element<'a>]) {
        let before: Vec<Element<'a>> = self.last.iter().map(|&layer| self.all[layer].element).collect();
        let mut now = Vec::with_capacity(elements.len());
        let mut at = 0;
        for splice in splices(&before, elements) {
            now.extend_from_slice(&self.last[at..splice.at]);
            at = splice.at + splice.removed;
            let end = self.last.get(at).copied();
            for &element in &elements[splice.inserted] {
                let layer = self.find_or_insert(element, now.last().copied(), end);
                now.push(layer);
            }
        }
        now.extend_from_slice(&self.last[at..]);
        for &layer in &now {
            let shown = &mut self.all[layer].shown;
            match shown.last_mut() {
                Some(range) if range.end == number => range.end += 1,
                _ => shown.push(number..number + 1),
            }
        }
        self.last = now;
    }

    fn next(&self, below: Option<usize>) -> Option<usize> {
        below.map_or(self.lowest, |layer| self.all[layer].above)
    }

    /// The layer of an element between two layers: a known one, or a new one right above `below`.
    fn find_or_insert(&mut self, element: Element<'a>, below: Option<usize>, end: Option<usize>) -> usize {
        let mut at = self.next(below);
        while let Some(layer) = at.filter(|_| at != end) {
            if self.all[layer].element == element {
                return layer;
            }
            at = self.all[layer].above;
        }
        let new = self.all.len();
        self.all.push(Layer { element, shown: Vec::new(), above: self.next(below) });
        match below {
            Some(layer) => self.all[layer].above = Some(new),
            None => self.lowest = Some(new),
        }
        new
    }

    /// Writes the layers from the lowest to the highest. Elements that the last of `count` drawings shows are hidden
    /// in the others, and the rest are shown in theirs; neighbours with the same drawings are one group.
    fn write(&self, out: &mut String, count: usize, begins: &[f64]) {
        let order = std::iter::successors(self.lowest, |&layer| self.all[layer].above);
        let order: Vec<&Layer<'_>> = order.map(|layer| &self.all[layer]).collect();
        for group in order.chunk_by(|a, b| a.shown == b.shown) {
            let shown = &group[0].shown;
            let stays = shown.last().is_some_and(|range| range.end == count);
            let changes = if stays { complement(shown) } else { shown.clone() };
            let tag = match (changes.is_empty(), stays) {
                (true, _) => "",
                (false, true) => "<g>",
                (false, false) => "<g display=\"none\">",
            };
            out.push_str(tag);
            for run in group.chunk_by(|a, b| a.element.group == b.element.group) {
                let opening = run[0].element.group;
                out.push_str(opening);
                run.iter().for_each(|layer| out.push_str(layer.element.text));
                out.push_str(if opening.is_empty() { "" } else { "</g>" });
            }
            if changes.is_empty() {
                continue;
            }
            let to = if stays { "none" } else { "inline" };
            // Ranges of equal duration share an element.
            let mut sets: Vec<(f64, Vec<String>)> = Vec::new();
            for Range { start, end } in changes {
                let begin = format!("l.begin+{}", rounded(begins[start]));
                let duration = rounded(begins[end] - begins[start]);
                match sets.iter_mut().find(|(other, _)| *other == duration) {
                    Some((_, all)) => all.push(begin),
                    None => sets.push((duration, vec![begin])),
                }
            }
            for (duration, all) in sets {
                let all = all.join(";");
                write!(
                    out,
                    "<set attributeName=\"display\" to=\"{to}\" begin=\"{all}\" dur=\"{duration}\"/>"
                )
                .expect("a String takes everything");
            }
            out.push_str("</g>");
        }
    }
}

/// The ranges before and between ranges that reach to the end.
fn complement(shown: &[Range<usize>]) -> Vec<Range<usize>> {
    let starts = std::iter::once(0).chain(shown.iter().map(|range| range.end));
    starts.zip(shown).map(|(start, range)| start..range.start).filter(|range| !range.is_empty()).collect()
}

/// The children of a group that only moves or scales them, as elements of their own; another element as it is.
fn opened(element: &str) -> Vec<Element<'_>> {
    let end = element.find('>').map_or(0, |end| end + 1);
    let group = &element[..end];
    let is_plain = group.strip_prefix("<g transform=").is_some_and(|rest| rest.matches('=').count() == 0);
    if !is_plain || group.ends_with("/>") {
        return vec![Element { group: "", text: element }];
    }
    let mut children = children_from(element, end);
    // The group's own end.
    children.pop();
    children.into_iter().map(|text| Element { group, text }).collect()
}

/// The document's first tag with its title and description, its children one by one, and its end.
fn elements(svg: &str) -> Vec<&str> {
    let svg = svg.trim_end();
    let after = |text: &str| svg.find(text).map(|at| at + text.len());
    let head = after("</desc>").or_else(|| after(">")).unwrap_or(svg.len());
    let mut parts = vec![&svg[..head]];
    parts.extend(children_from(svg, head));
    parts
}

/// The elements of a text from a place on, and the end of the element around them.
fn children_from(svg: &str, head: usize) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut begin, mut at) = (0, head, head);
    while let Some(length) = svg[at..].find('>') {
        let tag = svg[at..at + length + 1].rfind('<').map_or("", |open| &svg[at + open..at + length + 1]);
        at += length + 1;
        match tag {
            _ if tag.starts_with("</") => depth -= 1,
            _ if tag.ends_with("/>") => {}
            _ => depth += 1,
        }
        if depth <= 0 {
            parts.push(&svg[begin..at]);
            begin = at;
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawing(middle: &str) -> String {
        format!(
            "<svg viewBox='0 0 1 1'><title>t</title><desc>d</desc><defs><g id='a'/></defs><r/>{middle}</svg>\n"
        )
    }

    #[test]
    fn elements_are_the_children_of_the_document() {
        let svg = drawing("<g><b>x</b></g>");
        let expected = [
            "<svg viewBox='0 0 1 1'><title>t</title><desc>d</desc>",
            "<defs><g id='a'/></defs>",
            "<r/>",
            "<g><b>x</b></g>",
            "</svg>",
        ];
        assert_eq!(elements(&svg), expected);
    }

    /// The elements that drawing `number` shows.
    fn shown_at(layers: &Layers<'_>, number: usize) -> String {
        let mut out = String::new();
        let mut at = layers.lowest;
        while let Some(layer) = at.map(|layer| &layers.all[layer]) {
            at = layer.above;
            if layer.shown.iter().any(|range| range.contains(&number)) {
                out.push_str(layer.element.text);
            }
        }
        out
    }

    #[test]
    fn every_drawing_has_its_elements_in_its_order() {
        let drawings = ["abcd", "abXd", "abcd", "dcba", "", "aaXbd", "abcd", "dXab"];
        let letters: Vec<Vec<String>> =
            drawings.iter().map(|text| text.chars().map(String::from).collect()).collect();
        let mut layers = Layers::default();
        for (i, drawing) in letters.iter().enumerate() {
            let elements = drawing.iter().map(|text| Element { group: "", text });
            layers.push(i, &elements.collect::<Vec<_>>());
        }
        for (i, text) in drawings.iter().enumerate() {
            assert_eq!(&shown_at(&layers, i), text);
        }
    }

    #[test]
    fn a_moved_group_is_opened_and_other_elements_are_not() {
        let group = "<g transform='translate(2 3)'><a/><g><b/></g><text>x</text></g>";
        let parts: Vec<&str> = opened(group).into_iter().map(|element| element.text).collect();
        assert_eq!(parts, ["<a/>", "<g><b/></g>", "<text>x</text>"]);
        for closed in ["<g transform='scale(2)' opacity='.5'><a/></g>", "<g><a/></g>", "<a/>", "<a>x</a>"] {
            assert_eq!(opened(closed), [Element { group: "", text: closed }]);
        }
        // A change inside of the group stores the group's other children once.
        let at = |text: &str| (drawing(&group.replace(">x<", &format!(">{text}<"))), 1.0);
        let svg = animated_svg(&[at("x"), at("y"), at("z")]).unwrap();
        assert_eq!((svg.matches("<a/>").count(), svg.matches("<b/>").count()), (1, 1), "{svg}");
        assert_eq!(svg.matches("<text>").count(), 3);
        let moved = svg.matches("<g transform='translate(2 3)'>").count();
        assert_eq!(moved, 4, "{svg}");
        assert_eq!(
            svg.matches("<g").count(),
            svg.matches("</g>").count() + svg.matches("<g id='a'/>").count()
        );
    }

    #[test]
    fn shared_elements_are_stored_once_and_each_drawing_has_its_time() {
        let drawings = [(drawing("<a/>"), 1.0), (drawing("<b/>"), 1.0), (drawing("<c/><d/>"), 2.0)];
        let svg = animated_svg(&drawings).unwrap();
        assert_eq!(svg.matches("<defs>").count(), 1, "{svg}");
        for expected in [
            "begin=\"0;l.end\" dur=\"4\"/>",
            "<g display=\"none\"><a/><set attributeName=\"display\" to=\"inline\" begin=\"l.begin+0\" dur=\"1\"/></g>",
            "<g display=\"none\"><b/><set attributeName=\"display\" to=\"inline\" begin=\"l.begin+1\" dur=\"1\"/></g>",
            "<g><c/><d/><set attributeName=\"display\" to=\"none\" begin=\"l.begin+0\" dur=\"2\"/></g>",
        ] {
            assert!(svg.contains(expected), "{expected}\n{svg}");
        }
        assert!(svg.ends_with("</svg>") && svg.matches("</svg>").count() == 1);
        let single = animated_svg(&drawings[..1]).unwrap();
        assert!(!single.contains("<set") && !single.contains("<animate"), "{single}");
        assert!(animated_svg(&[]).is_err());
    }
}
