//! What a seat sees, as numbers.
//!
//! ```text
//! own            [20, 20]      a tile of the viewer
//! opponents      [n-1, 20, 20] a tile of the next, second next, ... player in turn order
//! own_corners    [20, 20]      an open corner of the viewer
//! own_blocked    [20, 20]      a free tile beside the viewer's: it may not be covered
//! pieces_left    [n, 21]       whether the viewer, the next, ... player has the piece left
//! can_play       [n]           whether the viewer, the next, ... player can still play
//! to_move        [n]           whose turn it is; none when the game is over
//! ```
//! Planes are listed from `a1` along the rows: element `[r, c]` is row `r + 1`, column `a + c`.

use crate::engine::ObservationLayout;

use super::Tilewe;
use super::pieces::PIECES;
use super::state::State;
use super::tiles::{SIZE, TILES, TileSet};

/// The fields of the observation in a game of `players`.
pub(super) fn layout(players: usize) -> ObservationLayout {
    let mut layout = ObservationLayout::default();
    let plane = [SIZE, SIZE];
    layout.push("own", &plane, 1, "a tile of the viewer; row 0 is rank 1, column 0 is file a");
    if players > 1 {
        let shape = [players - 1, SIZE, SIZE];
        layout.push("opponents", &shape, 1, "a tile of the i-th player after the viewer in turn order");
    }
    layout.push("own_corners", &plane, 1, "an open corner of the viewer");
    layout.push("own_blocked", &plane, 1, "a free tile beside the viewer's: the viewer may not cover it");
    let pieces = "whether the i-th player from the viewer on has the piece left, in the order of the pieces";
    layout.push("pieces_left", &[players, PIECES], 1, pieces);
    layout.push("can_play", &[players], 1, "whether the i-th player from the viewer on can still play");
    layout.push("to_move", &[players], 1, "whether the i-th player from the viewer on is to move");
    layout
}

/// The bits of a row, one byte each.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
#[inline]
fn spread(row: u32) -> [u8; 32] {
    use core::arch::x86_64::*;
    // Safety: the build enables avx2, so every machine that runs it has the instructions.
    bytemuck::cast(unsafe {
        let bit = _mm256_set1_epi64x(i64::from_le_bytes([1, 2, 4, 8, 16, 32, 64, 128]));
        let byte = _mm256_setr_epi64x(0, 0x0101_0101_0101_0101, 0x0202_0202_0202_0202, 0x0303_0303_0303_0303);
        let bytes = _mm256_shuffle_epi8(_mm256_set1_epi32(row as i32), byte);
        let set = _mm256_cmpeq_epi8(_mm256_and_si256(bytes, bit), bit);
        _mm256_and_si256(set, _mm256_set1_epi8(1))
    })
}

/// The bits of a row, one byte each.
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
#[inline]
fn spread(row: u32) -> [u8; 32] {
    std::array::from_fn(|i| (row >> i & 1) as u8)
}

/// Writes a set as one byte a tile.
#[inline]
fn write_plane(set: &TileSet, out: &mut [u8]) {
    for (out, &row) in out.chunks_exact_mut(SIZE).zip(set.rows()) {
        out.copy_from_slice(&spread(row)[..SIZE]);
    }
}

impl Tilewe {
    #[inline]
    pub(super) fn write_observation(&self, state: &State, viewer: usize, out: &mut [u8]) {
        let n = self.players;
        let (planes, rest) = out.split_at_mut((n + 2) * TILES);
        let (seat_planes, own_planes) = planes.split_at_mut(n * TILES);
        let (corners, blocked) = own_planes.split_at_mut(TILES);
        let (pieces, rest) = rest.split_at_mut(n * PIECES);
        let (can_play, to_move) = rest.split_at_mut(n);

        let ground = state.ground(viewer, state.occupied());
        write_plane(&ground.corners, corners);
        write_plane(&ground.blocked, blocked);
        let mut seat = viewer;
        for i in 0..n {
            write_plane(&state.tiles[seat], &mut seat_planes[i * TILES..(i + 1) * TILES]);
            pieces[i * PIECES..(i + 1) * PIECES].copy_from_slice(&spread(state.left[seat])[..PIECES]);
            can_play[i] = state.can_play(seat).into();
            to_move[i] = (!state.finished() && state.current() == seat).into();
            seat = if seat + 1 == n { 0 } else { seat + 1 };
        }
    }
}
