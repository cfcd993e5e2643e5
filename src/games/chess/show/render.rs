//! Rendering of positions: lines of text and drawings.

#[cfg(test)]
mod tests;

use std::fmt::Write;

use serde_json::Value;

use super::svg::{self, BoardLayout, Diagram, Figure, Owner};
use crate::exchange::notation::fen;
use crate::exchange::notation::square_names::square_name;
use crate::rules::board::bitboard::Bitboard;
use crate::rules::board::moves::{Move, MoveKind};
use crate::rules::board::position::{MoveRules, Position, phase};
use crate::rules::history::History;
use crate::rules::state::{Reason, State, outcome};
use crate::rules::tables::Tables;
use crate::rules::variant::schema::{Modality, Piece, PieceKind, Primitive, Role, Square, Variant};
use ludovec_engine::{Caption, Place, View};

/// The board with white at the bottom, and the other information about the position beside it.
///
/// Upper case is white, lower case black; `.` is an empty square, `*` a stone; holes are blank.
pub(crate) fn to_text<R: MoveRules, H: History>(
    tables: &Tables<R::Bits>,
    state: &State<R, H>,
    caption: Caption<'_>,
) -> String {
    let variant = &tables.variant;
    let position = &state.position;
    let mut out = String::new();
    for rank in (0..variant.height).rev() {
        write!(out, "{:>2} ", rank + 1).expect("writing to a String");
        for file in 0..variant.width {
            let square = rank * variant.width + file;
            let here = match on(tables, position, square) {
                Some((kind, colour)) => fen::letter(variant, kind, colour),
                None if !tables.board.has(square) => ' ',
                None if position.neutral.has(square) => '*',
                None => '.',
            };
            out.push(' ');
            out.push(here);
        }
        out.push('\n');
    }
    out.push_str("   ");
    for file in 0..variant.width {
        out.push(' ');
        out.push(char::from(b'a' + file));
    }
    out.push('\n');
    if variant.drops.is_some() {
        for (colour, name) in caption.names.iter().enumerate() {
            writeln!(out, "{name} holds {}", held(tables, position, colour)).expect("writing to a String");
        }
    }
    out.push_str(caption.standing);
    out.push('\n');
    out
}

/// The origin and destination squares of a move.
pub(crate) fn touched<R: MoveRules>(
    tables: &Tables<R::Bits>,
    position: &Position<R>,
    mv: Move,
) -> Vec<Square> {
    match mv.what {
        MoveKind::Drop(_) | MoveKind::Place | MoveKind::Summon => vec![mv.to],
        MoveKind::Pass => Vec::new(),
        MoveKind::Castle => {
            vec![mv.from, position.castle_squares(tables, mv).map_or(mv.to, |squares| squares.0)]
        }
        _ => vec![mv.from, mv.to],
    }
}

/// One SVG document, white at the bottom.
pub(crate) fn to_svg<R: MoveRules, H: History>(
    tables: &Tables<R::Bits>,
    state: &State<R, H>,
    played: &[Square],
    view: View,
    title: &str,
    caption: Caption<'_>,
) -> String {
    let variant = &tables.variant;
    let position = &state.position;
    let figure = |kind: PieceKind, owner: Owner| {
        let piece = &variant.pieces[usize::from(kind)];
        let name = if takes_straight_ahead(piece) { svg::BEROLINA } else { &piece.name };
        Figure { owner, name, letter: piece.letter }
    };
    let owners = [Owner::White, Owner::Black];
    let figures = (0..variant.width * variant.height).map(|square| match on(tables, position, square) {
        Some((kind, _)) if position.neutral.has(square) => Some(figure(kind, Owner::Nobody)),
        Some((kind, colour)) => Some(figure(kind, owners[usize::from(colour)])),
        None => position.neutral.has(square).then_some(Figure {
            owner: Owner::Nobody,
            name: "stone",
            letter: '*',
        }),
    });
    let pockets = variant.drops.as_ref().map(|drops| {
        [0, 1].map(|colour| {
            let counts = drops.kinds.iter().map(|&kind| (kind, position.pockets[colour][usize::from(kind)]));
            counts
                .filter(|&(_, count)| count > 0)
                .map(|(kind, count)| (figure(kind, owners[colour]), u32::from(count)))
                .collect()
        })
    });
    let checked = position.checkers.any().then(|| position.royal(tables, position.turn()));
    svg::draw(&Diagram {
        theme: view.theme,
        board: board(variant, view),
        alone: view.board_only,
        holes: (0..variant.width * variant.height).map(|square| !tables.board.has(square)).collect(),
        figures: figures.collect(),
        pockets,
        played: played.iter().copied().map(usize::from).collect(),
        checked: checked.map_or_else(Vec::new, |squares| squares.squares().map(usize::from).collect()),
        to_move: caption.running.then(|| position.turn()),
        title: title.into(),
        caption: caption.standing.into(),
        names: [&caption.names[0], &caption.names[1]],
    })
}

/// Whether a piece is a Berolina pawn: it takes straight ahead and moves diagonally.
fn takes_straight_ahead(piece: &Piece) -> bool {
    let takes = |primitive: &Primitive| primitive.modality == Modality::Capture && primitive.offset == (0, 1);
    piece.role == Role::Pawn && piece.moves.iter().any(takes)
}

/// The layout of the board in a drawing.
fn board(variant: &Variant, view: View) -> BoardLayout {
    BoardLayout {
        width: variant.width.into(),
        height: variant.height.into(),
        hands: variant.drops.is_some(),
        flipped: view.flipped,
    }
}

/// The places of a drawing that moves refer to: the squares.
pub(crate) fn places<B: Bitboard>(tables: &Tables<B>, view: View) -> Vec<Place> {
    let variant = &tables.variant;
    let board = board(variant, view);
    let squares = (0..variant.width * variant.height).filter(|&square| tables.board.has(square));
    let place = |square| {
        let name = Value::from(square_name(variant, square));
        let (corner, side) = board.square(square.into());
        Place::rectangle(["from", "to"].map(|key| (key, name.clone())).to_vec(), corner, [side, side])
    };
    squares.map(place).collect()
}

/// The piece on a square with its colour; neutral pieces count as white.
pub(crate) fn on<R: MoveRules>(
    tables: &Tables<R::Bits>,
    position: &Position<R>,
    square: Square,
) -> Option<(PieceKind, u8)> {
    let kind = position.kind_at(square).filter(|&kind| usize::from(kind) < tables.variant.pieces.len())?;
    Some((kind, position.colour_at(square).unwrap_or(0) as u8))
}

/// The letters of the pieces in a colour's hand, or `-` for an empty hand.
pub(crate) fn held<R: MoveRules>(tables: &Tables<R::Bits>, position: &Position<R>, colour: usize) -> String {
    let mut letters = String::new();
    for &kind in tables.variant.drops.iter().flat_map(|drops| &drops.kinds) {
        let count = usize::from(position.pockets[colour][usize::from(kind)]);
        letters.extend(std::iter::repeat_n(fen::letter(&tables.variant, kind, colour as u8), count));
    }
    if letters.is_empty() { "-".into() } else { letters }
}

/// The side to move or the result of the game, and the counters.
pub(crate) fn standing<R: MoveRules, H: History>(
    tables: &Tables<R::Bits>,
    state: &State<R, H>,
    names: &[String],
) -> String {
    let position = &state.position;
    let side = &names[position.turn()];
    let reason = Reason::NAMES[usize::from(state.reason).min(Reason::NAMES.len() - 1)];
    let mut out = match state.outcome {
        outcome::WHITE => format!("{} won: {reason}", names[0]),
        outcome::BLACK => format!("{} won: {reason}", names[1]),
        outcome::DRAW => format!("draw: {reason}"),
        outcome::TRUNCATED => format!("stopped: {reason}"),
        _ => match position.phase {
            phase::PLACE => format!("{side} puts the neutral piece"),
            phase::BOOST => format!("{side} moves on"),
            _ if position.checkers.any() => format!("{side} to move, in check"),
            _ => format!("{side} to move"),
        },
    };
    write!(out, ", move {}", position.fullmoves).expect("writing to a String");
    if tables.counts_checks {
        let [white, black] = position.checks;
        write!(out, ", checks given {white} and {black}").expect("writing to a String");
    }
    out
}
