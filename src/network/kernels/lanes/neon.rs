//! Dot products of bytes on aarch64.

use std::arch::aarch64::*;
use std::arch::asm;

use super::{Lanes, Portable};

/// Portable code, and dot products of four bytes for integers.
#[derive(Clone, Copy)]
pub(in super::super) struct DotProducts;

/// `sums + weights . inputs`, four products a sum. Its intrinsic is not stable yet.
///
/// # Safety
/// The processor has the extension `dotprod`, and the caller is compiled for it.
#[inline(always)]
unsafe fn dot(mut sums: int32x4_t, weights: int8x16_t, inputs: int8x16_t) -> int32x4_t {
    // Safety: the instruction reads and writes these registers alone.
    unsafe {
        asm!(
            "sdot {sums:v}.4s, {weights:v}.16b, {inputs:v}.16b",
            sums = inout(vreg) sums,
            weights = in(vreg) weights,
            inputs = in(vreg) inputs,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    sums
}

impl Lanes for DotProducts {
    type Floats = <Portable as Lanes>::Floats;
    type Sums = [int32x4_t; 4];
    type Weights = [int8x16_t; 4];
    type Inputs = int8x16_t;
    const CENTERED: bool = true;
    const FLOATS: usize = Portable::FLOATS;
    const SUMS: usize = 6;

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self::Floats {
        // Safety: the caller's, here and below.
        unsafe { Portable::load(from) }
    }
    #[inline(always)]
    unsafe fn load_half(from: *const u16) -> Self::Floats {
        // Safety: as above.
        unsafe { Portable::load_half(from) }
    }
    #[inline(always)]
    unsafe fn store(to: *mut f32, x: Self::Floats) {
        // Safety: as above.
        unsafe { Portable::store(to, x) }
    }
    #[inline(always)]
    unsafe fn splat(x: f32) -> Self::Floats {
        // Safety: as above.
        unsafe { Portable::splat(x) }
    }
    #[inline(always)]
    unsafe fn fused(a: Self::Floats, b: Self::Floats, c: Self::Floats) -> Self::Floats {
        // Safety: as above.
        unsafe { Portable::fused(a, b, c) }
    }
    #[inline(always)]
    unsafe fn add(a: Self::Floats, b: Self::Floats) -> Self::Floats {
        // Safety: as above.
        unsafe { Portable::add(a, b) }
    }
    #[inline(always)]
    unsafe fn multiply(a: Self::Floats, b: Self::Floats) -> Self::Floats {
        // Safety: as above.
        unsafe { Portable::multiply(a, b) }
    }
    #[inline(always)]
    unsafe fn larger(magnitudes: Self::Floats, x: Self::Floats) -> Self::Floats {
        // Safety: as above.
        unsafe { Portable::larger(magnitudes, x) }
    }
    #[inline(always)]
    unsafe fn relu(x: Self::Floats) -> Self::Floats {
        // Safety: as above.
        unsafe { Portable::relu(x) }
    }

    #[inline(always)]
    unsafe fn zero() -> Self::Sums {
        // Safety: every processor of this architecture has the instruction.
        [unsafe { vdupq_n_s32(0) }; 4]
    }
    #[inline(always)]
    unsafe fn weights(from: *const i8) -> Self::Weights {
        // Safety: the caller has 64 weights there.
        unsafe { [vld1q_s8(from), vld1q_s8(from.add(16)), vld1q_s8(from.add(32)), vld1q_s8(from.add(48))] }
    }
    #[inline(always)]
    unsafe fn inputs(from: *const u8) -> Self::Inputs {
        // Safety: the caller has four inputs there.
        unsafe {
            let four = vdupq_n_u32(from.cast::<u32>().read_unaligned());
            vreinterpretq_s8_u8(veorq_u8(vreinterpretq_u8_u32(four), vdupq_n_u8(128)))
        }
    }
    #[inline(always)]
    unsafe fn dot(mut sums: Self::Sums, weights: Self::Weights, inputs: Self::Inputs) -> Self::Sums {
        for (sums, weights) in sums.iter_mut().zip(weights) {
            // Safety: the caller has the instruction.
            *sums = unsafe { dot(*sums, weights, inputs) };
        }
        sums
    }
    #[inline(always)]
    unsafe fn finish(sums: Self::Sums, start: *const i32) -> Self::Floats {
        let mut numbers = [0.0; 16];
        for (i, sums) in sums.into_iter().enumerate() {
            // Safety: the caller has 16 numbers there.
            unsafe {
                let four = vcvtq_f32_s32(vaddq_s32(sums, vld1q_s32(start.add(4 * i))));
                vst1q_f32(numbers.as_mut_ptr().add(4 * i), four);
            }
        }
        numbers
    }
    type WordSums = <Portable as Lanes>::WordSums;
    type WordWeights = <Portable as Lanes>::WordWeights;
    type WordInputs = <Portable as Lanes>::WordInputs;
    const WORD_SUMS: usize = Portable::WORD_SUMS;

    #[inline(always)]
    unsafe fn word_zero() -> Self::WordSums {
        // Safety: the caller's, here and below.
        unsafe { Portable::word_zero() }
    }
    #[inline(always)]
    unsafe fn word_weights(from: *const i16) -> Self::WordWeights {
        // Safety: as above.
        unsafe { Portable::word_weights(from) }
    }
    #[inline(always)]
    unsafe fn word_inputs(from: *const i16) -> Self::WordInputs {
        // Safety: as above.
        unsafe { Portable::word_inputs(from) }
    }
    #[inline(always)]
    unsafe fn word_dot(
        sums: Self::WordSums,
        weights: Self::WordWeights,
        inputs: Self::WordInputs,
    ) -> Self::WordSums {
        // Safety: as above.
        unsafe { Portable::word_dot(sums, weights, inputs) }
    }
    #[inline(always)]
    unsafe fn word_finish(sums: Self::WordSums) -> Self::Floats {
        // Safety: as above.
        unsafe { Portable::word_finish(sums) }
    }
}
