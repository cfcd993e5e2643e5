//! The figures of the rules, and the compiled options of a game.

use serde::{Deserialize, Serialize};

use super::map::{Cell, Coordinates, Map};
use ludovec_engine::escape::is_hidden;
use ludovec_engine::{Error, Options, Result};

/// The structure on a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum Structure {
    /// Empty land.
    Land,
    /// Produces at harvest.
    Farm,
    /// Defends land and farms beside it.
    Fort,
    /// Produces and defends; a player without castles is eliminated.
    Castle,
}

impl Structure {
    /// All four, in the order of their codes in observations.
    pub const ALL: [Self; 4] = [Self::Land, Self::Farm, Self::Fort, Self::Castle];
    /// The structures that can be built.
    pub const BUILDABLE: [Self; 3] = [Self::Farm, Self::Fort, Self::Castle];

    /// Its name in actions and worlds.
    #[must_use]
    pub fn name(self) -> &'static str {
        ["land", "farm", "fort", "castle"][self as usize]
    }
    /// Its two characters in a terminal.
    #[must_use]
    pub fn glyph(self) -> &'static str {
        ["::", "//", "<>", "[]"][self as usize]
    }
    /// The cost of building it; land is not built.
    pub(crate) fn build_cost(self) -> u32 {
        [0, 5, 25, 75][self as usize]
    }
    /// The cost of conquering it without defence beside it.
    pub(crate) fn conquer_cost(self) -> u32 {
        [1, 2, 50, 100][self as usize]
    }
    /// Its costs and yield.
    #[must_use]
    pub fn figures(self) -> Figures {
        let defended = matches!(self, Self::Land | Self::Farm);
        Figures {
            build: self.build_cost(),
            conquer: self.conquer_cost(),
            conquer_defended: if defended { DEFENDED_COST } else { self.conquer_cost() },
            harvest: if self.produces() { HARVEST_YIELD } else { 0 },
        }
    }
    /// Whether it yields resources at a harvest.
    pub(crate) fn produces(self) -> bool {
        matches!(self, Self::Farm | Self::Castle)
    }
    /// Whether it defends its owner's land and farms beside it.
    pub(crate) fn defends(self) -> bool {
        matches!(self, Self::Fort | Self::Castle)
    }
}

/// Costs and yield of a structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Figures {
    /// Cost to build it; 0 for land, which is not built.
    pub build: u32,
    /// Cost to conquer it.
    pub conquer: u32,
    /// Cost to conquer it beside a fort or castle of its owner.
    pub conquer_defended: u32,
    /// Yield at a harvest of its owner.
    pub harvest: u32,
}

/// The cost of conquering land or a farm beside a fort or castle of its owner.
pub(crate) const DEFENDED_COST: u32 = 25;
/// The yield of each farm and each castle at a harvest.
pub(crate) const HARVEST_YIELD: u32 = 5;

/// The options of an environment, checked, with values derived from them.
#[derive(Debug, Clone)]
pub(crate) struct Ruleset {
    pub(crate) map: Map,
    pub(crate) players: usize,
    /// The number of the first turn that is not played.
    pub(crate) max_turns: u32,
    /// Castle limit: a further castle needs more tiles than this times the number of castles owned; 0 sets no
    /// limit.
    pub(crate) tiles_per_castle: u32,
    /// The initial castles of the seats; `None` draws the cells.
    pub(crate) castles: Option<Vec<Cell>>,
    /// The names of the seats.
    pub(crate) names: Vec<String>,
}

impl Ruleset {
    pub(crate) fn compile(options: &Options) -> Result<Self> {
        let map = Map::new(options.int("width") as usize, options.int("height") as usize);
        let players = options.int("players") as usize;
        let castles = options.text("castles").map(|text| parse_castles(text, &map, players)).transpose()?;
        let names = match options.text("names") {
            Some(text) => parse_names(text, players)?,
            None => (0..players).map(seat_name).collect(),
        };
        Ok(Self {
            map,
            names,
            players,
            max_turns: options.int("max_turns") as u32,
            tiles_per_castle: options.int("tiles_per_castle") as u32,
            castles,
        })
    }

    /// Whether the castle limit allows another castle for a player with these holdings.
    pub(crate) fn castle_allowed(&self, tiles: u32, castles: u32) -> bool {
        self.tiles_per_castle == 0 || castles == 0 || tiles > self.tiles_per_castle * castles
    }
}

fn parse_names(text: &str, players: usize) -> Result<Vec<String>> {
    let refuse = |what: String| Err(Error::config(format!("option names={text}: {what}")));
    let names: Vec<String> = text.split(',').map(|name| name.trim().to_string()).collect();
    if names.len() != players {
        return refuse(format!("{} names for {players} players", names.len()));
    }
    let taken = |name: &str| name == "mine" || Structure::ALL.iter().any(|s| s.name() == name);
    for (seat, name) in names.iter().enumerate() {
        if name.is_empty() || name.contains(is_hidden) || taken(name) {
            return refuse(format!(
                "{name:?} is no name; mine, land, farm, fort and castle mean something else"
            ));
        }
        if names[..seat].contains(name) {
            return refuse(format!("{name:?} is given twice"));
        }
    }
    Ok(names)
}

/// The name that bots see for a seat without a name.
pub(crate) fn seat_name(seat: usize) -> String {
    format!("player_{seat}")
}

fn parse_castles(text: &str, map: &Map, players: usize) -> Result<Vec<Cell>> {
    let refuse = |what: String| Error::config(format!("option castles={text}: {what}"));
    let mut cells = Vec::with_capacity(players);
    for part in text.split(',').map(str::trim) {
        let at = part
            .split_once(':')
            .and_then(|(x, y)| Some(Coordinates(x.trim().parse().ok()?, y.trim().parse().ok()?)))
            .ok_or_else(|| refuse(format!("{part:?} is not a cell x:y")))?;
        let cell = map.cell(at).ok_or_else(|| {
            refuse(format!("{part} is outside the map of {}x{} cells", map.width, map.height))
        })?;
        if cells.contains(&cell) {
            return Err(refuse(format!("{part} is given twice")));
        }
        cells.push(cell);
    }
    if cells.len() != players {
        return Err(refuse(format!("{} cells for {players} players", cells.len())));
    }
    Ok(cells)
}
