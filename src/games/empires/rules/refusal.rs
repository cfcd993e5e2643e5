//! Refusals: checks one action by the original's rules, cell by cell, and returns its effect or the reason for its
//! refusal.

use thiserror::Error as ThisError;

use super::ruleset::{Structure, seat_name};
use super::state::StateRef;
use crate::actions::{Action, TYPES};

/// The effect of an accepted action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deed {
    /// Collected resources.
    Harvested {
        /// The amount.
        amount: u32,
    },
    /// Took a cell.
    Conquered {
        /// The structure on the cell.
        structure: Structure,
        /// Whether a fort or castle beside it defended it.
        defended: bool,
        /// Its former owner.
        from: Option<usize>,
        /// The cost.
        cost: u32,
    },
    /// Built on an own cell.
    Built {
        /// The structure.
        structure: Structure,
        /// The cost.
        cost: u32,
    },
    /// Passed.
    Passed,
}

impl std::fmt::Display for Deed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.describe(seat_name))
    }
}

impl Deed {
    /// The effect in words, with seat names given by `name`.
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

/// The reason for refusing an action.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
pub enum Refusal {
    /// The value does not have the form of an action.
    #[error("{0} is not an action: [type, [x, y]] or [type, null] is one")]
    NotAnAction(String),
    /// The type of action does not exist.
    #[error("unknown action type {0:?}: the types are {types}", types = TYPES.join(", "))]
    UnknownType(String),
    /// The cell is not on the map.
    #[error("{0} is not on the map")]
    OffMap(String),
    /// Only cells of other seats or neutral cells can be conquered.
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
        /// The cost.
        cost: u32,
        /// The player's resources.
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
    /// The effect of `action` for the current player, or the reason for its refusal. Equivalent to
    /// [`StateRef::legal`] for a single action, without its bit planes.
    pub(crate) fn effect_of(self, action: Action) -> Result<Deed, Refusal> {
        let seat = self.current();
        let resources = self.ledger.resources[seat];
        let affordable = |cost| {
            if cost <= resources { Ok(()) } else { Err(Refusal::TooExpensive { cost, resources }) }
        };
        match action {
            Action::Pass => Ok(Deed::Passed),
            Action::Harvest => Ok(Deed::Harvested { amount: self.harvest_yield(seat) }),
            Action::Conquer(cell) => {
                if self.owner(cell) == Some(seat) {
                    return Err(Refusal::OwnCell);
                }
                if !self.rules.map.beside(cell).any(|near| self.owner(near) == Some(seat)) {
                    return Err(Refusal::OutOfReach);
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
                    return Err(Refusal::NotOwnCell);
                }
                let (tiles, castles) = (self.tiles(seat), self.count(seat, Structure::Castle));
                if structure == Structure::Castle && !self.rules.castle_allowed(tiles, castles) {
                    return Err(Refusal::CastleLimit { tiles, castles });
                }
                Ok(Deed::Built { structure, cost })
            }
        }
    }
}
