//! Action indices.
//!
//! ```text
//! 0          cells       2·cells     3·cells     4·cells  4·cells + 1
//! | conquer   | farm      | fort      | castle    | harvest | pass
//! `- cell y·width + x in each family -'
//! ```
//!
//! The families of actions on cells come first, so that each family's part of the mask is a bit plane (one bit per
//! cell) shifted by a multiple of the number of cells.

use serde_json::{Value, json};

use crate::rules::map::{Cell, Coordinates, Map};
use crate::rules::ruleset::Structure;
use ludovec_engine::{ActionFamily, ActionLayout, Error, Result};

/// An action of a player.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Takes a cell.
    Conquer(Cell),
    /// Builds on an own cell; the structure is never land.
    Build(Structure, Cell),
    /// Collects the yield of all own farms and castles.
    Harvest,
    /// A pass.
    Pass,
}

impl Action {
    pub(super) fn from_index(index: u32, map: &Map) -> Self {
        let cells = map.cells() as u32;
        let cell = Cell((index % cells) as u16);
        match index / cells {
            0 => Self::Conquer(cell),
            1 => Self::Build(Structure::Farm, cell),
            2 => Self::Build(Structure::Fort, cell),
            3 => Self::Build(Structure::Castle, cell),
            _ if index == 4 * cells => Self::Harvest,
            _ => Self::Pass,
        }
    }

    pub(super) fn index(self, map: &Map) -> u32 {
        let cells = map.cells() as u32;
        match self {
            Self::Conquer(cell) => u32::from(cell.0),
            Self::Build(structure, cell) => structure as u32 * cells + u32::from(cell.0),
            Self::Harvest => 4 * cells,
            Self::Pass => 4 * cells + 1,
        }
    }

    /// Its name and, if it has one, its cell.
    pub(super) fn parts(self) -> (&'static str, Option<Cell>) {
        match self {
            Self::Conquer(cell) => ("conquer", Some(cell)),
            Self::Build(structure, cell) => (structure.name(), Some(cell)),
            Self::Harvest => ("harvest", None),
            Self::Pass => ("pass", None),
        }
    }

    /// The action with this name at this cell.
    pub(super) fn from_parts(name: &str, cell: Option<Cell>) -> Option<Self> {
        match (name, cell) {
            ("harvest", _) => Some(Self::Harvest),
            ("pass", _) => Some(Self::Pass),
            ("conquer", Some(cell)) => Some(Self::Conquer(cell)),
            (_, Some(cell)) => {
                let structure = Structure::BUILDABLE.into_iter().find(|s| s.name() == name)?;
                Some(Self::Build(structure, cell))
            }
            _ => None,
        }
    }

    /// `conquer 3,4`, `castle 0,7`, `harvest`, `pass`.
    pub(super) fn label(self, map: &Map) -> String {
        let (name, cell) = self.parts();
        cell.map_or(name.into(), |cell| {
            let Coordinates(x, y) = map.coordinates(cell);
            format!("{name} {x},{y}")
        })
    }

    /// `{"type": "conquer", "position": [3, 4]}`; the position of `harvest` and `pass` is null.
    pub(super) fn to_json(self, map: &Map) -> Value {
        let (name, cell) = self.parts();
        json!({ "type": name, "position": cell.map(|c| map.coordinates(c)) })
    }

    /// Reads the output of [`Action::to_json`]; the position of `harvest` and `pass` may be left out.
    pub(super) fn from_json(json: &Value, map: &Map) -> Result<Self> {
        let name = json.get("type").and_then(Value::as_str).ok_or_else(|| {
            Error::illegal(r#"an action is {"type": ..., "position": [x, y]}; "type" is missing"#)
        })?;
        if !TYPES.contains(&name) {
            return Err(Error::illegal(format!(
                "unknown action type {name:?}: the types are {}",
                TYPES.join(", ")
            )));
        }
        let position = json.get("position").unwrap_or(&Value::Null);
        let cell = serde_json::from_value::<Coordinates>(position.clone()).ok().and_then(|at| map.cell(at));
        Self::from_parts(name, cell).ok_or_else(|| {
            Error::illegal(format!(
                "{name} at {position}: the position is [x, y] with x below {} and y below {}",
                map.width, map.height
            ))
        })
    }
}

/// The names of the families, in index order.
pub(super) const TYPES: [&str; 6] = ["conquer", "farm", "fort", "castle", "harvest", "pass"];

pub(super) fn families(map: &Map) -> Vec<ActionFamily> {
    let cells = map.cells() as u32;
    let mut layout = ActionLayout::default();
    layout.push("conquer", cells, "conquer cell i = y * width + x: it becomes own land");
    layout.push("farm", cells, "build a farm on own cell i = y * width + x");
    layout.push("fort", cells, "build a fort on own cell i = y * width + x");
    layout.push("castle", cells, "build a castle on own cell i = y * width + x");
    layout.push("harvest", 1, "collect 5 resources from each own farm and castle");
    layout.push("pass", 1, "do nothing");
    layout.into_families()
}

pub(super) fn num_actions(map: &Map) -> u32 {
    4 * map.cells() as u32 + 2
}
