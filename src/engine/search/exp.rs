//! An exponential function with bit-identical results on every machine. The standard library uses the platform's
//! function, and platforms differ in the last bit.

/// `e^x` for `x` of at most 88; 0 below -87. The error is below two units in the last place.
///
/// Range reduction to `|r| <= ln(2) / 2`, a polynomial of degree 7 in that range, and the exponent assembled from
/// bits. The code has no fused operations and no branches, so the compiler can vectorize loops over it without
/// changing the results.
#[inline]
#[must_use]
pub fn exp(x: f32) -> f32 {
    // Adding and subtracting 1.5 * 2^23 rounds to the nearest integer.
    const ROUND: f32 = 12_582_912.0;
    // ln(2) in two parts, so that the product with a small integer is exact.
    const LN2_HIGH: f32 = 0.693_359_4;
    const LN2_LOW: f32 = -2.121_944_4e-4;
    let clamped = x.clamp(-87.0, 88.0);
    let rounded = clamped * std::f32::consts::LOG2_E + ROUND;
    let power = rounded - ROUND;
    let r = clamped - power * LN2_HIGH - power * LN2_LOW;
    let coefficients = [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0];
    let polynomial = coefficients.iter().fold(1.0 / 5040.0, |sum, coefficient| sum * r + coefficient);
    let scale = f32::from_bits(((rounded.to_bits() as i32 - ROUND.to_bits() as i32 + 127) << 23) as u32);
    if x < -87.0 { 0.0 } else { polynomial * scale }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_is_as_exact_as_a_float_allows() {
        for i in -8700..=8800 {
            let x = i as f32 / 100.0;
            let exact = f64::from(x).exp();
            let error = (f64::from(exp(x)) - exact).abs() / exact;
            assert!(error < 2.0 * f64::from(f32::EPSILON), "exp({x}) is off by {error}");
        }
        assert_eq!((exp(0.0), exp(-87.1), exp(f32::NEG_INFINITY)), (1.0, 0.0, 0.0));
    }
}
