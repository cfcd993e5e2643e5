//! Lookup tables of the shapes that fit at an open corner: the hot loop of move generation.
//!
//! A tile is *open* to a player if the player may cover it. A placement is legal if all its tiles are open and one is
//! on an open corner, that is, an open tile that touches a tile of the player by a corner.
//!
//! Two neighbours of an open corner, at a right angle to each other, are always closed: they are beside the tile
//! that makes the corner, or outside the board. Only shapes that leave these two out can fit. This leaves 127 ways
//! to place a contact of some shape on the corner. They are numbered and called *patterns*. The *facing* of a
//! corner is its pair of closed neighbours. The four facings are quarter turns of each other and use the same
//! numbers.
//!
//! ```text
//!   facing 0 leaves out south and west, 1 west and north, 2 north and east, 3 east and south
//!
//!   the tiles that five tiles can reach from the corner C, by group:
//!              5                 1  the row of the corner      9 tiles
//!             5 5 5              2  the row above              7
//!           5 5 5 5 5            3  the row below              7
//!         2 2 2 2 2 2 2          4  the three rows below that  5 + 3 + 1
//!       1 1 1 1 C 1 1 1 1        5  the three rows above       5 + 3 + 1
//!         3 3 3 3 3 3 3
//!           4 4 4 4 4
//!             4 4 4
//!               4
//! ```
//! The tiles around the corner are divided into five groups, small enough for a table with an entry for every set
//! of open tiles in a group. The entry is a bit set: the patterns with all their tiles in that group open. A
//! pattern fits if it fits in all five groups, so five lookups and four bitwise ands give all patterns that fit at
//! a corner.

use std::sync::OnceLock;

use super::pieces::{PIECES, shapes};
use super::placements::Placements;
use super::state::PlacementArea;
use super::tiles::{MIN_SIZE, SIZE, Tile, TileSet, Tiles};

/// The number of patterns.
const PATTERNS: usize = 127;
/// Maximum distance of a tile of a shape from its contact, along either axis.
const REACH: usize = 4;

/// A set of patterns, one bit each.
type PatternSet = u128;

/// The placement index of each pattern as a linear function of the tile of the corner:
/// `base + row * stride + column`.
struct IndexFormula {
    base: [u16; 128],
    stride: [u16; 128],
}

/// The tables of one facing: the patterns that fit, by the open tiles of each group.
struct Facing {
    row: [PatternSet; 512],
    above: [PatternSet; 128],
    below: [PatternSet; 128],
    far_above: [PatternSet; 512],
    far_below: [PatternSet; 512],
    formula: IndexFormula,
}

/// The tables for a size of the board, about 120 KiB, shared by all games on it.
pub(crate) struct Fits {
    facings: Box<[Facing; 4]>,
    /// The patterns of a set of pieces, looked up in three parts: pieces 0 to 6, 7 to 13 and 14 to 20.
    of_pieces: Box<[[PatternSet; 128]; 3]>,
    /// The facing of a corner, by its open neighbours north, east, south and west (bits 0 to 3).
    facing: [u8; 16],
}

/// A tile relative to the corner: rows and columns.
type Offset = (i32, i32);

/// An offset, turned by the number of quarter turns of the facing.
fn turned(cell: Offset, facing: usize) -> Offset {
    (0..facing).fold(cell, |(r, c), _| (-c, r))
}

/// The group of an offset, in the order row, above, below, far above, far below, and its bit within the
/// group.
fn group_bit((r, c): Offset) -> (usize, usize) {
    let bit = match r.abs() {
        0 => c + 4,
        1 => c + 3,
        2 => c + 2,
        3 => 5 + c + 1,
        _ => 8 + c,
    };
    let group = match r {
        0 => 0,
        1 => 1,
        -1 => 2,
        2.. => 3,
        _ => 4,
    };
    (group, bit as usize)
}

impl Fits {
    /// The tables for a board with `side` rows and columns, built on first use.
    pub(crate) fn on(side: usize) -> &'static Self {
        static TABLES: [OnceLock<Fits>; SIZE + 1 - MIN_SIZE] =
            [const { OnceLock::new() }; SIZE + 1 - MIN_SIZE];
        TABLES[side - MIN_SIZE].get_or_init(|| Self::build(Placements::on(side)))
    }

    fn build(placements: &Placements) -> Self {
        // The patterns of facing 0, by piece.
        let mut patterns: Vec<(usize, Vec<Offset>)> = Vec::new();
        for shape in shapes() {
            for contact in shape.contacts() {
                let offset = |t: &Tile| {
                    (t.row() as i32 - contact.row() as i32, t.column() as i32 - contact.column() as i32)
                };
                let cells: Vec<Offset> = shape.tiles().iter().map(offset).collect();
                if !cells.contains(&(-1, 0)) && !cells.contains(&(0, -1)) {
                    patterns.push((shape.piece().index(), cells));
                }
            }
        }
        assert_eq!(patterns.len(), PATTERNS);

        let mut of_pieces = Box::new([[0; 128]; 3]);
        for (third, table) in of_pieces.iter_mut().enumerate() {
            for (left, set) in table.iter_mut().enumerate() {
                for (i, (piece, _)) in patterns.iter().enumerate() {
                    let in_third = piece / 7 == third && left >> (piece % 7) & 1 == 1;
                    *set |= PatternSet::from(in_third) << i;
                }
            }
        }
        const { assert!(PIECES == 21) };

        let mut facing = [0; 16];
        for (open, facing) in facing.iter_mut().enumerate() {
            // North, east, south, west are bits 0 to 3; facing f leaves out directions f + 2 and f + 3.
            let leaves_out = |f: usize| 1 << ((f + 2) % 4) | 1 << ((f + 3) % 4);
            *facing = (0..4).find(|&f| open & leaves_out(f) == 0).unwrap_or(0) as u8;
        }
        let facings = std::array::from_fn(|f| Facing::build(placements, &patterns, f));
        Self { facings: Box::new(facings), of_pieces, facing }
    }

    /// The patterns of the pieces in `left`.
    #[inline]
    fn patterns_of(&self, left: u32) -> PatternSet {
        let [a, b, c] = &*self.of_pieces;
        a[left as usize & 127] | b[(left >> 7) as usize & 127] | c[(left >> 14) as usize & 127]
    }
}

impl Facing {
    fn build(placements: &Placements, patterns: &[(usize, Vec<Offset>)], facing: usize) -> Self {
        // For each pattern: the bits of each group that must be open.
        let mut formula = IndexFormula { base: [0; 128], stride: [0; 128] };
        let mut needs = Vec::new();
        for (pattern, (_, cells)) in patterns.iter().enumerate() {
            let cells: Vec<Offset> = cells.iter().map(|&c| turned(c, facing)).collect();
            let mut need = [0usize; 5];
            for &cell in &cells {
                let (group, bit) = group_bit(cell);
                need[group] |= 1 << bit;
            }
            needs.push(need);
            let bottom = cells.iter().map(|c| c.0).min().unwrap_or(0);
            let left = cells.iter().map(|c| c.1).min().unwrap_or(0);
            let mut tiles: Vec<Tile> = cells
                .iter()
                .map(|(r, c)| Tile::new((r - bottom) as usize, (c - left) as usize).expect("a small shape"))
                .collect();
            tiles.sort();
            let shape = shapes().iter().position(|s| s.tiles() == tiles).expect("a turned shape is a shape");
            let stride = (placements.side() + 1 - shapes()[shape].width()) as i32;
            let base = placements.first(shape) as i32 + bottom * stride + left;
            formula.base[pattern] = base as u16;
            formula.stride[pattern] = stride as u16;
        }
        fn table<const N: usize>(needs: &[[usize; 5]], group: usize) -> [PatternSet; N] {
            std::array::from_fn(|open| {
                let fits = |need: &[usize; 5]| PatternSet::from(need[group] & !open == 0);
                needs.iter().enumerate().fold(0, |set, (i, need)| set | fits(need) << i)
            })
        }
        Self {
            row: table(&needs, 0),
            above: table(&needs, 1),
            below: table(&needs, 2),
            far_above: table(&needs, 3),
            far_below: table(&needs, 4),
            formula,
        }
    }
}

/// The open corners of one colour and the open tiles around them.
pub(crate) struct Corners<const N: usize> {
    /// The open tiles, with a border of closed ones: tile (r, c) is bit `c + 4` of row `r + 4`.
    open: [u32; SIZE + 2 * REACH],
    corners: Tiles<N>,
}

impl<const N: usize> Corners<N> {
    #[inline]
    pub(crate) fn new(area: &PlacementArea<N>) -> Self {
        let mut open = [0; SIZE + 2 * REACH];
        for (row, bits) in open[REACH..].iter_mut().zip(area.open.rows()) {
            *row = bits << REACH;
        }
        Self { open, corners: area.corners.iter() }
    }

    /// The patterns, of any piece, that fit at `corner`, with the facing they have there.
    #[inline]
    fn patterns_at<'a>(&self, fits: &'a Fits, corner: Tile) -> (&'a Facing, PatternSet) {
        // `around(i, reach)`: row `corner.row() - 4 + i` from `reach` columns left of the corner to `reach`
        // columns right of it, the leftmost tile as bit 0.
        let rows = &self.open[corner.row()..corner.row() + 2 * REACH + 1];
        let around = |i: usize, reach: usize| {
            (rows[i] >> (corner.column() + REACH - reach)) as usize & ((2 << (2 * reach)) - 1)
        };
        let (row, above, below) = (around(4, 4), around(5, 3), around(3, 3));
        let far_above = around(6, 2) | around(7, 1) << 5 | around(8, 0) << 8;
        let far_below = around(2, 2) | around(1, 1) << 5 | around(0, 0) << 8;
        let open = (above >> 3 & 1) | (row >> 5 & 1) << 1 | (below >> 3 & 1) << 2 | (row >> 3 & 1) << 3;
        let facing = &fits.facings[usize::from(fits.facing[open]) & 3];
        let patterns = facing.row[row]
            & facing.above[above]
            & facing.below[below]
            & facing.far_above[far_above]
            & facing.far_below[far_below];
        (facing, patterns)
    }

    /// The open corners at which a piece of `left` fits.
    pub(crate) fn live_corners(&self, fits: &Fits, left: u32) -> TileSet<N> {
        let wanted = fits.patterns_of(left);
        self.corners.filter(|&corner| self.patterns_at(fits, corner).1 & wanted != 0).collect()
    }

    /// The first open corner, from the tile with index `from` on, at which a piece of `left` fits.
    #[inline]
    pub(crate) fn first_live(mut self, fits: &Fits, left: u32, from: u16) -> Option<Tile> {
        let wanted = fits.patterns_of(left);
        self.corners.skip_to(Tile::from_index(from.into()));
        while let Some(corner) = self.corners.next() {
            if self.patterns_at(fits, corner).1 & wanted != 0 {
                return Some(corner);
            }
        }
        None
    }

    /// The number of pairs of an open corner and a pattern of a piece in `left` that fits there.
    #[inline]
    pub(crate) fn count(&self, fits: &Fits, left: u32) -> u32 {
        let wanted = fits.patterns_of(left);
        self.corners.map(|corner| (self.patterns_at(fits, corner).1 & wanted).count_ones()).sum()
    }

    /// Sets the bit of every placement of a piece in `left` that fits at an open corner.
    #[inline]
    pub(crate) fn mark(self, fits: &Fits, left: u32, mask: &mut [u64]) {
        #[cfg(target_arch = "x86_64")]
        if ludovec_engine::CpuLevel::Avx512Vbmi2.is_available() {
            // Safety: the processor's features were checked above.
            return unsafe { self.mark_avx512(fits, left, mask) };
        } else if ludovec_engine::CpuLevel::Avx2.is_available() {
            // Safety: as above.
            return unsafe { self.mark_avx2(fits, left, mask) };
        }
        self.mark_listed(fits, left, mask, IndexFormula::list);
    }

    /// [`Self::mark`] with AVX-512: 32 placement indices are computed and packed by one instruction each.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512bw,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
    fn mark_avx512(self, fits: &Fits, left: u32, mask: &mut [u64]) {
        self.mark_listed(fits, left, mask, |formula, patterns, corner, list| {
            formula.list_avx512(patterns, corner, list)
        });
    }

    /// [`Self::mark`] with AVX2: eight placement indices are packed by one table lookup.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn mark_avx2(self, fits: &Fits, left: u32, mask: &mut [u64]) {
        self.mark_listed(fits, left, mask, |formula, patterns, corner, list| {
            formula.list_avx2(patterns, corner, list)
        });
    }

    /// [`Self::mark`] with a given function for listing the placements of some patterns at a corner.
    ///
    /// Placements of many corners are collected before their bits are set, to avoid branch mispredictions: a loop
    /// for each corner would have a different number of iterations every time.
    #[inline(always)]
    fn mark_listed(
        mut self,
        fits: &Fits,
        left: u32,
        mask: &mut [u64],
        list: impl Fn(&IndexFormula, PatternSet, Tile, &mut [u16; 128]) -> usize,
    ) {
        let wanted = fits.patterns_of(left);
        let mut found = [0; 512];
        let mut n = 0;
        let mut set = |found: &[u16]| {
            for &action in found {
                mask[usize::from(action / 64)] |= 1 << (action % 64);
            }
        };
        while let Some(corner) = self.corners.next() {
            let (facing, patterns) = self.patterns_at(fits, corner);
            // Every placement that covers this corner has now been found. Closing the corner keeps later corners
            // from finding the same placements again.
            self.open[corner.row() + REACH] &= !(1 << (corner.column() + REACH));
            if n + 128 > found.len() {
                set(&found[..n]);
                n = 0;
            }
            let room = found[n..].first_chunk_mut().expect("there is room for every pattern");
            n += list(&facing.formula, patterns & wanted, corner, room);
        }
        set(&found[..n]);
    }
}

impl IndexFormula {
    /// Writes the placements of `patterns` at `corner` to `list` and returns their number.
    #[inline]
    fn list(&self, patterns: PatternSet, corner: Tile, list: &mut [u16; 128]) -> usize {
        let (row, column) = (corner.row() as u16, corner.column() as u16);
        let mut n = 0;
        for (half, mut bits) in [patterns as u64, (patterns >> 64) as u64].into_iter().enumerate() {
            while bits != 0 {
                let pattern = 64 * half + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                list[n] = self.base[pattern]
                    .wrapping_add(row.wrapping_mul(self.stride[pattern]))
                    .wrapping_add(column);
                n += 1;
            }
        }
        n
    }

    /// [`Self::list`], 32 patterns at a time.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx512bw,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
    fn list_avx512(&self, patterns: PatternSet, corner: Tile, list: &mut [u16; 128]) -> usize {
        use core::arch::x86_64::*;
        let row = _mm512_set1_epi16(corner.row() as i16);
        let column = _mm512_set1_epi16(corner.column() as i16);
        let mut n = 0;
        for quarter in 0..4 {
            let chosen = (patterns >> (32 * quarter)) as u32;
            // Safety: both arrays have four vectors; before quarter `q` at most `q` vectors are filled.
            unsafe {
                let base = _mm512_loadu_si512(self.base.as_ptr().add(32 * quarter).cast());
                let stride = _mm512_loadu_si512(self.stride.as_ptr().add(32 * quarter).cast());
                let all = _mm512_add_epi16(_mm512_add_epi16(base, column), _mm512_mullo_epi16(stride, row));
                let packed = _mm512_maskz_compress_epi16(chosen, all);
                _mm512_storeu_si512(list.as_mut_ptr().add(n).cast(), packed);
            }
            n += chosen.count_ones() as usize;
        }
        n
    }

    /// [`Self::list`], 16 patterns at a time; each half is packed by a byte shuffle.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn list_avx2(&self, patterns: PatternSet, corner: Tile, list: &mut [u16; 128]) -> usize {
        use core::arch::x86_64::*;
        /// By set of eight 16-bit elements: the bytes of the elements in the set, one after the other.
        static PACK: [[u8; 16]; 256] = {
            let mut pack = [[0; 16]; 256];
            let mut i = 0;
            while i < 256 * 8 {
                let (set, element) = (i / 8, i % 8);
                if set >> element & 1 == 1 {
                    let before = (set & ((1_usize << element) - 1)).count_ones() as usize;
                    pack[set][2 * before] = 2 * element as u8;
                    pack[set][2 * before + 1] = 2 * element as u8 + 1;
                }
                i += 1;
            }
            pack
        };
        let row = _mm256_set1_epi16(corner.row() as i16);
        let column = _mm256_set1_epi16(corner.column() as i16);
        let mut n = 0;
        for (sixteenth, chosen) in patterns.to_le_bytes().as_chunks::<2>().0.iter().enumerate() {
            // Safety: both arrays have eight vectors; before half `h` at most `h` halves are filled.
            unsafe {
                let base = _mm256_loadu_si256(self.base.as_ptr().add(16 * sixteenth).cast());
                let stride = _mm256_loadu_si256(self.stride.as_ptr().add(16 * sixteenth).cast());
                let all = _mm256_add_epi16(_mm256_add_epi16(base, column), _mm256_mullo_epi16(stride, row));
                let halves = [_mm256_castsi256_si128(all), _mm256_extracti128_si256::<1>(all)];
                for (half, &chosen) in halves.into_iter().zip(chosen) {
                    let pack = _mm_loadu_si128(PACK[usize::from(chosen)].as_ptr().cast());
                    _mm_storeu_si128(list.as_mut_ptr().add(n).cast(), _mm_shuffle_epi8(half, pack));
                    n += chosen.count_ones() as usize;
                }
            }
        }
        n
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rules::tiles::TILES;

    fn fits() -> &'static Fits {
        Fits::on(SIZE)
    }

    #[test]
    fn tables_stay_small() {
        let fits = size_of::<[Facing; 4]>() + size_of::<[[PatternSet; 128]; 3]>() + size_of::<Fits>();
        assert!(fits < 128 << 10, "{fits}");
        assert!(fits + Placements::on(SIZE).table_bytes() < 1 << 20);
    }

    proptest! {
        #[test]
        fn placements_are_listed_in_the_order_of_patterns(patterns: u128, facing in 0usize..4, tile in 0..TILES) {
            let patterns = patterns & ((1 << PATTERNS) - 1);
            let formula = &fits().facings[facing].formula;
            let corner = Tile::from_index(tile);
            let mut list = [0; 128];
            let n = formula.list(patterns, corner, &mut list);
            let expected: Vec<u16> = (0..PATTERNS)
                .filter(|&i| patterns >> i & 1 == 1)
                // Patterns that stick out of the board wrap around here; no real corner has them.
                .map(|i| {
                    let shift = formula.stride[i].wrapping_mul(corner.row() as u16);
                    formula.base[i].wrapping_add(shift).wrapping_add(corner.column() as u16)
                })
                .collect();
            prop_assert_eq!(&list[..n], &expected);
            #[cfg(target_arch = "x86_64")]
            if ludovec_engine::CpuLevel::Avx512Vbmi2.is_available() {
                // Safety: the processor's features were checked above.
                let n = unsafe { formula.list_avx512(patterns, corner, &mut list) };
                prop_assert_eq!(&list[..n], &expected);
            }
            #[cfg(target_arch = "x86_64")]
            if ludovec_engine::CpuLevel::Avx2.is_available() {
                // Safety: the processor's features were checked above.
                let n = unsafe { formula.list_avx2(patterns, corner, &mut list) };
                prop_assert_eq!(&list[..n], &expected);
            }
        }
    }

    #[test]
    fn a_corner_with_everything_open_around_it_takes_every_pattern() {
        // South and west of j10 are closed; all other tiles are open.
        let corner: Tile = "j10".parse().unwrap();
        let closed: TileSet = ["j9", "i10"].iter().map(|t| t.parse::<Tile>().unwrap()).collect();
        let reach = |open, corner| {
            Corners::<SIZE>::new(&PlacementArea {
                open,
                corners: TileSet::from_iter([corner]),
                blocked: TileSet::EMPTY,
            })
        };
        let all = (1 << PIECES) - 1;
        assert_eq!(reach(!closed, corner).count(fits(), all), PATTERNS as u32);
        // Only tiles north and east of a1 are on the board.
        let corner: Tile = "a1".parse().unwrap();
        assert_eq!(reach(!TileSet::EMPTY, corner).count(fits(), all), 58);
        assert_eq!(reach(!TileSet::EMPTY, corner).count(fits(), 1), 1);
    }
}
