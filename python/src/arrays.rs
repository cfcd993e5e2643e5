//! Columns as NumPy arrays, and NumPy arrays as columns.

use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::Arc;

use ludovec::engine::columns::{ColumnInfo, Columns, DType, Foreign, Owner};
use ludovec::engine::{ActionId, Error, LeafBuffers, Refusal, Result, StateColumn, States, bytemuck};
use ludovec::raster::Pixels;
use numpy::ndarray::{ArrayView2, ArrayViewD, IxDyn, ShapeBuilder};
use numpy::{
    Element, PyArray1, PyArray2, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyReadonlyArray1,
    PyReadonlyArrayDyn, PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};

use crate::errors::CallError;

/// An array of action indices.
pub(crate) type ActionArray<'py> = Bound<'py, PyAny>;

/// Arrays by name.
pub(crate) type Arrays<'py> = Bound<'py, PyDict>;

/// Owner of the memory under an array: the memory lives as long as any array over it.
#[pyclass(frozen, module = "ludovec._core")]
struct Memory {
    _owner: Owner,
}

/// Every column of a batch as an array `[num_envs, width]` over the engine's memory, by name.
///
/// The mask bits are read-only, because the engine checks legality against them.
pub(crate) fn views<'py>(py: Python<'py>, columns: &Columns) -> PyResult<Arrays<'py>> {
    let owner = |name| columns.owner(name).expect("a listed column exists").clone();
    let owned = columns.list().into_iter().map(|info| (info, owner(info.name)));
    views_of(py, columns.num_envs(), owned, &["mask_bits"])
}

/// Every column of the leaves of a search as an array `[rows, width]` over the engine's memory, by name.
///
/// Columns that the engine reads are read-only.
pub(crate) fn leaf_views(py: Python<'_>, leaves: LeafBuffers) -> PyResult<Arrays<'_>> {
    views_of(py, leaves.rows, leaves.columns, &["mask_bits", "current_player", "tree"])
}

/// Every column of the states as a read-only array `[games, ...]` over the engine's memory, by name.
pub(crate) fn state_views<'py>(
    py: Python<'py>,
    games: usize,
    states: &States,
    columns: &[StateColumn],
) -> PyResult<Arrays<'py>> {
    /// # Safety
    /// The column has elements of type `T` and is within the states.
    unsafe fn view<'py, T: Element>(
        py: Python<'py>,
        games: usize,
        states: &States,
        column: &StateColumn,
    ) -> PyResult<Bound<'py, PyAny>> {
        let shape: Vec<usize> = [games].into_iter().chain(column.shape.iter().copied()).collect();
        let bytes = [states.stride].into_iter().chain(column.strides.iter().copied());
        let strides: Vec<usize> = bytes.map(|stride| stride / size_of::<T>()).collect();
        let memory = Bound::new(py, Memory { _owner: states.owner.clone() })?.into_any();
        // Safety: the caller vouches for the type; the owner keeps the memory alive.
        let array = unsafe {
            let first = states.first.add(column.offset).cast::<T>();
            let array = ArrayViewD::from_shape_ptr(IxDyn(&shape).strides(IxDyn(&strides)), first);
            PyArrayDyn::borrow_from_array(&array, memory)
        };
        let flags = PyDict::new(py);
        flags.set_item("write", false)?;
        array.call_method("setflags", (), Some(&flags))?;
        Ok(array.into_any())
    }
    let dict = PyDict::new(py);
    for column in columns {
        // Safety: the spec describes the layout of the states, and the conformance suite checks it for every game.
        let array = unsafe {
            match column.dtype {
                "uint8" => view::<u8>(py, games, states, column),
                "bool" => view::<bool>(py, games, states, column),
                "int8" => view::<i8>(py, games, states, column),
                "int16" => view::<i16>(py, games, states, column),
                "int32" => view::<i32>(py, games, states, column),
                "int64" => view::<i64>(py, games, states, column),
                "float32" => view::<f32>(py, games, states, column),
                "float64" => view::<f64>(py, games, states, column),
                "uint16" => view::<u16>(py, games, states, column),
                "uint32" => view::<u32>(py, games, states, column),
                _ => view::<u64>(py, games, states, column),
            }
        };
        dict.set_item(&column.name, array?)?;
    }
    Ok(dict)
}

/// A picture as uint8 `[height, width, 3]`.
pub(crate) fn picture<'py>(py: Python<'py>, picture: Pixels) -> PyResult<Bound<'py, PyArrayDyn<u8>>> {
    let Pixels { width, height, rgb } = picture;
    PyArray1::from_vec(py, rgb).reshape(vec![height as usize, width as usize, 3])
}

/// A text for Python; raises if there is no memory, unlike `String`, which panics.
pub(crate) struct Text(pub(crate) String);

impl<'py> IntoPyObject<'py> for Text {
    type Target = PyString;
    type Output = Bound<'py, PyString>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        PyString::from_bytes(py, self.0.as_bytes())
            .map_err(|error| or_out_of_memory(py, error, "the characters for Python", self.0.len()))
    }
}

/// Copies bytes to Python; raises if there is no memory, unlike `PyBytes::new`, which panics.
pub(crate) fn bytes<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    let made = PyBytes::new_with(py, bytes.len(), |room| {
        room.copy_from_slice(bytes);
        Ok(())
    });
    made.map_err(|error| or_out_of_memory(py, error, "the bytes for Python", bytes.len()))
}

/// A `MemoryError` of Python as one of this package, with its size; other errors unchanged.
fn or_out_of_memory(py: Python<'_>, error: PyErr, what: &str, bytes: usize) -> PyErr {
    match error.is_instance_of::<PyMemoryError>(py) {
        true => CallError::Engine(Error::out_of_memory(what, bytes)).into(),
        false => error,
    }
}

fn views_of<'py>(
    py: Python<'py>,
    rows: usize,
    columns: impl IntoIterator<Item = (ColumnInfo, Owner)>,
    read_only: &[&str],
) -> PyResult<Arrays<'py>> {
    let dict = PyDict::new(py);
    for (info, owner) in columns {
        // Safety: the owner keeps the column's memory alive as long as the array refers to it.
        let array = unsafe { view(py, info, rows, owner) }?;
        if read_only.contains(&info.name) {
            let flags = PyDict::new(py);
            flags.set_item("write", false)?;
            array.call_method("setflags", (), Some(&flags))?;
        }
        dict.set_item(info.name, array)?;
    }
    Ok(dict)
}

/// # Safety
/// `owner` keeps the memory that `info` describes alive.
unsafe fn view(py: Python<'_>, info: ColumnInfo, rows: usize, owner: Owner) -> PyResult<Bound<'_, PyAny>> {
    /// # Safety
    /// As for `view`; the column's element type is `T`.
    unsafe fn typed<T: Element>(
        py: Python<'_>,
        info: ColumnInfo,
        rows: usize,
        memory: Memory,
    ) -> PyResult<Bound<'_, PyAny>> {
        let memory = Bound::new(py, memory)?.into_any();
        // Safety: a column is `rows` times `width` elements, kept alive by `memory`.
        Ok(unsafe {
            let array = ArrayView2::from_shape_ptr((rows, info.width), info.address.cast::<T>());
            PyArray2::borrow_from_array(&array, memory)
        }
        .into_any())
    }
    let memory = Memory { _owner: owner };
    // Safety: the element type is the column's own.
    unsafe {
        match info.dtype {
            DType::U8 => typed::<u8>(py, info, rows, memory),
            DType::I32 => typed::<i32>(py, info, rows, memory),
            DType::U64 => typed::<u64>(py, info, rows, memory),
            DType::F32 => typed::<f32>(py, info, rows, memory),
            _ => Err(CallError::Misuse("a column is of a type that this extension does not know").into()),
        }
    }
}

/// Sets `shown[id]` to `rows[id]` for every `id` in `ids` and to `None` for every `id` in `hidden`.
///
/// Faster than NumPy's indexing for a few cells of a long array.
#[pyfunction]
pub(crate) fn show_rows(
    shown: &Bound<'_, PyArray1<Py<PyAny>>>,
    rows: &Bound<'_, PyArray1<Py<PyAny>>>,
    ids: PyReadonlyArray1<'_, i64>,
    hidden: PyReadonlyArray1<'_, i64>,
) -> PyResult<()> {
    let py = shown.py();
    let mut shown = shown.try_readwrite()?;
    let rows = rows.try_readonly()?;
    let (mut shown, rows) = (shown.as_array_mut(), rows.as_array());
    for id in hidden.as_array() {
        if let Some(cell) = shown.get_mut(*id as usize) {
            *cell = py.None();
        }
    }
    for id in ids.as_array() {
        if let (Some(cell), Some(row)) = (shown.get_mut(*id as usize), rows.get(*id as usize)) {
            *cell = row.clone_ref(py);
        }
    }
    Ok(())
}

/// Output arrays provided by callers, by column.
pub(crate) struct Buffers(Vec<(String, Buffer)>);

struct Buffer {
    dtype: DType,
    start: NonNull<u8>,
    bytes: usize,
    owner: Owner,
}

// Safety: the memory is plain data that the owner, a reference to a Python object, keeps alive.
unsafe impl Send for Buffers {}

impl Buffers {
    /// Checks `out`: arrays must be C-contiguous, writeable, of a column's type, and must not overlap.
    pub(crate) fn read(out: &Arrays<'_>) -> PyResult<Self> {
        let mut buffers: Vec<(String, Buffer)> = Vec::new();
        for (name, array) in out.iter() {
            let name: String = name.extract()?;
            let refuse = |what: &str| CallError::Engine(Error::config(format!("out[{name:?}]: {what}")));
            let array = array.cast::<PyUntypedArray>().map_err(|_| refuse("a NumPy array is needed"))?;
            let buffer = Buffer::read(array).map_err(|what| refuse(&what))?;
            if let Some((other, _)) = buffers.iter().find(|(_, b)| b.overlaps(&buffer)) {
                return Err(refuse(&format!("overlaps with {other:?}")).into());
            }
            buffers.push((name, buffer));
        }
        Ok(Self(buffers))
    }

    /// Takes the memory for a column, if the caller provided it.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] if the element type or the size differs.
    pub(crate) fn take(&mut self, name: &str, dtype: DType, bytes: usize) -> Result<Option<Foreign>> {
        let Some(i) = self.0.iter().position(|(n, _)| n == name) else { return Ok(None) };
        let (_, buffer) = self.0.swap_remove(i);
        if buffer.dtype != dtype || buffer.bytes != bytes {
            return Err(Error::config(format!(
                "out[{name:?}]: {bytes} bytes of {} are needed, {} bytes of {} were given",
                dtype.name(),
                buffer.bytes,
                buffer.dtype.name()
            )));
        }
        Ok(Some(Foreign { start: buffer.start, bytes, owner: buffer.owner }))
    }

    /// Rejects arrays that no column took.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] names the array.
    pub(crate) fn finish(&self) -> Result<()> {
        match self.0.first() {
            None => Ok(()),
            Some((name, _)) => Err(Error::config(format!("out[{name:?}]: this batch writes no such column"))),
        }
    }
}

impl Buffer {
    fn read(array: &Bound<'_, PyUntypedArray>) -> Result<Self, String> {
        let wrong = |e: PyErr| e.to_string();
        let writeable = array.getattr("flags").and_then(|f| f.getattr("writeable")).and_then(|w| w.extract());
        if !array.is_c_contiguous() || !writeable.map_err(wrong)? {
            return Err("a C-contiguous, writeable array is needed".into());
        }
        let dtype = array.dtype();
        let known = [DType::U8, DType::I32, DType::U64, DType::F32];
        let dtype = known
            .into_iter()
            .find(|known| {
                let name = dtype.getattr("name").and_then(|n| n.extract::<String>());
                name.is_ok_and(|n| n == known.name()) && dtype.is_native_byteorder() != Some(false)
            })
            .ok_or_else(|| format!("no column has dtype {dtype}"))?;
        // An array with an extra view cannot be resized, so its memory does not move.
        let held = array.call_method0("view").map_err(wrong)?.unbind();
        // Safety: the pointer is to a valid array object.
        let start = unsafe { (*array.as_array_ptr()).fields.data };
        let start = NonNull::new(start.cast()).ok_or("no memory")?;
        Ok(Self { dtype, start, bytes: array.len() * dtype.size(), owner: Arc::new(held) })
    }

    fn overlaps(&self, other: &Self) -> bool {
        let range = |b: &Self| b.start.addr().get()..b.start.addr().get() + b.bytes;
        let (a, b) = (range(self), range(other));
        a.start < b.end && b.start < a.end
    }
}

/// One action per game, as given by the caller.
pub(crate) struct Actions {
    /// The action indices for the engine; negative numbers wrap around, and numbers that fit no int32 are `u32::MAX`.
    pub(crate) indices: Vec<ActionId>,
    /// The numbers that fit no index, each with its position.
    unfit: Vec<(usize, i64)>,
}

impl Actions {
    /// Rewrites the engine's error in terms of the given numbers; `ids` are the selected games, if not all.
    pub(crate) fn as_given(&self, ids: Option<&[u32]>, refused: Error) -> Error {
        let Error::Refused(refusal) = refused else { return refused };
        let game = |place: usize| ids.map_or(place, |ids| ids[place] as usize);
        let given = self.unfit.iter().find(|&&(place, _)| refusal.game == Some(game(place)));
        let action = given.map_or(refusal.action, |&(_, given)| Some(given));
        Refusal { action, ..refusal }.into()
    }
}

/// The actions as NumPy users have them.
pub(crate) fn action_array(py: Python<'_>, actions: Vec<ActionId>) -> Bound<'_, PyArray1<i32>> {
    PyArray1::from_vec(py, bytemuck::cast_vec(actions))
}

/// Actions from an int32 or int64 array.
pub(crate) fn actions(array: &ActionArray<'_>) -> PyResult<Actions> {
    if let Ok(array) = array.cast::<PyArray1<i32>>() {
        return Ok(Actions { indices: bytemuck::cast_vec(numbers::<i32>(array)?), unfit: Vec::new() });
    }
    if let Ok(array) = array.cast::<PyArray1<i64>>() {
        let given = numbers(array)?;
        let unfit = given.iter().copied().enumerate().filter(|&(_, a)| i32::try_from(a).is_err());
        return Ok(Actions {
            indices: given.iter().map(|&a| i32::try_from(a).unwrap_or(-1) as ActionId).collect(),
            unfit: unfit.collect(),
        });
    }
    let what = "actions are one-dimensional int32 or int64 arrays";
    Err(CallError::Engine(Error::config(what)).into())
}

/// The numbers of an array with any strides. A Rust slice needs aligned elements at whole-element strides. Other
/// arrays, such as a field of packed records, are copied by NumPy first.
fn numbers<T: Element + Copy>(array: &Bound<'_, PyArray1<T>>) -> PyResult<Vec<T>> {
    let lies_well = array.is_aligned() && array.strides()[0] % size_of::<T>() as isize == 0;
    if !lies_well {
        let copy = array.call_method0("copy")?;
        return Ok(copy.cast::<PyArray1<T>>()?.try_readonly()?.as_array().to_vec());
    }
    // Safety: no Rust code writes to these numbers while this thread has the interpreter's lock.
    Ok(unsafe { array.as_array() }.to_vec())
}

/// A view of the numbers of a C-contiguous array of any shape, which keeps the array alive.
pub(crate) struct Floats {
    start: NonNull<f32>,
    len: usize,
    _array: Py<PyAny>,
}

// Safety: the memory is plain data that the array, a reference to a Python object, keeps alive.
unsafe impl Send for Floats {}

impl Floats {
    /// # Errors
    /// [`Error::InvalidConfig`] for an array that is not C-contiguous or not aligned.
    pub(crate) fn read(name: &str, array: &PyReadonlyArrayDyn<'_, f32>) -> Result<Self> {
        let numbers = array.as_slice().ok().filter(|_| array.is_c_contiguous() && array.data().is_aligned());
        let numbers = numbers
            .ok_or_else(|| Error::config(format!("{name}: a C-contiguous float32 array is needed")))?;
        // While a view exists, `resize` refuses to move the memory.
        let held = array.call_method0("view").map_err(|error| Error::config(format!("{name}: {error}")))?;
        Ok(Self { start: NonNull::from(numbers).cast(), len: numbers.len(), _array: held.unbind() })
    }
}

impl Deref for Floats {
    type Target = [f32];
    fn deref(&self) -> &[f32] {
        // Safety: the array keeps these numbers alive, and every bit pattern is a valid float. A program that writes to
        // the array during the call gets undefined numbers.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}
