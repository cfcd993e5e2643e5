//! Actions: one small decision each, by index.
//!
//! ```text
//!   0 ..  21  order            the card of this kind goes onto the order stack
//!  21         pass             none of the turned card's icons
//!  22 ..  34  icon             this icon of the turned card
//!  34 ..  62  from             ships move from this space
//!  62         spawn            4 TIE fighters appear at the Executor
//!  63 ..  91  to               ships move to this space, the first step or the second
//!  91 .. 147  count            1 + i ships move
//! 147         stop             no second step
//! 148 .. 176  attack           this space
//! 176         attack_deathstar
//! 177         hold             no attack
//! 178 .. 206  fire_deathstar   at this space
//! 206 .. 212  hit              the highest die left hits this kind of ship
//! ```

use crate::rules::board::{SHIPS, SPACES, Ship, Space};
use crate::rules::cards::{CardKind, ICONS, Icon, KINDS};
use crate::rules::phase::Phase;
use ludovec_engine::ActionLayout;

/// Maximum number of ships of a kind that can move together.
pub(super) const GROUP: usize = 56;

/// A decoded action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    Order(CardKind),
    Pass,
    Icon(Icon),
    From(Space),
    Spawn,
    To(Space),
    Count(u8),
    Stop,
    Attack(Space),
    AttackDeathstar,
    Hold,
    Fire(Space),
    Hit(Ship),
}

pub(super) const ORDER: u32 = 0;
pub(super) const PASS: u32 = ORDER + KINDS as u32;
pub(super) const ICON: u32 = PASS + 1;
pub(super) const FROM: u32 = ICON + ICONS as u32;
pub(super) const SPAWN: u32 = FROM + SPACES as u32;
pub(super) const TO: u32 = SPAWN + 1;
pub(super) const COUNT: u32 = TO + SPACES as u32;
pub(super) const STOP: u32 = COUNT + GROUP as u32;
pub(super) const ATTACK: u32 = STOP + 1;
pub(super) const ATTACK_DEATHSTAR: u32 = ATTACK + SPACES as u32;
pub(super) const HOLD: u32 = ATTACK_DEATHSTAR + 1;
pub(super) const FIRE: u32 = HOLD + 1;
pub(super) const HIT: u32 = FIRE + SPACES as u32;
/// The number of action indices.
pub(super) const ACTIONS: u32 = HIT + SHIPS as u32;

/// Every action by index.
static DECODED: [Action; ACTIONS as usize] = {
    let mut table = [Action::Pass; ACTIONS as usize];
    let mut a = 0;
    while a < ACTIONS {
        table[a as usize] = if a < PASS {
            Action::Order(CardKind((a - ORDER) as u8))
        } else if a < ICON {
            Action::Pass
        } else if a < FROM {
            Action::Icon(Icon::ALL[(a - ICON) as usize])
        } else if a < SPAWN {
            Action::From(Space((a - FROM) as u8))
        } else if a < TO {
            Action::Spawn
        } else if a < COUNT {
            Action::To(Space((a - TO) as u8))
        } else if a < STOP {
            Action::Count((a - COUNT) as u8 + 1)
        } else if a < ATTACK {
            Action::Stop
        } else if a < ATTACK_DEATHSTAR {
            Action::Attack(Space((a - ATTACK) as u8))
        } else if a < HOLD {
            Action::AttackDeathstar
        } else if a < FIRE {
            Action::Hold
        } else if a < HIT {
            Action::Fire(Space((a - FIRE) as u8))
        } else {
            Action::Hit(Ship::ALL[(a - HIT) as usize])
        };
        a += 1;
    }
    table
};

impl Action {
    #[inline]
    pub fn decode(index: u32) -> Self {
        DECODED[index as usize]
    }

    pub fn encode(self) -> u32 {
        match self {
            Self::Order(kind) => ORDER + u32::from(kind.0),
            Self::Pass => PASS,
            Self::Icon(icon) => ICON + icon as u32,
            Self::From(space) => FROM + u32::from(space.0),
            Self::Spawn => SPAWN,
            Self::To(space) => TO + u32::from(space.0),
            Self::Count(count) => COUNT + u32::from(count) - 1,
            Self::Stop => STOP,
            Self::Attack(space) => ATTACK + u32::from(space.0),
            Self::AttackDeathstar => ATTACK_DEATHSTAR,
            Self::Hold => HOLD,
            Self::Fire(space) => FIRE + u32::from(space.0),
            Self::Hit(ship) => HIT + ship as u32,
        }
    }

    /// Whether it belongs to a decision of this phase.
    pub fn belongs_to(self, phase: Phase) -> bool {
        match self {
            Self::Order(_) => phase == Phase::Order,
            Self::Pass | Self::Icon(_) => phase == Phase::Icon,
            Self::From(_) | Self::Spawn => phase == Phase::From,
            Self::To(_) => matches!(phase, Phase::To | Phase::Again),
            Self::Count(_) => phase == Phase::Count,
            Self::Stop => phase == Phase::Again,
            Self::Attack(_) | Self::AttackDeathstar | Self::Hold => phase == Phase::Attack,
            Self::Fire(_) => phase == Phase::Fire,
            Self::Hit(_) => phase == Phase::Hit,
        }
    }
}

/// The families of indices, as in the module documentation.
pub(super) fn layout() -> ActionLayout {
    let mut layout = ActionLayout::default();
    layout.push("order", KINDS as u32, "card i of the seat's deck goes onto the order stack");
    layout.name(&[], &["card"]);
    layout.push("pass", 1, "none of the turned card's icons is played");
    layout.push("icon", ICONS as u32, "icon i is played: move_xwing, move_ywing, move_bwing, move_falcon, move_tie, move_executor, shield, lightsaber, hat, lightning, stormtroopers, fire_deathstar");
    layout.name(&[], &["icon"]);
    layout.push("from", SPACES as u32, "the ships move from space i");
    layout.name(&[], &["space"]);
    layout.push("spawn", 1, "4 TIE fighters are spawned at the Executor");
    layout.push("to", SPACES as u32, "the ships move to space i, in the first step or the second");
    layout.name(&[], &["space"]);
    layout.push("count", GROUP as u32, "i + 1 ships move");
    layout.push("stop", 1, "no second step");
    layout.push("attack", SPACES as u32, "the ships attack space i");
    layout.name(&[], &["space"]);
    layout.push("attack_deathstar", 1, "the ships attack the Death Star");
    layout.push("hold", 1, "no attack");
    layout.push("fire_deathstar", SPACES as u32, "the Death Star fires at space i");
    layout.name(&[], &["space"]);
    layout.push(
        "hit",
        SHIPS as u32,
        "the highest die left hits ship i: xwing, ywing, bwing, falcon, tie, executor",
    );
    layout.name(&[], &["ship"]);
    layout
}
