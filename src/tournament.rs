//! Round robin between bots, with Elo ratings and error margins.
//!
//! Every pair of bots plays the same number of games from either side. In games of more than two seats the
//! two bots take alternate seats, and who has the higher mean outcome wins the game.

use std::sync::Arc;

use serde::Serialize;

use crate::engine::{AnyGame, BatchConfig, Error, ObservationFormat, Result};

/// One bot's place.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Standing {
    /// The bot.
    pub bot: String,
    /// Maximum-likelihood Elo rating; the mean of all bots is 0.
    pub elo: f64,
    /// Half-width of the 95 % confidence interval of `elo`.
    pub margin: f64,
    /// Games played.
    pub games: u64,
    /// Points: 1 a win, 1/2 a draw.
    pub points: f64,
}

/// What a pair of bots played.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pairing {
    /// The two bots.
    pub bots: [String; 2],
    /// Games played.
    pub games: u64,
    /// Points of the first one.
    pub points: f64,
}

/// The result of a tournament.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Table {
    /// The bots, best first.
    pub standings: Vec<Standing>,
    /// All pairs.
    pub pairings: Vec<Pairing>,
}

/// Plays `games` games between every two of `bots` (rounded up to an even number) and rates them.
///
/// `report` is called with the number of pairings played and in all.
///
/// # Errors
/// [`Error::InvalidConfig`] for fewer than two bots, one named twice, an unknown one, or a game of one seat.
pub fn round_robin(
    game: &Arc<dyn AnyGame>,
    bots: &[String],
    games: u64,
    seed: u64,
    threads: Option<usize>,
    mut report: impl FnMut(usize, usize),
) -> Result<Table> {
    let seats = game.spec().players;
    if bots.len() < 2 || (1..bots.len()).any(|i| bots[..i].contains(&bots[i])) {
        return Err(Error::config("a tournament needs at least two different bots"));
    }
    if seats < 2 {
        return Err(Error::config("a tournament needs a game of at least two players"));
    }
    if games == 0 {
        return Err(Error::config("games=0: at least 1 is needed"));
    }
    let pairs: Vec<(usize, usize)> =
        (0..bots.len()).flat_map(|a| (a + 1..bots.len()).map(move |b| (a, b))).collect();
    let half = games.div_ceil(2);
    let mut points = Vec::new();
    for (done, &(a, b)) in pairs.iter().enumerate() {
        report(done, pairs.len());
        let mut won = 0.0;
        for side in 0..2 {
            let sides = if side == 0 { [a, b] } else { [b, a] };
            let names: Vec<String> = (0..seats).map(|s| bots[sides[s % 2]].clone()).collect();
            let config = BatchConfig {
                num_envs: half.min(256) as usize,
                seed: seed.wrapping_add((done * 2 + side) as u64),
                threads,
                observation: ObservationFormat::None,
                ..BatchConfig::default()
            };
            let of_first = match_points(game, config, &names, half)?;
            won += if side == 0 { of_first } else { half as f64 - of_first };
        }
        points.push(won);
    }
    report(pairs.len(), pairs.len());
    let played = (2 * half) as f64;
    let (elo, margin) = rate(bots.len(), &pairs, &points, played);
    let mut standings: Vec<Standing> = (0..bots.len())
        .map(|i| Standing {
            bot: bots[i].clone(),
            elo: elo[i],
            margin: margin[i],
            games: 2 * half * (bots.len() as u64 - 1),
            points: pairs
                .iter()
                .zip(&points)
                .map(|(&(a, b), p)| {
                    if a == i {
                        *p
                    } else if b == i {
                        played - p
                    } else {
                        0.0
                    }
                })
                .sum(),
        })
        .collect();
    standings.sort_by(|x, y| y.elo.total_cmp(&x.elo));
    let pairings = pairs
        .iter()
        .zip(&points)
        .map(|(&(a, b), &points)| Pairing {
            bots: [bots[a].clone(), bots[b].clone()],
            games: 2 * half,
            points,
        })
        .collect();
    Ok(Table { standings, pairings })
}

/// Points of the bot in the even seats over `games` games; a truncated game is a draw.
fn match_points(game: &Arc<dyn AnyGame>, config: BatchConfig, names: &[String], games: u64) -> Result<f64> {
    let n = config.num_envs;
    let mut env = game.clone().vector(config)?;
    let mut quota: Vec<u64> =
        (0..n as u64).map(|i| games / n as u64 + u64::from(i < games % n as u64)).collect();
    let mut left = games;
    let mut actions = vec![0; n];
    let mut points = 0.0;
    while left > 0 {
        env.bot_actions(None, names, &mut actions)?;
        env.step(&actions)?;
        let columns = env.columns();
        for (i, quota) in quota.iter_mut().enumerate() {
            if columns.terminated[i] + columns.truncated[i] == 0 || *quota == 0 {
                continue;
            }
            *quota -= 1;
            left -= 1;
            let returns = &columns.final_returns[i * names.len()..(i + 1) * names.len()];
            let mean = |first: usize| {
                let side: Vec<f32> = returns.iter().skip(first).step_by(2).copied().collect();
                side.iter().sum::<f32>() / side.len() as f32
            };
            let lead = mean(0) - mean(1);
            points += if lead.abs() < 1e-6 || columns.truncated[i] > 0 {
                0.5
            } else {
                f64::from(u8::from(lead > 0.0))
            };
        }
    }
    Ok(points)
}

/// Maximum-likelihood ratings of the logistic model, mean 0, with 95 % margins from the information matrix.
///
/// One virtual draw a pair keeps ratings finite when somebody wins every game.
fn rate(n: usize, pairs: &[(usize, usize)], points: &[f64], played: f64) -> (Vec<f64>, Vec<f64>) {
    const SCALE: f64 = std::f64::consts::LN_10 / 400.0;
    let total = played + 1.0;
    let expected = |elo: &[f64], a: usize, b: usize| 1.0 / (1.0 + (-(elo[a] - elo[b]) * SCALE).exp());
    let mut elo = vec![0.0; n];
    // Damped gradient steps on a concave function; a few bots converge in well under a thousand.
    for _ in 0..20_000 {
        let mut gradient = vec![0.0; n];
        let mut curvature = vec![1e-12; n];
        for (&(a, b), p) in pairs.iter().zip(points) {
            let e = expected(&elo, a, b);
            let surplus = p + 0.5 - total * e;
            gradient[a] += surplus;
            gradient[b] -= surplus;
            let c = total * e * (1.0 - e) * SCALE;
            curvature[a] += c;
            curvature[b] += c;
        }
        let mut largest: f64 = 0.0;
        for i in 0..n {
            let step = (gradient[i] / curvature[i] / 2.0).clamp(-200.0, 200.0);
            elo[i] += step;
            largest = largest.max(step.abs());
        }
        let mean = elo.iter().sum::<f64>() / n as f64;
        elo.iter_mut().for_each(|e| *e -= mean);
        if largest < 1e-6 {
            break;
        }
    }
    // The information matrix is a graph Laplacian; with the constraint "mean 0" its inverse is that of
    // Laplacian + J/n, less J/n.
    let mut matrix = vec![vec![1.0 / n as f64; n]; n];
    for &(a, b) in pairs {
        let e = expected(&elo, a, b);
        let weight = total * e * (1.0 - e) * SCALE * SCALE;
        matrix[a][a] += weight;
        matrix[b][b] += weight;
        matrix[a][b] -= weight;
        matrix[b][a] -= weight;
    }
    let inverse = invert(matrix);
    let margin = (0..n).map(|i| 1.96 * (inverse[i][i] - 1.0 / n as f64).max(0.0).sqrt()).collect();
    (elo, margin)
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
        for (j, other) in m.iter_mut().enumerate().filter(|(j, _)| *j != i) {
            let _ = j;
            let factor = other[i];
            other.iter_mut().zip(&row).for_each(|(x, r)| *x -= factor * r);
        }
    }
    m.into_iter().map(|row| row[n..].to_vec()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_reproduce_the_expected_scores() {
        // 3 bots 0, 100 and 300 points apart play 1000 games a pair with exactly the expected results.
        let truth = [-400.0 / 3.0, -100.0 / 3.0, 500.0 / 3.0];
        let pairs = [(0, 1), (0, 2), (1, 2)];
        let points: Vec<f64> = pairs
            .iter()
            .map(|&(a, b): &(usize, usize)| 1000.0 / (1.0 + 10f64.powf((truth[b] - truth[a]) / 400.0)))
            .collect();
        let (elo, margin) = rate(3, &pairs, &points, 1000.0);
        assert!(elo.iter().zip(truth).all(|(a, b)| (a - b).abs() < 1.0), "{elo:?}");
        assert!(margin.iter().all(|&m| m > 5.0 && m < 30.0), "{margin:?}");
        let (_, wider) = rate(3, &pairs, &points.iter().map(|p| p / 100.0).collect::<Vec<_>>(), 10.0);
        assert!(wider[0] > 5.0 * margin[0]);
    }

    #[test]
    fn a_clean_sweep_has_a_finite_rating() {
        let (elo, margin) = rate(2, &[(0, 1)], &[10.0], 10.0);
        assert!(elo[0] > 100.0 && elo[0] < 1000.0 && margin[0].is_finite());
    }
}
