//! Multiply-add with one rounding.

/// `a * b + c`, rounded once, by the processor's instruction where the build assumes one.
#[inline(always)]
pub(super) fn fused(a: f32, b: f32, c: f32) -> f32 {
    if cfg!(any(target_feature = "fma", target_arch = "aarch64")) {
        a.mul_add(b, c)
    } else {
        emulated(a, b, c)
    }
}

/// The same in double precision: the product is exact, and the sum is rounded to odd, so rounding it to single
/// precision gives the nearest number.
#[inline(always)]
pub(super) fn emulated(a: f32, b: f32, c: f32) -> f32 {
    let (product, c) = (f64::from(a) * f64::from(b), f64::from(c));
    let sum = product + c;
    let part = sum - product;
    let error = (product - (sum - part)) + (c - part);
    let bits = sum.to_bits();
    // Errors of overflowing sums are NaN, which is not nearer to either side.
    let toward = match (error > 0.0, error < 0.0) {
        (false, false) => 0,
        (up, _) if up == (sum > 0.0) => 1,
        _ => u64::MAX,
    };
    let odd = if bits & 1 == 0 { bits.wrapping_add(toward) } else { bits };
    f64::from_bits(odd) as f32
}
