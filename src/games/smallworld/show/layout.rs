//! Layout: places in drawings for the regions of a map given by adjacency alone.

use crate::rules::map::{MAX_REGIONS, RegionId, RegionSet};

/// Rounds of improvement; further rounds make no visible difference.
const ROUNDS: usize = 200;
/// Margin at the rim of the 256 by 256 canvas.
const MARGIN: f64 = 8.0;

/// One point per region on the canvas of [`Layout::Points`](crate::rules::map::Layout::Points), all different.
///
/// Stress majorization: distances on the canvas come as close as possible to the numbers of steps between regions,
/// near pairs first. Uses only arithmetic with the same results on every machine.
pub(crate) fn spread(adjacency: &[RegionSet]) -> Vec<[u8; 2]> {
    let n = adjacency.len();
    let steps = distances(adjacency);
    // Low-discrepancy start (multiples of the golden ratio): points that fill a square evenly without forming lines
    // or a lattice.
    let mut at: Vec<[f64; 2]> =
        (0..n).map(|i| [(i as f64 * 0.618_033_988_749_895).fract(), (i as f64 + 0.5) / n as f64]).collect();
    let scale = (n as f64).sqrt();
    at.iter_mut().flatten().for_each(|x| *x *= scale);
    for _ in 0..ROUNDS {
        for i in 0..n {
            let (mut sum, mut total) = ([0.0; 2], 0.0);
            for j in (0..n).filter(|&j| j != i) {
                let wanted = f64::from(steps[i][j]);
                let weight = 1.0 / (wanted * wanted);
                let delta = [at[i][0] - at[j][0], at[i][1] - at[j][1]];
                let length = (delta[0] * delta[0] + delta[1] * delta[1]).sqrt().max(1e-9);
                for axis in 0..2 {
                    sum[axis] += weight * (at[j][axis] + delta[axis] * wanted / length);
                }
                total += weight;
            }
            if total > 0.0 {
                at[i] = sum.map(|s| s / total);
            }
        }
    }
    on_canvas(&at)
}

/// Steps between regions; unconnected pairs count as far apart.
fn distances(adjacency: &[RegionSet]) -> Vec<[u8; MAX_REGIONS]> {
    let n = adjacency.len();
    let far = (n as f64).sqrt().ceil() as u8 + 1;
    (0..n)
        .map(|start| {
            let mut row = [far; MAX_REGIONS];
            let (mut front, mut reached) = (RegionSet::single(RegionId(start as u8)), RegionSet::EMPTY);
            let mut steps = 0;
            while !front.is_empty() {
                reached |= front;
                let mut next = RegionSet::EMPTY;
                for region in front {
                    row[region.index()] = steps;
                    next |= adjacency[region.index()];
                }
                front = next - reached;
                steps += 1;
            }
            row
        })
        .collect()
}

/// Scales to the canvas, keeping proportions, and moves points off occupied places.
fn on_canvas(at: &[[f64; 2]]) -> Vec<[u8; 2]> {
    let bound = |axis: usize, pick: fn(f64, f64) -> f64| at.iter().map(|p| p[axis]).reduce(pick);
    let (low, high) = ([0, 1].map(|a| bound(a, f64::min)), [0, 1].map(|a| bound(a, f64::max)));
    let (Some(low), Some(high)) = (both(low), both(high)) else { return Vec::new() };
    let size = (high[0] - low[0]).max(high[1] - low[1]).max(1e-9);
    let room = 255.0 - 2.0 * MARGIN;
    let mut taken: Vec<[u8; 2]> = Vec::with_capacity(at.len());
    for point in at {
        let mut place = [0, 1].map(|axis| {
            let middle = (low[axis] + high[axis]) / 2.0;
            ((point[axis] - middle) / size * room + 127.5).round() as u8
        });
        while taken.contains(&place) {
            place[0] = place[0].wrapping_add(1);
            place[1] = place[1].wrapping_add(u8::from(place[0] == 0));
        }
        taken.push(place);
    }
    taken
}

fn both(pair: [Option<f64>; 2]) -> Option<[f64; 2]> {
    Some([pair[0]?, pair[1]?])
}
