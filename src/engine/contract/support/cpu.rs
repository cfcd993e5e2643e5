//! CPU feature detection at run time: the program selects fast paths when it runs, so one build is fast everywhere.
//!
//! The environment variable `LUDOVEC_CPU` lowers the level, for tests and for timing the paths of other processors.

use std::sync::atomic::{AtomicU8, Ordering};

use crate::contract::options::named::Named;
use crate::contract::support::error::{Error, Result};

/// Instruction set levels with their own fast paths. A processor with one level has all lower levels.
///
/// ```
/// use ludovec_engine::CpuLevel;
/// assert!(CpuLevel::current().is_available());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
#[non_exhaustive]
pub enum CpuLevel {
    /// Portable code: only the instructions that the build assumes.
    Portable = 1,
    /// aarch64 with dot products of bytes (2018: Cortex-A76, Neoverse N1; 2020: Apple M1). The same as portable code
    /// elsewhere.
    DotProducts,
    /// x86-64-v3: AVX2, BMI1, BMI2, LZCNT, POPCNT (2013: Haswell; 2015: Excavator).
    Avx2,
    /// x86-64-v4: the AVX-512 of servers, F, BW, CD, DQ and VL (2017: Skylake-X).
    Avx512,
    /// AVX-512 with VBMI2 (compress) and VPOPCNTDQ (count) in addition (2019: Ice Lake; 2022: Zen 4).
    Avx512Vbmi2,
    /// AMX, tiles with products of bytes, in addition to AVX-512 with VNNI (2023: Sapphire Rapids). Linux only.
    Amx,
}

impl Named for CpuLevel {
    const NAMES: &'static [(&'static str, Self)] = &[
        ("portable", Self::Portable),
        ("dotprod", Self::DotProducts),
        ("avx2", Self::Avx2),
        ("avx512", Self::Avx512),
        ("avx512vbmi2", Self::Avx512Vbmi2),
        ("amx", Self::Amx),
    ];
}

impl CpuLevel {
    /// The highest level that there is.
    pub const HIGHEST: Self = Self::Amx;

    /// The level in use: the processor's, or `LUDOVEC_CPU` if lower.
    #[must_use]
    pub fn current() -> Self {
        let levels = [Self::Amx, Self::Avx512Vbmi2, Self::Avx512, Self::Avx2, Self::DotProducts];
        levels.into_iter().find(|level| level.is_available()).unwrap_or(Self::Portable)
    }

    /// Whether fast paths of this level are in use.
    #[inline(always)]
    pub fn is_available(self) -> bool {
        let known = CURRENT.load(Ordering::Relaxed);
        self as u8 <= if known > 0 { known } else { first_look() }
    }

    /// Limits the fast paths to this level from now on; levels that the processor lacks stay off. All levels give the
    /// same bytes, so they can be timed and compared in one process.
    pub fn limit_to(self) {
        CURRENT.store(highest_level().min(self) as u8, Ordering::Relaxed);
    }

    /// The maximum level allowed by `LUDOVEC_CPU`.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] if the variable does not name a level.
    pub fn limit() -> Result<Option<Self>> {
        let Some(value) = std::env::var_os("LUDOVEC_CPU") else { return Ok(None) };
        value.to_str().and_then(Self::named).map(Some).ok_or_else(|| {
            let names = Self::NAMES.iter().map(|(name, _)| *name).collect::<Vec<_>>();
            Error::config(format!("LUDOVEC_CPU={}: {} are allowed", value.display(), names.join(", ")))
        })
    }
}

/// The level in use; 0 before the first query.
static CURRENT: AtomicU8 = AtomicU8::new(0);

/// Detects the level from the processor and the environment variable, and stores it.
#[cold]
#[inline(never)]
fn first_look() -> u8 {
    // An invalid name is ignored here: programs reject it at start.
    let limit = CpuLevel::limit().ok().flatten().unwrap_or(CpuLevel::HIGHEST);
    let level = highest_level().min(limit) as u8;
    CURRENT.store(level, Ordering::Relaxed);
    level
}

/// The highest level of the processor.
fn highest_level() -> CpuLevel {
    #[cfg(target_arch = "x86_64")]
    {
        macro_rules! has {
            ($($feature:tt)+) => { true $(&& std::arch::is_x86_feature_detected!($feature))+ };
        }
        if !has!("avx2" "bmi1" "bmi2" "lzcnt" "popcnt") {
            CpuLevel::Portable
        } else if !has!("avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl") {
            CpuLevel::Avx2
        } else if !has!("avx512vbmi2" "avx512vpopcntdq") {
            CpuLevel::Avx512
        } else if !(has!("avx512vnni" "xsave") && has_amx()) {
            CpuLevel::Avx512Vbmi2
        } else {
            CpuLevel::Amx
        }
    }
    #[cfg(target_arch = "aarch64")]
    if std::arch::is_aarch64_feature_detected!("dotprod") {
        return CpuLevel::DotProducts;
    }
    #[cfg(not(target_arch = "x86_64"))]
    CpuLevel::Portable
}

/// Whether the processor has AMX with products of bytes, and the system supports it. The standard library's detection
/// of it is not stable.
#[cfg(target_arch = "x86_64")]
fn has_amx() -> bool {
    use core::arch::x86_64::{__cpuid_count, _xgetbv};
    /// Bits of `cpuid`: AMX-TILE and AMX-INT8.
    const FEATURES: u32 = 1 << 24 | 1 << 25;
    /// Bits of XCR0: the configuration of tiles and their data.
    const STATE: u64 = 1 << 17 | 1 << 18;

    #[target_feature(enable = "xsave")]
    fn enabled() -> u64 {
        // Safety: every system that enables AVX has the instruction.
        unsafe { _xgetbv(0) }
    }
    if !cfg!(target_os = "linux") {
        return false;
    }
    #[allow(unused_unsafe, reason = "safe since the intrinsics became safe on processors that have them")]
    // Safety: the caller's processor has AVX-512, so it has the leaf, and the system enables AVX.
    unsafe {
        __cpuid_count(7, 0).edx & FEATURES == FEATURES && enabled() & STATE == STATE
    }
}

/// Function multiversioning: evaluates a call. Builds for older processors compile the call twice, once for the
/// build's target and once for x86-64-v3, and choose at run time. Only code inlined into the call is compiled for
/// x86-64-v3, so the functions between the call and the hot code are `#[inline(always)]`.
#[cfg(all(target_arch = "x86_64", not(target_feature = "avx2")))]
#[doc(hidden)]
#[macro_export]
macro_rules! multiversion {
    ($call:expr) => {
        if $crate::CpuLevel::Avx2.is_available() {
            #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
            fn compiled_for_v3<R>(call: impl FnOnce() -> R) -> R {
                call()
            }
            // Safety: the processor was just checked.
            unsafe { compiled_for_v3(|| $call) }
        } else {
            $call
        }
    };
}

/// Evaluates a call, compiled once: the build already targets x86-64-v3, or another architecture.
#[cfg(not(all(target_arch = "x86_64", not(target_feature = "avx2"))))]
#[doc(hidden)]
#[macro_export]
macro_rules! multiversion {
    ($call:expr) => {
        $call
    };
}

/// A feature that this program was compiled for and the processor lacks. Without it no other code of this program may
/// run.
///
/// Builds in the checkout target x86-64-v3 (`.cargo/config.toml`). The features are read with `cpuid`, bit by bit,
/// because the standard library's detection reports features assumed by the build as present without checking.
#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[must_use]
pub fn missing_feature() -> Option<&'static str> {
    use core::arch::x86_64::{__cpuid, __cpuid_count};
    #[allow(unused_unsafe, reason = "safe since the intrinsics became safe on processors that have them")]
    // Safety: every x86-64 processor has the instruction; leaves beyond the processor's last one are not used.
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
