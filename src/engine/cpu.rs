//! What the processor can do, asked at run time.
//!
//! Builds with debug assertions, which tests are, can be told to do without: with `LUDOVEC_AVX512=off` in the environment they
//! take the paths of processors without AVX-512, with `LUDOVEC_AVX2=off` those of processors without AVX2 as well.

use std::sync::LazyLock;

/// Whether the processor has every one of these features, all of them parts of AVX-512.
macro_rules! has_avx512 {
    ($($feature:tt),+) => {
        $(std::arch::is_x86_feature_detected!($feature) &&)+ !$crate::engine::cpu::avx512_is_off()
    };
}
pub(crate) use has_avx512;

/// Whether the processor has AVX2.
#[inline(always)]
pub fn has_avx2() -> bool {
    static OFF: LazyLock<bool> = LazyLock::new(|| is_off("LUDOVEC_AVX2"));
    std::arch::is_x86_feature_detected!("avx2") && !(cfg!(debug_assertions) && *OFF)
}

/// Whether the paths for AVX-512 are switched off.
#[inline(always)]
pub(crate) fn avx512_is_off() -> bool {
    static OFF: LazyLock<bool> = LazyLock::new(|| is_off("LUDOVEC_AVX512") || is_off("LUDOVEC_AVX2"));
    cfg!(debug_assertions) && *OFF
}

/// Whether the environment says that something is off.
fn is_off(variable: &str) -> bool {
    std::env::var(variable).is_ok_and(|setting| setting == "off")
}

/// A feature that this program was compiled for and the processor lacks: nothing else of it can run there.
///
/// Builds in the checkout are for the level x86-64-v3 (`.cargo/config.toml`). The processor is asked bit by bit and by
/// nothing but plain instructions: detection as the standard library has it takes for granted what a build is for.
#[inline(never)]
pub fn missing_feature() -> Option<&'static str> {
    use core::arch::x86_64::{__cpuid, __cpuid_count};
    #[allow(unused_unsafe, reason = "safe since the intrinsics became safe on processors that have them")]
    // Safety: every x86-64 processor has the instruction; leaves beyond its last say nothing that is believed.
    let (basic, extended, more) = unsafe {
        let last = __cpuid(0).eax;
        let extended = if last < 7 { 0 } else { __cpuid_count(7, 0).ebx };
        (__cpuid(1).ecx, extended, __cpuid(0x8000_0001).ecx)
    };
    macro_rules! first_missing {
        ($($feature:tt: $bits:ident $bit:literal,)*) => {
            $(if cfg!(target_feature = $feature) && $bits & 1 << $bit == 0 {
                return Some($feature);
            })*
        };
    }
    first_missing! {
        "sse3": basic 0,
        "ssse3": basic 9,
        "fma": basic 12,
        "sse4.1": basic 19,
        "sse4.2": basic 20,
        "movbe": basic 22,
        "popcnt": basic 23,
        "avx": basic 28,
        "f16c": basic 29,
        "bmi1": extended 3,
        "avx2": extended 5,
        "bmi2": extended 8,
        "lzcnt": more 5,
    }
    None
}
