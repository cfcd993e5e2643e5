//! The arithmetic of networks: products of activations and packed weights, with the same bits on every processor.
//!
//! | file | holds |
//! |---|---|
//! | `lanes` | vectors of 16 numbers: portable, AVX2, AVX-512, dot products of aarch64 |
//! | `fused` | multiply-add with one rounding, for processors without it |
//! | `buffers` | memory for activations |
//! | `operand` | the activations of a product: rows, or the neighbourhoods of a board's cells |
//! | `tiles` | the loop over tiles of rows and panels |
//! | `float` | weights in single precision |
//! | `int8` | weights and activations in 8 bits |
//! | `int16` | the same in 16 bits |
//! | `amx` | products of both in the tiles of x86-64 |
//! | `sparse` | products with few inputs other than 0 |
//! | `sparse_inputs` | the same for minibatches, and the gradient, for learning |
//! | `elementwise` | sums, maxima, normalization |
//!
//! The order of additions is fixed. Every output is a chain of multiply-adds over the inputs in their order, in any
//! batch and at every [`CpuLevel`](crate::engine::CpuLevel). Integers are exact. Sums over a row add 16 partial sums in
//! a fixed tree.

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod amx;
pub(super) mod buffers;
mod elementwise;
pub(super) mod float;
mod fused;
pub(super) mod int16;
pub(super) mod int8;
mod lanes;
pub(super) mod operand;
pub(super) mod sparse;
mod sparse_inputs;
#[cfg(test)]
mod tests;
mod tiles;

pub(super) use self::elementwise::{mean_of_rows, normalize};
pub use self::sparse_inputs::SparseInputs;

/// Number of outputs in a panel of weights, and lanes of a vector.
pub(super) const LANES: usize = 16;

/// Defines a function that calls `$generic::<L>` with the vectors of the current [`CpuLevel`](crate::engine::CpuLevel).
/// Only code that is inlined into the call is compiled for the level. `integers` has a level of its own for processors
/// with dot products of bytes.
macro_rules! at_level {
    (
        $(#[$meta:meta])* $kind:ident $vis:vis fn $name:ident($($arg:ident: $type:ty),* $(,)?) $(-> $result:ty)? =
        $generic:ident
    ) => {
        $(#[$meta])*
        $vis fn $name($($arg: $type),*) $(-> $result)? {
            #[cfg(target_arch = "x86_64")]
            {
                use crate::engine::CpuLevel;
                use crate::kernels::lanes::{Avx2, Avx512, has_avx2};

                at_level!(@dot_products $kind $generic ($($arg: $type),*) $(-> $result)?);
                #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2")]
                fn avx512($($arg: $type),*) $(-> $result)? {
                    $generic::<Avx512>($($arg),*)
                }
                #[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2")]
                fn avx2($($arg: $type),*) $(-> $result)? {
                    $generic::<Avx2>($($arg),*)
                }
                if has_avx2() && CpuLevel::Avx512.is_available() {
                    // Safety: the processor was just checked.
                    return unsafe { avx512($($arg),*) };
                }
                if has_avx2() {
                    // Safety: the processor was just checked.
                    return unsafe { avx2($($arg),*) };
                }
            }
            #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
            at_level!(@neon $kind $generic ($($arg: $type),*) $(-> $result)?);
            $generic::<crate::kernels::lanes::Portable>($($arg),*)
        }
    };
    (@neon floats $($rest:tt)*) => {};
    (@neon integers $generic:ident ($($arg:ident: $type:ty),*) $(-> $result:ty)?) => {
        #[target_feature(enable = "dotprod")]
        fn dot_products($($arg: $type),*) $(-> $result)? {
            $generic::<crate::kernels::lanes::DotProducts>($($arg),*)
        }
        if crate::engine::CpuLevel::DotProducts.is_available() {
            // Safety: the processor was just checked.
            return unsafe { dot_products($($arg),*) };
        }
    };
    (@dot_products floats $($rest:tt)*) => {};
    (@dot_products integers $generic:ident ($($arg:ident: $type:ty),*) $(-> $result:ty)?) => {
        use crate::kernels::lanes::{Avx512Vnni, has_vnni};

        #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vnni,avx2,fma,f16c,bmi1,bmi2")]
        fn avx512vnni($($arg: $type),*) $(-> $result)? {
            $generic::<Avx512Vnni>($($arg),*)
        }
        if has_avx2() && CpuLevel::Avx512.is_available() && has_vnni() {
            // Safety: the processor was just checked.
            return unsafe { avx512vnni($($arg),*) };
        }
    };
}
use at_level;
