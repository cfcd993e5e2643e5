//! Noise at the root and draws by visits. Logarithms are from `libm`, which gives the same bits on every machine.

use crate::contract::chance::Chance;
use crate::search::tree::{ROOT, Tree};

/// A number in the open interval (0, 1).
pub(super) fn unit(chance: &mut impl Chance) -> f32 {
    const STEPS: u32 = 1 << 23;
    (chance.uniform(STEPS) as f32 + 0.5) / STEPS as f32
}

/// Standard Gumbel noise.
pub(super) fn gumbel(chance: &mut impl Chance) -> f32 {
    -libm::logf(-libm::logf(unit(chance)))
}

/// Standard normal noise, by the Box-Muller method.
fn normal(chance: &mut impl Chance) -> f64 {
    let (radius, angle) = (f64::from(unit(chance)), f64::from(unit(chance)));
    (-2.0 * libm::log(radius)).sqrt() * libm::cos(std::f64::consts::TAU * angle)
}

/// Gamma noise of unit scale, by the method of Marsaglia and Tsang.
fn gamma(shape: f64, chance: &mut impl Chance) -> f64 {
    if shape < 1.0 {
        let boost = libm::pow(f64::from(unit(chance)), 1.0 / shape);
        return gamma(shape + 1.0, chance) * boost;
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = normal(chance);
        let v = (1.0 + c * x).powi(3);
        if v > 0.0 && libm::log(f64::from(unit(chance))) < 0.5 * x * x + d - d * v + d * libm::log(v) {
            return d * v;
        }
    }
}

/// Mixes symmetric Dirichlet noise into probabilities.
pub(super) fn mix_dirichlet(probabilities: &mut [f32], fraction: f32, alpha: f32, chance: &mut impl Chance) {
    let drawn: Vec<f64> = probabilities.iter().map(|_| gamma(alpha.into(), chance)).collect();
    // With a very small alpha, all gamma numbers can underflow to 0.
    let sum = drawn.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    for (probability, drawn) in probabilities.iter_mut().zip(drawn) {
        *probability = (1.0 - fraction) * *probability + fraction * (drawn / sum) as f32;
    }
}

/// The expanded action of the root selected by the uniform `draw` in [0, 1), with probabilities proportional
/// to `visits^(1 / temperature)`.
pub(super) fn by_visits(tree: &Tree, draw: f32, temperature: f32) -> usize {
    let expanded = tree.expanded(ROOT);
    let most = expanded.open().map(|i| expanded.visits(i)).max().unwrap_or(1).max(1);
    let share = |i: usize| libm::powf(expanded.visits(i) as f32 / most as f32, 1.0 / temperature);
    let total: f32 = expanded.open().map(share).sum();
    let mut left = draw * total;
    for i in expanded.open() {
        left -= share(i);
        if left < 0.0 {
            return i;
        }
    }
    expanded.open().filter(|&i| expanded.visits(i) > 0).last().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::chance::SeededChance;

    #[test]
    fn noise_has_its_mean_and_variance() {
        let mut chance = SeededChance::from_seed(1);
        let mut check = |mean: f64, variance: f64, draw: &mut dyn FnMut(&mut SeededChance) -> f64| {
            let n = 40_000;
            let drawn: Vec<f64> = (0..n).map(|_| draw(&mut chance)).collect();
            let measured = drawn.iter().sum::<f64>() / f64::from(n);
            let spread = drawn.iter().map(|x| (x - measured).powi(2)).sum::<f64>() / f64::from(n);
            assert!(
                (measured - mean).abs() < 5.0 * (variance / f64::from(n)).sqrt(),
                "mean {measured}, not {mean}"
            );
            assert!((spread / variance - 1.0).abs() < 0.1, "variance {spread}, not {variance}");
        };
        check(0.5, 1.0 / 12.0, &mut |chance| unit(chance).into());
        check(0.0, 1.0, &mut |chance| normal(chance));
        check(0.577_216, std::f64::consts::PI.powi(2) / 6.0, &mut |chance| gumbel(chance).into());
        for shape in [0.3, 1.0, 4.0] {
            check(shape, shape, &mut |chance| gamma(shape, chance));
        }
    }

    #[test]
    fn dirichlet_noise_keeps_probabilities() {
        let mut chance = SeededChance::from_seed(2);
        for alpha in [1e-3, 0.3, 10.0] {
            let mut probabilities = [0.5, 0.25, 0.25];
            mix_dirichlet(&mut probabilities, 0.25, alpha, &mut chance);
            assert!((probabilities.iter().sum::<f32>() - 1.0).abs() < 1e-5, "{probabilities:?}");
            assert!(probabilities[0] >= 0.375 - 1e-6);
        }
    }
}
