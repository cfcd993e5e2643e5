//! Any architecture, by ONNX Runtime. The library is loaded when the first ONNX file is read.

use std::collections::HashMap;
use std::env;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use ort::environment::Environment;
use ort::session::Session;
use ort::session::builder::GraphOptimizationLevel;
use ort::value::{Outlet, Tensor, TensorElementType, ValueType};

use crate::engine::Spec;

/// Environment variable with the path of the library.
const LIBRARY: &str = "ORT_DYLIB_PATH";
/// Names of the input and the outputs.
const OBSERVATION: &str = "observation";
const POLICY: &str = "policy";
const VALUE: &str = "value";

/// A network in an ONNX file.
pub(super) struct Onnx {
    session: Mutex<Session>,
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
    pub(super) fn read(bytes: &[u8]) -> Result<(Self, HashMap<String, String>), String> {
        load_library()?;
        let session = open(bytes).map_err(|error| format!("it is not an ONNX file: {}", one_line(&error)))?;
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
        Ok((Self { session: Mutex::new(session), floats, row_len }, metadata))
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
    /// The error of the library, or a message about the wrong shape of an output.
    pub(super) fn run(
        &self,
        rows: &Rows,
        observations: &[u8],
        actions: usize,
        players: usize,
    ) -> Result<(Vec<f32>, Vec<f32>), String> {
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
            .map(Tensor::into_dyn)
        } else {
            Tensor::from_array((shape, observations.to_vec())).map(Tensor::into_dyn)
        };
        let input = input.map_err(|error| one_line(&error))?;
        // A poisoned lock is fine: a panic cannot leave the session in a bad state.
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        let outputs = session.run(ort::inputs![OBSERVATION => input]).map_err(|error| one_line(&error))?;
        let read = |name: &str| {
            let (shape, numbers) =
                outputs[name].try_extract_tensor::<f32>().map_err(|error| one_line(&error))?;
            Ok::<_, String>((shape.to_vec(), numbers.to_vec()))
        };
        let (policy_shape, logits) = read(POLICY)?;
        if policy_shape != [count as i64, actions as i64] {
            return Err(format!("its {POLICY:?} has shape {policy_shape:?}, [{count}, {actions}] is needed"));
        }
        let (value_shape, values) = read(VALUE)?;
        match *value_shape {
            [rows, seats] if (rows, seats) == (count as i64, players as i64) => Ok((logits, values)),
            // One value, for the current player: in a two-player zero-sum game, the other player's value is its
            // negative.
            [rows] if rows == count as i64 && players == 2 => {
                Ok((logits, values.iter().flat_map(|&value| [value, -value]).collect()))
            }
            _ => {
                let one = if players == 2 { format!("[{count}] or ") } else { String::new() };
                Err(format!("its {VALUE:?} has shape {value_shape:?}, {one}[{count}, {players}] is needed"))
            }
        }
    }
}

/// A session that computes on the calling thread. The results of a row differ slightly between batches, because the
/// library multiplies matrices with vectors by another kernel than with matrices.
fn open(bytes: &[u8]) -> ort::Result<Session> {
    let builder = Session::builder()?.with_intra_threads(1)?.with_inter_threads(1)?;
    builder.with_optimization_level(GraphOptimizationLevel::All)?.commit_from_memory(bytes)
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
    std::mem::forget(Environment::current().map_err(|error| one_line(&error))?);
    *loaded = true;
    Ok(())
}

fn one_line(error: &dyn std::fmt::Display) -> String {
    error.to_string().split_whitespace().collect::<Vec<_>>().join(" ")
}
