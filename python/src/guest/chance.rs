//! The object `chance`, from which the methods of a game draw.

use std::cell::{Cell, RefCell};
use std::ptr::NonNull;

use ludovec::engine::chance::Chance;
use ludovec_guest::{uniform, weighted};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyList;

/// Integers as a sequence or an array.
type Weights<'py> = Bound<'py, PyAny>;

/// A source of random outcomes, valid while the method that got it runs.
///
/// Every draw is recorded with the game and listed by a search, so that a game draws from here and nowhere else.
#[pyclass(frozen, name = "Chance", module = "ludovec.rules")]
pub(crate) struct ChanceSource {
    source: Cell<Option<NonNull<dyn Chance>>>,
    /// The draws of the running method, and how many of them it has seen again after a restart.
    drawn: RefCell<Vec<u32>>,
    seen: Cell<usize>,
}

// Safety: all access happens with the interpreter's lock held.
unsafe impl Send for ChanceSource {}
// Safety: as above.
unsafe impl Sync for ChanceSource {}

impl ChanceSource {
    pub(super) fn new() -> Self {
        Self { source: Cell::new(None), drawn: RefCell::default(), seen: Cell::new(0) }
    }

    /// Lends `chance` to the object during `call`.
    pub(super) fn lend<T>(this: &Py<Self>, chance: &mut dyn Chance, call: impl FnOnce() -> T) -> T {
        let own = this.get();
        // Safety: only the lifetime changes, and the pointer is taken back before `chance` ends.
        let chance: NonNull<dyn Chance> = unsafe {
            std::mem::transmute::<NonNull<dyn Chance + '_>, NonNull<dyn Chance>>(NonNull::from(chance))
        };
        own.source.set(Some(chance));
        own.drawn.borrow_mut().clear();
        own.seen.set(0);
        let result = call();
        own.source.set(None);
        result
    }

    /// Repeats the draws so far: the method is called again.
    pub(super) fn rewind(&self) {
        self.seen.set(0);
    }

    fn draw(&self, draw: impl FnOnce(&mut dyn Chance) -> u32) -> PyResult<u32> {
        let Some(mut source) = self.source.get() else {
            return Err(PyRuntimeError::new_err("chance draws only while the method that got it runs"));
        };
        let mut drawn = self.drawn.borrow_mut();
        let seen = self.seen.get();
        if seen == drawn.len() {
            // Safety: the pointer is valid until it is taken back, and nothing else uses the source meanwhile.
            drawn.push(draw(unsafe { source.as_mut() }));
        }
        self.seen.set(seen + 1);
        Ok(drawn[seen])
    }
}

#[pymethods]
impl ChanceSource {
    /// One of ``range(n)``, all equally likely.
    fn uniform(&self, n: i64) -> PyResult<u32> {
        let outcomes = u32::try_from(n).ok().filter(|&n| n > 0).ok_or_else(|| {
            PyValueError::new_err(format!("uniform({n}): 1 to {} outcomes are allowed", u32::MAX))
        })?;
        self.draw(|chance| chance.uniform(outcomes))
    }

    /// An index into ``weights``, integers of which one is positive; its probability is proportional to its weight.
    fn weighted(&self, weights: &Weights<'_>) -> PyResult<u32> {
        let weights =
            weights.try_iter()?.map(|weight| weight?.extract::<u32>()).collect::<PyResult<Vec<_>>>();
        let weights = weights.ok().filter(|weights| {
            let sum: u64 = weights.iter().map(|&weight| u64::from(weight)).sum();
            (1..=u64::from(u32::MAX)).contains(&sum)
        });
        let weights = weights.ok_or_else(|| {
            PyValueError::new_err(format!(
                "weighted: integers from 0 on are needed, with a sum of 1 to {}",
                u32::MAX
            ))
        })?;
        self.draw(|chance| chance.weighted(&weights) as u32)
    }

    /// One of the elements of a sequence, all equally likely.
    fn choice<'py>(&self, elements: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let length = elements.len()?;
        if length == 0 {
            return Err(PyValueError::new_err("choice: the sequence is empty"));
        }
        elements.get_item(self.uniform(length as i64)?)
    }

    /// Shuffles a list or an array in place.
    fn shuffle(&self, elements: &Bound<'_, PyAny>) -> PyResult<()> {
        for last in (1..elements.len()?).rev() {
            let other = self.uniform(last as i64 + 1)? as usize;
            // The rows of an array are views: swapping them needs a copy.
            let (a, b) = (elements.get_item(last)?, elements.get_item(other)?);
            let copied = |item: Bound<'_, PyAny>| -> PyResult<Py<PyAny>> {
                match item.hasattr("copy")? && !item.is_instance_of::<PyList>() {
                    true => Ok(item.call_method0("copy")?.unbind()),
                    false => Ok(item.unbind()),
                }
            };
            let a = copied(a)?;
            elements.set_item(last, b)?;
            elements.set_item(other, a)?;
        }
        Ok(())
    }
}

/// Addresses of the C functions that draw: `uniform` and `weighted`.
#[pyfunction]
pub(super) fn chance_functions() -> (usize, usize) {
    (uniform as *const () as usize, weighted as *const () as usize)
}
