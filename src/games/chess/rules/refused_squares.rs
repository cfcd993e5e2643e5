//! Reasons why a player's squares make no move.

use std::collections::BTreeSet;

use serde_json::Value;

use super::board::bitboard::Bitboard as _;
use super::board::position::{MoveRules, Position};
use super::tables::Tables;
use super::variant::schema::Square;
use crate::exchange::json;
use crate::exchange::notation::square_names::{square_name, square_named};
use crate::show::render::on;

const COLOURS: [&str; 2] = ["white", "black"];

/// The reason why no legal move connects the squares of these places, in the order of their choice.
pub(crate) fn explain<R: MoveRules>(
    tables: &Tables<R::Bits>,
    position: &Position<R>,
    places: &[Vec<(String, Value)>],
) -> Option<String> {
    let named = |place: &Vec<(String, Value)>| {
        place.iter().find_map(|(_, value)| square_named(&tables.variant, value.as_str()?))
    };
    let squares = places.iter().map(named).collect::<Option<Vec<Square>>>()?;
    let &from = squares.first()?;
    let name = |square| square_name(&tables.variant, square);
    let mover = position.turn();
    let Some((kind, colour)) = on(tables, position, from) else {
        return Some(format!("{} is empty: choose a piece of {}", name(from), COLOURS[mover]));
    };
    let piece = &tables.variant.pieces[usize::from(kind)].name;
    if usize::from(colour) != mover || position.neutral.has(from) {
        let owner = if position.neutral.has(from) { "nobody" } else { COLOURS[usize::from(colour)] };
        return Some(format!(
            "the {piece} on {} belongs to {owner}, and {} is to move",
            name(from),
            COLOURS[mover]
        ));
    }
    let mut ends = BTreeSet::new();
    position.visit_moves(tables, &mut |mv| {
        let object = json::action(tables, position, Some(mv));
        if object["from"] == name(from) {
            ends.extend(object["to"].as_str().map(String::from));
        }
    });
    let check =
        if position.checkers.any() { format!("; {} is in check", COLOURS[mover]) } else { String::new() };
    let can = ends.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    let place = name(from);
    Some(match squares.get(1) {
        _ if ends.is_empty() => format!("the {piece} on {place} has no legal move{check}"),
        None => format!("the {piece} on {place} can go to {can}{check}"),
        Some(&to) => format!("the {piece} on {place} cannot go to {}, but to {can}{check}", name(to)),
    })
}
