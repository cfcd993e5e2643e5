//! Observations: planes for any variant, and AlphaZero's 8x8x119 for orthodox chess.

use crate::engine::{ObservationField, ObservationLayout};

use super::bits::Bitboard;
use super::history::Boards;
use super::position::{Plain, Position, Rules};
use super::state::State;
use super::tables::Tables;
use super::variant::schema::{MAX_KINDS, Role};

/// Eight bytes of 0 and 1 for the bits of one.
static SPREAD: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            table[byte][bit] = (byte >> bit & 1) as u8;
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// The planes of any variant: one after the other, each a board of `height` ranks from the viewer's first,
/// then single numbers.
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
        layout.push("enemy", &[kinds, h, w], 1, "the opponent's pieces, by kind");
        layout.push("holes", &[h, w], 1, "cells that do not exist");
        if neutral {
            layout.push("neutral", &[h, w], 1, "cells blocked by what belongs to nobody");
        }
        layout.push(
            "unmoved",
            &[h, w],
            1,
            "rooks that may castle, and pieces whose rules ask whether they moved",
        );
        layout.push("en_passant", &[h, w], 1, "cells on which a pawn can be taken en passant");
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
        }
        let phases = v.turn.place.is_some() || v.turn.boost.is_some();
        if phases {
            layout.push("phase", &[1], 2, "0 a move, 1 where the neutral piece goes, 2 a second move");
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

    pub(super) fn write<R: Rules>(
        &self,
        tables: &Tables<R::Bits>,
        position: &Position<R>,
        occurrences: u8,
        seat: usize,
        out: &mut [u8],
    ) {
        let (width, height) = (usize::from(tables.variant.width), usize::from(tables.variant.height));
        let cells = width * height;
        let mut rest = out;
        let mut plane = |set: R::Bits| {
            let (row, after) = std::mem::take(&mut rest).split_at_mut(cells);
            write_plane(set, seat, width, row);
            rest = after;
        };
        let kinds = |k: usize| position.kinds.as_ref()[k];
        for side in [seat, 1 - seat] {
            for k in 0..self.kinds {
                plane(kinds(k) & position.colours[side]);
            }
        }
        plane(!tables.board);
        if self.neutral {
            plane(position.neutral);
        }
        plane(position.rights | position.unmoved);
        plane(position.en_passant);
        let mut numbers = rest.iter_mut();
        let mut number = |value: u8| {
            if let Some(slot) = numbers.next() {
                *slot = value;
            }
        };
        number(u8::from(position.turn() == seat));
        number(seat as u8);
        number(position.halfmoves.min(255) as u8);
        number(occurrences.min(3));
        if self.checks {
            number(position.checks[seat]);
            number(position.checks[1 - seat]);
        }
        for side in [seat, 1 - seat] {
            for &kind in &self.hands {
                number(position.pockets[side][usize::from(kind) % MAX_KINDS].min(64));
            }
        }
        if self.phases {
            number(position.phase);
        }
    }
}

/// One byte a cell, the viewer's first rank first.
#[inline]
fn write_plane<B: Bitboard>(set: B, seat: usize, width: usize, row: &mut [u8]) {
    if width == 8 && row.len() == 64 {
        let word = set.words()[0];
        let word = if seat == 0 { word } else { word.swap_bytes() };
        for (bytes, byte) in row.chunks_exact_mut(8).zip(word.to_le_bytes()) {
            bytes.copy_from_slice(&SPREAD[usize::from(byte)]);
        }
        return;
    }
    let [low, high] = set.words();
    let ranks = row.len() / width;
    for (r, bytes) in row.chunks_exact_mut(width).enumerate() {
        let from = if seat == 0 { r } else { ranks - 1 - r } * width;
        for (f, byte) in bytes.iter_mut().enumerate() {
            let cell = from + f;
            *byte = (if cell < 64 { low >> cell } else { high >> (cell - 64) } & 1) as u8;
        }
    }
}

/// Elements of a cell in AlphaZero's observation.
pub(super) const CHANNELS: usize = 119;
/// Elements of AlphaZero's observation.
pub(super) const AZ_LEN: usize = 64 * CHANNELS;
/// Elements of a cell for one past position.
const PER_BOARD: usize = 14;
/// The first element that is the same for the whole board.
const GLOBAL: usize = 8 * PER_BOARD;

/// The fields of AlphaZero's observation: channels last, the viewer's last rank first.
pub(super) fn az_fields() -> Vec<ObservationField> {
    let field =
        |name: &str, channel: usize, count: usize, high: u8, scale: f32, meaning: &str| ObservationField {
            name: name.into(),
            offset: channel,
            shape: vec![8, 8, count],
            strides: vec![8 * CHANNELS, CHANNELS, 1],
            meaning: meaning.into(),
            high,
            scale,
        };
    let mut fields = Vec::new();
    for t in 0..8 {
        let at = t * PER_BOARD;
        let ago = if t == 0 { "now".to_string() } else { format!("{t} plies ago") };
        let name = |what: &str| format!("{what}_{t}");
        fields.push(field(&name("own"), at, 6, 1, 1.0, &format!("the viewer's P N B R Q K {ago}")));
        fields.push(field(&name("enemy"), at + 6, 6, 1, 1.0, &format!("the opponent's P N B R Q K {ago}")));
        fields.push(field(
            &name("repetition"),
            at + 12,
            2,
            1,
            1.0,
            &format!("whether the position of {ago} was new, whether it had occurred before"),
        ));
    }
    let globals = [
        ("black", 1, 1.0, "the viewer plays black"),
        ("plies", 255, 1.0 / 256.0, "half the number of plies played, at most 255: 512 plies are about 1"),
        ("own_queen_side", 1, 1.0, "the viewer may still castle toward the a-file"),
        ("own_king_side", 1, 1.0, "the viewer may still castle toward the h-file"),
        ("enemy_queen_side", 1, 1.0, "the opponent may still castle toward the a-file"),
        ("enemy_king_side", 1, 1.0, "the opponent may still castle toward the h-file"),
        ("progress", 100, 0.01, "plies since the last capture or pawn move"),
    ];
    for (i, (name, high, scale, meaning)) in globals.into_iter().enumerate() {
        fields.push(field(name, GLOBAL + i, 1, high, scale, meaning));
    }
    fields
}

/// Which past board a channel shows; 255 for none.
static BOARD_OF: [u8; 128] = {
    let mut table = [255; 128];
    let mut channel = 0;
    while channel < GLOBAL {
        if channel % PER_BOARD < 12 {
            table[channel] = (channel / PER_BOARD) as u8;
        }
        channel += 1;
    }
    table
};

/// By viewer: the [`Boards`] code that a channel looks for; 255 for none.
static CODE_OF: [[u8; 128]; 2] = {
    let mut table = [[255; 128]; 2];
    let mut channel = 0;
    while channel < GLOBAL {
        let piece = channel % PER_BOARD;
        if piece < 12 {
            let code = (piece % 6 + 1) as u8;
            table[0][channel] = code + if piece < 6 { 0 } else { 8 };
            table[1][channel] = code + if piece < 6 { 8 } else { 0 };
        }
        channel += 1;
    }
    table
};

/// Writes AlphaZero's observation as `seat` sees it.
#[inline]
pub(super) fn write_az(state: &State<Plain, Boards>, seat: usize, out: &mut [u8]) {
    let position = &state.position;
    let mut base = [0u8; 128];
    for t in 0..8 {
        let repeated = state.history.repeated >> t & 1;
        base[t * PER_BOARD + 12] = 1 - repeated;
        base[t * PER_BOARD + 13] = repeated;
    }
    base[GLOBAL] = seat as u8;
    base[GLOBAL + 1] = (position.plies / 2).min(255) as u8;
    for (i, side) in [seat, 1 - seat].into_iter().enumerate() {
        let rooks = position.rights & position.colours[side];
        if rooks.any() {
            let king = position.of(super::position::kind::KING) & position.colours[side];
            let below = king.wrapping_sub(1);
            base[GLOBAL + 2 + 2 * i] = u8::from((rooks & below).any());
            base[GLOBAL + 3 + 2 * i] = u8::from((rooks & !below).any());
        }
    }
    base[GLOBAL + 6] = position.halfmoves.min(100) as u8;
    // The viewer's last rank comes first: for white the board from its top, for black as it is.
    let flip = if seat == 0 { 56 } else { 0 };
    write_cells(|i| state.history.cells[i ^ flip], &CODE_OF[seat], &base, out);
}

/// The nibbles of a word as bytes.
#[inline]
fn nibbles(word: u32) -> u64 {
    #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
    {
        // Safety: the build enables bmi2, so every machine that runs it has the instruction.
        #[allow(unused_unsafe, reason = "safe since the intrinsic became safe under its target feature")]
        let spread = unsafe { core::arch::x86_64::_pdep_u64(u64::from(word), 0x0f0f_0f0f_0f0f_0f0f) };
        spread
    }
    #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
    {
        let x = u64::from(word);
        let x = (x | x << 16) & 0x0000_ffff_0000_ffff;
        let x = (x | x << 8) & 0x00ff_00ff_00ff_00ff;
        (x | x << 4) & 0x0f0f_0f0f_0f0f_0f0f
    }
}

/// One row of channels a cell: 1 where the board of the channel has its piece, over what holds everywhere.
///
/// A row is computed as four blocks of 32 bytes: the eight boards' codes are broadcast, shuffled to the
/// channels, compared. The last block runs 9 bytes into the next cell's row, which is written after it.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
#[inline]
fn write_cells(cell: impl Fn(usize) -> u32, code: &[u8; 128], base: &[u8; 128], out: &mut [u8]) {
    use core::arch::x86_64::*;
    let out = &mut out[..AZ_LEN];
    // Safety: the build enables avx2. Every load is of 32 of 128 bytes; every store is of 32 bytes that
    // start at most `63 * 119 + 96 + 32` before the end of its target, the last row going through `last`.
    unsafe {
        let load = |table: &[u8; 128], block: usize| {
            _mm256_loadu_si256(table[block * 32..block * 32 + 32].as_ptr().cast())
        };
        let boards = [0, 1, 2, 3].map(|b| load(&BOARD_OF, b));
        let codes = [0, 1, 2, 3].map(|b| load(code, b));
        let bases = [0, 1, 2, 3].map(|b| load(base, b));
        let one = _mm256_set1_epi8(1);
        let row = |i: usize, to: *mut u8| {
            let seen = _mm256_set1_epi64x(nibbles(cell(i)) as i64);
            for b in 0..4 {
                let shown = _mm256_cmpeq_epi8(_mm256_shuffle_epi8(seen, boards[b]), codes[b]);
                let bytes = _mm256_or_si256(_mm256_and_si256(shown, one), bases[b]);
                _mm256_storeu_si256(to.add(b * 32).cast(), bytes);
            }
        };
        for i in 0..63 {
            row(i, out.as_mut_ptr().add(i * CHANNELS));
        }
        let mut last = [0u8; 128];
        row(63, last.as_mut_ptr());
        out[63 * CHANNELS..].copy_from_slice(&last[..CHANNELS]);
    }
}

/// One row of channels a cell: 1 where the board of the channel has its piece, over what holds everywhere.
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
fn write_cells(cell: impl Fn(usize) -> u32, code: &[u8; 128], base: &[u8; 128], out: &mut [u8]) {
    for (i, row) in out[..AZ_LEN].chunks_exact_mut(CHANNELS).enumerate() {
        row.copy_from_slice(&base[..CHANNELS]);
        for (t, seen) in nibbles(cell(i)).to_le_bytes().into_iter().enumerate() {
            if seen != 0 {
                let at = t * PER_BOARD;
                if let Some(channel) = code[at..at + 12].iter().position(|&c| c == seen) {
                    row[at + channel] = 1;
                }
            }
        }
    }
}
