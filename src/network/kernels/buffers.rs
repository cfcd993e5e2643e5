//! Memory that begins on a cache line.

use bytemuck::{Pod, Zeroable, cast_slice, cast_slice_mut};

use super::LANES;
use crate::engine::{Result, memory};

/// A cache line.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct Line([f32; LANES]);

/// Numbers of a type that divides a cache line, from the start of a line on.
#[derive(Debug)]
pub(in super::super) struct Buffer<T> {
    lines: Vec<Line>,
    len: usize,
    element: std::marker::PhantomData<T>,
}

impl<T: Pod> Buffer<T> {
    /// Zeros.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::engine::Error::OutOfMemory).
    pub(in super::super) fn zeroed(len: usize) -> Result<Self> {
        let count = len.saturating_mul(size_of::<T>()).div_ceil(size_of::<Line>());
        let mut lines = memory::vec_of(count, "the numbers of a network")?;
        lines.resize(count, Line::zeroed());
        Ok(Self { lines, len, element: std::marker::PhantomData })
    }
}

impl<T: Pod> std::ops::Deref for Buffer<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &cast_slice(&self.lines)[..self.len]
    }
}

impl<T: Pod> std::ops::DerefMut for Buffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut cast_slice_mut(&mut self.lines)[..self.len]
    }
}

/// The number of elements of a row of `width` numbers, whole vectors.
pub(in super::super) fn row_len(width: usize) -> usize {
    width.next_multiple_of(LANES)
}
