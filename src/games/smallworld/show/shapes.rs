//! Outlines of regions, for drawing: hexagons, nearest-point cells or the sketch of a published board.

use std::collections::{BTreeMap, BTreeSet};

use ludovec_assets::smallworld::SKETCHES;

use crate::rules::map::{Layout, Map, RegionId, RegionSet};

/// A point of the plane, y down.
pub(crate) type Point = [f64; 2];

/// One region's outline.
pub(crate) struct Shape {
    /// Closed polygons; a second one is a hole or an exclave, filled by the even-odd rule.
    pub(crate) loops: Vec<Vec<Point>>,
    /// The middle of the largest circle inside.
    pub(crate) centre: Point,
    /// Its radius.
    pub(crate) room: f64,
}

/// A whole map's outlines.
pub(crate) struct Shapes {
    /// One shape per region.
    pub(crate) regions: Vec<Shape>,
    /// The regions with outlines that share a line with region `i`: on a map by adjacency these can differ from its
    /// neighbours.
    pub(crate) touching: Vec<RegionSet>,
}

impl Shapes {
    /// The outlines of `map`, scaled to fit into a box of this size at the origin, and the resulting size of the
    /// map.
    pub(crate) fn fit(map: &Map, into: Point) -> (Self, Point) {
        let (mut loops, touching) = match map.layout() {
            Layout::Hex => hexagons(map),
            Layout::Points => cells(map),
            Layout::Board2 => sketch(SKETCHES[0], map),
            Layout::Board3 => sketch(SKETCHES[1], map),
            Layout::Board4 => sketch(SKETCHES[2], map),
            Layout::Board5 => sketch(SKETCHES[3], map),
        };
        let points = || loops.iter().flatten().flatten();
        let low = [0, 1].map(|axis| points().map(|p| p[axis]).fold(f64::INFINITY, f64::min));
        let high = [0, 1].map(|axis| points().map(|p| p[axis]).fold(f64::NEG_INFINITY, f64::max));
        let scale = (into[0] / (high[0] - low[0])).min(into[1] / (high[1] - low[1]));
        for point in loops.iter_mut().flatten().flatten() {
            *point = [0, 1].map(|axis| (point[axis] - low[axis]) * scale);
        }
        let size = [0, 1].map(|axis| (high[axis] - low[axis]) * scale);
        let regions = loops.into_iter().map(Shape::new).collect();
        (Self { regions, touching }, size)
    }
}

impl Shape {
    /// Whether a point is inside.
    pub(crate) fn contains(&self, point: Point) -> bool {
        inside_by(&self.loops, point) >= 0.0
    }

    fn new(loops: Vec<Vec<Point>>) -> Self {
        let points = || loops.iter().flatten();
        let mut low = [0, 1].map(|axis| points().map(|p| p[axis]).fold(f64::INFINITY, f64::min));
        let mut high = [0, 1].map(|axis| points().map(|p| p[axis]).fold(f64::NEG_INFINITY, f64::max));
        let (mut centre, mut room) = ([0, 1].map(|axis| (low[axis] + high[axis]) / 2.0), f64::NEG_INFINITY);
        // A grid of candidates, then a finer one around the best.
        const STEPS: usize = 16;
        for _ in 0..3 {
            let step = [0, 1].map(|axis| (high[axis] - low[axis]) / STEPS as f64);
            for i in 0..=STEPS * STEPS + 2 * STEPS {
                let (row, column) = (i / (STEPS + 1), i % (STEPS + 1));
                let point = [low[0] + column as f64 * step[0], low[1] + row as f64 * step[1]];
                let distance = inside_by(&loops, point);
                if distance > room {
                    (centre, room) = (point, distance);
                }
            }
            low = [0, 1].map(|axis| centre[axis] - step[axis]);
            high = [0, 1].map(|axis| centre[axis] + step[axis]);
        }
        Self { loops, centre, room }
    }
}

/// Distance to the nearest line of the outline, negative outside.
fn inside_by(loops: &[Vec<Point>], p: Point) -> f64 {
    let (mut inside, mut nearest) = (false, f64::INFINITY);
    for polygon in loops {
        for (i, &a) in polygon.iter().enumerate() {
            let b = polygon[(i + 1) % polygon.len()];
            if (a[1] > p[1]) != (b[1] > p[1]) && p[0] < a[0] + (p[1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0]) {
                inside = !inside;
            }
            let (d, to) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
            let length = (d[0] * d[0] + d[1] * d[1]).max(1e-12);
            let t = ((d[0] * to[0] + d[1] * to[1]) / length).clamp(0.0, 1.0);
            nearest = nearest.min((to[0] - t * d[0]).hypot(to[1] - t * d[1]));
        }
    }
    if inside { nearest } else { -nearest }
}

type Outlines = (Vec<Vec<Vec<Point>>>, Vec<RegionSet>);

/// Hexagons one unit wide.
fn hexagons(map: &Map) -> Outlines {
    let row_height = 0.75_f64.sqrt();
    let centre = |region: RegionId| {
        let [column, row] = map.position(region);
        [f64::from(column) + f64::from(row % 2) / 2.0, f64::from(row) * row_height]
    };
    let loops = map.all().iter().map(|region| {
        let [x, y] = centre(region);
        let (side, half) = (0.5 / row_height, 0.25 / row_height);
        let corners = [(0.0, -side), (0.5, -half), (0.5, half), (0.0, side), (-0.5, half), (-0.5, -half)];
        vec![corners.map(|(dx, dy)| [x + dx, y + dy]).to_vec()]
    });
    let touching = map.all().iter().map(|a| {
        let touches = |b: &RegionId| {
            let ([ax, ay], [bx, by]) = (centre(a), centre(*b));
            *b != a && (ax - bx).hypot(ay - by) < 1.1
        };
        map.all().iter().filter(touches).collect()
    });
    (loops.collect(), touching.collect())
}

/// Voronoi cells: for each region the points nearest to its point, within a circle.
fn cells(map: &Map) -> Outlines {
    const CORNERS: usize = 24;
    let points: Vec<Point> = map.all().iter().map(|r| map.position(r).map(f64::from)).collect();
    let extent = |axis: usize| {
        let values = || points.iter().map(|p| p[axis]);
        values().fold(f64::NEG_INFINITY, f64::max) - values().fold(f64::INFINITY, f64::min)
    };
    let spacing = ((extent(0) + 16.0) * (extent(1) + 16.0) / points.len() as f64).sqrt();
    let mut touching = vec![RegionSet::EMPTY; points.len()];
    let loops = points.iter().enumerate().map(|(i, &p)| {
        // Each corner stores the region across the line to the next corner.
        let mut polygon: Vec<(Point, Option<usize>)> = (0..CORNERS)
            .map(|k| (k as f64 / CORNERS as f64 * std::f64::consts::TAU).sin_cos())
            .map(|(sin, cos)| ([p[0] + 0.8 * spacing * cos, p[1] + 0.8 * spacing * sin], None))
            .collect();
        for (j, &q) in points.iter().enumerate().filter(|&(j, _)| j != i) {
            // Positive on `p`'s side of the perpendicular bisector of `p` and `q`.
            let side = |x: Point| {
                (p[0] - q[0]) * (x[0] - (p[0] + q[0]) / 2.0) + (p[1] - q[1]) * (x[1] - (p[1] + q[1]) / 2.0)
            };
            let mut clipped = Vec::with_capacity(polygon.len() + 1);
            for (k, &(a, across)) in polygon.iter().enumerate() {
                let b = polygon[(k + 1) % polygon.len()].0;
                let (sa, sb) = (side(a), side(b));
                let cut = || {
                    let t = sa / (sa - sb);
                    [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])]
                };
                match (sa >= 0.0, sb >= 0.0) {
                    (true, true) => clipped.push((a, across)),
                    (true, false) => clipped.extend([(a, across), (cut(), Some(j))]),
                    (false, true) => clipped.push((cut(), across)),
                    (false, false) => {}
                }
            }
            polygon = clipped;
        }
        for (k, &(a, across)) in polygon.iter().enumerate() {
            let b = polygon[(k + 1) % polygon.len()].0;
            if let Some(j) = across.filter(|_| (a[0] - b[0]).hypot(a[1] - b[1]) > 0.02 * spacing) {
                touching[i].insert(RegionId(j as u8));
            }
        }
        vec![polygon.into_iter().map(|(corner, _)| corner).collect()]
    });
    (loops.collect(), touching)
}

/// A corner or a middle of a side on the sketch, in half cells.
type Vertex = (i32, i32);

/// Joins the cells of a grid of region ids and rounds the outlines, so that neighbours still share them.
fn sketch(text: &str, map: &Map) -> Outlines {
    let rows: Vec<Vec<usize>> = text
        .lines()
        .map(|row| row.split_whitespace().map(|id| id.parse().expect("sketches hold ids")).collect())
        .collect();
    let at = |x: i32, y: i32| rows.get(usize::try_from(y).ok()?)?.get(usize::try_from(x).ok()?).copied();
    let (width, height) = (rows[0].len() as i32, rows.len() as i32);

    // The sides between different regions, each in two halves; a region is to the right of its sides.
    let mut sides: Vec<BTreeMap<Vertex, Vec<Vertex>>> = vec![BTreeMap::new(); map.len()];
    let mut near: BTreeMap<Vertex, BTreeSet<Vertex>> = BTreeMap::new();
    let mut touching = vec![RegionSet::EMPTY; map.len()];
    for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
        let Some(here) = at(x, y) else { continue };
        // The corners of the cell, clockwise, and the cell beyond the side that starts at each.
        let corners = [(0, 0), (2, 0), (2, 2), (0, 2)].map(|(dx, dy)| (2 * x + dx, 2 * y + dy));
        let beyond = [at(x, y - 1), at(x + 1, y), at(x, y + 1), at(x - 1, y)];
        for (i, other) in beyond.into_iter().enumerate().filter(|&(_, other)| other != Some(here)) {
            let (a, b) = (corners[i], corners[(i + 1) % 4]);
            let middle = ((a.0 + b.0) / 2, (a.1 + b.1) / 2);
            for (from, to) in [(a, middle), (middle, b)] {
                sides[here].entry(from).or_default().push(to);
                near.entry(from).or_default().insert(to);
                near.entry(to).or_default().insert(from);
            }
            if let Some(other) = other {
                touching[here].insert(RegionId(other as u8));
            }
        }
    }

    let rounded = round_off(&near, [2 * width, 2 * height]);
    let loops = sides.into_iter().map(|mut sides| {
        let mut loops = Vec::new();
        while let Some((&start, _)) = sides.first_key_value() {
            let (mut polygon, mut vertex) = (Vec::new(), start);
            while let Some(next) = sides.get_mut(&vertex).and_then(Vec::pop) {
                if sides[&vertex].is_empty() {
                    sides.remove(&vertex);
                }
                polygon.push(rounded[&vertex]);
                vertex = next;
            }
            loops.push(polygon);
        }
        loops
    });
    (loops.collect(), touching)
}

/// Moves every vertex towards the middle of its neighbours; the rim of the board stays straight.
fn round_off(near: &BTreeMap<Vertex, BTreeSet<Vertex>>, size: [i32; 2]) -> BTreeMap<Vertex, Point> {
    let mut at: BTreeMap<Vertex, Point> =
        near.keys().map(|&v| (v, [f64::from(v.0), f64::from(v.1)])).collect();
    for _ in 0..3 {
        let moved = near.iter().map(|(&v, near)| {
            let mut point = at[&v];
            for axis in 0..2 {
                let coordinate = [v.0, v.1][axis];
                if coordinate != 0 && coordinate != size[axis] {
                    let mean = near.iter().map(|n| at[n][axis]).sum::<f64>() / near.len() as f64;
                    point[axis] = 0.5 * point[axis] + 0.5 * mean;
                }
            }
            (v, point)
        });
        at = moved.collect();
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::boards::board;
    use crate::rules::mapgen::generate;
    use ludovec_engine::chance::SeededChance;

    #[test]
    fn sketches_and_hexagons_show_exactly_the_adjacency() {
        let mut chance = SeededChance::from_seed(6);
        let boards = (2..=5).map(|players| *board(players).unwrap());
        let generated = (0..200).map(|i| generate(2 + i % 4, &mut chance).unwrap());
        for map in boards.chain(generated) {
            let (shapes, _) = Shapes::fit(&map, [800.0, 600.0]);
            assert_eq!(shapes.touching, map.adjacency[..map.len()]);
        }
    }

    #[test]
    fn every_region_has_room_on_the_canvas() {
        let star = serde_json::json!({"regions": (0..48).map(|i| serde_json::json!({
            "terrain": "hill", "rim": true, "neighbours": if i == 0 { (1..48).collect() } else { vec![0] },
        })).collect::<Vec<_>>()});
        let star = Map::from_json(&star).unwrap();
        let alone = serde_json::json!({"regions": [{"terrain": "hill", "rim": true, "neighbours": []}]});
        let alone = Map::from_json(&alone).unwrap();
        let generated = generate(5, &mut SeededChance::from_seed(7)).unwrap();
        for map in [star, alone, generated, *board(4).unwrap(), *board(5).unwrap()] {
            let (shapes, size) = Shapes::fit(&map, [900.0, 600.0]);
            assert!(size[0] < 900.1 && size[1] < 600.1 && (size[0] > 899.9 || size[1] > 599.9));
            assert_eq!(shapes.regions.len(), map.len());
            for shape in &shapes.regions {
                assert!(shape.room > 8.0, "{}", shape.room);
                assert!((0..2).all(|axis| (0.0..size[axis]).contains(&shape.centre[axis])));
            }
        }
    }
}
