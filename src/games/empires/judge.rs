//! One action judged by the rules as the original words them, cell by cell: what it would do, or why it is
//! refused.

use thiserror::Error as ThisError;

use super::actions::{Action, TYPES};
use super::ruleset::{Structure, seat_name};
use super::state::StateRef;

/// What an accepted action did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deed {
    /// Collected resources.
    Harvested {
        /// How many.
        amount: u32,
    },
    /// Took a cell.
    Conquered {
        /// What stood there.
        structure: Structure,
        /// Whether a fort or castle beside it defended it.
        defended: bool,
        /// Whose it was.
        from: Option<usize>,
        /// What it cost.
        cost: u32,
    },
    /// Built on an own cell.
    Built {
        /// What.
        structure: Structure,
        /// What it cost.
        cost: u32,
    },
    /// Did nothing.
    Passed,
}

impl std::fmt::Display for Deed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.describe(seat_name))
    }
}

impl Deed {
    /// In words, with the seats called as `name` says.
    pub fn describe(&self, name: impl Fn(usize) -> String) -> String {
        match self {
            Self::Harvested { amount } => format!("harvested {amount}"),
            Self::Conquered { structure, defended, from, cost } => {
                let defended = if *defended { "defended " } else { "" };
                let from = from.map_or("nobody".into(), name);
                format!("took {defended}{} of {from} for {cost}", structure.name())
            }
            Self::Built { structure, cost } => format!("built a {} for {cost}", structure.name()),
            Self::Passed => "passed".into(),
        }
    }
}

/// Why an action is refused.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
pub enum Objection {
    /// It does not have an action's form.
    #[error("{0} is not an action: [type, [x, y]] or [type, null] is one")]
    NotAnAction(String),
    /// There is no such type of action.
    #[error("unknown action type {0:?}: the types are {types}", types = TYPES.join(", "))]
    UnknownType(String),
    /// The cell does not exist.
    #[error("{0} is not on the map")]
    OffMap(String),
    /// Only cells of others can be conquered.
    #[error("the cell is one's own already")]
    OwnCell,
    /// Only cells beside one's own can be conquered.
    #[error("the cell is not beside one's own")]
    OutOfReach,
    /// Only one's own cells can be built on.
    #[error("the cell is not one's own")]
    NotOwnCell,
    /// The resources do not suffice.
    #[error("it costs {cost}, there are {resources} resources")]
    TooExpensive {
        /// What it costs.
        cost: u32,
        /// What the player has.
        resources: u32,
    },
    /// A further castle needs more cells.
    #[error("{tiles} cells are too few for another castle beside {castles}")]
    CastleLimit {
        /// Cells owned.
        tiles: u32,
        /// Castles owned.
        castles: u32,
    },
}

impl StateRef<'_> {
    /// What `action` of the seat to move would do, or why it is refused. This is [`StateRef::legal`] for a
    /// single action, without its bit planes.
    pub(super) fn judge(self, action: Action) -> Result<Deed, Objection> {
        let seat = self.current();
        let resources = self.ledger.resources[seat];
        let affordable = |cost| {
            if cost <= resources { Ok(()) } else { Err(Objection::TooExpensive { cost, resources }) }
        };
        match action {
            Action::Pass => Ok(Deed::Passed),
            Action::Harvest => Ok(Deed::Harvested { amount: self.harvest_yield(seat) }),
            Action::Conquer(cell) => {
                if self.owner(cell) == Some(seat) {
                    return Err(Objection::OwnCell);
                }
                if !self.rules.map.beside(cell).any(|near| self.owner(near) == Some(seat)) {
                    return Err(Objection::OutOfReach);
                }
                let cost = self.conquest_cost(cell);
                affordable(cost)?;
                Ok(Deed::Conquered {
                    structure: self.structure(cell),
                    defended: self.is_defended(cell),
                    from: self.owner(cell),
                    cost,
                })
            }
            Action::Build(structure, cell) => {
                let cost = structure.build_cost();
                affordable(cost)?;
                if self.owner(cell) != Some(seat) {
                    return Err(Objection::NotOwnCell);
                }
                let (tiles, castles) = (self.tiles(seat), self.count(seat, Structure::Castle));
                if structure == Structure::Castle && !self.rules.castle_allowed(tiles, castles) {
                    return Err(Objection::CastleLimit { tiles, castles });
                }
                Ok(Deed::Built { structure, cost })
            }
        }
    }
}
