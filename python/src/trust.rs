//! The texts of clients that become players and options.

use ludovec::play::trust;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::config;
use crate::errors::guard;

/// The texts that clients may use beside the closed list.
#[pyclass(module = "ludovec._core", frozen)]
pub(crate) struct Trust {
    pub(crate) texts: trust::Trust,
}

#[pymethods]
impl Trust {
    /// Allows these players and options too.
    #[new]
    fn new(players: Vec<String>, options: &Bound<'_, PyDict>) -> PyResult<Self> {
        Ok(Self { texts: trust::Trust::new(players, config::options(options)?) })
    }
    /// Refuses a client's text for a player of an environment.
    fn check_player(&self, id: &str, options: &Bound<'_, PyDict>, text: &str) -> PyResult<()> {
        let options = config::options(options)?;
        guard(|| self.texts.check_player(&*config::rules(id, options)?, text))
    }
    /// Refuses a client's options of an environment that may be paths.
    fn check_options(&self, id: &str, options: &Bound<'_, PyDict>) -> PyResult<()> {
        let options = config::options(options)?;
        let given = options.iter().map(|(name, value)| (name.as_str(), value));
        guard(|| self.texts.check_options(ludovec::games::find(id)?, given))
    }
}
