//! Vectors of 16 lanes. All implementations give the same bits.

/// 16 lanes. Functions with pointers need memory for 16 elements there; all functions need a processor that has the
/// instructions.
#[allow(clippy::missing_safety_doc, reason = "the trait's documentation has it")]
pub(super) trait Lanes: Copy {
    /// 16 numbers.
    type Floats: Copy;
    /// 16 sums of integers, perhaps in parts.
    type Sums: Copy;
    /// The weights of 16 outputs for four inputs.
    type Weights: Copy;
    /// Four inputs for all lanes.
    type Inputs: Copy;
    /// Whether [`inputs`](Self::inputs) subtracts 128, for instructions that multiply signed bytes alone.
    const CENTERED: bool = false;
    /// Registers for accumulators of 16 lanes, in single precision.
    const FLOATS: usize;
    /// The same for sums of integers.
    const SUMS: usize;

    unsafe fn load(from: *const f32) -> Self::Floats;
    /// Finite numbers in half precision.
    unsafe fn load_half(from: *const u16) -> Self::Floats;
    unsafe fn store(to: *mut f32, x: Self::Floats);
    unsafe fn splat(x: f32) -> Self::Floats;
    /// `a * b + c`, rounded once.
    unsafe fn fused(a: Self::Floats, b: Self::Floats, c: Self::Floats) -> Self::Floats;
    unsafe fn add(a: Self::Floats, b: Self::Floats) -> Self::Floats;
    unsafe fn multiply(a: Self::Floats, b: Self::Floats) -> Self::Floats;
    /// The larger magnitudes; without their sign, the bits are ordered as integers, infinity and NaN last.
    unsafe fn larger(magnitudes: Self::Floats, x: Self::Floats) -> Self::Floats;
    /// Sets lanes that are not above 0 to 0.
    unsafe fn relu(x: Self::Floats) -> Self::Floats;

    unsafe fn zero() -> Self::Sums;
    /// 64 weights, four of every output.
    unsafe fn weights(from: *const i8) -> Self::Weights;
    /// Four inputs.
    unsafe fn inputs(from: *const u8) -> Self::Inputs;
    /// Adds the products of weights and inputs.
    unsafe fn dot(sums: Self::Sums, weights: Self::Weights, inputs: Self::Inputs) -> Self::Sums;
    /// The sums with `start` added, as numbers.
    unsafe fn finish(sums: Self::Sums, start: *const i32) -> Self::Floats;

    /// 16 sums of products of 16 bits, perhaps in parts; they wrap.
    type WordSums: Copy;
    /// The weights of 16 outputs for two inputs.
    type WordWeights: Copy;
    /// Two inputs for all lanes.
    type WordInputs: Copy;
    /// Registers for these sums.
    const WORD_SUMS: usize;

    unsafe fn word_zero() -> Self::WordSums;
    /// 32 weights, two of every output.
    unsafe fn word_weights(from: *const i16) -> Self::WordWeights;
    /// Two inputs.
    unsafe fn word_inputs(from: *const i16) -> Self::WordInputs;
    /// Adds the products of weights and inputs.
    unsafe fn word_dot(
        sums: Self::WordSums,
        weights: Self::WordWeights,
        inputs: Self::WordInputs,
    ) -> Self::WordSums;
    /// The sums as numbers.
    unsafe fn word_finish(sums: Self::WordSums) -> Self::Floats;
}

#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
mod neon;
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
pub(super) use self::neon::DotProducts;
pub(super) use self::portable::Portable;
#[cfg(target_arch = "x86_64")]
pub(super) use self::x86::{Avx2, Avx512, Avx512Vnni, has_avx2, has_vnni};
