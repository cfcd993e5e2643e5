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

/// The bits of a byte, one byte each, the lowest first.
const SPREAD: [u64; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            table[byte] |= (byte as u64 >> bit & 1) << (8 * bit);
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// Writes a set as one byte a tile.
#[inline]
fn write_plane(set: &TileSet, out: &mut [u8]) {
    for (rows, out) in set.rows().chunks_exact(2).zip(out.chunks_exact_mut(2 * SIZE)) {
        let bits = u64::from(rows[0]) | u64::from(rows[1]) << SIZE;
        for (i, out) in out.chunks_exact_mut(8).enumerate() {
            out.copy_from_slice(&SPREAD[(bits >> (8 * i)) as usize & 255].to_le_bytes());
        }
    }
}

impl Tilewe {
    #[inline]
    pub(super) fn write_observation(&self, state: &State, viewer: usize, out: &mut [u8]) {
        let n = self.players;
        let occupied = state.occupied();
        let seats = || (0..n).map(|i| (viewer + i) % n);
        let (planes, rest) = out.split_at_mut((n + 2) * TILES);
        let mut planes = planes.chunks_exact_mut(TILES);
        for (seat, plane) in seats().zip(&mut planes) {
            write_plane(&state.tiles[seat], plane);
        }
        let own = [*state.reach(viewer, occupied).corners(), state.blocked(viewer, occupied)];
        for (set, plane) in own.iter().zip(planes) {
            write_plane(set, plane);
        }
        let (pieces, rest) = rest.split_at_mut(n * PIECES);
        let (can_play, to_move) = rest.split_at_mut(n);
        for (i, seat) in seats().enumerate() {
            let pieces = &mut pieces[i * PIECES..(i + 1) * PIECES];
            for (p, out) in pieces.iter_mut().enumerate() {
                *out = (state.left[seat] >> p & 1) as u8;
            }
            can_play[i] = state.can_play(seat).into();
            to_move[i] = (!state.finished() && state.current() == seat).into();
        }
    }
}
