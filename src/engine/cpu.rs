//! What the processor can do, asked at run time.
//!
//! Builds with debug assertions, which tests are, can be told to do without AVX-512: with `LUDOVEC_AVX512=off` in the
//! environment they take the paths that other processors take.

/// Whether the processor has every one of these features, all of them parts of AVX-512.
macro_rules! has_avx512 {
    ($($feature:tt),+) => {
        $(std::arch::is_x86_feature_detected!($feature) &&)+ !$crate::engine::cpu::avx512_is_off()
    };
}
pub(crate) use has_avx512;

/// Whether the paths for AVX-512 are switched off.
#[inline(always)]
pub(crate) fn avx512_is_off() -> bool {
    use std::sync::LazyLock;
    static OFF: LazyLock<bool> =
        LazyLock::new(|| std::env::var("LUDOVEC_AVX512").is_ok_and(|setting| setting == "off"));
    cfg!(debug_assertions) && *OFF
}
