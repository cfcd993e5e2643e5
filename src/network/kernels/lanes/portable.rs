//! Vectors in the instructions of the build.

#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
use std::arch::aarch64::*;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use std::arch::wasm32::*;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

use super::Lanes;
use crate::kernels::LANES;
use crate::kernels::fused::fused;

/// Code for any processor, in the build's instructions.
#[derive(Clone, Copy)]
pub(in super::super) struct Portable;

#[inline(always)]
fn each(f: impl Fn(usize) -> f32) -> [f32; LANES] {
    let mut y = [0.0; LANES];
    for (i, y) in y.iter_mut().enumerate() {
        *y = f(i);
    }
    y
}

/// The factor between numbers with the exponent of half and of single precision: 2 to the 112.
const HALF_SCALE: f32 = f32::from_bits((127 + 112) << 23);

/// Integers in the instructions that every processor of the architecture has.
#[cfg(target_arch = "x86_64")]
macro_rules! integers {
    () => {
        /// Eight vectors; lane pairs are parts of a sum.
        type Sums = [__m128i; 8];
        type Weights = [__m128i; 8];
        type Inputs = __m128i;
        const SUMS: usize = 1;

        // Safety, here and below: every processor of this architecture has the instructions, and the caller has the
        // elements.
        #[inline(always)]
        unsafe fn zero() -> Self::Sums {
            // Safety: as above.
            [unsafe { _mm_setzero_si128() }; 8]
        }
        #[inline(always)]
        unsafe fn weights(from: *const i8) -> Self::Weights {
            // Safety: as above.
            let mut words = unsafe { Self::zero() };
            for (i, words) in words.chunks_exact_mut(2).enumerate() {
                // Safety: as above.
                unsafe {
                    let bytes = _mm_loadu_si128(from.add(16 * i).cast());
                    words[0] = _mm_srai_epi16::<8>(_mm_unpacklo_epi8(bytes, bytes));
                    words[1] = _mm_srai_epi16::<8>(_mm_unpackhi_epi8(bytes, bytes));
                }
            }
            words
        }
        #[inline(always)]
        unsafe fn inputs(from: *const u8) -> Self::Inputs {
            // Safety: as above.
            unsafe {
                let four = _mm_set1_epi32(from.cast::<i32>().read_unaligned());
                _mm_unpacklo_epi8(four, _mm_setzero_si128())
            }
        }
        #[inline(always)]
        unsafe fn dot(mut sums: Self::Sums, weights: Self::Weights, inputs: Self::Inputs) -> Self::Sums {
            for (sum, weights) in sums.iter_mut().zip(weights) {
                // Safety: as above.
                *sum = unsafe { _mm_add_epi32(*sum, _mm_madd_epi16(weights, inputs)) };
            }
            sums
        }
        #[inline(always)]
        unsafe fn finish(sums: Self::Sums, start: *const i32) -> Self::Floats {
            let mut numbers = [0.0; LANES];
            for i in 0..4 {
                // Safety: as above.
                unsafe {
                    let (a, b) = (_mm_castsi128_ps(sums[2 * i]), _mm_castsi128_ps(sums[2 * i + 1]));
                    let even = _mm_castps_si128(_mm_shuffle_ps::<0b10_00_10_00>(a, b));
                    let odd = _mm_castps_si128(_mm_shuffle_ps::<0b11_01_11_01>(a, b));
                    let start = _mm_loadu_si128(start.add(4 * i).cast());
                    let four = _mm_cvtepi32_ps(_mm_add_epi32(_mm_add_epi32(even, odd), start));
                    _mm_storeu_ps(numbers.as_mut_ptr().add(4 * i), four);
                }
            }
            numbers
        }

        type WordSums = [__m128i; 4];
        type WordWeights = [__m128i; 4];
        type WordInputs = __m128i;
        const WORD_SUMS: usize = 2;

        #[inline(always)]
        unsafe fn word_zero() -> Self::WordSums {
            // Safety: as above.
            [unsafe { _mm_setzero_si128() }; 4]
        }
        #[inline(always)]
        unsafe fn word_weights(from: *const i16) -> Self::WordWeights {
            // Safety: as above.
            let part = |i: usize| unsafe { _mm_loadu_si128(from.add(8 * i).cast()) };
            [part(0), part(1), part(2), part(3)]
        }
        #[inline(always)]
        unsafe fn word_inputs(from: *const i16) -> Self::WordInputs {
            // Safety: as above.
            unsafe { _mm_set1_epi32(from.cast::<i32>().read_unaligned()) }
        }
        #[inline(always)]
        unsafe fn word_dot(
            mut sums: Self::WordSums,
            weights: Self::WordWeights,
            inputs: Self::WordInputs,
        ) -> Self::WordSums {
            for (sum, weights) in sums.iter_mut().zip(weights) {
                // Safety: as above.
                *sum = unsafe { _mm_add_epi32(*sum, _mm_madd_epi16(weights, inputs)) };
            }
            sums
        }
        #[inline(always)]
        unsafe fn word_finish(sums: Self::WordSums) -> Self::Floats {
            let mut numbers = [0.0; LANES];
            for (i, sums) in sums.into_iter().enumerate() {
                // Safety: as above.
                unsafe { _mm_storeu_ps(numbers.as_mut_ptr().add(4 * i), _mm_cvtepi32_ps(sums)) };
            }
            numbers
        }
    };
}

#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
macro_rules! integers {
    () => {
        /// Four parts of every sum.
        type Sums = [int32x4_t; LANES];
        type Weights = [int16x8_t; 8];
        type Inputs = int16x4_t;
        const SUMS: usize = 1;

        // Safety, here and below: every processor of this architecture has the instructions, and the caller has the
        // elements.
        #[inline(always)]
        unsafe fn zero() -> Self::Sums {
            // Safety: as above.
            [unsafe { vdupq_n_s32(0) }; LANES]
        }
        #[inline(always)]
        unsafe fn weights(from: *const i8) -> Self::Weights {
            // Safety: as above.
            let mut words = [unsafe { vdupq_n_s16(0) }; 8];
            for (i, words) in words.iter_mut().enumerate() {
                // Safety: as above.
                *words = unsafe { vmovl_s8(vld1_s8(from.add(8 * i))) };
            }
            words
        }
        #[inline(always)]
        unsafe fn inputs(from: *const u8) -> Self::Inputs {
            // Safety: as above.
            unsafe {
                let four = vcreate_u8(u64::from(from.cast::<u32>().read_unaligned()));
                vreinterpret_s16_u16(vget_low_u16(vmovl_u8(four)))
            }
        }
        #[inline(always)]
        unsafe fn dot(mut sums: Self::Sums, weights: Self::Weights, inputs: Self::Inputs) -> Self::Sums {
            for (sums, weights) in sums.chunks_exact_mut(2).zip(weights) {
                // Safety: as above.
                unsafe {
                    sums[0] = vmlal_s16(sums[0], vget_low_s16(weights), inputs);
                    sums[1] = vmlal_s16(sums[1], vget_high_s16(weights), inputs);
                }
            }
            sums
        }
        #[inline(always)]
        unsafe fn finish(sums: Self::Sums, start: *const i32) -> Self::Floats {
            // Safety: as above.
            let start = unsafe { start.cast::<[i32; LANES]>().read_unaligned() };
            // Safety: as above.
            each(|i| (unsafe { vaddvq_s32(sums[i]) } + start[i]) as f32)
        }

        /// Lane pairs are parts of a sum.
        type WordSums = [int32x4_t; 8];
        type WordWeights = [int16x8_t; 4];
        type WordInputs = int16x4_t;
        const WORD_SUMS: usize = 2;

        #[inline(always)]
        unsafe fn word_zero() -> Self::WordSums {
            // Safety: as above.
            [unsafe { vdupq_n_s32(0) }; 8]
        }
        #[inline(always)]
        unsafe fn word_weights(from: *const i16) -> Self::WordWeights {
            // Safety: as above.
            let part = |i: usize| unsafe { vld1q_s16(from.add(8 * i)) };
            [part(0), part(1), part(2), part(3)]
        }
        #[inline(always)]
        unsafe fn word_inputs(from: *const i16) -> Self::WordInputs {
            // Safety: as above.
            unsafe { vreinterpret_s16_s32(vdup_n_s32(from.cast::<i32>().read_unaligned())) }
        }
        #[inline(always)]
        unsafe fn word_dot(
            mut sums: Self::WordSums,
            weights: Self::WordWeights,
            inputs: Self::WordInputs,
        ) -> Self::WordSums {
            for (sums, weights) in sums.chunks_exact_mut(2).zip(weights) {
                // Safety: as above.
                unsafe {
                    sums[0] = vmlal_s16(sums[0], vget_low_s16(weights), inputs);
                    sums[1] = vmlal_s16(sums[1], vget_high_s16(weights), inputs);
                }
            }
            sums
        }
        #[inline(always)]
        unsafe fn word_finish(sums: Self::WordSums) -> Self::Floats {
            let mut numbers = [0.0; LANES];
            for (i, sums) in sums.chunks_exact(2).enumerate() {
                // Safety: as above.
                unsafe {
                    let four = vcvtq_f32_s32(vpaddq_s32(sums[0], sums[1]));
                    vst1q_f32(numbers.as_mut_ptr().add(4 * i), four);
                }
            }
            numbers
        }
    };
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
macro_rules! integers {
    () => {
        /// Eight vectors; lane pairs are parts of a sum.
        type Sums = [v128; 8];
        type Weights = [v128; 8];
        type Inputs = v128;
        const SUMS: usize = 1;

        // Safety, here and below: the build assumes the instructions, and the caller has the elements.
        #[inline(always)]
        unsafe fn zero() -> Self::Sums {
            [i32x4_splat(0); 8]
        }
        #[inline(always)]
        unsafe fn weights(from: *const i8) -> Self::Weights {
            let mut words = [i32x4_splat(0); 8];
            for (i, words) in words.iter_mut().enumerate() {
                // Safety: as above.
                *words = unsafe { i16x8_load_extend_i8x8(from.add(8 * i)) };
            }
            words
        }
        #[inline(always)]
        unsafe fn inputs(from: *const u8) -> Self::Inputs {
            // Safety: as above.
            u16x8_extend_low_u8x16(unsafe { v128_load32_splat(from.cast()) })
        }
        #[inline(always)]
        unsafe fn dot(mut sums: Self::Sums, weights: Self::Weights, inputs: Self::Inputs) -> Self::Sums {
            for (sum, weights) in sums.iter_mut().zip(weights) {
                *sum = i32x4_add(*sum, i32x4_dot_i16x8(weights, inputs));
            }
            sums
        }
        #[inline(always)]
        unsafe fn finish(sums: Self::Sums, start: *const i32) -> Self::Floats {
            let mut numbers = [0.0; LANES];
            for i in 0..4 {
                let (a, b) = (sums[2 * i], sums[2 * i + 1]);
                let (even, odd) = (i32x4_shuffle::<0, 2, 4, 6>(a, b), i32x4_shuffle::<1, 3, 5, 7>(a, b));
                // Safety: as above.
                unsafe {
                    let start = v128_load(start.add(4 * i).cast());
                    let four = f32x4_convert_i32x4(i32x4_add(i32x4_add(even, odd), start));
                    v128_store(numbers.as_mut_ptr().add(4 * i).cast(), four);
                }
            }
            numbers
        }

        type WordSums = [v128; 4];
        type WordWeights = [v128; 4];
        type WordInputs = v128;
        const WORD_SUMS: usize = 2;

        #[inline(always)]
        unsafe fn word_zero() -> Self::WordSums {
            [i32x4_splat(0); 4]
        }
        #[inline(always)]
        unsafe fn word_weights(from: *const i16) -> Self::WordWeights {
            // Safety: as above.
            let part = |i: usize| unsafe { v128_load(from.add(8 * i).cast()) };
            [part(0), part(1), part(2), part(3)]
        }
        #[inline(always)]
        unsafe fn word_inputs(from: *const i16) -> Self::WordInputs {
            // Safety: as above.
            unsafe { v128_load32_splat(from.cast()) }
        }
        #[inline(always)]
        unsafe fn word_dot(
            mut sums: Self::WordSums,
            weights: Self::WordWeights,
            inputs: Self::WordInputs,
        ) -> Self::WordSums {
            for (sum, weights) in sums.iter_mut().zip(weights) {
                *sum = i32x4_add(*sum, i32x4_dot_i16x8(weights, inputs));
            }
            sums
        }
        #[inline(always)]
        unsafe fn word_finish(sums: Self::WordSums) -> Self::Floats {
            let mut numbers = [0.0; LANES];
            for (i, sums) in sums.into_iter().enumerate() {
                // Safety: as above.
                unsafe { v128_store(numbers.as_mut_ptr().add(4 * i).cast(), f32x4_convert_i32x4(sums)) };
            }
            numbers
        }
    };
}

#[cfg(not(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_endian = "little"),
    all(target_arch = "wasm32", target_feature = "simd128")
)))]
macro_rules! integers {
    () => {
        type Sums = [i32; LANES];
        type Weights = [i8; 4 * LANES];
        type Inputs = [u8; 4];
        const SUMS: usize = 1;

        #[inline(always)]
        unsafe fn zero() -> Self::Sums {
            [0; LANES]
        }
        #[inline(always)]
        unsafe fn weights(from: *const i8) -> Self::Weights {
            // Safety: the caller has 64 weights there.
            unsafe { from.cast::<Self::Weights>().read_unaligned() }
        }
        #[inline(always)]
        unsafe fn inputs(from: *const u8) -> Self::Inputs {
            // Safety: the caller has four inputs there.
            unsafe { from.cast::<Self::Inputs>().read_unaligned() }
        }
        #[inline(always)]
        unsafe fn dot(mut sums: Self::Sums, weights: Self::Weights, inputs: Self::Inputs) -> Self::Sums {
            for (sum, weights) in sums.iter_mut().zip(weights.as_chunks::<4>().0) {
                for (&weight, &input) in weights.iter().zip(&inputs) {
                    *sum += i32::from(weight) * i32::from(input);
                }
            }
            sums
        }
        #[inline(always)]
        unsafe fn finish(sums: Self::Sums, start: *const i32) -> Self::Floats {
            // Safety: the caller has 16 numbers there.
            let start = unsafe { start.cast::<Self::Sums>().read_unaligned() };
            each(|i| (sums[i] + start[i]) as f32)
        }

        type WordSums = [i32; LANES];
        type WordWeights = [i16; 2 * LANES];
        type WordInputs = [i16; 2];
        const WORD_SUMS: usize = 1;

        #[inline(always)]
        unsafe fn word_zero() -> Self::WordSums {
            [0; LANES]
        }
        #[inline(always)]
        unsafe fn word_weights(from: *const i16) -> Self::WordWeights {
            // Safety: the caller has 32 weights there.
            unsafe { from.cast::<Self::WordWeights>().read_unaligned() }
        }
        #[inline(always)]
        unsafe fn word_inputs(from: *const i16) -> Self::WordInputs {
            // Safety: the caller has two inputs there.
            unsafe { from.cast::<Self::WordInputs>().read_unaligned() }
        }
        #[inline(always)]
        unsafe fn word_dot(
            mut sums: Self::WordSums,
            weights: Self::WordWeights,
            inputs: Self::WordInputs,
        ) -> Self::WordSums {
            for (sum, weights) in sums.iter_mut().zip(weights.as_chunks::<2>().0) {
                for (&weight, &input) in weights.iter().zip(&inputs) {
                    *sum += i32::from(weight) * i32::from(input);
                }
            }
            sums
        }
        #[inline(always)]
        unsafe fn word_finish(sums: Self::WordSums) -> Self::Floats {
            each(|i| sums[i] as f32)
        }
    };
}

impl Lanes for Portable {
    type Floats = [f32; LANES];
    const FLOATS: usize = if cfg!(target_arch = "aarch64") { 6 } else { 2 };

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self::Floats {
        // Safety: the caller has 16 numbers there.
        unsafe { from.cast::<Self::Floats>().read_unaligned() }
    }
    #[inline(always)]
    unsafe fn load_half(from: *const u16) -> Self::Floats {
        // Safety: the caller has 16 numbers there.
        let halves = unsafe { from.cast::<[u16; LANES]>().read_unaligned() };
        let magnitude = each(|i| f32::from_bits(u32::from(halves[i] & 0x7fff) << 13) * HALF_SCALE);
        each(|i| f32::from_bits(magnitude[i].to_bits() | u32::from(halves[i] & 0x8000) << 16))
    }
    #[inline(always)]
    unsafe fn store(to: *mut f32, x: Self::Floats) {
        // Safety: the caller has room for 16 numbers there.
        unsafe { to.cast::<Self::Floats>().write_unaligned(x) }
    }
    #[inline(always)]
    unsafe fn splat(x: f32) -> Self::Floats {
        [x; LANES]
    }
    #[inline(always)]
    unsafe fn fused(a: Self::Floats, b: Self::Floats, c: Self::Floats) -> Self::Floats {
        each(|i| fused(a[i], b[i], c[i]))
    }
    #[inline(always)]
    unsafe fn add(a: Self::Floats, b: Self::Floats) -> Self::Floats {
        each(|i| a[i] + b[i])
    }
    #[inline(always)]
    unsafe fn multiply(a: Self::Floats, b: Self::Floats) -> Self::Floats {
        each(|i| a[i] * b[i])
    }
    #[inline(always)]
    unsafe fn larger(magnitudes: Self::Floats, x: Self::Floats) -> Self::Floats {
        each(|i| f32::from_bits((x[i].to_bits() & 0x7fff_ffff).max(magnitudes[i].to_bits())))
    }
    #[inline(always)]
    unsafe fn relu(x: Self::Floats) -> Self::Floats {
        each(|i| if x[i] > 0.0 { x[i] } else { 0.0 })
    }

    integers! {}
}
