//! Plackett-Luce ratings of games with several players: the model of the Python package openskill.
//!
//! Weng and Lin (2011), "A Bayesian approximation method for online ranking", algorithm 4. A rating is a normal
//! distribution of skill, updated game by game; tied players share a place.

use super::standings::GameResult;

/// The mean of a new player's skill.
const MU: f64 = 25.0;
/// The standard deviation of a new player's skill.
const SIGMA: f64 = MU / 3.0;
/// The standard deviation of a performance around the skill.
const BETA: f64 = MU / 6.0;
/// Growth of the standard deviation before every game.
const TAU: f64 = MU / 300.0;
/// Lower bound of the factor by which a game reduces a variance.
const KAPPA: f64 = 1e-4;

/// A player's skill.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Skill {
    pub(super) mu: f64,
    pub(super) sigma: f64,
}

/// Skills of `n` players after `games`, in this order.
///
/// A player with several seats has the place of its best one.
pub(super) fn rate<'a>(n: usize, games: impl Iterator<Item = &'a GameResult>) -> Vec<Skill> {
    let mut skills = vec![Skill { mu: MU, sigma: SIGMA }; n];
    for game in games {
        let mut best: Vec<(usize, f32)> = Vec::new();
        for (&player, &value) in game.seats.iter().zip(&game.returns) {
            match best.iter_mut().find(|(known, _)| *known == player) {
                Some((_, known)) => *known = known.max(value),
                None => best.push((player, value)),
            }
        }
        update(&mut skills, &best);
    }
    skills
}

/// Updates the skills of a game's players by their outcomes.
fn update(skills: &mut [Skill], outcomes: &[(usize, f32)]) {
    if outcomes.len() < 2 {
        return;
    }
    let before: Vec<(f64, f64)> = outcomes
        .iter()
        .map(|&(player, _)| (skills[player].mu, skills[player].sigma.powi(2) + TAU * TAU))
        .collect();
    let c = before.iter().map(|(_, variance)| variance + BETA * BETA).sum::<f64>().sqrt();
    let strength = |i: usize| (before[i].0 / c).exp();
    let count = outcomes.len();
    // For the place of each player: the total strength of players not above it, and the number of players on it.
    let rest: Vec<f64> = (0..count)
        .map(|q| (0..count).filter(|&i| outcomes[i].1 <= outcomes[q].1).map(strength).sum())
        .collect();
    let tied: Vec<f64> = (0..count)
        .map(|q| (0..count).filter(|&i| outcomes[i].1.total_cmp(&outcomes[q].1).is_eq()).count() as f64)
        .collect();
    for (i, &(player, outcome)) in outcomes.iter().enumerate() {
        let (mut omega, mut delta) = (0.0, 0.0);
        for q in (0..count).filter(|&q| outcomes[q].1 >= outcome) {
            let chance = strength(i) / rest[q];
            delta += chance * (1.0 - chance) / tied[q];
            omega += (f64::from(u8::from(q == i)) - chance) / tied[q];
        }
        let (mu, variance) = before[i];
        let gamma = variance.sqrt() / c;
        let shrink = (1.0 - gamma * delta * variance / (c * c)).max(KAPPA);
        skills[player] = Skill { mu: mu + omega * variance / c, sigma: (variance * shrink).sqrt() };
    }
}
