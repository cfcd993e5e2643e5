//! Fleets in shared memory: `_core.Fleet` serves, `_core.attach` plays.

use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use ludovec::engine::{Error, Named, VectorEnv};
use ludovec::shm::{self, FleetConfig};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::batch::{Batch, MANY_NEW_GAMES};
use crate::config::{self, Config};
use crate::ctrl_c::{TICK, run};
use crate::errors::{CallError, catch};

/// Claims blocks of a fleet: returns one batch over all of them or one per block, and the fleet's auto-reset mode.
/// Calls fail if they wait for the fleet for more than `timeout` seconds.
#[pyfunction]
pub(crate) fn attach(
    py: Python<'_>,
    name: &str,
    blocks: Option<usize>,
    split: bool,
    timeout: Option<f64>,
) -> PyResult<(Vec<Batch>, &'static str)> {
    let limit =
        timeout.map(Duration::try_from_secs_f64).transpose().ok().filter(|l| *l != Some(Duration::ZERO));
    let envs = py.detach(|| {
        catch(|| {
            let limit = limit.ok_or_else(|| {
                Error::config(format!(
                    "timeout={}: a positive number of seconds is needed",
                    timeout.unwrap_or(0.0)
                ))
            })?;
            let mut env = shm::attach(name, blocks)?;
            env.set_time_limit(limit);
            Ok(if split { env.split()? } else { vec![env] })
        })
    })?;
    let mode = envs[0].config().autoreset.name();
    let batches = envs.into_iter().map(|env| Batch::waiting(Box::new(env)));
    Ok((batches.collect::<Result<_, _>>().map_err(CallError::from)?, mode))
}

/// A running fleet; `ludovec.serve` starts one. It stops when it is dropped.
#[pyclass(frozen, module = "ludovec._core")]
pub(crate) struct Fleet {
    /// `None` once stopped.
    fleet: Mutex<Option<shm::Fleet>>,
    /// The name that clients attach to.
    #[pyo3(get)]
    name: String,
    /// Number of blocks: runs of games claimed and stepped separately.
    #[pyo3(get)]
    num_blocks: usize,
    /// Size of the segment in bytes.
    #[pyo3(get)]
    segment_bytes: usize,
}

impl Fleet {
    fn fleet(&self) -> MutexGuard<'_, Option<shm::Fleet>> {
        self.fleet.lock().unwrap_or_else(|e| e.into_inner())
    }
}

#[pymethods]
impl Fleet {
    /// Starts a fleet.
    #[new]
    fn new(
        py: Python<'_>,
        id: &str,
        options: &Bound<'_, PyDict>,
        config: Config,
        name: String,
        blocks: Option<usize>,
        mode: u32,
    ) -> PyResult<Self> {
        let options = config::options(options)?;
        let (id, called) = (id.to_string(), name.clone());
        let long = config.num_envs >= MANY_NEW_GAMES;
        let fleet = run(py, long, move || {
            let batch = config.read()?;
            let config = FleetConfig { name: called, blocks, mode, batch };
            Ok(shm::Fleet::start(config::rules(&id, options)?, config)?)
        })?;
        let (num_blocks, segment_bytes) = (fleet.num_blocks(), fleet.segment_bytes());
        Ok(Self { fleet: Mutex::new(Some(fleet)), name, num_blocks, segment_bytes })
    }

    /// Waits until the fleet has stopped, for at most `seconds`; returns whether it has stopped.
    ///
    /// Raises if another program damaged its segment.
    #[pyo3(signature = (seconds=None))]
    fn wait(&self, py: Python<'_>, seconds: Option<f64>) -> PyResult<bool> {
        let start = Instant::now();
        loop {
            let left = seconds
                .map(|s| Duration::try_from_secs_f64(s).unwrap_or_default().saturating_sub(start.elapsed()));
            let limit = left.map_or(TICK, |left| left.min(TICK));
            let end =
                py.detach(|| self.fleet().as_ref().map_or(Some(Ok(())), |fleet| fleet.wait(Some(limit))));
            match end {
                Some(end) => return Ok(end.map(|()| true).map_err(CallError::from)?),
                None if left.is_some_and(|left| left <= limit) => return Ok(false),
                None => py.check_signals()?,
            }
        }
    }

    /// Stops the fleet: clients get an error, and the name becomes free.
    fn stop(&self, py: Python<'_>) {
        py.detach(|| drop(self.fleet().take()));
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, pyo3::types::PyTuple>) {
        self.stop(py);
    }

    fn __repr__(&self) -> String {
        format!("<ludovec.Fleet {:?} num_blocks={}>", self.name, self.num_blocks)
    }
}
