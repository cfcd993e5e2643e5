//! The observation of any variant: a sequence of planes.

pub(super) mod az119;

use ludovec_engine::{ObservationField, ObservationLayout, Row, Values, spread};

use crate::rules::board::bitboard::Bitboard;
use crate::rules::board::position::MoveRules;
use crate::rules::history::History;
use crate::rules::state::State;
use crate::rules::tables::Tables;
use crate::rules::variant::schema::{MAX_KINDS, Role};

/// The planes of any variant, in sequence: each is a board of `height` ranks from the viewer's first, followed by
/// single numbers.
#[derive(Debug, Clone)]
pub(super) struct Planes {
    fields: Vec<ObservationField>,
    kinds: usize,
    neutral: bool,
    hands: Vec<u8>,
    checks: bool,
    phases: bool,
    len: usize,
}

impl Planes {
    pub(super) fn new<B: Bitboard>(tables: &Tables<B>) -> Self {
        let v = &tables.variant;
        let (h, w) = (usize::from(v.height), usize::from(v.width));
        let kinds = v.pieces.iter().filter(|p| p.role != Role::Neutral).count();
        let neutral = kinds < v.pieces.len() || !v.effects.petrify.is_empty();
        let hands = v.drops.as_ref().map_or_else(Vec::new, |d| d.kinds.clone());
        let letters: String = v.pieces.iter().map(|p| p.letter).collect();
        let mut layout = ObservationLayout::default();
        layout.push("own", &[kinds, h, w], 1, &format!("the viewer's pieces, by kind: {letters}"));
        layout.name(Values::axes(&["kind", "rank", "file"]));
        layout.push("enemy", &[kinds, h, w], 1, "the opponent's pieces, by kind");
        layout.name(Values::axes(&["kind", "rank", "file"]));
        layout.push("holes", &[h, w], 1, "cells that do not exist");
        layout.name(Values::axes(&["rank", "file"]));
        if neutral {
            layout.push("neutral", &[h, w], 1, "cells blocked by neutral pieces");
            layout.name(Values::axes(&["rank", "file"]));
        }
        layout.push(
            "unmoved",
            &[h, w],
            1,
            "rooks that may castle, and unmoved pieces if the rules depend on them",
        );
        layout.name(Values::axes(&["rank", "file"]));
        layout.push("en_passant", &[h, w], 1, "cells on which a pawn can be taken en passant");
        layout.name(Values::axes(&["rank", "file"]));
        layout.push("turn", &[1], 1, "the viewer is to move");
        layout.push("black", &[1], 1, "the viewer plays black");
        layout.push("progress", &[1], 255, "plies since the last capture or pawn move");
        layout.push("occurrences", &[1], 3, "how often the position has occurred, at most 3");
        let checks = tables.counts_checks;
        if checks {
            layout.push("checks", &[2], 255, "checks given by the viewer and by the opponent");
        }
        if !hands.is_empty() {
            layout.push(
                "hands",
                &[2, hands.len()],
                64,
                "pieces in hand, the viewer's and the opponent's, by kind",
            );
            layout.name(Values::axes(&["", "hand_kind"]));
        }
        let phases = v.turn.place.is_some() || v.turn.boost.is_some();
        if phases {
            layout.push("phase", &[1], 2, "0 a move, 1 where the neutral piece goes, 2 a second move");
            layout.name(Values::element("phase"));
        }
        let len = layout.len();
        Self { fields: layout.into_fields(), kinds, neutral, hands, checks, phases, len }
    }

    pub(super) fn fields(&self) -> &[ObservationField] {
        &self.fields
    }
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn write<R: MoveRules, H: History, const PACKED: bool>(
        &self,
        tables: &Tables<R::Bits>,
        state: &State<R, H>,
        seat: usize,
        mut row: Row<'_, PACKED>,
    ) {
        let position = &state.position;
        let size = (usize::from(tables.variant.width), usize::from(tables.variant.height));
        for side in [seat, 1 - seat] {
            let kinds = position.kinds.as_ref()[..self.kinds].iter();
            put_planes(&mut row, kinds.map(|&kind| kind & position.colours[side]), seat, size);
        }
        let mut plane = |set: R::Bits| put_planes(&mut row, [set], seat, size);
        plane(!tables.board);
        if self.neutral {
            plane(position.neutral);
        }
        plane(position.rights | position.unmoved);
        plane(position.en_passant);
        row.numbers::<1>(&[u8::from(position.turn() == seat)]);
        row.numbers::<1>(&[seat as u8]);
        row.numbers::<8>(&[position.halfmoves.min(255) as u8]);
        row.numbers::<2>(&[state.occurrences.min(3)]);
        if self.checks {
            row.numbers::<8>(&[position.checks[seat], position.checks[1 - seat]]);
        }
        if !self.hands.is_empty() {
            let mut hands = [0; 2 * MAX_KINDS];
            let held = [seat, 1 - seat].into_iter().flat_map(|side| {
                self.hands.iter().map(move |&kind| position.pockets[side][usize::from(kind) % MAX_KINDS])
            });
            hands.iter_mut().zip(held).for_each(|(hand, held)| *hand = held.min(64));
            row.numbers::<7>(&hands[..2 * self.hands.len()]);
        }
        if self.phases {
            row.numbers::<2>(&[position.phase]);
        }
        row.finish();
    }
}

/// Writes the planes of a field of a board of `size` (width and height), the viewer's first rank first.
#[inline(always)]
fn put_planes<B: Bitboard, const PACKED: bool>(
    row: &mut Row<'_, PACKED>,
    sets: impl IntoIterator<Item = B>,
    seat: usize,
    (width, height): (usize, usize),
) {
    let sets = sets.into_iter();
    if !PACKED {
        sets.for_each(|set| write_plane(set, seat, width, row.bytes(width * height)));
    } else if (width, height) == (8, 8) {
        row.flags(64, sets.map(|set| if seat == 0 { set.words()[0] } else { set.words()[0].swap_bytes() }));
    } else {
        row.flags(
            width,
            sets.flat_map(|set| {
                let [low, high] = set.words().map(u128::from);
                let squares = low | high << 64;
                (0..height).map(move |r| {
                    let from = if seat == 0 { r } else { height - 1 - r } * width;
                    (squares >> from) as u64 & ((1 << width) - 1)
                })
            }),
        );
    }
}

/// One byte per square, the viewer's first rank first.
#[inline]
fn write_plane<B: Bitboard>(set: B, seat: usize, width: usize, row: &mut [u8]) {
    if width == 8 && row.len() == 64 {
        let word = set.words()[0];
        let word = if seat == 0 { word } else { word.swap_bytes() };
        for (bytes, byte) in row.chunks_exact_mut(8).zip(word.to_le_bytes()) {
            bytes.copy_from_slice(&spread(byte).to_le_bytes());
        }
        return;
    }
    let [low, high] = set.words();
    let ranks = row.len() / width;
    for (r, bytes) in row.chunks_exact_mut(width).enumerate() {
        let from = if seat == 0 { r } else { ranks - 1 - r } * width;
        for (f, byte) in bytes.iter_mut().enumerate() {
            let square = from + f;
            *byte = (if square < 64 { low >> square } else { high >> (square - 64) } & 1) as u8;
        }
    }
}
