//! The state that a method gets: a NumPy record in memory of its own.
//!
//! Python code may keep a state after its call. It then refers to this memory, never to that of the engine.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;

use super::chance::ChanceSource;

/// A record and a source of chance, used by one call at a time.
pub(super) struct Scratch {
    /// Owns the memory of the record.
    _array: Py<PyAny>,
    /// The record, a view of the array's only element.
    pub(super) record: Py<PyAny>,
    pub(super) chance: Py<ChanceSource>,
    /// The memory of the record.
    bytes: *mut u8,
    length: usize,
}

// Safety: the memory belongs to the array, and one call at a time uses it with the interpreter's lock held.
unsafe impl Send for Scratch {}

impl Scratch {
    /// `make` returns an array of one record.
    fn new(py: Python<'_>, make: &Py<PyAny>, length: usize) -> PyResult<Self> {
        let array = make.bind(py).call0()?;
        let record = array.get_item(0)?;
        let address: usize = array.getattr("ctypes")?.getattr("data")?.extract()?;
        let (array, record) = (array.unbind(), record.unbind());
        let chance = Py::new(py, ChanceSource::new())?;
        Ok(Self { _array: array, record, chance, bytes: address as *mut u8, length })
    }

    /// The bytes of the record. Python code runs between two calls of this method, never while its result is used.
    pub(super) fn bytes(&mut self) -> &mut [u8] {
        // Safety: the array is contiguous, has this length and lives as long as `self`; its memory is not resized,
        // because the record refers to it.
        unsafe { std::slice::from_raw_parts_mut(self.bytes, self.length) }
    }
}

/// Records that no call uses.
pub(super) struct Pool {
    make: Py<PyAny>,
    length: usize,
    free: Mutex<Vec<Scratch>>,
}

impl Pool {
    pub(super) fn new(make: Py<PyAny>, length: usize) -> Self {
        Self { make, length, free: Mutex::default() }
    }

    /// Runs `call` with a record.
    pub(super) fn with<T>(&self, py: Python<'_>, call: impl FnOnce(&mut Scratch) -> T) -> PyResult<T> {
        let free = || self.free.lock().unwrap_or_else(PoisonError::into_inner);
        // The lock is not held while Python code runs.
        let taken = free().pop();
        let mut scratch = match taken {
            Some(scratch) => scratch,
            None => Scratch::new(py, &self.make, self.length)?,
        };
        let result = call(&mut scratch);
        free().push(scratch);
        Ok(result)
    }
}
