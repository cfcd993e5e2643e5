//! The observation of a seat, as numbers.
//!
//! ```text
//! on 20x20, for n players:
//! own            [20, 20]      a tile of the viewer
//! opponents      [n-1, 20, 20] a tile of the next, second next, ... player in turn order
//! own_corners    [20, 20]      an open corner of the viewer
//! own_blocked    [20, 20]      a free tile beside the viewer's: it may not be covered
//! pieces_left    [n, 21]       whether the viewer, the next, ... player has the piece left
//! can_play       [n]           whether the viewer, the next, ... player can still play
//! to_move        [n]           the current player; none when the game is over
//! ```
//! Planes are listed from `a1` along the rows: element `[r, c]` is row `r + 1`, column `a + c`. They have the size of
//! the board.
//!
//! In games with two colours for each player, colours take the place of players: the viewer's colour is the one that
//! its player plays next, and `others` has the planes of the next three colours, the second of which is the viewer's
//! own.

use ludovec_engine::{ObservationLayout, Row, Values};

use crate::rules::pieces::PIECES;
use crate::rules::placements::ALL_PIECES;
use crate::rules::ruleset::Ruleset;
use crate::rules::state::State;
use crate::rules::tiles::{SIZE, TileSet};

/// The fields of the observation.
pub(super) fn layout(rules: &Ruleset) -> ObservationLayout {
    if rules.shares_seats() {
        return layout_of_colors(rules);
    }
    let (players, side) = (rules.players, rules.side);
    let mut layout = ObservationLayout::default();
    let plane = [side, side];
    layout.push("own", &plane, 1, "a tile of the viewer; row 0 is rank 1, column 0 is file a");
    layout.name(Values::axes(&["rank", "file"]));
    if players > 1 {
        let shape = [players - 1, side, side];
        layout.push("opponents", &shape, 1, "a tile of the i-th player after the viewer in turn order");
        layout.name(Values::axes(&["", "rank", "file"]));
    }
    layout.push("own_corners", &plane, 1, "an open corner of the viewer");
    layout.push("own_blocked", &plane, 1, "a free tile beside the viewer's: the viewer may not cover it");
    layout.name(Values::axes(&["rank", "file"]));
    layout.name(Values::axes(&["rank", "file"]));
    let pieces = "whether the i-th player from the viewer on has the piece left, in the order of the pieces";
    layout.push("pieces_left", &[players, PIECES], 1, pieces);
    layout.name(Values::axes(&["", "piece"]));
    layout.push("can_play", &[players], 1, "whether the i-th player from the viewer on can still play");
    layout.push("to_move", &[players], 1, "whether the i-th player from the viewer on is to move");
    layout
}

/// The fields of the observation in games where each player has two colours.
fn layout_of_colors(rules: &Ruleset) -> ObservationLayout {
    let (colors, side) = (rules.colors, rules.side);
    let mut layout = ObservationLayout::default();
    let mut plane = |name: &str, shape: &[usize], meaning: &str| {
        layout.push(name, shape, 1, meaning);
        layout.name(Values::axes(&["", "rank", "file"][3 - shape.len()..]));
    };
    plane(
        "own",
        &[side, side],
        "a tile of the colour that the viewer plays next; row 0 is rank 1, column 0 is file a",
    );
    let others =
        "a tile of the i-th colour after that one in turn order; the second is the viewer's other colour";
    plane("others", &[colors - 1, side, side], others);
    plane("own_corners", &[side, side], "an open corner of the colour that the viewer plays next");
    plane("own_blocked", &[side, side], "a free tile beside this colour's: it may not be covered by it");
    let pieces = "whether the i-th colour from that one on has the piece left, in the order of the pieces";
    layout.push("pieces_left", &[colors, PIECES], 1, pieces);
    layout.name(Values::axes(&["", "piece"]));
    layout.push("can_play", &[colors], 1, "whether the i-th colour from that one on can still play");
    layout.push("to_move", &[colors], 1, "whether the i-th colour from that one on is to move");
    layout
}

/// The bits of a row of the board as bytes, 0 or 1.
#[inline(always)]
fn spread(row: u32) -> [u8; 32] {
    std::array::from_fn(|i| (row >> i & 1) as u8)
}

/// Writes a set as one byte per tile of a board with `out.len() / side` rows.
#[inline(always)]
fn write_plane<const N: usize>(set: &TileSet<N>, side: usize, out: &mut [u8]) {
    for (out, &row) in out.chunks_exact_mut(side).zip(set.rows()) {
        out.copy_from_slice(&spread(row)[..side]);
    }
}

/// [`write_plane`] for a board of `S` by `S` tiles with AVX-512, several rows at a time: three rows of 20 bits, or
/// four of 14, become as many of the 64 bytes of a vector.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512bw,bmi1,bmi2,lzcnt,popcnt")]
fn write_plane_avx512<const N: usize, const S: usize>(set: &TileSet<N>, out: &mut [u8]) {
    use core::arch::x86_64::*;
    const { assert!((S / (64 / S) - 1) * (64 / S) * S + 64 <= S * S) };
    let (at_once, rows) = (64 / S, &set.rows()[..S]);
    let out = &mut out[..S * S];
    let one = _mm512_set1_epi8(1);
    let groups = rows.chunks_exact(at_once);
    let last = groups.remainder();
    for (i, group) in groups.enumerate() {
        let bits = group.iter().rev().fold(0, |bits, &row| bits << S | u64::from(row));
        // Safety: the 64 bytes from the start of any group of rows on are within the plane, as checked above. Bytes
        // behind the group belong to the next rows, which are written afterwards.
        unsafe {
            let to = out.as_mut_ptr().add(at_once * S * i);
            _mm512_storeu_si512(to.cast(), _mm512_maskz_mov_epi8(bits, one));
        }
    }
    for (i, &row) in last.iter().enumerate() {
        out[S * (S - last.len() + i)..][..S].copy_from_slice(&spread(row)[..S]);
    }
}

/// [`write_plane`] for a board of `S` by `S` tiles with AVX2, a row at a time: its bits become bytes of the 32 of a
/// vector.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
fn write_plane_avx2<const N: usize, const S: usize>(set: &TileSet<N>, out: &mut [u8]) {
    use core::arch::x86_64::*;
    // Each byte gets the byte of the row that contains its bit, keeps that bit, and becomes 1 if the bit is set.
    let bytes = [0, 0x0101_0101_0101_0101, 0x0202_0202_0202_0202, 0x0303_0303_0303_0303];
    let byte_of = _mm256_setr_epi64x(bytes[0], bytes[1], bytes[2], bytes[3]);
    let own_bit = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
    let one = _mm256_set1_epi8(1);
    let out = &mut out[..S * S];
    for (i, &row) in set.rows()[..S].iter().enumerate() {
        let bits = _mm256_shuffle_epi8(_mm256_set1_epi32(row as i32), byte_of);
        let bytes = _mm256_min_epu8(_mm256_and_si256(bits, own_bit), one);
        if S * i + 32 <= S * S {
            // Safety: the 32 bytes are within the plane. The bytes behind the row belong to the next one, which is
            // written afterwards.
            unsafe { _mm256_storeu_si256(out.as_mut_ptr().add(S * i).cast(), bytes) };
        } else {
            let mut last = [0; 32];
            // Safety: the array has 32 bytes.
            unsafe { _mm256_storeu_si256(last.as_mut_ptr().cast(), bytes) };
            out[S * i..][..S].copy_from_slice(&last[..S]);
        }
    }
}

/// Rows and columns of the boards of the modes: their planes are written with vector instructions.
const MODES: [usize; 2] = [SIZE, crate::rules::start::DUO_SIDE];

impl Ruleset {
    /// Overwrites `out` with the observation of `viewer`.
    #[inline]
    pub(super) fn write_observation<const N: usize, const C: usize>(
        &self,
        state: &State<N, C>,
        viewer: usize,
        out: &mut [u8],
    ) {
        if N == MODES[0] && self.side == MODES[0] {
            self.write_fast::<N, C, { MODES[0] }>(state, viewer, out);
        } else if self.side == MODES[1] {
            self.write_fast::<N, C, { MODES[1] }>(state, viewer, out);
        } else {
            self.write_bytes(state, viewer, out);
        }
    }

    /// [`Self::write_observation`] for a board of `S` by `S` tiles.
    #[inline(always)]
    fn write_fast<const N: usize, const C: usize, const S: usize>(
        &self,
        state: &State<N, C>,
        viewer: usize,
        out: &mut [u8],
    ) {
        #[cfg(target_arch = "x86_64")]
        if S <= N && ludovec_engine::CpuLevel::Avx512.is_available() {
            // Safety: the processor's features were checked above.
            return unsafe { self.write_observation_avx512::<N, C, S>(state, viewer, out) };
        } else if S <= N && ludovec_engine::CpuLevel::Avx2.is_available() {
            // Safety: as above.
            return unsafe { self.write_observation_avx2::<N, C, S>(state, viewer, out) };
        }
        self.write_bytes(state, viewer, out);
    }

    fn write_bytes<const N: usize, const C: usize>(
        &self,
        state: &State<N, C>,
        viewer: usize,
        out: &mut [u8],
    ) {
        let side = self.side;
        self.write_with(state, viewer, Row::<false>::new(out), |set, row| {
            write_plane(set, side, row.bytes(side * side));
        });
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512bw,bmi1,bmi2,lzcnt,popcnt")]
    fn write_observation_avx512<const N: usize, const C: usize, const S: usize>(
        &self,
        state: &State<N, C>,
        viewer: usize,
        out: &mut [u8],
    ) {
        self.write_with(state, viewer, Row::<false>::new(out), |set, row| {
            write_plane_avx512::<N, S>(set, row.bytes(S * S));
        });
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn write_observation_avx2<const N: usize, const C: usize, const S: usize>(
        &self,
        state: &State<N, C>,
        viewer: usize,
        out: &mut [u8],
    ) {
        self.write_with(state, viewer, Row::<false>::new(out), |set, row| {
            write_plane_avx2::<N, S>(set, row.bytes(S * S));
        });
    }

    /// Overwrites `row` with the packed observation of `viewer`.
    pub(super) fn write_packed<const N: usize, const C: usize>(
        &self,
        state: &State<N, C>,
        viewer: usize,
        row: &mut [u8],
    ) {
        self.write_with(state, viewer, Row::<true>::new(row), |_, _| {});
    }

    /// Writes the observation, in bytes with `put_plane` for its planes.
    #[inline(always)]
    fn write_with<const N: usize, const C: usize, const PACKED: bool>(
        &self,
        state: &State<N, C>,
        viewer: usize,
        mut row: Row<'_, PACKED>,
        put_plane: impl Fn(&TileSet<N>, &mut Row<'_, PACKED>),
    ) {
        let viewer = self.view(state, viewer);
        let colors = || (viewer..self.colors).chain(0..viewer);
        let area = self.area(state, viewer, state.occupied());
        if PACKED {
            let rows = |set: &TileSet<N>| set.rows().map(u64::from).into_iter().take(self.side);
            row.flags(self.side, rows(&state.tiles[viewer]));
            // One field, which is packed without gaps between its planes.
            row.flags(self.side, colors().skip(1).flat_map(|color| rows(&state.tiles[color])));
            row.flags(self.side, rows(&area.corners));
            row.flags(self.side, rows(&area.blocked));
        } else {
            for color in colors() {
                put_plane(&state.tiles[color], &mut row);
            }
            put_plane(&area.corners, &mut row);
            put_plane(&area.blocked, &mut row);
        }
        row.flags(PIECES, colors().map(|color| (state.left[color] & ALL_PIECES).into()));
        row.flags(1, colors().map(|color| state.can_play(color).into()));
        row.flags(1, colors().map(|color| (!state.finished() && state.current() == color).into()));
        row.finish();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rules::tiles::{MIN_SIZE, Tile};

    fn with_vectors<const N: usize, const S: usize>(set: TileSet<N>) -> Result<(), TestCaseError> {
        let set = set & TileSet::board(S);
        let mut plane = vec![9; S * S];
        write_plane(&set, S, &mut plane);
        #[cfg(target_arch = "x86_64")]
        if ludovec_engine::CpuLevel::Avx512.is_available() {
            let mut again = vec![9; S * S];
            // Safety: the processor's features were checked above.
            unsafe { write_plane_avx512::<N, S>(&set, &mut again) };
            prop_assert_eq!(&again, &plane);
        }
        #[cfg(target_arch = "x86_64")]
        if ludovec_engine::CpuLevel::Avx2.is_available() {
            let mut again = vec![9; S * S];
            // Safety: the processor's features were checked above.
            unsafe { write_plane_avx2::<N, S>(&set, &mut again) };
            prop_assert_eq!(&again, &plane);
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn a_plane_has_one_byte_a_tile(rows: [u32; SIZE]) {
            let mut set = TileSet::EMPTY;
            for (to, from) in set.rows_mut().iter_mut().zip(rows) {
                *to = from >> (32 - SIZE);
            }
            for side in MIN_SIZE..=SIZE {
                let set = set & TileSet::board(side);
                let mut plane = vec![9; side * side];
                write_plane(&set, side, &mut plane);
                let tiles: TileSet = (0..side * side)
                    .filter(|i| plane[*i] == 1)
                    .filter_map(|i| Tile::new(i / side, i % side))
                    .collect();
                prop_assert_eq!(tiles, set);
                prop_assert!(plane.iter().all(|&byte| byte < 2));
            }
            with_vectors::<{ MODES[0] }, { MODES[0] }>(set)?;
            with_vectors::<{ MODES[0] }, { MODES[1] }>(set)?;
            with_vectors::<{ MODES[1] }, { MODES[1] }>(set.resized())?;
        }
    }
}
