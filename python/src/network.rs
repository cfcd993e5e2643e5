//! Networks read from files and run by the engine: `_core.Network`.

use std::path::Path;
use std::sync::Arc;

use ludovec::engine::{Error, LegalActions, OptionValue, Result};
use ludovec::network::{
    FittedNetwork, Network as EngineNetwork, Precision, Source, SparseInputs as EngineInputs,
};
use ludovec::play::network::champion;
use ludovec::play::trust::Trust;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyDict;

use crate::config::{self, to_json};
use crate::ctrl_c::{Signals, run};
use crate::errors::{CallError, catch};

/// A network under the options of an environment; `ludovec.Network` is its public face.
#[pyclass(frozen, module = "ludovec._core")]
pub(crate) struct Network {
    fitted: Arc<FittedNetwork>,
    row_len: usize,
    threads: Option<usize>,
}

/// The file of a network, or its content.
#[derive(FromPyObject)]
enum Content {
    File(String),
    Bytes(PyBackedBytes),
}

/// A one-dimensional float array.
type Floats<'py> = Bound<'py, PyArray1<f32>>;

/// A network under the options of an environment, and the length of its observations. Options missing from `given` take
/// the first value that the network allows.
fn fit(
    network: &Arc<EngineNetwork>,
    env: Option<&str>,
    given: &[(String, OptionValue)],
) -> Result<(FittedNetwork, usize)> {
    let mut options = given.to_vec();
    let id = env.unwrap_or(&network.card().env);
    if id == network.card().env {
        let first = network.card().first_options();
        options.extend(first.into_iter().filter(|(name, _)| given.iter().all(|(other, _)| other != name)));
    }
    // A file from elsewhere names no file to open.
    let allowed = Trust::new([], given.to_vec());
    let game = allowed.make(id, options).map_err(|error| match config::rules(id, given.to_vec()) {
        Ok(_) => Error::config(format!("{}: its options: {error}", network.name())),
        Err(callers) => callers,
    })?;
    Ok((network.fit(game.spec())?, game.spec().observation_len()))
}

#[pymethods]
impl Network {
    /// Reads a file or its bytes, or the network shipped with `env` without either. Without `env`, the network plays its
    /// own environment; options missing from `options` take the first value that the network allows.
    #[new]
    fn new(
        py: Python<'_>,
        file: Option<Content>,
        env: Option<String>,
        options: &Bound<'_, PyDict>,
        num_threads: Option<usize>,
        precision: Option<String>,
    ) -> PyResult<Self> {
        let options = config::options(options)?;
        // Large files take long to read.
        run(py, true, move || {
            let precision = precision.as_deref().map(Precision::read).transpose()?;
            let (fitted, row_len) = match (&file, env.as_deref()) {
                (Some(file), env) => {
                    let source = match file {
                        Content::File(file) => Source::read(Path::new(file))?,
                        Content::Bytes(bytes) => Source::of_bytes("of bytes", bytes)?,
                    };
                    let source = source.with_precision(precision);
                    fit(&Arc::new(EngineNetwork::from_source(&source)?), env, &options)?
                }
                (None, Some(env)) => champion(env, precision, |network| fit(&network, Some(env), &options))?,
                (None, None) => {
                    return Err(Error::config("env: the environment of the champion is needed").into());
                }
            };
            Ok(Self { fitted: Arc::new(fitted), row_len, threads: num_threads })
        })
    }

    /// Environment, options and rewards as JSON.
    fn card(&self) -> String {
        to_json(self.fitted.network().card())
    }

    /// Logits `[rows * A]` and values `[rows * P]` for observations `[rows, L]`. With `offsets`, `[rows + 1]`, and the
    /// `actions` of all rows, logits of these alone.
    #[pyo3(signature = (observations, offsets=None, actions=None))]
    fn answer<'py>(
        &self,
        py: Python<'py>,
        observations: PyReadonlyArray2<'py, u8>,
        offsets: Option<PyReadonlyArray1<'py, i64>>,
        actions: Option<PyReadonlyArray1<'py, i32>>,
    ) -> PyResult<(Floats<'py>, Floats<'py>)> {
        let shape = observations.as_array().dim();
        let legal = match (offsets, actions) {
            (Some(offsets), Some(actions)) => Some(self.legal(&offsets, &actions, shape.0)?),
            _ => None,
        };
        let bytes = observations.as_slice().ok().filter(|_| shape.1 == self.row_len).ok_or_else(|| {
            let what =
                format!("observations: rows of {} bytes are needed, {} were given", self.row_len, shape.1);
            CallError::from(Error::config(what))
        })?;
        let signals = Signals::default();
        let interrupt = signals.patient_interrupt();
        let answers = py
            .detach(|| catch(|| Ok(self.fitted.answer(bytes, legal.as_ref(), self.threads, &interrupt)?)));
        signals.raise()?;
        let answers = answers?;
        Ok((PyArray1::from_vec(py, answers.logits), PyArray1::from_vec(py, answers.values)))
    }
}

impl Network {
    /// The network, for rollouts.
    pub(crate) fn fitted(&self) -> Arc<FittedNetwork> {
        self.fitted.clone()
    }

    /// Legal actions from arrays of a caller.
    fn legal(
        &self,
        offsets: &PyReadonlyArray1<'_, i64>,
        actions: &PyReadonlyArray1<'_, i32>,
        rows: usize,
    ) -> PyResult<LegalActions> {
        let (offsets, actions) = (offsets.as_slice()?.to_vec(), actions.as_slice()?);
        let whole = offsets.len() == rows + 1 && offsets.is_sorted();
        if !whole || (offsets[0], offsets[rows]) != (0, actions.len() as i64) {
            let what = format!(
                "legal_offsets: {} increasing numbers from 0 to {} are needed",
                rows + 1,
                actions.len()
            );
            return Err(CallError::from(Error::config(what)).into());
        }
        let most = self.fitted.num_actions();
        let actions =
            actions.iter().map(|&action| u32::try_from(action).ok().filter(|&a| (a as usize) < most));
        let actions = actions.collect::<Option<Vec<_>>>().ok_or_else(|| {
            CallError::from(Error::config(format!(
                "legal_actions: numbers from 0 to {} are needed",
                most - 1
            )))
        })?;
        Ok(LegalActions { offsets, actions })
    }
}

/// The inputs of a minibatch that are not 0, `[inputs, rows]`, for the first layer of a network that learns.
#[pyclass(frozen, module = "ludovec._core")]
pub(crate) struct SparseInputs {
    inputs: EngineInputs,
    rows: usize,
    columns: usize,
}

/// A two-dimensional float array.
type Table<'py> = Bound<'py, PyArray2<f32>>;

#[pymethods]
impl SparseInputs {
    #[new]
    fn new(py: Python<'_>, x: PyReadonlyArray2<'_, f32>) -> PyResult<Self> {
        let (columns, rows) = x.as_array().dim();
        let x = x.as_slice()?;
        let inputs = py.detach(|| catch(|| Ok(EngineInputs::new(x, rows)?)))?;
        Ok(Self { inputs, rows, columns })
    }

    /// The number of inputs that are not 0.
    fn count(&self) -> usize {
        self.inputs.len()
    }

    /// The products `[rows, outputs]` with `weights`, `[outputs, inputs]`, plus `bias`.
    fn product<'py>(
        &self,
        py: Python<'py>,
        weights: PyReadonlyArray2<'py, f32>,
        bias: PyReadonlyArray1<'py, f32>,
    ) -> PyResult<Table<'py>> {
        let y = PyArray2::zeros(py, (self.rows, bias.as_array().len()), false);
        let (weights, bias, mut result) = (weights.as_slice()?, bias.as_slice()?, y.try_readwrite()?);
        let to = result.as_slice_mut()?;
        py.detach(|| catch(|| Ok(self.inputs.product(weights, bias, to)?)))?;
        Ok(y)
    }

    /// The gradient of the weights `[outputs, inputs]`, from that of the products.
    fn gradient<'py>(&self, py: Python<'py>, gradient: PyReadonlyArray2<'py, f32>) -> PyResult<Table<'py>> {
        let weights = PyArray2::zeros(py, (gradient.as_array().dim().1, self.columns), false);
        let (gradient, mut result) = (gradient.as_slice()?, weights.try_readwrite()?);
        let to = result.as_slice_mut()?;
        py.detach(|| catch(|| Ok(self.inputs.gradient(gradient, to)?)))?;
        Ok(weights)
    }
}
