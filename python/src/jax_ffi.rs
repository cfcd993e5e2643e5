//! Resets and steps of a batch as a custom call of XLA (`jax.ffi`): compiled programs of JAX reach the games without
//! the interpreter.
//!
//! The structs are those of XLA's C interface (`xla/ffi/api/c_api.h`, major version 0), with the fields used here.

use std::collections::HashMap;
use std::ffi::{CString, c_char, c_void};
use std::ptr;
use std::slice;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use ludovec::engine::columns::ColumnInfo;
use ludovec::engine::{ActionId, Error, VectorEnv};

use crate::batch::Games;
use crate::errors::CallError;

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
struct Buffer {
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
const INVALID_ARGUMENT: u32 = 3;

/// Bytes of an element of the types that cross.
fn item_size(dtype: u32) -> Option<usize> {
    match dtype {
        // PRED, S8, U8
        1 | 2 | 6 => Some(1),
        // S32, U32, F32
        S32 | U32 | 11 => Some(4),
        // S64, U64
        S64 | 9 => Some(8),
        _ => None,
    }
}

impl Buffer {
    /// The bytes of the buffer; `None` for another element type.
    fn bytes(&self) -> Option<usize> {
        let rank = usize::try_from(self.rank).ok()?;
        // Safety: XLA gives `rank` dimensions; a scalar has none, and perhaps no pointer.
        let dims = if rank == 0 { &[][..] } else { unsafe { slice::from_raw_parts(self.dims, rank) } };
        let count =
            dims.iter().try_fold(1_usize, |count, &dim| count.checked_mul(usize::try_from(dim).ok()?))?;
        count.checked_mul(item_size(self.dtype)?)
    }

    /// The integers of an argument.
    fn integers(&self) -> Result<Vec<i64>, String> {
        let bytes = self.bytes().ok_or("integers are needed")?;
        // Safety: XLA gives the memory of the buffer, aligned for its type.
        unsafe {
            match self.dtype {
                S32 => Ok(slice::from_raw_parts(self.data.cast::<i32>(), bytes / 4)
                    .iter()
                    .map(|&n| n.into())
                    .collect()),
                U32 => Ok(slice::from_raw_parts(self.data.cast::<u32>(), bytes / 4)
                    .iter()
                    .map(|&n| n.into())
                    .collect()),
                S64 => Ok(slice::from_raw_parts(self.data.cast::<i64>(), bytes / 8).to_vec()),
                _ => Err("int32 or int64 is needed".into()),
            }
        }
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
                if slice::from_raw_parts(found.start, found.len) != name.as_bytes()
                    || *self.types.add(i) != SCALAR
                {
                    return None;
                }
                let scalar = &*(*self.items.add(i)).cast::<Scalar>();
                (scalar.dtype == S64).then(|| scalar.value.cast::<i64>().read_unaligned())
            }
        })
    }
}

/// Batches that compiled programs name, with the columns that they return.
struct Known {
    games: Arc<Games>,
    columns: Vec<String>,
}

static BATCHES: LazyLock<Mutex<HashMap<i64, Arc<Known>>>> = LazyLock::new(Mutex::default);

/// Makes a batch known to compiled programs; returns its number.
pub(crate) fn register(games: Arc<Games>, columns: Vec<String>) -> i64 {
    let mut batches = BATCHES.lock().unwrap_or_else(PoisonError::into_inner);
    let number = batches.keys().max().map_or(1, |last| last + 1);
    batches.insert(number, Arc::new(Known { games, columns }));
    number
}

/// Forgets a batch.
pub(crate) fn forget(number: i64) {
    BATCHES.lock().unwrap_or_else(PoisonError::into_inner).remove(&number);
}

/// The address of the function that XLA calls.
pub(crate) fn address() -> usize {
    handle as *const () as usize
}

/// A reset (attribute `reset` is 1) with the seed in the second argument, or a step with its actions. The first
/// argument is the order of the state, the results are its order and the columns.
extern "C" fn handle(frame: *mut CallFrame) -> *mut c_void {
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
    match answer(frame) {
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

fn answer(frame: &CallFrame) -> Result<(), String> {
    let gone = "the environment of this program is closed";
    let number = frame.attributes.number("batch").ok_or(gone)?;
    let known = BATCHES.lock().unwrap_or_else(PoisonError::into_inner).get(&number).cloned().ok_or(gone)?;
    let arguments = frame.arguments.list();
    let &[order, given] = &arguments[..] else { return Err("two arguments are needed".into()) };
    let (order, given) = (order.integers()?, given.integers()?);
    let resets = frame.attributes.number("reset") == Some(1);
    let results = frame.results.list();
    let games = &*known.games;
    let played = games.changed(|env| {
        if resets {
            let seed = given.first().copied().and_then(|seed| u64::try_from(seed).ok());
            let seed = seed.ok_or_else(|| Error::config("seed: an integer of at least 0 is needed"))?;
            env.reset(Some(seed))
        } else {
            if order.first().is_none_or(|&order| order as u32 != games.changes() as u32) {
                return Err(Error::config(
                    "step: the games have moved on since this state: pass the newest one",
                ));
            }
            let actions: Vec<ActionId> =
                given.iter().map(|&action| i32::try_from(action).unwrap_or(-1) as ActionId).collect();
            env.step(&actions)
        }
    });
    played.map_err(said)?;
    let copied = games.idle(|env| write(env, &known.columns, &results, games.changes() as u32));
    copied.map_err(said)
}

/// Writes the order and the columns into the results.
fn write(env: &dyn VectorEnv, names: &[String], results: &[&Buffer], order: u32) -> Result<(), Error> {
    let columns = env.columns();
    let listed: Vec<ColumnInfo> = columns.list();
    if results.len() != names.len() + 1 || results[0].bytes() != Some(4) {
        return Err(Error::config(format!("{} results are needed", names.len() + 1)));
    }
    // Safety: the first result has four bytes.
    unsafe { results[0].data.cast::<u32>().write_unaligned(order) };
    for (name, result) in names.iter().zip(&results[1..]) {
        let info = listed.iter().find(|info| info.name == name);
        let info = info.ok_or_else(|| Error::config(format!("{name}: this batch writes no such column")))?;
        let bytes = columns.num_envs() * info.width * info.dtype.size();
        if result.bytes() != Some(bytes) {
            return Err(Error::config(format!("{name}: the result has another size")));
        }
        // Safety: the column and the result have this many bytes, and do not overlap: the result is XLA's.
        unsafe { ptr::copy_nonoverlapping(info.address, result.data.cast::<u8>(), bytes) };
    }
    Ok(())
}

fn said(error: CallError) -> String {
    match error {
        CallError::Engine(error) => error.to_string(),
        CallError::Misuse(what) => what.into(),
        CallError::Panic(_) => "internal error".into(),
    }
}
