//! Elo ratings from games with any number of players.
//!
//! A game counts as a set of duels, one for every two seats: the better final rank wins, and equal ranks draw, as the
//! outcomes of the game pay. The duels of a game of `n` seats weigh `1 / (n - 1)` each, so no game moves a rating more
//! than a two-player game does. Ratings are maximum-likelihood estimates; Elo's sequential
//! updates, which depend on the order of games, fluctuate around them.

use std::cmp::Ordering;

use crate::results::margin;

/// Logarithmic odds per Elo point: 400 points multiply the odds by ten.
const SCALE: f64 = std::f64::consts::LN_10 / 400.0;

/// A comparison of two seats of a game.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Duel {
    players: [usize; 2],
    /// Points of the first: 1, 1/2 or 0.
    points: f64,
    weight: f64,
}

impl Duel {
    /// The points of a player, if it took part.
    pub(super) fn points_of(&self, player: usize) -> Option<f64> {
        let side = self.players.iter().position(|&p| p == player)?;
        Some(if side == 0 { self.points } else { 1.0 - self.points })
    }

    /// The points of a player, if it met one of the `opponents`.
    pub(super) fn points_against(&self, player: usize, opponents: impl Fn(usize) -> bool) -> Option<f64> {
        let points = self.points_of(player)?;
        self.players.iter().any(|&other| other != player && opponents(other)).then_some(points)
    }
}

/// The duels of a game: `seats[s]` is the player in seat `s`. A player has no duel with itself.
pub(super) fn duels(seats: &[usize], returns: &[f32]) -> Vec<Duel> {
    let weight = 1.0 / (seats.len() - 1) as f64;
    let mut duels = Vec::new();
    for a in 0..seats.len() {
        for b in a + 1..seats.len() {
            if seats[a] != seats[b] {
                let points = match returns[a].total_cmp(&returns[b]) {
                    Ordering::Less => 0.0,
                    Ordering::Equal => 0.5,
                    Ordering::Greater => 1.0,
                };
                duels.push(Duel { players: [seats[a], seats[b]], points, weight });
            }
        }
    }
    duels
}

/// The share of points of the player in `place`, from 0, of a game of `seats` players without ties.
pub(super) fn share_of_place(place: usize, seats: usize) -> f64 {
    let players: Vec<usize> = (0..seats).collect();
    let returns: Vec<f32> = players.iter().map(|&player| -(player as f32)).collect();
    let points: Vec<f64> =
        duels(&players, &returns).iter().filter_map(|duel| duel.points_of(place)).collect();
    points.iter().sum::<f64>() / points.len().max(1) as f64
}

/// A rating on the Elo scale: 400 points are odds of ten to one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rating {
    /// The rating; the mean over all players is 0.
    pub(super) elo: f64,
    /// Half-width of the 95 % confidence interval; infinite without information.
    pub(super) margin: f64,
}

/// Rates `n` players by units of games given as their duels: a game, or all games from one opening.
///
/// One virtual draw between every two players that met keeps ratings finite when a player wins every game. Margins come
/// from the variance of the units, with the duels of one unit counted together: drawn games give narrower margins than
/// decided ones. The virtual game has the variance of a decided game, so that no margin is 0 if all games end alike.
pub(super) fn rate(n: usize, games: &[Vec<Duel>]) -> Vec<Rating> {
    let units: Vec<(&[Duel], f64)> = games.iter().map(|unit| (&**unit, 1.0)).collect();
    rate_units(&units, &vec![None; n])
}

/// A duel of two players on its own.
pub(super) fn duel(players: [usize; 2], points: f64) -> Duel {
    Duel { players, points, weight: 1.0 }
}

/// [`rate`] for units with their multiplicities. Ratings in `known`, one entry per player, are fixed; with one, the mean
/// over all players is not 0.
pub(super) fn rate_units(units: &[(&[Duel], f64)], known: &[Option<f64>]) -> Vec<Rating> {
    let n = known.len();
    // Points and weight of each pair, from the perspective of the first player.
    let mut met = vec![vec![(0.0, 0.0); n]; n];
    for (duel, times) in units.iter().flat_map(|&(unit, times)| unit.iter().map(move |duel| (duel, times))) {
        let [a, b] = duel.players;
        let (a, b, points) = if a < b { (a, b, duel.points) } else { (b, a, 1.0 - duel.points) };
        met[a][b].0 += times * duel.weight * points;
        met[a][b].1 += times * duel.weight;
    }
    let mut draws = Vec::new();
    for (a, row) in met.iter_mut().enumerate() {
        for (b, (points, weight)) in row.iter_mut().enumerate().filter(|(_, (_, weight))| *weight > 0.0) {
            *points += 0.5;
            *weight += 1.0;
            draws.push([duel([a, b], 0.5)]);
        }
    }
    let elo = fit(&met, known);

    // Sandwich estimator of the covariance: H⁻¹ S H⁻¹, where H is the information and S the scatter of the games'
    // scores; the duels of one game are not independent, so H⁻¹ alone would be too small. H is the Laplacian of the
    // graph of pairs that met, which is singular. Adding J/m for every connected group of m players makes it
    // invertible without changing ratings relative to the group's mean. A group with a known rating needs no such term;
    // known ratings have no row.
    let group = groups(n, &met);
    let is_free = |a: usize| known[a].is_none();
    let is_anchored = |a: usize| (0..n).any(|b| group[a] == group[b] && !is_free(b));
    let size = |a: usize| group.iter().filter(|&&g| g == group[a]).count();
    let shared = |a: usize, b: usize| match group[a] == group[b] {
        true if is_anchored(a) => f64::from(u8::from(a == b && !is_free(a))),
        true => 1.0 / size(a) as f64,
        false => 0.0,
    };
    let mut information: Vec<Vec<f64>> = (0..n).map(|a| (0..n).map(|b| shared(a, b)).collect()).collect();
    for a in 0..n {
        for b in a + 1..n {
            let e = expected(elo[a] - elo[b]);
            let weight = met[a][b].1 * e * (1.0 - e) * SCALE;
            information[a][a] += if is_free(a) { weight } else { 0.0 };
            information[b][b] += if is_free(b) { weight } else { 0.0 };
            if is_free(a) && is_free(b) {
                information[a][b] -= weight;
                information[b][a] -= weight;
            }
        }
    }
    let inverse = invert(information);
    let mut variance = vec![0.0; n];
    let mut score = vec![0.0; n];
    let real = units.iter().map(|&(unit, times)| (unit, times, false));
    for (unit, times, is_virtual) in real.chain(draws.iter().map(|unit| (&unit[..], 1.0, true))) {
        score.fill(0.0);
        for duel in unit {
            let [a, b] = duel.players;
            let points = if is_virtual { 1.0 } else { duel.points };
            let expected = if is_virtual { 0.5 } else { expected(elo[a] - elo[b]) };
            let surplus = duel.weight * (points - expected);
            score[a] += if is_free(a) { surplus } else { 0.0 };
            score[b] -= if is_free(b) { surplus } else { 0.0 };
        }
        for (variance, row) in variance.iter_mut().zip(&inverse) {
            let moved: f64 = row.iter().zip(&score).map(|(x, s)| x * s).sum();
            *variance += times * moved * moved;
        }
    }
    let is_open = known.iter().all(Option::is_none);
    let margin_of =
        |player: usize| match is_free(player) && (size(player) < 2 || !is_open && !is_anchored(player)) {
            true => f64::INFINITY,
            false => margin(variance[player]),
        };
    elo.into_iter().enumerate().map(|(player, elo)| Rating { elo, margin: margin_of(player) }).collect()
}

/// By player: the first player of its connected group (players that met, directly or through others).
fn groups(n: usize, met: &[Vec<(f64, f64)>]) -> Vec<usize> {
    let mut group: Vec<usize> = (0..n).collect();
    for a in 0..n {
        for b in (a + 1..n).filter(|&b| met[a][b].1 > 0.0) {
            let (low, high) = (group[a].min(group[b]), group[a].max(group[b]));
            group.iter_mut().filter(|g| **g == high).for_each(|g| *g = low);
        }
    }
    group
}

/// The expected share of points with a lead of this many Elo points.
pub(super) fn expected(lead: f64) -> f64 {
    1.0 / (1.0 + (-lead * SCALE).exp())
}

/// Maximum-likelihood ratings: every player's points equal the expected points. Known ratings stay.
fn fit(met: &[Vec<(f64, f64)>], known: &[Option<f64>]) -> Vec<f64> {
    let n = known.len();
    let anchors: Vec<f64> = known.iter().copied().flatten().collect();
    let start = anchors.iter().sum::<f64>() / anchors.len().max(1) as f64;
    let mut elo: Vec<f64> = known.iter().map(|known| known.unwrap_or(start)).collect();
    // Coordinate-wise Newton's method, with half steps to ensure convergence: the likelihood is concave, and a few
    // players take well under a thousand steps.
    for _ in 0..20_000 {
        let mut gradient = vec![0.0; n];
        let mut curvature = vec![1e-12; n];
        for a in 0..n {
            for b in a + 1..n {
                let (points, weight) = met[a][b];
                let e = expected(elo[a] - elo[b]);
                gradient[a] += points - weight * e;
                gradient[b] -= points - weight * e;
                let c = weight * e * (1.0 - e) * SCALE;
                curvature[a] += c;
                curvature[b] += c;
            }
        }
        let mut largest: f64 = 0.0;
        for i in (0..n).filter(|&i| known[i].is_none()) {
            let step = (gradient[i] / curvature[i] / 2.0).clamp(-200.0, 200.0);
            elo[i] += step;
            largest = largest.max(step.abs());
        }
        if anchors.is_empty() {
            let mean = elo.iter().sum::<f64>() / n as f64;
            elo.iter_mut().for_each(|e| *e -= mean);
        }
        if largest < 1e-6 {
            break;
        }
    }
    elo
}

/// Gauss-Jordan inverse of a positive definite matrix.
fn invert(mut m: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let n = m.len();
    for (i, row) in m.iter_mut().enumerate() {
        row.extend((0..n).map(|j| f64::from(u8::from(i == j))));
    }
    for i in 0..n {
        let pivot = m[i][i];
        m[i].iter_mut().for_each(|x| *x /= pivot);
        let row = m[i].clone();
        for other in m.iter_mut().enumerate().filter(|(j, _)| *j != i).map(|(_, other)| other) {
            let factor = other[i];
            other.iter_mut().zip(&row).for_each(|(x, r)| *x -= factor * r);
        }
    }
    m.into_iter().map(|row| row[n..].to_vec()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `games` two-player games; the first player wins the fraction `share`.
    fn match_of(players: [usize; 2], games: usize, share: f64) -> Vec<Vec<Duel>> {
        let won = (games as f64 * share).round() as usize;
        let game = |i| vec![Duel { players, points: f64::from(u8::from(i < won)), weight: 1.0 }];
        (0..games).map(game).collect()
    }

    #[test]
    fn ratings_reproduce_the_expected_scores() {
        // Three players at 0, 100 and 300 points play 1000 games per pair with exactly the expected results.
        let truth = [-400.0 / 3.0, -100.0 / 3.0, 500.0 / 3.0];
        let play = |games| -> Vec<_> {
            [[0, 1], [0, 2], [1, 2]]
                .into_iter()
                .flat_map(|[a, b]| match_of([a, b], games, expected(truth[a] - truth[b])))
                .collect()
        };
        let rated = rate(3, &play(1000));
        assert!(rated.iter().zip(truth).all(|(r, t)| (r.elo - t).abs() < 2.0), "{rated:?}");
        assert!(rated.iter().all(|r| r.margin > 5.0 && r.margin < 30.0), "{rated:?}");
        let wider = rate(3, &play(10));
        assert!(wider[0].margin > 5.0 * rated[0].margin, "{wider:?}");
    }

    #[test]
    fn a_clean_sweep_has_a_finite_rating() {
        let [winner, loser] = rate(2, &match_of([0, 1], 10, 1.0))[..] else { unreachable!() };
        assert!(winner.elo > 100.0 && winner.elo < 1000.0);
        assert!(winner.margin > 50.0 && winner.margin < winner.elo, "{winner:?}");
        assert!((winner.elo + loser.elo).abs() < 1e-6);
    }

    #[test]
    fn players_without_games_do_not_change_the_margins_of_others() {
        let games = [match_of([0, 1], 50, 0.6), match_of([3, 4], 50, 0.5)].concat();
        let (rated, pair) = (rate(6, &games), rate(2, &match_of([0, 1], 50, 0.6)));
        let lead = |r: &[Rating]| r[0].elo - r[1].elo;
        assert!((lead(&rated) - lead(&pair)).abs() < 1e-3, "{rated:?}");
        assert!((rated[0].margin - pair[0].margin).abs() < 1e-3, "{rated:?}");
        let unknown: Vec<bool> = rated.iter().map(|r| r.margin.is_infinite()).collect();
        assert_eq!(unknown, [false, false, true, false, false, true]);
        assert!(rated.iter().all(|r| r.elo.is_finite()) && rate(2, &[]).iter().all(|r| r.elo == 0.0));
    }

    #[test]
    fn draws_tell_more_than_decided_games() {
        let drawn = vec![vec![Duel { players: [0, 1], points: 0.5, weight: 1.0 }]; 50];
        let decided = match_of([0, 1], 50, 0.5);
        assert!(rate(2, &drawn)[0].margin < rate(2, &decided)[0].margin / 2.0);
        assert!(rate(2, &drawn)[0].margin > 1.0, "all games ended alike");
    }

    #[test]
    fn a_game_of_several_is_its_duels() {
        // Seats 0 and 2 are tied for first place, seat 3 is last; player 5 has two seats.
        let found = duels(&[5, 3, 4, 5], &[0.75, -0.5, 0.75, -1.0]);
        let points =
            |a, b| found.iter().filter_map(|d| d.points_against(a, |other| other == b)).collect::<Vec<_>>();
        assert_eq!(points(5, 3), [1.0, 0.0]);
        assert_eq!(points(5, 4), [0.5, 0.0]);
        assert_eq!(points(3, 4), [0.0]);
        assert!(found.iter().all(|d| d.weight == 1.0 / 3.0 && d.players[0] != d.players[1]));
    }

    #[test]
    fn points_follow_the_outcomes_of_every_order_of_places() {
        // Outcomes by rank from 1 to -1, ties at their mean: a player's points against all others are its outcome on a
        // scale from 0 to 1, whatever the number of seats.
        for seats in 2..=6_usize {
            for code in 0..seats.pow(seats as u32) {
                let places: Vec<usize> = (0..seats).map(|k| code / seats.pow(k as u32) % seats).collect();
                let mean_place = |k: usize| {
                    let better = places.iter().filter(|&&place| place < places[k]).count() as f32;
                    let tied = places.iter().filter(|&&place| place == places[k]).count() as f32;
                    better + (tied - 1.0) / 2.0
                };
                let returns: Vec<f32> =
                    (0..seats).map(|k| 1.0 - 2.0 * mean_place(k) / (seats as f32 - 1.0)).collect();
                let players: Vec<usize> = (0..seats).collect();
                let found = duels(&players, &returns);
                for (player, &outcome) in returns.iter().enumerate() {
                    let points: f64 = found.iter().filter_map(|duel| duel.points_of(player)).sum();
                    let share = points / (seats as f64 - 1.0);
                    assert!((2.0 * share - 1.0 - f64::from(outcome)).abs() < 1e-6, "{returns:?}");
                }
            }
            assert_eq!((share_of_place(0, seats), share_of_place(seats - 1, seats)), (1.0, 0.0));
        }
    }
}
