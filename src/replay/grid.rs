//! Boards of several games in one drawing.

use std::fmt::Write;

use crate::engine::drawing::{escape, shortened};
use crate::engine::{Result, SingleGame, View};

/// Width of a game in a grid.
const CELL: f64 = 480.0;
const GAP: f64 = 16.0;
/// Height of the line above a board.
const LABEL: f64 = 34.0;

/// The boards of games side by side, as one SVG document with `columns` boards per row (at least 1), each labelled
/// with its number and standing. Without games the document is empty.
///
/// Ids of each board get their own prefix, so that definitions of one board do not affect the others.
///
/// # Errors
/// As for [`SingleGame::to_svg`].
pub fn grid(games: &[(usize, SingleGame)], columns: usize, view: View) -> Result<String> {
    let columns = columns.clamp(1, games.len().max(1));
    let rows = games.len().div_ceil(columns);
    let view = View { board_only: true, size: None, ..view };
    let boards = games.iter().map(|(_, game)| game.to_svg(view)).collect::<Result<Vec<String>>>()?;
    let height = boards.iter().map(|svg| CELL * aspect(svg)).fold(0.0, f64::max) + LABEL;
    let width = columns as f64 * (CELL + GAP) - GAP;
    let total = (rows as f64 * (height + GAP) - GAP).max(0.0);
    let scale = f64::from(View::SIZE) / width.max(total).max(1.0);
    let title = games
        .first()
        .map_or("no games".into(), |(_, game)| format!("{} games of {}", games.len(), game.title()));
    let (paper, ink) = (view.theme.pick("#ffffff", "#16181d"), view.theme.pick("#16181d", "#f0f0f0"));
    let mut out = format!(
        "<svg width=\"{:.0}\" height=\"{:.0}\" role=\"img\" xmlns=\"http://www.w3.org/2000/svg\" \
         viewBox=\"0 0 {width:.0} {total:.0}\" font-family=\"Arial, Helvetica, sans-serif\"><title>{}</title>\
         <rect width=\"{width:.0}\" height=\"{total:.0}\" fill=\"{paper}\"/>",
        width * scale,
        total * scale,
        escape(&title)
    );
    for (i, ((number, game), svg)) in games.iter().zip(&boards).enumerate() {
        let (x, y) = ((i % columns) as f64 * (CELL + GAP), (i / columns) as f64 * (height + GAP));
        let standing = shortened(&format!("{number}: {}", game.standing()), 52);
        write!(
            out,
            "<text x=\"{:.0}\" y=\"{:.0}\" font-size=\"18\" fill=\"{ink}\">{}</text>\
             <svg x=\"{x:.0}\" y=\"{:.0}\" width=\"{CELL}\" height=\"{:.0}\"{}",
            x + 4.0,
            y + 23.0,
            escape(&standing),
            y + LABEL,
            height - LABEL,
            with_own_names(without_size(svg.trim()), &format!("game{i}-"))
        )
        .expect("a String takes everything");
    }
    Ok(out + "</svg>")
}

/// Aspect ratio (height by width) of a document, from its `viewBox`.
fn aspect(svg: &str) -> f64 {
    let numbers = svg.split_once("viewBox=").and_then(|(_, rest)| rest.get(1..)?.split(['"', '\'']).next());
    let numbers: Vec<f64> = numbers.unwrap_or("").split_whitespace().filter_map(|n| n.parse().ok()).collect();
    match numbers[..] {
        [_, _, width, height] if width > 0.0 => height / width,
        _ => 1.0,
    }
}

/// Strips the beginning of a document up to and including the size added by the engine.
fn without_size(svg: &str) -> &str {
    svg.split_once(" role=\"img\"").map_or(svg, |(_, rest)| rest)
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

    #[test]
    fn ids_get_a_prefix_and_sizes_come_from_the_grid() {
        let dot = "<svg width=\"5\" height=\"9\" role=\"img\" xmlns='x' viewBox='0 0 10 20'><g id='a'/><use href='#a'/>\
                   <i fill='url(#a)'/></svg>";
        let inner = with_own_names(without_size(dot), "game7-");
        assert_eq!(
            inner,
            " xmlns='x' viewBox='0 0 10 20'><g id='game7-a'/><use href='#game7-a'/><i fill='url(#game7-a)'/></svg>"
        );
        assert_eq!(aspect(dot), 2.0);
        assert!(grid(&[], 0, View::default()).unwrap().ends_with("</svg>"));
    }

    #[test]
    fn boards_are_in_rows_below_their_numbers() {
        for entry in crate::games::all() {
            let game = |seed| (seed as usize + 7, entry.make([]).unwrap().single(seed));
            let svg = grid(&[game(0), game(1), game(2)], 2, View::default()).unwrap();
            assert_eq!(svg.matches("</svg>").count(), 4, "{}", entry.id);
            for text in [">7: ", ">8: ", ">9: ", "<title>3 games of "] {
                assert!(svg.contains(text), "{}: {text}", entry.id);
            }
            let places: Vec<&str> =
                svg.split("<svg x=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
            assert_eq!(places, ["0", "496", "0"]);
        }
    }
}
