//! Networks read from files and run by the engine: `_core.Network`.

use std::path::Path;
use std::sync::Arc;

use ludovec::engine::{Error, Result};
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

/// The network in a file, or the one shipped with environment `env`, in its own precision or in another one.
fn read(file: Option<&str>, env: Option<&str>, precision: Option<Precision>) -> Result<Arc<EngineNetwork>> {
    match (file, env) {
        (Some(file), _) => {
            let source = Source::read(Path::new(file))?.with_precision(precision);
            Ok(Arc::new(EngineNetwork::from_source(&source)?))
        }
        (None, Some(env)) => champion(env, precision),
        (None, None) => Err(Error::config("env: the environment of the champion is needed")),
    }
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
        let mut options = config::options(options)?;
        // Large files take long to read.
        interruptible(py, true, move || {
            let precision = precision.as_deref().map(Precision::read).transpose()?;
            let network = read(file.as_deref(), env.as_deref(), precision)?;
            let id = env.as_deref().unwrap_or(&network.card().env);
            let given = options.clone();
            if id == network.card().env {
                let first = network.card().first_options();
                options.extend(
                    first.into_iter().filter(|(name, _)| given.iter().all(|(other, _)| other != name)),
                );
            }
            let game = config::rules(id, options).map_err(|error| match config::rules(id, given) {
                Ok(_) => Error::config(format!("{}: its options: {error}", network.name())),
                Err(callers) => callers,
            })?;
            let fitted = Arc::new(network.fit(game.spec())?);
            Ok(Self { fitted, row_len: game.spec().observation_len(), threads: num_threads })
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
