//! Vectors of x86-64.

use std::arch::is_x86_feature_detected;
use std::arch::x86_64::*;

use super::Lanes;
use crate::engine::CpuLevel;

/// Two vectors of AVX2.
#[derive(Clone, Copy)]
pub(in super::super) struct Avx2;

/// A vector of AVX-512, and AVX2 for integers.
#[derive(Clone, Copy)]
pub(in super::super) struct Avx512;

/// AVX-512 with its dot products of bytes (2019: Cascade Lake; 2022: Zen 4).
#[derive(Clone, Copy)]
pub(in super::super) struct Avx512Vnni;

/// Whether the processor has [`Avx2`]; the level does not name all of its instructions.
#[inline]
pub(in super::super) fn has_avx2() -> bool {
    CpuLevel::Avx2.is_available() && is_x86_feature_detected!("fma") && is_x86_feature_detected!("f16c")
}

/// Whether the processor has these dot products.
#[inline]
pub(in super::super) fn has_vnni() -> bool {
    is_x86_feature_detected!("avx512vnni")
}

/// Integers in AVX2: products of 16 bits, added in pairs. Lane pairs hold parts of the sums.
macro_rules! pairs_of_words {
    () => {
        type Sums = [__m256i; 4];
        type Weights = [__m256i; 4];
        type Inputs = __m256i;

        #[inline(always)]
        unsafe fn zero() -> Self::Sums {
            // Safety: the caller has the instructions.
            [unsafe { _mm256_setzero_si256() }; 4]
        }
        #[inline(always)]
        unsafe fn weights(from: *const i8) -> Self::Weights {
            // Safety: the caller has 64 weights there.
            unsafe {
                let part = |i: usize| _mm256_cvtepi8_epi16(_mm_loadu_si128(from.add(16 * i).cast()));
                [part(0), part(1), part(2), part(3)]
            }
        }
        #[inline(always)]
        unsafe fn inputs(from: *const u8) -> Self::Inputs {
            // Safety: the caller has four inputs there.
            unsafe {
                let four = _mm_set1_epi32(from.cast::<i32>().read_unaligned());
                _mm256_cvtepu8_epi16(four)
            }
        }
        #[inline(always)]
        unsafe fn dot(mut sums: Self::Sums, weights: Self::Weights, inputs: Self::Inputs) -> Self::Sums {
            for (sums, weights) in sums.iter_mut().zip(weights) {
                // Safety: the caller has the instructions.
                *sums = unsafe { _mm256_add_epi32(*sums, _mm256_madd_epi16(weights, inputs)) };
            }
            sums
        }
    };
}

/// The sums of [`pairs_of_words`], eight and eight.
#[inline(always)]
unsafe fn eights(sums: [__m256i; 4], start: *const i32) -> [__m256; 2] {
    // Safety: the caller has 16 numbers there.
    unsafe {
        let eight = |a, b, start: *const i32| {
            let sums = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_hadd_epi32(a, b));
            _mm256_cvtepi32_ps(_mm256_add_epi32(sums, _mm256_loadu_si256(start.cast())))
        };
        [eight(sums[0], sums[1], start), eight(sums[2], sums[3], start.add(8))]
    }
}

impl Lanes for Avx2 {
    type Floats = [__m256; 2];
    const FLOATS: usize = 6;
    const SUMS: usize = 2;
    pairs_of_words! {}

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self::Floats {
        // Safety: the caller has 16 numbers there.
        unsafe { [_mm256_loadu_ps(from), _mm256_loadu_ps(from.add(8))] }
    }
    #[inline(always)]
    unsafe fn load_half(from: *const u16) -> Self::Floats {
        // Safety: the caller has 16 numbers there.
        unsafe {
            [
                _mm256_cvtph_ps(_mm_loadu_si128(from.cast())),
                _mm256_cvtph_ps(_mm_loadu_si128(from.add(8).cast())),
            ]
        }
    }
    #[inline(always)]
    unsafe fn store(to: *mut f32, x: Self::Floats) {
        // Safety: the caller has room for 16 numbers there.
        unsafe {
            _mm256_storeu_ps(to, x[0]);
            _mm256_storeu_ps(to.add(8), x[1]);
        }
    }
    #[inline(always)]
    unsafe fn splat(x: f32) -> Self::Floats {
        // Safety: the caller has the instructions, here and below.
        unsafe { [_mm256_set1_ps(x); 2] }
    }
    #[inline(always)]
    unsafe fn fused(a: Self::Floats, b: Self::Floats, c: Self::Floats) -> Self::Floats {
        // Safety: as above.
        unsafe { [_mm256_fmadd_ps(a[0], b[0], c[0]), _mm256_fmadd_ps(a[1], b[1], c[1])] }
    }
    #[inline(always)]
    unsafe fn add(a: Self::Floats, b: Self::Floats) -> Self::Floats {
        // Safety: as above.
        unsafe { [_mm256_add_ps(a[0], b[0]), _mm256_add_ps(a[1], b[1])] }
    }
    #[inline(always)]
    unsafe fn multiply(a: Self::Floats, b: Self::Floats) -> Self::Floats {
        // Safety: as above.
        unsafe { [_mm256_mul_ps(a[0], b[0]), _mm256_mul_ps(a[1], b[1])] }
    }
    #[inline(always)]
    unsafe fn larger(magnitudes: Self::Floats, x: Self::Floats) -> Self::Floats {
        // Safety: as above.
        unsafe {
            let mask = _mm256_set1_epi32(0x7fff_ffff);
            let larger = |most, x| {
                let x = _mm256_and_si256(_mm256_castps_si256(x), mask);
                _mm256_castsi256_ps(_mm256_max_epu32(_mm256_castps_si256(most), x))
            };
            [larger(magnitudes[0], x[0]), larger(magnitudes[1], x[1])]
        }
    }
    #[inline(always)]
    unsafe fn relu(x: Self::Floats) -> Self::Floats {
        // Safety: as above. The second operand is the result if one is not a number.
        unsafe {
            let zero = _mm256_setzero_ps();
            [_mm256_max_ps(x[0], zero), _mm256_max_ps(x[1], zero)]
        }
    }
    #[inline(always)]
    unsafe fn finish(sums: Self::Sums, start: *const i32) -> Self::Floats {
        // Safety: the caller has 16 numbers there.
        unsafe { eights(sums, start) }
    }

    type WordSums = [__m256i; 2];
    type WordWeights = [__m256i; 2];
    type WordInputs = __m256i;
    const WORD_SUMS: usize = 6;

    #[inline(always)]
    unsafe fn word_zero() -> Self::WordSums {
        // Safety: the caller has the instructions, here and below.
        [unsafe { _mm256_setzero_si256() }; 2]
    }
    #[inline(always)]
    unsafe fn word_weights(from: *const i16) -> Self::WordWeights {
        // Safety: the caller has 32 weights there.
        unsafe { [_mm256_loadu_si256(from.cast()), _mm256_loadu_si256(from.add(16).cast())] }
    }
    #[inline(always)]
    unsafe fn word_inputs(from: *const i16) -> Self::WordInputs {
        // Safety: the caller has two inputs there.
        unsafe { _mm256_set1_epi32(from.cast::<i32>().read_unaligned()) }
    }
    #[inline(always)]
    unsafe fn word_dot(
        sums: Self::WordSums,
        weights: Self::WordWeights,
        inputs: Self::WordInputs,
    ) -> Self::WordSums {
        // Safety: as above.
        unsafe {
            [
                _mm256_add_epi32(sums[0], _mm256_madd_epi16(weights[0], inputs)),
                _mm256_add_epi32(sums[1], _mm256_madd_epi16(weights[1], inputs)),
            ]
        }
    }
    #[inline(always)]
    unsafe fn word_finish(sums: Self::WordSums) -> Self::Floats {
        // Safety: as above.
        unsafe { [_mm256_cvtepi32_ps(sums[0]), _mm256_cvtepi32_ps(sums[1])] }
    }
}

/// Single precision in AVX-512.
macro_rules! one_vector {
    () => {
        type Floats = __m512;
        const FLOATS: usize = 24;

        #[inline(always)]
        unsafe fn load(from: *const f32) -> Self::Floats {
            // Safety: the caller has 16 numbers there.
            unsafe { _mm512_loadu_ps(from) }
        }
        #[inline(always)]
        unsafe fn load_half(from: *const u16) -> Self::Floats {
            // Safety: the caller has 16 numbers there.
            unsafe { _mm512_cvtph_ps(_mm256_loadu_si256(from.cast())) }
        }
        #[inline(always)]
        unsafe fn store(to: *mut f32, x: Self::Floats) {
            // Safety: the caller has room for 16 numbers there.
            unsafe { _mm512_storeu_ps(to, x) }
        }
        #[inline(always)]
        unsafe fn splat(x: f32) -> Self::Floats {
            // Safety: the caller has the instructions, here and below.
            unsafe { _mm512_set1_ps(x) }
        }
        #[inline(always)]
        unsafe fn fused(a: Self::Floats, b: Self::Floats, c: Self::Floats) -> Self::Floats {
            // Safety: as above.
            unsafe { _mm512_fmadd_ps(a, b, c) }
        }
        #[inline(always)]
        unsafe fn add(a: Self::Floats, b: Self::Floats) -> Self::Floats {
            // Safety: as above.
            unsafe { _mm512_add_ps(a, b) }
        }
        #[inline(always)]
        unsafe fn multiply(a: Self::Floats, b: Self::Floats) -> Self::Floats {
            // Safety: as above.
            unsafe { _mm512_mul_ps(a, b) }
        }
        #[inline(always)]
        unsafe fn larger(magnitudes: Self::Floats, x: Self::Floats) -> Self::Floats {
            // Safety: as above.
            unsafe {
                let x = _mm512_and_si512(_mm512_castps_si512(x), _mm512_set1_epi32(0x7fff_ffff));
                _mm512_castsi512_ps(_mm512_max_epu32(_mm512_castps_si512(magnitudes), x))
            }
        }
        #[inline(always)]
        unsafe fn relu(x: Self::Floats) -> Self::Floats {
            // Safety: as above. The second operand is the result if one is not a number.
            unsafe { _mm512_max_ps(x, _mm512_setzero_ps()) }
        }

        type WordSums = __m512i;
        type WordWeights = __m512i;
        type WordInputs = __m512i;
        const WORD_SUMS: usize = 24;

        #[inline(always)]
        unsafe fn word_zero() -> Self::WordSums {
            // Safety: as above.
            unsafe { _mm512_setzero_si512() }
        }
        #[inline(always)]
        unsafe fn word_weights(from: *const i16) -> Self::WordWeights {
            // Safety: the caller has 32 weights there.
            unsafe { _mm512_loadu_si512(from.cast()) }
        }
        #[inline(always)]
        unsafe fn word_inputs(from: *const i16) -> Self::WordInputs {
            // Safety: the caller has two inputs there.
            unsafe { _mm512_set1_epi32(from.cast::<i32>().read_unaligned()) }
        }
        #[inline(always)]
        unsafe fn word_finish(sums: Self::WordSums) -> Self::Floats {
            // Safety: as above.
            unsafe { _mm512_cvtepi32_ps(sums) }
        }
    };
}

impl Lanes for Avx512 {
    const SUMS: usize = 4;
    one_vector! {}
    pairs_of_words! {}

    #[inline(always)]
    unsafe fn finish(sums: Self::Sums, start: *const i32) -> Self::Floats {
        // Safety: the caller has 16 numbers there.
        unsafe {
            let [low, high] = eights(sums, start);
            _mm512_insertf32x8::<1>(_mm512_castps256_ps512(low), high)
        }
    }
    #[inline(always)]
    unsafe fn word_dot(
        sums: Self::WordSums,
        weights: Self::WordWeights,
        inputs: Self::WordInputs,
    ) -> Self::WordSums {
        // Safety: the caller has the instructions.
        unsafe { _mm512_add_epi32(sums, _mm512_madd_epi16(weights, inputs)) }
    }
}

impl Lanes for Avx512Vnni {
    type Sums = __m512i;
    type Weights = __m512i;
    type Inputs = __m512i;
    const SUMS: usize = 24;
    one_vector! {}

    #[inline(always)]
    unsafe fn zero() -> Self::Sums {
        // Safety: the caller has the instructions.
        unsafe { _mm512_setzero_si512() }
    }
    #[inline(always)]
    unsafe fn weights(from: *const i8) -> Self::Weights {
        // Safety: the caller has 64 weights there.
        unsafe { _mm512_loadu_si512(from.cast()) }
    }
    #[inline(always)]
    unsafe fn inputs(from: *const u8) -> Self::Inputs {
        // Safety: the caller has four inputs there.
        unsafe { _mm512_set1_epi32(from.cast::<i32>().read_unaligned()) }
    }
    #[inline(always)]
    unsafe fn dot(sums: Self::Sums, weights: Self::Weights, inputs: Self::Inputs) -> Self::Sums {
        // Safety: the caller has the instructions.
        unsafe { _mm512_dpbusd_epi32(sums, inputs, weights) }
    }
    #[inline(always)]
    unsafe fn finish(sums: Self::Sums, start: *const i32) -> Self::Floats {
        // Safety: the caller has 16 numbers there.
        unsafe { _mm512_cvtepi32_ps(_mm512_add_epi32(sums, _mm512_loadu_si512(start.cast()))) }
    }
    #[inline(always)]
    unsafe fn word_dot(
        sums: Self::WordSums,
        weights: Self::WordWeights,
        inputs: Self::WordInputs,
    ) -> Self::WordSums {
        // Safety: the caller has the instructions.
        unsafe { _mm512_dpwssd_epi32(sums, weights, inputs) }
    }
}
