//! The structs of XLA's C interface (`xla/ffi/api/c_api.h`, major version 0), with the fields used here.

use std::ffi::{CString, c_char, c_void};
use std::ptr;
use std::slice;

use ludovec::engine::bytemuck::{self, NoUninit};

#[repr(C)]
struct Extension {
    struct_size: usize,
    kind: u32,
    next: *mut Extension,
}

#[repr(C)]
struct ApiVersion {
    struct_size: usize,
    extension: *mut Extension,
    major: i32,
    minor: i32,
}

#[repr(C)]
struct Metadata {
    struct_size: usize,
    version: ApiVersion,
    traits: u32,
}

#[repr(C)]
struct MetadataExtension {
    base: Extension,
    metadata: *mut Metadata,
}

#[repr(C)]
pub(super) struct Buffer {
    struct_size: usize,
    extension: *mut Extension,
    dtype: u32,
    data: *mut c_void,
    rank: i64,
    dims: *const i64,
}

/// Arguments or results.
#[repr(C)]
struct Buffers {
    struct_size: usize,
    extension: *mut Extension,
    size: i64,
    types: *const u32,
    items: *const *const Buffer,
}

#[repr(C)]
struct Name {
    start: *const u8,
    len: usize,
}

#[repr(C)]
struct Scalar {
    dtype: u32,
    value: *const c_void,
}

#[repr(C)]
struct Attributes {
    struct_size: usize,
    extension: *mut Extension,
    size: i64,
    types: *const u32,
    names: *const *const Name,
    items: *const *const c_void,
}

#[repr(C)]
struct ErrorArguments {
    struct_size: usize,
    extension: *mut Extension,
    message: *const c_char,
    code: u32,
}

#[repr(C)]
struct Api {
    struct_size: usize,
    extension: *mut Extension,
    version: ApiVersion,
    internal: *const c_void,
    create_error: extern "C" fn(*mut ErrorArguments) -> *mut c_void,
}

/// The frame of a call.
#[repr(C)]
pub(crate) struct CallFrame {
    struct_size: usize,
    extension: *mut Extension,
    api: *const Api,
    context: *mut c_void,
    stage: u32,
    arguments: Buffers,
    results: Buffers,
    attributes: Attributes,
}

const METADATA: u32 = 1;
const MAJOR: i32 = 0;
const MINOR: i32 = 1;
const EXECUTE: u32 = 3;
const SCALAR: u32 = 3;
const S32: u32 = 4;
const S64: u32 = 5;
const U32: u32 = 8;
const F32: u32 = 11;
const INVALID_ARGUMENT: u32 = 3;

/// Bytes of an element of the types that cross.
fn item_size(dtype: u32) -> Option<usize> {
    match dtype {
        // PRED, S8, U8
        1 | 2 | 6 => Some(1),
        S32 | U32 | F32 => Some(4),
        // S64, U64
        S64 | 9 => Some(8),
        _ => None,
    }
}

/// The elements of an array of XLA, which gives a null pointer for some empty arrays: a slice never has one.
///
/// # Safety
/// Unless `len` is 0, `start` points to `len` elements that stay as they are during `'a`, aligned for their type.
unsafe fn elements<'a, T>(start: *const T, len: usize) -> &'a [T] {
    // Safety: as above.
    if len == 0 { &[] } else { unsafe { slice::from_raw_parts(start, len) } }
}

impl Buffer {
    /// The bytes of the buffer; `None` for another element type.
    fn bytes(&self) -> Option<usize> {
        let rank = usize::try_from(self.rank).ok()?;
        // Safety: XLA gives `rank` dimensions.
        let dims = unsafe { elements(self.dims, rank) };
        let count =
            dims.iter().try_fold(1_usize, |count, &dim| count.checked_mul(usize::try_from(dim).ok()?))?;
        count.checked_mul(item_size(self.dtype)?)
    }

    /// The integers of an argument.
    pub(super) fn integers(&self) -> Result<Vec<i64>, String> {
        let bytes = self.bytes().ok_or("integers are needed")?;
        // Safety: XLA gives the memory of the buffer, aligned for its type.
        unsafe {
            match self.dtype {
                S32 => Ok(elements(self.data.cast::<i32>(), bytes / 4).iter().map(|&n| n.into()).collect()),
                U32 => Ok(elements(self.data.cast::<u32>(), bytes / 4).iter().map(|&n| n.into()).collect()),
                S64 => Ok(elements(self.data.cast::<i64>(), bytes / 8).to_vec()),
                _ => Err("int32 or int64 is needed".into()),
            }
        }
    }

    /// The numbers of an argument.
    pub(super) fn floats(&self) -> Result<&[f32], String> {
        let bytes = self.bytes().filter(|_| self.dtype == F32).ok_or("float32 is needed")?;
        // Safety: XLA gives the memory of the buffer, aligned for its type, and does not change it during the call.
        Ok(unsafe { elements(self.data.cast(), bytes / 4) })
    }

    /// The memory of a result that has `bytes` bytes.
    pub(super) fn place(&self, name: &str, bytes: usize) -> Result<*mut u8, String> {
        match self.bytes() {
            // A result without bytes may have no memory.
            Some(0) if bytes == 0 => Ok(ptr::dangling_mut()),
            Some(size) if size == bytes => Ok(self.data.cast()),
            _ => Err(format!("{name}: the result has another size")),
        }
    }

    /// Fills a result.
    pub(super) fn write<T: NoUninit>(&self, name: &str, values: &[T]) -> Result<(), String> {
        let bytes: &[u8] = bytemuck::cast_slice(values);
        let place = self.place(name, bytes.len())?;
        // Safety: the result has this many bytes, and is XLA's alone.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), place, bytes.len()) };
        Ok(())
    }

    /// Fills the beginning of a result with `values`, and the rest with `padding`.
    pub(super) fn write_padded<T: NoUninit>(
        &self,
        name: &str,
        values: &[T],
        padding: T,
    ) -> Result<(), String> {
        let bytes = self.bytes().ok_or_else(|| format!("{name}: the result has another type"))?;
        if bytes < size_of_val(values) || !bytes.is_multiple_of(size_of::<T>()) {
            return Err(format!("{name}: the result has another size"));
        }
        let start: *mut T = if bytes == 0 { ptr::dangling_mut() } else { self.data.cast() };
        // Safety: the result has room for both, is aligned as XLA aligns all memory, and is XLA's alone.
        unsafe {
            ptr::copy_nonoverlapping(values.as_ptr(), start, values.len());
            for index in values.len()..bytes / size_of::<T>() {
                start.add(index).write(padding);
            }
        }
        Ok(())
    }
}

impl Buffers {
    fn list(&self) -> Vec<&Buffer> {
        let count = usize::try_from(self.size).unwrap_or_default();
        // Safety: XLA gives `size` pointers to buffers that live as long as the call; buffers are the only type.
        (0..count).map(|i| unsafe { &**self.items.add(i) }).collect()
    }
}

impl Attributes {
    /// An attribute that is an int64.
    fn number(&self, name: &str) -> Option<i64> {
        let count = usize::try_from(self.size).ok()?;
        (0..count).find_map(|i| {
            // Safety: XLA gives `size` names, types and values; a scalar's value has its type.
            unsafe {
                let found = &**self.names.add(i);
                if elements(found.start, found.len) != name.as_bytes() || *self.types.add(i) != SCALAR {
                    return None;
                }
                let scalar = &*(*self.items.add(i)).cast::<Scalar>();
                (scalar.dtype == S64).then(|| scalar.value.cast::<i64>().read_unaligned())
            }
        })
    }
}

/// A call in progress.
pub(super) struct Call<'a> {
    pub(super) arguments: Vec<&'a Buffer>,
    pub(super) results: Vec<&'a Buffer>,
    attributes: &'a Attributes,
}

impl<'a> Call<'a> {
    fn of(frame: &'a CallFrame) -> Self {
        let (arguments, results) = (frame.arguments.list(), frame.results.list());
        Self { arguments, results, attributes: &frame.attributes }
    }

    /// An attribute that is an int64.
    pub(super) fn number(&self, name: &str) -> Option<i64> {
        self.attributes.number(name)
    }

    /// An argument.
    pub(super) fn argument(&self, index: usize) -> Result<&'a Buffer, String> {
        self.arguments.get(index).copied().ok_or_else(|| format!("{} arguments are needed", index + 1))
    }

    /// The results, as many as `N`.
    pub(super) fn result<const N: usize>(&self) -> Result<[&'a Buffer; N], String> {
        self.results[..].try_into().map_err(|_| format!("{N} results are needed"))
    }
}

// Safety: during a call, XLA's structs stay as they are, and may be read from any thread.
unsafe impl Sync for Buffer {}
// Safety: as above.
unsafe impl Sync for Attributes {}

/// Answers a call of XLA: what the interface asks about this function, or `answer`.
pub(super) fn serve(
    frame: *mut CallFrame,
    answer: impl FnOnce(&Call<'_>) -> Result<(), String>,
) -> *mut c_void {
    // Safety: XLA gives a valid frame.
    let frame = unsafe { &*frame };
    let mut extension = frame.extension;
    while !extension.is_null() {
        // Safety: extensions form a list of valid structs, each with its type.
        unsafe {
            if (*extension).kind == METADATA {
                let metadata = &mut *(*extension.cast::<MetadataExtension>()).metadata;
                // The fields used here are the same in all minor versions, so the running one is right.
                let minor = if frame.api.is_null() { MINOR } else { (*frame.api).version.minor };
                (metadata.version.major, metadata.version.minor) = (MAJOR, minor);
                metadata.traits = 0;
                return ptr::null_mut();
            }
            extension = (*extension).next;
        }
    }
    if frame.stage != EXECUTE {
        return ptr::null_mut();
    }
    match answer(&Call::of(frame)) {
        Ok(()) => ptr::null_mut(),
        Err(what) => {
            let message = CString::new(what.replace('\0', " ")).unwrap_or_default();
            let mut arguments = ErrorArguments {
                struct_size: size_of::<ErrorArguments>(),
                extension: ptr::null_mut(),
                message: message.as_ptr(),
                code: INVALID_ARGUMENT,
            };
            // Safety: the interface is that of the running XLA, which copies the message.
            unsafe { ((*frame.api).create_error)(&raw mut arguments) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A buffer of an element type with these dimensions.
    fn buffer(dtype: u32, data: *mut c_void, dims: &[i64]) -> Buffer {
        let dims_start = if dims.is_empty() { ptr::null() } else { dims.as_ptr() };
        Buffer {
            struct_size: size_of::<Buffer>(),
            extension: ptr::null_mut(),
            dtype,
            data,
            rank: dims.len() as i64,
            dims: dims_start,
        }
    }

    #[test]
    fn empty_buffers_without_memory_are_read_and_written() {
        for dims in [&[0][..], &[3, 0], &[0, 7, 2]] {
            for dtype in [S32, U32, S64] {
                let empty = buffer(dtype, ptr::null_mut(), dims);
                assert_eq!(empty.integers(), Ok(Vec::new()));
                assert_eq!(empty.write::<i64>("empty", &[]), Ok(()));
                assert_eq!(empty.write_padded::<i32>("empty", &[], 1), Ok(()));
                assert!(!empty.place("empty", 0).unwrap().is_null());
                assert!(
                    empty.write("empty", &[1_i64]).is_err()
                        && empty.write_padded("empty", &[1_i64], 0).is_err()
                );
            }
            assert_eq!(buffer(F32, ptr::null_mut(), dims).floats(), Ok(&[][..]));
        }
        let name = Name { start: ptr::null(), len: 0 };
        let (names, types, items) = ([&raw const name], [SCALAR], [ptr::null()]);
        let attributes = Attributes {
            struct_size: size_of::<Attributes>(),
            extension: ptr::null_mut(),
            size: 1,
            types: types.as_ptr(),
            names: names.as_ptr(),
            items: items.as_ptr(),
        };
        assert_eq!(attributes.number("call"), None);
    }

    #[test]
    fn buffers_are_read_and_filled() {
        let mut small = [3_i32, -4];
        let scalar = buffer(S32, small.as_mut_ptr().cast(), &[]);
        assert_eq!(scalar.integers(), Ok(vec![3]));
        let vector = buffer(S32, small.as_mut_ptr().cast(), &[2]);
        assert_eq!(vector.integers(), Ok(vec![3, -4]));
        vector.write_padded("vector", &[7_i32], 9).unwrap();
        assert_eq!(vector.integers(), Ok(vec![7, 9]));
        let mut long = [1_i64 << 40];
        let of_long = buffer(S64, long.as_mut_ptr().cast(), &[1, 1]);
        assert_eq!(of_long.integers(), Ok(vec![1 << 40]));
        of_long.write("long", &[5_i64]).unwrap();
        assert_eq!(of_long.integers(), Ok(vec![5]));
        let mut numbers = [0.5_f32, 2.0];
        assert_eq!(buffer(F32, numbers.as_mut_ptr().cast(), &[2]).floats(), Ok(&[0.5, 2.0][..]));
        for dims in [&[-1][..], &[i64::MAX, 3]] {
            assert!(buffer(S32, ptr::null_mut(), dims).integers().is_err(), "{dims:?}");
        }
    }
}
