//! Any architecture, by ONNX Runtime. The library is loaded when the first ONNX file is read.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{env, process, ptr, thread};

use ort::AsPointer;
use ort::environment::Environment;
use ort::memory::{AllocationDevice, AllocatorType, MemoryInfo, MemoryType};
use ort::session::builder::GraphOptimizationLevel;
use ort::session::{RunOptions, Session};
use ort::value::{DynTensor, Outlet, Tensor, TensorElementType, ValueType};

use super::source::Source;
use crate::engine::{Error, Interrupt, Result, Spec};

/// Environment variable with the path of the library.
const LIBRARY: &str = "ORT_DYLIB_PATH";
/// Names of the input and the outputs.
const OBSERVATION: &str = "observation";
const POLICY: &str = "policy";
const VALUE: &str = "value";

/// Memory limit in bytes for all ONNX networks together: weights, and the tensors of running calls.
const MOST_MEMORY: usize = 4 << 30;
/// Time limit of one inference call.
const LONGEST_CALL: Duration = Duration::from_secs(60);
/// Interval at which a waiting thread checks for an interrupt.
const TICK: Duration = Duration::from_millis(50);
/// Maximum wait for a terminated call to end: the library checks the flag between operators.
const GRACE: Duration = Duration::from_secs(1);

/// A network in an ONNX file.
pub(super) struct Onnx {
    session: Arc<Mutex<Session>>,
    /// The process that read the file.
    process: u32,
    /// Whether the input is float32, each byte times the scale of its field; otherwise bytes.
    floats: bool,
    /// Number of elements of an observation, if the file declares it.
    row_len: Option<usize>,
}

/// Input format for observations of an environment.
pub(super) struct Rows {
    shape: Vec<i64>,
    /// Scale by element; empty for bytes.
    scales: Vec<f32>,
}

impl Onnx {
    /// Reads a file; returns the network and its metadata.
    ///
    /// # Errors
    /// A message about the invalid file or the missing library.
    pub(super) fn read(source: &Source) -> Result<(Self, HashMap<String, String>), String> {
        load_library()?;
        let session =
            open(source).map_err(|error| format!("it is not an ONNX file: {}", one_line(&error)))?;
        let find = |outlets: &[Outlet], name: &str| {
            let found = outlets.iter().find(|outlet| outlet.name() == name);
            found.map(|outlet| outlet.dtype().clone()).ok_or_else(|| {
                let names: Vec<_> = outlets.iter().map(Outlet::name).collect();
                format!("it has no {name:?} among {}", names.join(", "))
            })
        };
        let (floats, row_len) = match find(session.inputs(), OBSERVATION)? {
            ValueType::Tensor { ty, shape, .. }
                if [TensorElementType::Uint8, TensorElementType::Float32].contains(&ty) =>
            {
                let sizes = shape.iter().skip(1).map(|&size| usize::try_from(size).ok());
                (ty == TensorElementType::Float32, sizes.product())
            }
            other => return Err(format!("its {OBSERVATION:?} is {other}: uint8 or float32 is needed")),
        };
        for name in [POLICY, VALUE] {
            match find(session.outputs(), name)? {
                ValueType::Tensor { ty: TensorElementType::Float32, .. } => {}
                other => return Err(format!("its {name:?} is {other}: float32 is needed")),
            }
        }
        let mut metadata = HashMap::new();
        let read = session.metadata().and_then(|all| {
            for key in all.custom_keys()? {
                metadata.extend(all.custom(&key).map(|value| (key, value)));
            }
            Ok(())
        });
        read.map_err(|error| format!("its metadata: {}", one_line(&error)))?;
        let session = Arc::new(Mutex::new(session));
        Ok((Self { session, process: process::id(), floats, row_len }, metadata))
    }

    /// Whether this process read the file.
    pub(super) fn is_here(&self) -> bool {
        self.process == process::id()
    }

    /// # Errors
    /// A message if observations of the environment have another size.
    pub(super) fn rows(&self, spec: &Spec) -> Result<Rows, String> {
        let wanted = spec.observation_len();
        if let Some(len) = self.row_len.filter(|&len| len != wanted) {
            return Err(format!("its {OBSERVATION:?} has {len} elements, one of {} has {wanted}", spec.env));
        }
        let mut scales = Vec::new();
        if self.floats {
            scales.resize(wanted, 1.0);
            for field in &spec.observation {
                field.indices().for_each(|i| scales[i] = field.scale);
            }
        }
        Ok(Rows { shape: spec.observation_shape.iter().map(|&size| size as i64).collect(), scales })
    }

    /// Logits `[count, actions]` and values `[count, players]` of some observations.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] for an error of the library, an output of the wrong shape, or a timeout;
    /// [`Error::Interrupted`].
    pub(super) fn run(
        &self,
        rows: &Rows,
        observations: &[u8],
        actions: usize,
        players: usize,
        interrupt: &Interrupt,
    ) -> Result<(Vec<f32>, Vec<f32>)> {
        if !self.is_here() {
            return Err(Error::config("it was read in another process: read it here"));
        }
        let row_len: i64 = rows.shape.iter().product();
        let count = observations.len() / row_len as usize;
        let mut shape = vec![count as i64];
        shape.extend(&rows.shape);
        let input = if self.floats {
            let scaled = observations.iter().zip(rows.scales.iter().cycle());
            Tensor::from_array((
                shape,
                scaled.map(|(&byte, scale)| f32::from(byte) * scale).collect::<Vec<_>>(),
            ))
            .map(Tensor::upcast)
        } else {
            Tensor::from_array((shape, observations.to_vec())).map(Tensor::upcast)
        };
        let input = input.map_err(|error| Error::config(one_line(&error)))?;
        let answer = self.compute(input, interrupt)?;
        let [(policy_shape, logits), (value_shape, values)] = answer;
        if policy_shape != [count as i64, actions as i64] {
            return Err(Error::config(format!(
                "its {POLICY:?} has shape {policy_shape:?}, [{count}, {actions}] is needed"
            )));
        }
        match *value_shape {
            [rows, seats] if (rows, seats) == (count as i64, players as i64) => Ok((logits, values)),
            // One value, for the current player: in a two-player zero-sum game, the other player's value is its
            // negative.
            [rows] if rows == count as i64 && players == 2 => {
                Ok((logits, values.iter().flat_map(|&value| [value, -value]).collect()))
            }
            _ => {
                let one = if players == 2 { format!("[{count}] or ") } else { String::new() };
                Err(Error::config(format!(
                    "its {VALUE:?} has shape {value_shape:?}, {one}[{count}, {players}] is needed"
                )))
            }
        }
    }

    /// Shape and data of policy and value. The library runs in a separate thread. On an interrupt or a timeout, this
    /// thread terminates the run, and abandons it if that takes too long.
    fn compute(&self, input: DynTensor, interrupt: &Interrupt) -> Result<[Output; 2]> {
        let begun = Instant::now();
        let wrong = |what: String| Error::config(what);
        let options = RunOptions::new().map_err(|error| wrong(one_line(&error)))?;
        let options = Arc::new(options);
        let (session, run) = (self.session.clone(), options.clone());
        let (done, answer) = channel();
        let work = move || {
            // A poisoned lock is fine: a panic cannot leave the session in a bad state.
            let mut session = session.lock().unwrap_or_else(PoisonError::into_inner);
            // Sending fails if the caller has abandoned this thread.
            let _ = done.send(outputs(&mut session, input, &run));
        };
        let spawned = thread::Builder::new().name("ludovec network".into()).spawn(work);
        spawned.map_err(|error| wrong(format!("no thread could be started: {error}")))?;
        let end = loop {
            match answer.recv_timeout(TICK) {
                Ok(answer) => return answer.map_err(wrong),
                Err(RecvTimeoutError::Disconnected) => return Err(wrong("its computation broke off".into())),
                Err(RecvTimeoutError::Timeout) if interrupt.is_raised() => {
                    break Error::interrupted("the network has not answered");
                }
                Err(RecvTimeoutError::Timeout) if begun.elapsed() > LONGEST_CALL => {
                    break wrong(format!("it has not answered within {} seconds", LONGEST_CALL.as_secs()));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        };
        // If the library ignores the flag, its thread continues in the background.
        let _ = options.terminate();
        let _ = answer.recv_timeout(GRACE);
        Err(end)
    }
}

/// Shape and data of an output.
type Output = (Vec<i64>, Vec<f32>);

/// Computes policy and value of an input.
fn outputs(session: &mut Session, input: DynTensor, options: &RunOptions) -> Result<[Output; 2], String> {
    let outputs = session.run_with_options(ort::inputs![OBSERVATION => input], options);
    let outputs = outputs.map_err(|error| one_line(&error))?;
    let read = |name: &str| {
        let (shape, numbers) = outputs[name].try_extract_tensor::<f32>().map_err(|error| one_line(&error))?;
        Ok::<_, String>((shape.to_vec(), numbers.to_vec()))
    };
    Ok([read(POLICY)?, read(VALUE)?])
}

/// A session that computes on the calling thread. The results of a row differ slightly between batches, because the
/// library multiplies matrices with vectors by another kernel than with matrices.
fn open(source: &Source) -> ort::Result<Session> {
    let mut builder =
        Session::builder()?.with_intra_threads(1)?.with_inter_threads(1)?.with_env_allocators()?;
    for (name, weights) in &source.beside {
        builder = builder.with_external_initializer_file_in_memory(name, Cow::Owned(weights.clone()))?;
    }
    builder.with_optimization_level(GraphOptimizationLevel::All)?.commit_from_memory(&source.bytes)
}

/// Limits the memory of all sessions, because a file of a few bytes can request any amount.
fn limit_memory(environment: &Environment) -> ort::Result<()> {
    let info = MemoryInfo::new(AllocationDevice::CPU, 0, AllocatorType::Arena, MemoryType::Default)?;
    let api = ort::api();
    // Extend the arena by the requested size (1) instead of powers of two.
    let (keys, values) = ([c"max_mem".as_ptr(), c"arena_extend_strategy".as_ptr()], [MOST_MEMORY, 1]);
    let mut arena = ptr::null_mut();
    // Safety: there are two keys and two values, and all pointers are valid for the calls, which do not store them.
    unsafe {
        ort::Error::result_from_status((api.CreateArenaCfgV2)(
            keys.as_ptr(),
            values.as_ptr(),
            2,
            &mut arena,
        ))?;
        let status = (api.CreateAndRegisterAllocator)(environment.ptr().cast_mut(), info.ptr(), arena);
        (api.ReleaseArenaCfg)(arena);
        ort::Error::result_from_status(status)
    }
}

/// Loads the library if it exists; no function of it may be called before.
fn load_library() -> Result<(), String> {
    static LOADED: Mutex<bool> = Mutex::new(false);
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    if *loaded {
        return Ok(());
    }
    let hint = "such as onnxruntime/capi/libonnxruntime.so.1.24.0 in Python's packages after `pip install onnxruntime`";
    let path = env::var_os(LIBRARY).ok_or_else(|| {
        format!("ONNX files need the library ONNX Runtime: set {LIBRARY} to its path, {hint}")
    })?;
    let path = Path::new(&path);
    if !path.is_file() {
        return Err(format!(
            "{LIBRARY}={}: there is no such file; the library is needed, {hint}",
            path.display()
        ));
    }
    let environment = ort::init_from(path)
        .map_err(|error| format!("{LIBRARY}={}: {}", path.display(), one_line(&error)))?;
    // Returns false if the process already has an environment, which works as well.
    environment.commit();
    // The environment is leaked on purpose: releasing it while static variables are dropped can crash.
    let environment = Environment::current().map_err(|error| one_line(&error))?;
    limit_memory(&environment).map_err(|error| one_line(&error))?;
    std::mem::forget(environment);
    *loaded = true;
    Ok(())
}

fn one_line(error: &dyn std::fmt::Display) -> String {
    error.to_string().split_whitespace().collect::<Vec<_>>().join(" ")
}
