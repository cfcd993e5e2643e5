//! Networks read from files and run by the engine: `_core.Network`.

use std::path::Path;
use std::sync::Arc;

use ludovec::engine::{Error, OptionValue, Result};
use ludovec::network::{FittedNetwork, Network as EngineNetwork, Precision, Source};
use ludovec::play::network::champion;
use numpy::{PyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::config::{self, to_json};
use crate::errors::{CallError, catch};
use crate::signals::{Signals, interruptible};

/// A network under the options of an environment; `ludovec.Network` is its public face.
#[pyclass(frozen, module = "ludovec._core")]
pub(crate) struct Network {
    fitted: Arc<FittedNetwork>,
    row_len: usize,
    threads: Option<usize>,
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
    let game = config::rules(id, options).map_err(|error| match config::rules(id, given.to_vec()) {
        Ok(_) => Error::config(format!("{}: its options: {error}", network.name())),
        Err(callers) => callers,
    })?;
    Ok((network.fit(game.spec())?, game.spec().observation_len()))
}

#[pymethods]
impl Network {
    /// Reads a file, or the network shipped with `env` if there is no file. Without `env`, the network plays its own
    /// environment; options missing from `options` take the first value that the network allows.
    #[new]
    fn new(
        py: Python<'_>,
        file: Option<String>,
        env: Option<String>,
        options: &Bound<'_, PyDict>,
        num_threads: Option<usize>,
        precision: Option<String>,
    ) -> PyResult<Self> {
        let options = config::options(options)?;
        // Large files take long to read.
        interruptible(py, true, move || {
            let precision = precision.as_deref().map(Precision::read).transpose()?;
            let (fitted, row_len) = match (&file, env.as_deref()) {
                (Some(file), env) => {
                    let source = Source::read(Path::new(file))?.with_precision(precision);
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

    /// Logits `[rows * A]` and values `[rows * P]` for observations `[rows, L]`.
    fn answer<'py>(
        &self,
        py: Python<'py>,
        observations: PyReadonlyArray2<'py, u8>,
    ) -> PyResult<(Floats<'py>, Floats<'py>)> {
        let shape = observations.as_array().dim();
        let bytes = observations.as_slice().ok().filter(|_| shape.1 == self.row_len).ok_or_else(|| {
            let what =
                format!("observations: rows of {} bytes are needed, {} were given", self.row_len, shape.1);
            CallError::from(Error::config(what))
        })?;
        let signals = Signals::default();
        let interrupt = signals.patient_interrupt();
        let answers =
            py.detach(|| catch(|| Ok(self.fitted.answer(bytes, None, self.threads, &interrupt)?)));
        signals.raise()?;
        let answers = answers?;
        Ok((PyArray1::from_vec(py, answers.logits), PyArray1::from_vec(py, answers.values)))
    }
}
