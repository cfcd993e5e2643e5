//! Actions and their indices.
//!
//! ```text
//!   0        48        96       144       192       240       288    294    298 299 300 301 302
//!   | ABANDON | CONQUER | DRAGON | SORCERER | PLACE   | REST    | PICK | ALLY |  |   |   |   |
//!   | region  | region  | region | region   | region  | region  | 0..5 | 1..4 |  |   |   DONE
//!                                                                            |  |   ROLL
//!                                                                            |  DECLINE
//!                                                                            EXPAND
//! ```
//! The meaning of an index depends on the phase: PLACE 7 is `REDEPLOY 7` in one phase and `PLACE_FORTRESS 7` in
//! another. These names are [action types](crate::exchange::action_types).

use crate::rules::map::{MAX_REGIONS, RegionId};
use crate::rules::state::ROW;
use ludovec_engine::ActionLayout;

/// The first index of each family.
pub(super) mod index {
    use super::{MAX_REGIONS, ROW};

    pub const ABANDON: u32 = 0;
    pub const CONQUER: u32 = MAX_REGIONS as u32;
    pub const DRAGON: u32 = 2 * MAX_REGIONS as u32;
    pub const SORCERER: u32 = 3 * MAX_REGIONS as u32;
    pub const PLACE: u32 = 4 * MAX_REGIONS as u32;
    pub const REST: u32 = 5 * MAX_REGIONS as u32;
    pub const PICK: u32 = 6 * MAX_REGIONS as u32;
    pub const ALLY: u32 = PICK + ROW as u32;
    pub const EXPAND: u32 = ALLY + 4;
    pub const DECLINE: u32 = EXPAND + 1;
    pub const ROLL: u32 = DECLINE + 1;
    pub const DONE: u32 = ROLL + 1;
    pub const COUNT: u32 = DONE + 1;
}

/// The region of an action.
pub(super) fn region(action: u32) -> Option<RegionId> {
    (action < index::PICK).then_some(RegionId((action % MAX_REGIONS as u32) as u8))
}

/// The families for the specification.
pub(super) fn layout() -> ActionLayout {
    let regions = MAX_REGIONS as u32;
    let mut layout = ActionLayout::default();
    layout.push(
        "ABANDON",
        regions,
        "ABANDON: give region i up, before the first conquest or to pay back borrowed tokens",
    );
    layout.push(
        "CONQUER",
        regions,
        "CONQUER: take region i for the tokens it costs; FINAL_CONQUEST: with all tokens and the die when 1 to \
         3 are missing",
    );
    layout.push("DRAGON", regions, "USE_DRAGON: take region i with one token and the dragon");
    layout.push("SORCERER", regions, "USE_SORCERER: convert the lone token in region i");
    layout.push(
        "PLACE",
        regions,
        "REDEPLOY, OPPONENT_REDEPLOY, PLACE_BIVOUACS, PLACE_FORTRESS, PLACE_HEROES: put one token or marker into \
         region i",
    );
    layout.push(
        "REST",
        regions,
        "REDEPLOY, OPPONENT_REDEPLOY, PLACE_BIVOUACS: put all that are left into region i",
    );
    layout.push("PICK", ROW as u32, "PICK_COMBO: take the race at place i of the row for i coins");
    layout.push("ALLY", 4, "CHOOSE_DIPLOMAT_ALLY: make peace with the seat i + 1 places after the mover");
    layout.push("EXPAND", 1, "EXPAND: go on with the active race");
    layout.push("DECLINE", 1, "DECLINE, STOUT_DECLINE: put the active race into decline");
    layout.push("ROLL", 1, "ROLL_DIE: roll before choosing the next target (Berserk)");
    layout.push(
        "DONE",
        1,
        "SKIP_CONQUEST: end the conquests; place nothing more, choose no ally, do not decline",
    );
    layout
}

/// An action, decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    Abandon(RegionId),
    Conquer(RegionId),
    Dragon(RegionId),
    Sorcerer(RegionId),
    Place(RegionId),
    Rest(RegionId),
    /// A place of the combo row.
    Pick(usize),
    /// Seats after the mover, from 1.
    Ally(usize),
    Expand,
    Decline,
    Roll,
    Done,
}

impl Action {
    /// The action of an index below [`index::COUNT`].
    #[inline]
    pub fn decode(action: u32) -> Self {
        debug_assert!(action < index::COUNT);
        if action < index::PICK {
            let region = RegionId((action % MAX_REGIONS as u32) as u8);
            return match action / MAX_REGIONS as u32 {
                0 => Self::Abandon(region),
                1 => Self::Conquer(region),
                2 => Self::Dragon(region),
                3 => Self::Sorcerer(region),
                4 => Self::Place(region),
                _ => Self::Rest(region),
            };
        }
        match action {
            index::EXPAND => Self::Expand,
            index::DECLINE => Self::Decline,
            index::ROLL => Self::Roll,
            index::DONE.. => Self::Done,
            _ if action < index::ALLY => Self::Pick((action - index::PICK) as usize),
            _ => Self::Ally((action - index::ALLY) as usize + 1),
        }
    }

    /// Its index.
    pub fn encode(self) -> u32 {
        match self {
            Self::Abandon(region) => index::ABANDON + u32::from(region.0),
            Self::Conquer(region) => index::CONQUER + u32::from(region.0),
            Self::Dragon(region) => index::DRAGON + u32::from(region.0),
            Self::Sorcerer(region) => index::SORCERER + u32::from(region.0),
            Self::Place(region) => index::PLACE + u32::from(region.0),
            Self::Rest(region) => index::REST + u32::from(region.0),
            Self::Pick(place) => index::PICK + place as u32,
            Self::Ally(offset) => index::ALLY + offset as u32 - 1,
            Self::Expand => index::EXPAND,
            Self::Decline => index::DECLINE,
            Self::Roll => index::ROLL,
            Self::Done => index::DONE,
        }
    }

    /// Its region, if it has one.
    pub fn region(self) -> Option<RegionId> {
        match self {
            Self::Abandon(r) | Self::Conquer(r) | Self::Dragon(r) | Self::Sorcerer(r) => Some(r),
            Self::Place(r) | Self::Rest(r) => Some(r),
            _ => None,
        }
    }
}
