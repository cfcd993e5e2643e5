//! The map in ANSI colours: regions in their places, each with its number, holder and cost.

use std::fmt::Write;

use super::shapes::Shapes;
use crate::rules::map::{Map, RegionId, Terrain};
use crate::rules::roster::Race;
use crate::rules::state::{State, slot};
use ludovec_engine::ansi;

/// Columns of the map.
const WIDTH: usize = 72;
/// Ratio of a character's height to its width.
const CHARACTER: f64 = 2.0;

/// Colours of the seats in the 256-colour palette.
pub(crate) const SEAT_COLOURS: [u8; 5] = [196, 33, 220, 201, 40];

/// The same for terrains, in the order of [`Terrain::ALL`].
pub(crate) const TERRAIN_COLOURS: [u8; Terrain::ALL.len()] = [222, 149, 71, 109, 145, 32, 117];

/// One cell of the map.
#[derive(Clone, Copy, PartialEq)]
struct Cell {
    region: Option<RegionId>,
    letter: char,
    /// The seat if the letter represents one of its pieces.
    seat: Option<usize>,
}

/// The map as coloured lines. Regions have the colour of their terrain. In the middle is their number and, below,
/// the race and its tokens on the colour of the seat, in small letters in decline, or the cost of a conquest in
/// tokens.
pub(crate) fn map(state: &State) -> String {
    let map = &state.map;
    let mut cells = ground(map);
    let (shapes, size) = Shapes::fit(map, [WIDTH as f64, 1e9]);
    for (region, shape) in map.all().iter().zip(&shapes.regions) {
        let i = region.index();
        let row = (shape.centre[1] / CHARACTER) as usize;
        let column = shape.centre[0] as usize;
        write_at(&mut cells, row.saturating_sub(1), column, &region.0.to_string(), None);
        match state.occupant(region) {
            Some(id) => {
                let race = state.army(id).race().map_or("?", Race::name);
                let race: String = race.chars().take(3).collect();
                let race = if id.slot == slot::ACTIVE { race } else { race.to_lowercase() };
                write_at(&mut cells, row, column, &format!("{race}{}", state.tokens[i]), Some(id.seat));
            }
            None => write_at(&mut cells, row, column, &format!("${}", state.base_cost[i]), None),
        }
    }
    debug_assert!(size[0] <= WIDTH as f64 + 1e-6);
    let mut out = String::new();
    for row in &cells {
        for (x, cell) in row.iter().enumerate() {
            let Some(region) = cell.region else {
                out.push(' ');
                continue;
            };
            let ground = match cell.seat {
                Some(seat) => SEAT_COLOURS[seat],
                None => TERRAIN_COLOURS[map.terrain(region) as usize],
            };
            // A vertical line separates a region from its right neighbour.
            let next = row.get(x + 1).and_then(|cell| cell.region);
            let borders = cell.letter == ' ' && next.is_some_and(|next| next != region);
            let letter = if borders { '│' } else { cell.letter };
            out.push_str(&ansi::on(ground, ansi::ink_on(ground), letter));
        }
        out.push('\n');
    }
    out.push_str("a region's number, then $ and its cost, or race (small: in decline)\n");
    let legend = Terrain::ALL.map(|terrain| {
        let ground = TERRAIN_COLOURS[terrain as usize];
        ansi::on(ground, ansi::ink_on(ground), format_args!(" {} ", terrain.name()))
    });
    writeln!(out, "{}", legend.join(" ")).expect("text takes any text");
    out
}

/// The region under each character.
fn ground(map: &Map) -> Vec<Vec<Cell>> {
    let (shapes, [_, height]) = Shapes::fit(map, [WIDTH as f64, 1e9]);
    let rows = (height / CHARACTER).ceil() as usize;
    let at = |row: usize, column: usize| {
        let point = [column as f64 + 0.5, (row as f64 + 0.5) * CHARACTER];
        let mut regions = map.all().iter().zip(&shapes.regions);
        let region = regions.find(|(_, shape)| shape.contains(point)).map(|(region, _)| region);
        Cell { region, letter: ' ', seat: None }
    };
    (0..rows).map(|row| (0..WIDTH).map(|column| at(row, column)).collect()).collect()
}

/// Writes a word, centred at a place.
fn write_at(cells: &mut [Vec<Cell>], row: usize, middle: usize, word: &str, seat: Option<usize>) {
    let row = row.min(cells.len() - 1);
    let length = word.chars().count();
    let first = middle.saturating_sub(length / 2).min(WIDTH - length);
    for (letter, cell) in word.chars().zip(&mut cells[row][first..]) {
        (cell.letter, cell.seat) = (letter, seat);
    }
}
