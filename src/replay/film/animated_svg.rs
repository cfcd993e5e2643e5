//! A game as one animated SVG document, playable in browsers without scripts.

use std::fmt::Write;

use crate::engine::{Error, Result};

/// The drawings one after the other, each for its duration in seconds, in an endless loop.
///
/// Elements shared by the beginnings or ends of all drawings are stored once. A viewer without animations shows the
/// last drawing.
///
/// # Errors
/// [`Error::InvalidState`] if there is no drawing.
pub fn animated_svg(drawings: &[(String, f64)]) -> Result<String> {
    let Some((last, _)) = drawings.last() else {
        return Err(Error::state("animation: there is nothing to show"));
    };
    let total: f64 = drawings.iter().map(|(_, seconds)| seconds).sum();
    let parts: Vec<Vec<&str>> = drawings.iter().map(|(svg, _)| elements(svg)).collect();
    let first = &parts[0];
    // The head (tag, title and description) is from the last drawing, which states the result of the game.
    let head = elements(last)[0];
    let common = |pairs: &dyn Fn(&[&str]) -> usize| {
        parts.iter().map(|part| pairs(&part[1..])).min().expect("there is a drawing")
    };
    let front = common(&|part| part.iter().zip(&first[1..]).take_while(|(a, b)| a == b).count());
    let mut out = head.to_string();
    out.extend(first[1..1 + front].iter().copied());
    let mut begins = 0.0;
    for (i, (part, (_, seconds))) in parts.iter().zip(drawings).enumerate() {
        let (from, to) = (begins / total, (begins + seconds) / total);
        begins += seconds;
        let middle = &part[1 + front..part.len() - 1];
        let is_last = i + 1 == drawings.len();
        let (values, times) = match (i == 0, is_last) {
            (true, true) => ("inline", "0".to_string()),
            (true, false) => ("inline;none", format!("0;{to:.5}")),
            (false, true) => ("none;inline", format!("0;{from:.5}")),
            (false, false) => ("none;inline;none", format!("0;{from:.5};{to:.5}")),
        };
        let display = if is_last { "inline" } else { "none" };
        write!(
            out,
            "<g display=\"{display}\">{}<animate attributeName=\"display\" values=\"{values}\" \
             keyTimes=\"{times}\" calcMode=\"discrete\" dur=\"{total:.2}s\" repeatCount=\"indefinite\"/></g>",
            middle.concat()
        )
        .expect("a String takes everything");
    }
    Ok(out + "</svg>")
}

/// The document's first tag with its title and description, its children one by one, and its end.
fn elements(svg: &str) -> Vec<&str> {
    let svg = svg.trim_end();
    let after = |text: &str| svg.find(text).map(|at| at + text.len());
    let head = after("</desc>").or_else(|| after(">")).unwrap_or(svg.len());
    let mut parts = vec![&svg[..head]];
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

    #[test]
    fn shared_elements_are_stored_once_and_each_drawing_has_its_time() {
        let drawings = [(drawing("<a/>"), 1.0), (drawing("<b/>"), 1.0), (drawing("<c/><d/>"), 2.0)];
        let svg = animated_svg(&drawings).unwrap();
        assert_eq!(svg.matches("<defs>").count(), 1, "{svg}");
        for expected in [
            "<g display=\"none\"><a/><animate attributeName=\"display\" values=\"inline;none\" keyTimes=\"0;0.25000\"",
            "<b/><animate attributeName=\"display\" values=\"none;inline;none\" keyTimes=\"0;0.25000;0.50000\"",
            "<g display=\"inline\"><c/><d/><animate attributeName=\"display\" values=\"none;inline\" keyTimes=\"0;0.50000\"",
            "dur=\"4.00s\"",
        ] {
            assert!(svg.contains(expected), "{expected}\n{svg}");
        }
        assert!(svg.ends_with("</svg>") && svg.matches("</svg>").count() == 1);
        assert!(animated_svg(&[]).is_err());
    }
}
