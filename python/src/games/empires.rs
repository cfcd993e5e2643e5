//! Terminal of Empires from raw actions: `_core.EmpiresReferee`, the base of `ludovec.empires.Referee`.

use std::sync::{Mutex, MutexGuard};

use ludovec::engine::Options;
use ludovec::games::empires::{ENTRY, JournalEntry, RawGame, Structure};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::config::{self, from_json, to_json};
use crate::errors::guard;

/// Turn, seat, name, submitted action as JSON, whether it was accepted, its effect or the reason for rejection,
/// resources left.
type EntryParts = (u32, usize, String, String, bool, String, u32);

fn parts(entry: &JournalEntry) -> EntryParts {
    let (accepted, said) = match &entry.outcome {
        Ok(deed) => (true, deed.to_string()),
        Err(objection) => (false, objection.to_string()),
    };
    let JournalEntry { turn, player, name, requested, resources, .. } = entry;
    (*turn, *player, name.clone(), requested.clone(), accepted, said, *resources)
}

/// Costs and yields of each structure, by name.
#[pyfunction]
pub(crate) fn empires_costs(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let all = PyDict::new(py);
    for structure in Structure::ALL {
        let (figures, costs) = (structure.figures(), PyDict::new(py));
        costs.set_item("build", figures.build)?;
        costs.set_item("conquer", figures.conquer)?;
        costs.set_item("conquer_defended", figures.conquer_defended)?;
        costs.set_item("harvest", figures.harvest)?;
        all.set_item(structure.name(), costs)?;
    }
    Ok(all)
}

/// A game that accepts raw, possibly invalid actions.
#[pyclass(frozen, module = "ludovec._core")]
pub(crate) struct EmpiresReferee(Mutex<RawGame>);

impl EmpiresReferee {
    fn lock(&self) -> MutexGuard<'_, RawGame> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

#[pymethods]
impl EmpiresReferee {
    /// Starts a game.
    #[new]
    fn new(options: &Bound<'_, PyDict>, seed: u64) -> PyResult<Self> {
        let options = config::options(options)?;
        guard(|| {
            let options = Options::parse(&ENTRY.options(), options)?;
            Ok(Self(Mutex::new(RawGame::new(&options, seed)?)))
        })
    }
    /// The seat of the current player.
    fn current_player(&self) -> Option<usize> {
        self.lock().current_player()
    }
    /// The observation of the current player, as JSON.
    fn observation(&self) -> String {
        to_json(&self.lock().observation())
    }
    /// Submits a raw action as JSON.
    fn submit(&self, raw: &str) -> PyResult<EntryParts> {
        let mut referee = self.lock();
        guard(|| Ok(parts(referee.submit_raw(&from_json(raw)?)?)))
    }
    /// All actions submitted so far.
    fn journal(&self) -> Vec<EntryParts> {
        self.lock().journal().iter().map(parts).collect()
    }
    /// The seats that are alive.
    fn alive(&self) -> Vec<usize> {
        self.lock().alive()
    }
    /// The position in the original's glyphs.
    fn to_terminal(&self) -> String {
        self.lock().to_terminal()
    }
}
