//! Names of numbers, and the state as columns.

use std::mem::offset_of;

use super::actions::Actions;
use crate::exchange::json::{OUTCOMES, PHASES};
use crate::exchange::notation::square_names::square_name;
use crate::rules::board::bitboard::Bitboard;
use crate::rules::board::position::MoveRules;
use crate::rules::history::History;
use crate::rules::state::{Reason, State};
use crate::rules::tables::Tables;
use ludovec_engine::{StateColumn, ValueTables, Values, state_columns, table};

/// All tables of names. Squares are named from white's side; for black, ranks are mirrored.
pub(super) fn tables<B: Bitboard>(tables: &Tables<B>, actions: &Actions<B>) -> ValueTables {
    let v = &tables.variant;
    let squares = (0..tables.squares).map(|square| square_name(v, square as u8));
    let kind = |kind: u8| v.pieces[usize::from(kind)].name.clone();
    let mut all = ValueTables::from([
        table("square", squares),
        table("rank", 1..=v.height),
        table("rank_from_the_last", (1..=v.height).rev()),
        table("file", (0..v.width).map(|file| char::from(b'a' + file))),
        table("kind", v.pieces.iter().map(|piece| &piece.name)),
        table("color", ["white", "black"]),
        table("repetition", ["new", "repeated"]),
        table("phase", PHASES),
        table("outcome", OUTCOMES),
        table("reason", Reason::NAMES),
    ]);
    if let Some(drops) = &v.drops {
        all.extend([table("hand_kind", drops.kinds.iter().map(|&k| kind(k)))]);
    }
    all.extend(actions.tables(tables));
    all
}

/// The state columns. On boards of more than 64 squares, a set of squares has two numbers, low squares first.
pub(super) fn columns<R: MoveRules, H: History>() -> Vec<StateColumn> {
    let mut columns = state_columns!(State<R, H> {
        position.kinds: "the squares of each kind of piece, of both colours, as bits" => Values::axes(&["kind"]),
        position.colours: "the squares of each colour, as bits" => Values::axes(&["color"]),
        position.neutral: "squares that are blocked by what belongs to no player, as bits",
        position.rights: "rooks that may castle, as bits",
        position.unmoved: "pieces that never moved, where the rules ask, as bits",
        position.promoted: "pieces that were pawns, where captures go to hand, as bits",
        position.en_passant: "squares on which the victim can be taken en passant, as bits",
        position.checkers: "pieces that attack the king of the current player, as bits",
        position.pinned: "pieces of the current player that shield its king from exactly one slider, as bits",
        position.key: "Zobrist key",
        position.plies: "decisions made in the game",
        position.halfmoves: "plies since the last capture or pawn move",
        position.fullmoves: "number of the full move, from 1",
        position.pockets: "pieces in hand" => Values::axes(&["color", "kind"]),
        position.checks: "checks given" => Values::axes(&["color"]),
        position.turn: "the color to move" => Values::element("color"),
        position.victim: "the pawn that can be taken en passant; 255 if there is none" => Values::element("square"),
        position.phase: "what is decided" => Values::element("phase"),
        position.phase_square: "the piece that moves on after a boost; 255 if there is none"
            => Values::element("square"),
        position.fallen: "colors that lost their king, as bits" => Values::bits("color"),
        position.memory: "what a hook remembers",
        keys: "low 32 bits of the keys of past positions, the oldest first",
        keys_high: "the next 16 bits of these keys",
        remembered: "how many keys there are",
        occurrences: "how often the position has occurred",
        outcome: "the result" => Values::element("outcome"),
        reason: "why the game is over" => Values::element("reason"),
    });
    for mut column in H::columns() {
        column.offset += offset_of!(State<R, H>, history);
        columns.push(column);
    }
    columns
}
