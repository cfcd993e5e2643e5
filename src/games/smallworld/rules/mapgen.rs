//! Procedural maps on a hexagonal grid.
//!
//! A map takes under a microsecond: cells are bits of an 8 by 8 board (bit `8 * row + column`, odd rows half a cell
//! to the right), so that neighbours of a whole set are shifts. Regions are numbered row by row once the outline is
//! complete.
//!
//! | players | land | seas | lakes | each feature | Lost Tribes |
//! |---|---|---|---|---|---|
//! | 2 | 20 | 2 or 3 | 1 | 3 | 8 |
//! | 3 | 26 | 3 or 4 | 1 | 4 | 10 |
//! | 4 | 34 | 4 or 5 | 1 | 5 | 14 |
//! | 5 | 40 | 5 or 6 | 1 | 5 | 16 |
//!
//! With the smaller number of seas a map has as many regions as the published board for as many players; the row
//! for two players is derived from this.

use bytemuck::Zeroable;

use super::map::{Layout, MAX_LOST_TRIBES, MAX_REGIONS, Map, RegionId, RegionSet, Terrain};
use ludovec_engine::chance::Chance;
use ludovec_engine::{Error, Result};

/// Number of outlines that [`generate`] tries.
pub const MAX_ATTEMPTS: usize = 100;
/// Minimum number of land regions on the rim of an acceptable map.
pub const MIN_RIM: usize = 4;

/// Land terrains by their weight in percent: farmland 22, hill 22, forest 22, swamp 17, mountain 17.
const TERRAIN_OF_PERCENT: [u8; 100] = {
    const WEIGHTS: [usize; 5] = [22, 22, 22, 17, 17];
    let mut table = [0; 100];
    let (mut terrain, mut start) = (0, 0);
    while terrain < WEIGHTS.len() {
        let mut i = start;
        while i < start + WEIGHTS[terrain] {
            table[i] = terrain as u8;
            i += 1;
        }
        start = i;
        terrain += 1;
    }
    assert!(start == 100);
    table
};

/// Cells of the 8 by 8 board.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Cells(u64);

const FIRST_COLUMN: u64 = 0x0101_0101_0101_0101;
const LAST_COLUMN: u64 = FIRST_COLUMN << 7;
const EVEN_ROWS: u64 = 0x00ff_00ff_00ff_00ff;

impl Cells {
    /// Cells with their western (lower column) neighbour in the set.
    const fn with_west(self) -> u64 {
        (self.0 << 1) & !FIRST_COLUMN
    }
    /// Cells with their eastern neighbour in the set.
    const fn with_east(self) -> u64 {
        (self.0 >> 1) & !LAST_COLUMN
    }
    /// A cell has two neighbours in the row above and two below: one in its own column and one beside it. Given the
    /// set shifted by a row, returns the cells whose neighbour beside is in it (left or right of the column by the
    /// row's parity).
    const fn diagonal(self) -> Self {
        Self((self.with_west() & EVEN_ROWS) | (self.with_east() & !EVEN_ROWS))
    }
    /// Cells with all six neighbours in the set.
    const fn surrounded(self) -> Self {
        let above = self.0 << 8;
        let below = self.0 >> 8;
        let (above_aside, below_aside) = (Self(above).diagonal().0, Self(below).diagonal().0);
        Self(self.with_west() & self.with_east() & above & below & above_aside & below_aside)
    }
    /// Cells that touch a cell of the set.
    const fn around(self) -> Self {
        let rows = Self((self.0 << 8) | (self.0 >> 8));
        Self(self.with_west() | self.with_east() | rows.0 | rows.diagonal().0)
    }
    /// Whether the set is connected (flood fill).
    fn connected(self) -> bool {
        let mut reached = self.0 & self.0.wrapping_neg();
        loop {
            let next = reached | (Self(reached).around().0 & self.0);
            if next == reached {
                return reached == self.0;
            }
            reached = next;
        }
    }
    const fn len(self) -> u32 {
        self.0.count_ones()
    }
    const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
    /// `n` different cells, uniformly at random; the set has at least `n`.
    fn choose<C: Chance + ?Sized>(self, n: u32, chance: &mut C) -> Self {
        let mut left = self.0;
        for size in (self.len() - n + 1..=self.len()).rev() {
            let mut rest = left;
            for _ in 0..chance.uniform(size) {
                rest &= rest - 1;
            }
            left &= !(rest & rest.wrapping_neg());
        }
        self.without(Self(left))
    }
}

/// For each cell its neighbours with lower numbers: west and the two above.
const BEFORE: [u64; 64] = {
    let mut table = [0; 64];
    let mut cell = 0;
    while cell < 64 {
        table[cell] = Cells(1 << cell).around().0 & ((1 << cell) - 1);
        cell += 1;
    }
    table
};

/// The components of a map for some number of players.
#[derive(Clone, Copy)]
struct MapPlan {
    land: u32,
    /// Minimum number of seas; one more is equally likely.
    seas: u32,
    /// Rows of the grid.
    rows: u32,
}

const LAKES: u32 = 1;
/// Minimum number of cells removed from the edge of the grid; up to [`REMOVED_CHOICES`] - 1 more are equally
/// likely.
const REMOVED: u32 = 2;
const REMOVED_CHOICES: u32 = 3;
const SEA_CHOICES: u32 = 2;
/// Number of different sizes of a plan's grid.
const GRID_SIZES: usize = (SEA_CHOICES + REMOVED_CHOICES - 1) as usize;

/// Minimum and maximum number of players.
const PLAYERS: std::ops::RangeInclusive<usize> = 2..=5;
const PLANS: [MapPlan; 4] = [
    MapPlan { land: 20, seas: 2, rows: 5 },
    MapPlan { land: 26, seas: 3, rows: 5 },
    MapPlan { land: 34, seas: 4, rows: 6 },
    MapPlan { land: 40, seas: 5, rows: 7 },
];

/// A grid before any removal.
#[derive(Clone, Copy)]
struct Grid {
    cells: Cells,
    edge: Cells,
}

impl MapPlan {
    /// 15 % of the land, rounded, clamped to 2 to 5.
    const fn features(self) -> usize {
        let target = (self.land as usize * 15 + 50) / 100;
        if target < 2 {
            2
        } else if target > 5 {
            5
        } else {
            target
        }
    }
    /// 40 % of the land, rounded.
    const fn lost_tribes(self) -> usize {
        (self.land as usize * 40 + 50) / 100
    }
    /// The grid with `extra` cells more than the plan's minimum, in rows of nearly the same length.
    const fn grid(self, extra: u32) -> Grid {
        let size = self.land + LAKES + self.seas + REMOVED + extra;
        let mut cells = 0;
        let mut row = 0;
        while row < self.rows {
            let length = size * (row + 1) / self.rows - size * row / self.rows;
            assert!(length <= 8);
            cells |= ((1 << length) - 1) << (8 * row);
            row += 1;
        }
        let cells = Cells(cells);
        Grid { cells, edge: Cells(cells.0 & !cells.surrounded().0) }
    }
}

const GRIDS: [[Grid; GRID_SIZES]; PLANS.len()] = {
    let mut grids = [[Grid { cells: Cells(0), edge: Cells(0) }; GRID_SIZES]; PLANS.len()];
    let mut i = 0;
    while i < PLANS.len() {
        assert!((PLANS[i].land + PLANS[i].seas + SEA_CHOICES - 1 + LAKES) as usize <= MAX_REGIONS);
        assert!(PLANS[i].lost_tribes() <= MAX_LOST_TRIBES);
        let mut extra = 0;
        while extra < GRID_SIZES {
            grids[i][extra] = PLANS[i].grid(extra as u32);
            extra += 1;
        }
        i += 1;
    }
    grids
};

/// The cells of a map, and the water cells among them.
struct Outline {
    cells: Cells,
    inner: Cells,
    seas: Cells,
    lakes: Cells,
}

/// One attempt; `None` if the outcome violates a condition of [`generate`].
fn outline<C: Chance + ?Sized>(players: usize, chance: &mut C) -> Option<Outline> {
    let more_seas = chance.uniform(SEA_CHOICES);
    let more_removed = chance.uniform(REMOVED_CHOICES);
    let index = players - PLAYERS.start();
    let grid = &GRIDS[index][(more_seas + more_removed) as usize];
    let cells = grid.cells.without(grid.edge.choose(REMOVED + more_removed, chance));
    let inner = Cells(cells.0 & cells.surrounded().0);
    let rim = cells.without(inner);
    let seas = rim.choose(PLANS[index].seas + more_seas, chance);
    if inner.len() < LAKES {
        return None;
    }
    let lakes = inner.choose(LAKES, chance);
    let rim_land = rim.without(seas).len() as usize;
    let land = cells.without(seas).without(lakes);
    let valid = rim_land >= MIN_RIM && land.connected() && cells.connected();
    valid.then_some(Outline { cells, inner, seas, lakes })
}

/// A map for 2 to 5 players.
///
/// The size of the hexagonal grid depends on the number of players. 2 to 4 cells of its edge are removed; seas are
/// on the remaining edge, the lake inside. Land terrains are independent draws with weights 22 (farmland, hill,
/// forest) and 17 (swamp, mountain). Mines, magic sources and caverns are placed independently of terrain and of
/// each other on 15 % of the land each, 2 to 5 of them; Lost Tribes on 40 %. The rim is the cells that
/// miss a neighbour.
///
/// Land is connected and has at least [`MIN_RIM`] regions on the rim, and every sea touches another region. Outlines
/// that violate this are redrawn, up to [`MAX_ATTEMPTS`] times. With fair chance at least two in three pass, so the
/// limit is never reached.
///
/// # Errors
/// [`Error::InvalidConfig`] for other numbers of players, or if every attempt failed.
pub fn generate<C: Chance + ?Sized>(players: usize, chance: &mut C) -> Result<Map> {
    if !PLAYERS.contains(&players) {
        return Err(Error::config(format!("a map for {players} players: 2 to 5 are allowed")));
    }
    let outline = (0..MAX_ATTEMPTS).find_map(|_| outline(players, chance)).ok_or_else(|| {
        Error::config(format!(
            "no map for {players} players after {MAX_ATTEMPTS} attempts: every outline \
             was not connected or had fewer than {MIN_RIM} land regions on the rim"
        ))
    })?;
    let plan = PLANS[players - PLAYERS.start()];
    let mut map = number_regions(&outline);

    let mut land = [0u8; MAX_REGIONS];
    let land = &mut land[..plan.land as usize];
    for (slot, region) in land.iter_mut().zip(map.land()) {
        *slot = region.0;
    }
    // One random draw is used for two regions: 100 * 100 equally likely outcomes are two independent draws of 100.
    for pair in land.chunks(2) {
        let draw = chance.uniform(100 * 100) as usize;
        for (&region, percent) in pair.iter().zip([draw / 100, draw % 100]) {
            map.terrain[usize::from(TERRAIN_OF_PERCENT[percent])].insert(RegionId(region));
        }
    }
    map.mines = sample(land, plan.features(), chance);
    map.magic_sources = sample(land, plan.features(), chance);
    map.caverns = sample(land, plan.features(), chance);
    map.lost_tribes = sample(land, plan.lost_tribes(), chance);
    map.derive();
    Ok(map)
}

/// Numbers the cells row by row and fills in the whole map except for the random contents of land regions.
fn number_regions(outline: &Outline) -> Map {
    let mut map = Map::zeroed();
    map.layout = Layout::Hex as u8;
    let mut id_of_cell = [0u8; 64];
    let mut left = outline.cells.0;
    while left != 0 {
        let cell = left.trailing_zeros() as usize;
        left &= left - 1;
        let region = RegionId(map.count);
        map.count += 1;
        id_of_cell[cell] = region.0;
        map.positions[region.index()] = [(cell % 8) as u8, (cell / 8) as u8];
        let mark = |cells: Cells| RegionSet((cells.0 >> cell & 1) << region.0);
        map.rim |= mark(Cells(!outline.inner.0));
        map.terrain[Terrain::Sea as usize] |= mark(outline.seas);
        map.terrain[Terrain::Lake as usize] |= mark(outline.lakes);
        let mut before = BEFORE[cell] & outline.cells.0;
        while before != 0 {
            let other = RegionId(id_of_cell[before.trailing_zeros() as usize]);
            before &= before - 1;
            map.adjacency[region.index()].insert(other);
            map.adjacency[other.index()].insert(region);
        }
    }
    map
}

/// `n` different members of `regions`, uniformly at random; reorders the list.
fn sample<C: Chance + ?Sized>(regions: &mut [u8], n: usize, chance: &mut C) -> RegionSet {
    let mut chosen = RegionSet::EMPTY;
    for i in 0..n {
        let left = (regions.len() - i) as u32;
        regions.swap(i, i + chance.uniform(left) as usize);
        chosen.insert(RegionId(regions[i]));
    }
    chosen
}

#[cfg(test)]
mod tests {
    use xxhash_rust::xxh3::Xxh3;

    use super::*;
    use ludovec_engine::chance::{ScriptedChance, SeededChance};

    /// Touching hexagons by their geometry: centres one cell apart.
    fn touch(a: [u8; 2], b: [u8; 2]) -> bool {
        // In units of half a cell horizontally and one row vertically.
        let at = |[x, y]: [u8; 2]| (2 * i32::from(x) + i32::from(y % 2), i32::from(y));
        let (dx, dy) = (at(a).0 - at(b).0, at(a).1 - at(b).1);
        matches!((dx.abs(), dy.abs()), (2, 0) | (1, 1))
    }

    fn check(players: usize, map: &Map) {
        map.validate().unwrap();
        let plan = PLANS[players - 2];
        assert_eq!(map.land().len(), plan.land as usize);
        let seas = map.of(Terrain::Sea);
        assert!((plan.seas..=plan.seas + 1).contains(&(seas.len() as u32)));
        assert_eq!(map.of(Terrain::Lake).len(), 1);
        assert!(seas.is_subset(map.rim) && !map.of(Terrain::Lake).intersects(map.rim));
        assert!((map.land() & map.rim).len() >= MIN_RIM);
        for feature in [map.mines, map.magic_sources, map.caverns] {
            assert_eq!(feature.len(), plan.features());
            assert!(feature.is_subset(map.land()));
        }
        assert_eq!(map.lost_tribes.len(), plan.lost_tribes());
        for a in map.all() {
            for b in map.all() {
                let expected = a != b && touch(map.position(a), map.position(b));
                assert_eq!(map.neighbours(a).contains(b), expected, "{a:?} {b:?}");
            }
            assert_eq!(map.rim.contains(a), map.neighbours(a).len() < 6);
            assert!(!map.neighbours(a).is_empty());
            let beside_water = map.neighbours(a).intersects(map.water());
            assert_eq!(map.coastal.contains(a), map.land().contains(a) && beside_water);
            let beside_sea = map.neighbours(a).intersects(seas);
            assert_eq!(map.shore.contains(a), map.land().contains(a) && beside_sea);
        }
    }

    #[test]
    fn thousands_of_maps_are_as_described() {
        let maps = if std::env::var_os("LUDOVEC_LONG").is_some() { 200_000 } else { 4_000 };
        for players in PLAYERS {
            let mut chance = SeededChance::from_seed(players as u64);
            for _ in 0..maps {
                check(players, &generate(players, &mut chance).unwrap());
            }
        }
    }

    #[test]
    fn counts_match_the_table() {
        assert_eq!(PLANS.map(MapPlan::features), [3, 4, 5, 5]);
        assert_eq!(PLANS.map(MapPlan::lost_tribes), [8, 10, 14, 16]);
        for (plan, regions) in PLANS.iter().zip([23, 30, 39, 46]) {
            assert_eq!(plan.land + plan.seas + LAKES, regions);
        }
    }

    #[test]
    fn either_number_of_seas_is_about_as_likely() {
        let mut chance = SeededChance::from_seed(1);
        let mut more = 0u32;
        for _ in 0..6_000 {
            more += (generate(5, &mut chance).unwrap().of(Terrain::Sea).len() == 6) as u32;
        }
        // More seas cut the land in two a little more often.
        assert!(more.abs_diff(3_000) < 300, "{more}");
    }

    #[test]
    fn terrains_features_and_tribes_have_their_probabilities() {
        let mut chance = SeededChance::from_seed(2);
        let mut terrains = [0u32; 5];
        let (mut mines, mut mines_and_caverns, mut tribes) = (0, 0, 0);
        let maps = 5_000;
        for _ in 0..maps {
            let map = generate(4, &mut chance).unwrap();
            for (n, set) in terrains.iter_mut().zip(map.terrain) {
                *n += set.len() as u32;
            }
            mines += (map.mines & map.of(Terrain::Mountain)).len();
            mines_and_caverns += (map.mines & map.caverns).len();
            tribes += (map.lost_tribes & map.mines).len();
        }
        let cells = f64::from(maps) * 34.0;
        for (n, weight) in terrains.into_iter().zip([0.22, 0.22, 0.22, 0.17, 0.17]) {
            assert!((f64::from(n) / cells - weight).abs() < 0.005, "{terrains:?}");
        }
        // Independent of terrain and of each other.
        let per_map = |n: usize| n as f64 / f64::from(maps);
        assert!((per_map(mines) - 5.0 * 0.17).abs() < 0.05);
        assert!((per_map(mines_and_caverns) - 25.0 / 34.0).abs() < 0.05);
        assert!((per_map(tribes) - 5.0 * 14.0 / 34.0).abs() < 0.07);
    }

    #[test]
    fn every_cell_of_an_edge_can_be_sea_and_every_inner_one_lake() {
        for players in PLAYERS {
            let mut chance = SeededChance::from_seed(3);
            let (mut seas, mut lakes) = (0u64, 0u64);
            for _ in 0..3_000 {
                let outline = std::iter::from_fn(|| Some(outline(players, &mut chance)));
                let outline = outline.flatten().next().unwrap();
                seas |= outline.seas.0;
                lakes |= outline.lakes.0;
            }
            let grid = GRIDS[players - 2][GRID_SIZES - 1];
            assert_eq!(grid.edge.0 & !seas, 0);
            assert_eq!(grid.cells.without(grid.edge).0 & !lakes, 0);
        }
    }

    #[test]
    fn most_attempts_succeed() {
        for players in PLAYERS {
            let mut chance = SeededChance::from_seed(5);
            let failed = (0..10_000).filter(|_| outline(players, &mut chance).is_none()).count();
            assert!(failed < 3_500, "{players} players: {failed} of 10000");
        }
    }

    /// A source of chance that repeats the same outcomes in a cycle.
    struct Loop<'a>(&'a [u32], usize);

    impl Chance for Loop<'_> {
        fn uniform(&mut self, n: u32) -> u32 {
            let outcome = self.0[self.1 % self.0.len()];
            self.1 += 1;
            outcome.min(n - 1)
        }
        fn weighted(&mut self, _: &[u32]) -> usize {
            unreachable!("maps draw uniformly")
        }
    }

    #[test]
    fn a_hundred_bad_attempts_are_an_error_and_no_panic() {
        // A rejected outline: the first corner of a 5 by 5 grid is cut off, because both of its neighbours become
        // sea.
        let bad = [0, 0, 15, 14, 1, 4, 0];
        assert!(outline(2, &mut Loop(&bad, 0)).is_none());
        let mut chance = Loop(&bad, 0);
        let error = generate(2, &mut chance).unwrap_err();
        assert_eq!(chance.1, MAX_ATTEMPTS * bad.len());
        assert!(matches!(&error, Error::InvalidConfig(m) if m.contains("100 attempts")), "{error}");
    }

    #[test]
    fn an_empty_script_still_makes_a_map() {
        for players in PLAYERS {
            check(players, &generate(players, &mut ScriptedChance::new(&[])).unwrap());
        }
        for players in [0, 1, 6, usize::MAX] {
            let error = generate(players, &mut SeededChance::from_seed(0)).unwrap_err();
            assert!(error.to_string().contains("2 to 5"), "{error}");
        }
    }

    /// These values change only with the version of the environment.
    #[test]
    fn maps_of_fixed_seeds_are_pinned() {
        let mut hash = Xxh3::new();
        for players in PLAYERS {
            let mut chance = SeededChance::from_seed(2026);
            for _ in 0..250 {
                hash.update(bytemuck::bytes_of(&generate(players, &mut chance).unwrap()));
            }
        }
        assert_eq!(hash.digest(), 13_564_313_985_062_298_308);
    }
}
