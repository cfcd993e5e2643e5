//! Drawings of several games in one.

use std::fmt::Write;

/// Width of a game in a grid.
const CELL: f64 = 480.0;
const GAP: f64 = 16.0;

/// Drawings side by side, as one SVG document, `columns` in a row (at least 1); no drawings give an empty one.
///
/// Each is a document as [`Picture::to_svg`](crate::engine::Picture::to_svg) gives it; what one defines is out of
/// the others' sight.
pub fn grid(drawings: &[String], columns: usize) -> String {
    let columns = columns.clamp(1, drawings.len().max(1));
    let rows = drawings.len().div_ceil(columns);
    let height = drawings.iter().map(|svg| CELL * aspect(svg)).fold(0.0, f64::max);
    let mut out = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {:.0} {:.0}">"#,
        columns as f64 * (CELL + GAP) - GAP,
        (rows as f64 * (height + GAP) - GAP).max(0.0)
    );
    for (i, svg) in drawings.iter().enumerate() {
        let (x, y) = ((i % columns) as f64 * (CELL + GAP), (i / columns) as f64 * (height + GAP));
        let inner = with_own_names(svg.trim(), &format!("game{i}-"));
        let inner = inner.strip_prefix("<svg").unwrap_or(&inner);
        write!(out, r#"<svg x="{x:.0}" y="{y:.0}" width="{CELL}" height="{height:.0}"{inner}"#)
            .expect("a String takes everything");
    }
    out + "</svg>"
}

/// Height by width of a document, from its `viewBox`.
fn aspect(svg: &str) -> f64 {
    let numbers = svg.split_once("viewBox=").and_then(|(_, rest)| rest.get(1..)?.split(['"', '\'']).next());
    let numbers: Vec<f64> = numbers.unwrap_or("").split_whitespace().filter_map(|n| n.parse().ok()).collect();
    match numbers[..] {
        [_, _, width, height] if width > 0.0 => height / width,
        _ => 1.0,
    }
}

/// Puts `prefix` before every id and every reference to one.
fn with_own_names(svg: &str, prefix: &str) -> String {
    [" id='", " id=\"", "href='#", "href=\"#", "url(#"]
        .iter()
        .fold(svg.to_string(), |svg, before| svg.replace(before, &format!("{before}{prefix}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOT: &str =
        "<svg xmlns='x' viewBox='0 0 10 20'><g id='a'/><use href='#a'/><i fill='url(#a)'/></svg>\n";

    #[test]
    fn games_lie_in_rows_and_define_names_of_their_own() {
        let svg = grid(&[DOT.to_string(), DOT.to_string(), DOT.to_string()], 2);
        assert!(svg.starts_with("<svg ") && svg.contains(r#"viewBox="0 0 976 1936""#), "{svg}");
        for (game, place) in [(0, r#"x="0" y="0""#), (1, r#"x="496" y="0""#), (2, r#"x="0" y="976""#)] {
            assert!(svg.contains(&format!("<svg {place} width=\"480\" height=\"960\" xmlns='x'")), "{svg}");
            for name in ["id='", "href='#", "url(#"] {
                assert_eq!(svg.matches(&format!("{name}game{game}-a")).count(), 1, "{svg}");
            }
        }
        assert_eq!(svg.matches("</svg>").count(), 4);
        assert!(grid(&[], 0).ends_with("</svg>"));
    }
}
