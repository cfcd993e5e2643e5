//! The loop over tiles: some rows by some panels of outputs, whose sums are in registers.

use std::ops::Range;

/// A product, tile by tile.
pub(super) trait Tile {
    /// Computes the outputs of `P` panels for `R` rows, from `row` and `panel` on.
    ///
    /// # Safety
    /// These rows and panels exist, and the processor has the instructions.
    unsafe fn compute<const R: usize, const P: usize>(&mut self, row: usize, panel: usize);
}

/// Computes rows `0..rows` of some panels. A tile has at most `registers` vectors of sums; few rows take many panels
/// at once, so that enough chains of additions are under way.
///
/// # Safety
/// As for [`Tile::compute`].
#[inline(always)]
pub(super) unsafe fn each_tile(tile: &mut impl Tile, rows: usize, panels: Range<usize>, registers: usize) {
    let mut panel = panels.start;
    macro_rules! rows {
        ($p:literal, $($r:literal)+) => {{
            let mut row = 0;
            $(while rows - row >= $r {
                // Safety: the caller's rows and panels.
                unsafe { tile.compute::<$r, $p>(row, panel) };
                row += $r;
            })+
            panel += $p;
        }};
    }
    while panel < panels.end {
        let left = panels.end - panel;
        if registers >= 24 {
            match left {
                8.. if rows == 1 => rows!(8, 1),
                4 | 6.. => rows!(4, 6 4 2 1),
                3 | 5 => rows!(3, 8 4 2 1),
                2 => rows!(2, 8 4 2 1),
                _ => rows!(1, 8 4 2 1),
            }
        } else if registers >= 6 {
            match left {
                4.. if rows < 4 => rows!(4, 1),
                _ => rows!(1, 6 4 2 1),
            }
        } else if registers >= 4 {
            match left {
                2.. if rows < 4 => rows!(2, 2 1),
                _ => rows!(1, 4 2 1),
            }
        } else if registers >= 2 {
            rows!(1, 2 1);
        } else {
            rows!(1, 1);
        }
    }
}
