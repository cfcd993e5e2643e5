//! The observation of a seat, as numbers.
//!
//! ```text
//! own            [20, 20]      a tile of the viewer
//! opponents      [n-1, 20, 20] a tile of the next, second next, ... player in turn order
//! own_corners    [20, 20]      an open corner of the viewer
//! own_blocked    [20, 20]      a free tile beside the viewer's: it may not be covered
//! pieces_left    [n, 21]       whether the viewer, the next, ... player has the piece left
//! can_play       [n]           whether the viewer, the next, ... player can still play
//! to_move        [n]           the current player; none when the game is over
//! ```
//! Planes are listed from `a1` along the rows: element `[r, c]` is row `r + 1`, column `a + c`.

use ludovec_engine::{ObservationLayout, Row, Values};

use super::Tilewe;
use super::pieces::PIECES;
use super::state::State;
use super::tiles::{SIZE, TILES, TileSet};

/// The fields of the observation in a game of `players`.
pub(super) fn layout(players: usize) -> ObservationLayout {
    let mut layout = ObservationLayout::default();
    let plane = [SIZE, SIZE];
    layout.push("own", &plane, 1, "a tile of the viewer; row 0 is rank 1, column 0 is file a");
    layout.name(Values::axes(&["rank", "file"]));
    if players > 1 {
        let shape = [players - 1, SIZE, SIZE];
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

/// The bits of a row of the board as bytes, 0 or 1.
#[inline(always)]
fn spread(row: u32) -> [u8; 32] {
    std::array::from_fn(|i| (row >> i & 1) as u8)
}

/// Writes a set as one byte per tile.
#[inline(always)]
fn write_plane(set: &TileSet, out: &mut [u8; TILES]) {
    for (out, &row) in out.chunks_exact_mut(SIZE).zip(set.rows()) {
        out.copy_from_slice(&spread(row)[..SIZE]);
    }
}

/// [`write_plane`] with AVX-512, three rows at a time: 60 bits become 60 of the 64 bytes of a vector.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512bw,bmi1,bmi2,lzcnt,popcnt")]
fn write_plane_avx512(set: &TileSet, out: &mut [u8; TILES]) {
    use core::arch::x86_64::*;
    let one = _mm512_set1_epi8(1);
    let (triples, last) = set.rows().as_chunks::<3>();
    for (i, &[a, b, c]) in triples.iter().enumerate() {
        let bits = u64::from(a) | u64::from(b) << SIZE | u64::from(c) << (2 * SIZE);
        // Safety: the 64 bytes from the start of any three rows on are within the plane. The last four of them
        // belong to the next row, which is written afterwards.
        unsafe {
            _mm512_storeu_si512(out.as_mut_ptr().add(3 * SIZE * i).cast(), _mm512_maskz_mov_epi8(bits, one))
        };
    }
    for (i, &row) in last.iter().enumerate() {
        out[TILES - SIZE * (last.len() - i)..][..SIZE].copy_from_slice(&spread(row)[..SIZE]);
    }
}

/// [`write_plane`] with AVX2, a row at a time: 20 bits become 20 of the 32 bytes of a vector.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
fn write_plane_avx2(set: &TileSet, out: &mut [u8; TILES]) {
    use core::arch::x86_64::*;
    // Each byte gets the byte of the row that contains its bit, keeps that bit, and becomes 1 if the bit is set.
    let bytes = [0, 0x0101_0101_0101_0101, 0x0202_0202_0202_0202, 0x0303_0303_0303_0303];
    let byte_of = _mm256_setr_epi64x(bytes[0], bytes[1], bytes[2], bytes[3]);
    let own_bit = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
    let one = _mm256_set1_epi8(1);
    let mut last = [0; 32];
    for (i, &row) in set.rows().iter().enumerate() {
        let bits = _mm256_shuffle_epi8(_mm256_set1_epi32(row as i32), byte_of);
        let bytes = _mm256_min_epu8(_mm256_and_si256(bits, own_bit), one);
        let to = if i + 1 < SIZE { out[SIZE * i..].as_mut_ptr() } else { last.as_mut_ptr() };
        // Safety: the 32 bytes from the start of any row except the last on are within the plane. The bytes behind
        // the row belong to the next one, which is written afterwards.
        unsafe { _mm256_storeu_si256(to.cast(), bytes) };
    }
    out[TILES - SIZE..].copy_from_slice(&last[..SIZE]);
}

impl Tilewe {
    /// Overwrites `out` with the observation of `viewer`.
    #[inline]
    pub(super) fn write_observation(&self, state: &State, viewer: usize, out: &mut [u8]) {
        #[cfg(target_arch = "x86_64")]
        if ludovec_engine::CpuLevel::Avx512.is_available() {
            // Safety: the processor's features were checked above.
            return unsafe { self.write_observation_avx512(state, viewer, out) };
        } else if ludovec_engine::CpuLevel::Avx2.is_available() {
            // Safety: as above.
            return unsafe { self.write_observation_avx2(state, viewer, out) };
        }
        self.write_with(state, viewer, Row::<false>::new(out), |set, row| write_plane(set, plane_of(row)));
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512bw,bmi1,bmi2,lzcnt,popcnt")]
    fn write_observation_avx512(&self, state: &State, viewer: usize, out: &mut [u8]) {
        self.write_with(state, viewer, Row::<false>::new(out), |set, row| {
            write_plane_avx512(set, plane_of(row));
        });
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn write_observation_avx2(&self, state: &State, viewer: usize, out: &mut [u8]) {
        self.write_with(state, viewer, Row::<false>::new(out), |set, row| {
            write_plane_avx2(set, plane_of(row))
        });
    }

    /// Overwrites `row` with the packed observation of `viewer`.
    pub(super) fn write_packed(&self, state: &State, viewer: usize, row: &mut [u8]) {
        self.write_with(state, viewer, Row::<true>::new(row), |set, row| {
            row.flags(SIZE, set.rows().iter().map(|&row| row.into()));
        });
    }

    /// Writes the observation, with `put_plane` for its planes.
    #[inline(always)]
    fn write_with<const PACKED: bool>(
        &self,
        state: &State,
        viewer: usize,
        mut row: Row<'_, PACKED>,
        put_plane: impl Fn(&TileSet, &mut Row<'_, PACKED>),
    ) {
        let n = self.players;
        let seats = || (viewer..n).chain(0..viewer);
        let area = state.placement_area(viewer, state.occupied());
        for seat in seats() {
            put_plane(&state.tiles[seat], &mut row);
        }
        put_plane(&area.corners, &mut row);
        put_plane(&area.blocked, &mut row);
        row.flags(PIECES, seats().map(|seat| state.left[seat].into()));
        row.flags(1, seats().map(|seat| state.can_play(seat).into()));
        row.flags(1, seats().map(|seat| (!state.finished() && state.current() == seat).into()));
        row.finish();
    }
}

/// The next plane of a row of bytes.
#[inline(always)]
fn plane_of<'a>(row: &mut Row<'a, false>) -> &'a mut [u8; TILES] {
    row.bytes(TILES).try_into().expect("as many bytes as tiles")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tiles::Tile;

    proptest! {
        #[test]
        fn a_plane_has_one_byte_a_tile(rows: [u32; SIZE]) {
            let mut set = TileSet::EMPTY;
            for (to, from) in set.rows_mut().iter_mut().zip(rows) {
                *to = from >> (32 - SIZE);
            }
            let mut plane = [9; TILES];
            write_plane(&set, &mut plane);
            let tiles: TileSet = Tile::all().filter(|t| plane[t.index()] == 1).collect();
            prop_assert_eq!(tiles, set);
            prop_assert!(plane.iter().all(|&byte| byte < 2));
            #[cfg(target_arch = "x86_64")]
            if ludovec_engine::CpuLevel::Avx512.is_available() {
                let mut again = [9; TILES];
                // Safety: the processor's features were checked above.
                unsafe { write_plane_avx512(&set, &mut again) };
                prop_assert_eq!(again, plane);
            }
            #[cfg(target_arch = "x86_64")]
            if ludovec_engine::CpuLevel::Avx2.is_available() {
                let mut again = [9; TILES];
                // Safety: the processor's features were checked above.
                unsafe { write_plane_avx2(&set, &mut again) };
                prop_assert_eq!(again, plane);
            }
        }
    }
}
