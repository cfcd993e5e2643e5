//! Rules as C functions.
//!
//! ```c
//! int32_t init(void *state, void *chance);
//! int32_t current_player(const void *state);            /* -1: the game is over */
//! int32_t legal(const void *state, uint8_t *mask);      /* one byte per action, 0 before */
//! int32_t step(void *state, int32_t action, void *chance);
//! int32_t observe(const void *state, int32_t player, uint8_t *observation);    /* 0 before */
//! int32_t returns(const void *state, float *returns);   /* a number per player; likewise scores, estimate */
//! int32_t determinize(void *state, int32_t player, void *chance);
//! int32_t validate(const void *state);
//!
//! uint32_t uniform(void *chance, uint32_t n);           /* one of 0..n, for n of at least 1 */
//! uint32_t weighted(void *chance, const uint32_t *weights, uint32_t n);
//! ```
//!
//! All but `current_player` return 0, or another number if they fail.

use std::num::NonZeroUsize;
use std::ptr;

use ludovec_engine::chance::Chance;

use crate::abi::CChance;

/// A source of chance for C functions; valid during the call that gets it.
pub type ChanceHandle = *mut CChance;

/// The address of a C function.
#[derive(Debug, Clone, Copy)]
pub struct Function(NonZeroUsize);

/// Most actions for which the mask of a C function is on the stack.
const FEW: usize = 512;

macro_rules! call {
    ($function:expr, $($argument:expr => $type:ty),+) => {{
        type Of = unsafe extern "C" fn($($type),+) -> i32;
        // Safety: the caller vouches for the function and its type.
        unsafe { std::mem::transmute::<usize, Of>($function.0.get())($($argument),+) }
    }};
}

impl Function {
    /// The function at an address, unless the address is 0.
    pub fn at(address: usize) -> Option<Self> {
        NonZeroUsize::new(address).map(Self)
    }

    /// Calls `init`; returns whether the function has succeeded, as all other methods do.
    ///
    /// # Safety
    /// The function has the type of the method that is called, as in the list above, and writes only to the memory
    /// that it gets. This holds for every method here.
    pub unsafe fn init(self, record: &mut [u8], chance: &mut dyn Chance) -> bool {
        call!(self, record.as_mut_ptr() => *mut u8, Lent::new(chance).handle() => ChanceHandle) == 0
    }
    /// Calls `current_player`.
    ///
    /// # Safety
    /// As for [`Function::init`].
    #[must_use]
    pub unsafe fn current_player(self, record: &[u8]) -> i32 {
        call!(self, record.as_ptr() => *const u8)
    }
    /// Calls `legal` for `actions` actions and sets their bits in `mask`, whose bits are 0.
    ///
    /// # Safety
    /// As for [`Function::init`].
    pub unsafe fn legal(self, record: &[u8], actions: usize, mask: &mut [u64]) -> bool {
        let mut few = [0u8; FEW];
        let mut many = Vec::new();
        let bytes = if actions <= FEW {
            &mut few[..actions]
        } else {
            many.resize(actions, 0);
            &mut many[..]
        };
        let status = call!(self, record.as_ptr() => *const u8, bytes.as_mut_ptr() => *mut u8);
        for (word, bytes) in mask.iter_mut().zip(bytes.chunks(64)) {
            *word = bytes.iter().rev().fold(0, |word, &byte| word << 1 | u64::from(byte != 0));
        }
        status == 0
    }
    /// Calls `step`.
    ///
    /// # Safety
    /// As for [`Function::init`].
    pub unsafe fn step(self, record: &mut [u8], action: u32, chance: &mut dyn Chance) -> bool {
        let action = action as i32;
        call!(self, record.as_mut_ptr() => *mut u8, action => i32, Lent::new(chance).handle() => ChanceHandle)
            == 0
    }
    /// Calls `observe`.
    ///
    /// # Safety
    /// As for [`Function::init`].
    pub unsafe fn observe(self, record: &[u8], player: usize, out: &mut [u8]) -> bool {
        call!(self, record.as_ptr() => *const u8, player as i32 => i32, out.as_mut_ptr() => *mut u8) == 0
    }
    /// Calls `returns`, `scores` or `estimate`.
    ///
    /// # Safety
    /// As for [`Function::init`].
    pub unsafe fn numbers(self, record: &[u8], out: &mut [f32]) -> bool {
        out.fill(0.0);
        call!(self, record.as_ptr() => *const u8, out.as_mut_ptr() => *mut f32) == 0
    }
    /// Calls `determinize`.
    ///
    /// # Safety
    /// As for [`Function::init`].
    pub unsafe fn determinize(self, record: &mut [u8], player: usize, chance: &mut dyn Chance) -> bool {
        let player = player as i32;
        call!(self, record.as_mut_ptr() => *mut u8, player => i32, Lent::new(chance).handle() => ChanceHandle)
            == 0
    }
    /// Calls `validate`.
    ///
    /// # Safety
    /// As for [`Function::init`].
    #[must_use]
    pub unsafe fn validate(self, record: &[u8]) -> bool {
        call!(self, record.as_ptr() => *const u8) == 0
    }
}

/// A source of chance that C can draw from.
#[repr(C)]
pub(crate) struct Lent<'a> {
    functions: CChance,
    source: &'a mut dyn Chance,
}

impl<'a> Lent<'a> {
    pub(crate) fn new(source: &'a mut dyn Chance) -> Self {
        Self { functions: CChance { uniform: Some(uniform), weighted: Some(weighted) }, source }
    }
    pub(crate) fn handle(&mut self) -> ChanceHandle {
        ptr::from_mut(self).cast()
    }
}

/// One of `0..n`, all equally likely; 0 for `n` of 0.
///
/// # Safety
/// `chance` is the handle of a call of a rule that has not returned.
pub unsafe extern "C" fn uniform(chance: ChanceHandle, n: u32) -> u32 {
    // Safety: the caller vouches for the handle, and a rule calls from one thread at a time.
    let chance = unsafe { &mut *(*chance.cast::<Lent<'_>>()).source };
    if n == 0 { 0 } else { chance.uniform(n) }
}

/// One of `0..n` with probability proportional to its weight; 0 if the weights sum to 0 or to more than `u32::MAX`.
///
/// # Safety
/// As for [`uniform`], and `weights` points to `n` numbers.
pub unsafe extern "C" fn weighted(chance: ChanceHandle, weights: *const u32, n: u32) -> u32 {
    if n == 0 {
        return 0;
    }
    // Safety: the caller vouches for the handle and for the weights.
    let (chance, weights) = unsafe {
        (&mut *(*chance.cast::<Lent<'_>>()).source, std::slice::from_raw_parts(weights, n as usize))
    };
    let sum: u64 = weights.iter().map(|&weight| u64::from(weight)).sum();
    if (1..=u64::from(u32::MAX)).contains(&sum) { chance.weighted(weights) as u32 } else { 0 }
}
