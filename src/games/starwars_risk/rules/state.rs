//! One game as a plain value.

use bytemuck::{CheckedBitPattern, NoUninit};

use super::board::{EMPIRE, REBEL, SHIPS, SPACES, Ship, Space, SpaceSet};
use super::cards::{CardKind, NO_CARD};
use super::game_data::GameData;
use super::phase::{GameResult, Phase};
use super::piles::Piles;

/// The value for a space that is not chosen yet.
const NOWHERE: u8 = u8::MAX;

/// The moves and attack of the turned card, as far as they are decided. Undecided fields have their values of
/// [`PartialPlay::NONE`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, CheckedBitPattern, NoUninit)]
#[repr(C)]
pub(crate) struct PartialPlay {
    /// The kind of ship that moves and attacks; valid from [`Phase::From`] on.
    pub ship: Ship,
    /// The number of ships that move and attack; 0 while undecided.
    pub count: u8,
    /// Their origin.
    from: u8,
    /// Their current or next space.
    at: u8,
    /// Their target.
    target: u8,
    /// The number of unused dice, by face - 1.
    pub dice: [u8; 6],
}

impl PartialPlay {
    pub const NONE: Self =
        Self { ship: Ship::Xwing, count: 0, from: NOWHERE, at: NOWHERE, target: NOWHERE, dice: [0; 6] };

    pub fn from(&self) -> Option<Space> {
        space(self.from)
    }
    pub fn at(&self) -> Option<Space> {
        space(self.at)
    }
    pub fn target(&self) -> Option<Space> {
        space(self.target)
    }
    pub fn set_from(&mut self, space: Space) {
        self.from = space.0;
    }
    pub fn set_at(&mut self, space: Space) {
        self.at = space.0;
    }
    pub fn set_target(&mut self, space: Space) {
        self.target = space.0;
    }
    /// Whether every space is on the board or not chosen yet.
    pub fn on_board(&self) -> bool {
        [self.from, self.at, self.target].iter().all(|&s| s == NOWHERE || usize::from(s) < SPACES)
    }
    /// The highest face among the remaining dice.
    pub fn highest(&self) -> Option<usize> {
        (1..=6).rev().find(|&face| self.dice[face - 1] > 0)
    }
}

fn space(raw: u8) -> Option<Space> {
    (raw != NOWHERE).then_some(Space(raw))
}

/// One game of Star Wars Risk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, CheckedBitPattern, NoUninit)]
#[repr(C)]
pub struct State {
    /// The spaces of each kind of ship, as a bit set. Derived from `ships` and stored for speed.
    pub(crate) occupied: [u32; SHIPS],
    /// Cards turned.
    pub(crate) turns: u32,
    /// Rounds begun; the first is 1.
    pub(crate) round: u16,
    /// By kind and space: the number of ships, or the hit points of a capital ship.
    pub(crate) ships: [[u8; SPACES]; SHIPS],
    pub(crate) piles: [Piles; 2],
    pub(crate) phase: Phase,
    pub(crate) outcome: GameResult,
    /// The current player's seat.
    pub(crate) seat: u8,
    /// The card in play.
    pub(crate) card: u8,
    /// The intact mothership spaces, one bit each.
    pub(crate) motherships: u8,
    /// The number of spaces of the shield run that the rebellion has passed.
    pub(crate) shield: u8,
    /// The number of next spaces with stormtroopers: always the nearest ones.
    pub(crate) stormtroopers: u8,
    /// The counters of the throne room, by seat.
    pub(crate) throne: [u8; 2],
    pub(crate) play: PartialPlay,
    /// Explicit padding: every byte of a snapshot is defined.
    pub(crate) zero: [u8; 2],
}

impl State {
    /// The board before the first cards are drawn.
    pub(crate) fn new(data: &GameData) -> Self {
        let mut state = Self {
            occupied: [0; SHIPS],
            round: 0,
            turns: 0,
            ships: data.start,
            piles: [REBEL, EMPIRE].map(|seat| Piles::new(data.decks[seat].copies)),
            phase: Phase::Order,
            outcome: GameResult::None,
            seat: REBEL as u8,
            card: NO_CARD,
            motherships: SpaceSet::MOTHERSHIPS.0 as u8,
            shield: 0,
            stormtroopers: 0,
            throne: data.constants.throne_counters,
            play: PartialPlay::NONE,
            zero: [0; 2],
        };
        state.occupied = state.count_occupied();
        state
    }

    /// The value of `occupied`, computed from `ships`.
    pub(crate) fn count_occupied(&self) -> [u32; SHIPS] {
        self.ships.map(|plane| (0..SPACES).filter(|&s| plane[s] > 0).map(|s| 1 << s).sum())
    }

    pub(crate) fn seat(&self) -> usize {
        usize::from(self.seat)
    }
    pub(crate) fn card(&self) -> Option<CardKind> {
        (self.card != NO_CARD).then_some(CardKind(self.card))
    }
    pub(crate) fn set_card(&mut self, card: Option<CardKind>) {
        self.card = card.map_or(NO_CARD, |k| k.0);
    }

    /// The spaces with a kind of ship.
    pub(crate) fn with(&self, ship: Ship) -> SpaceSet {
        SpaceSet(self.occupied[ship as usize])
    }
    /// The spaces with ships of a seat.
    pub(crate) fn fleet(&self, seat: usize) -> SpaceSet {
        let [x, y, b, falcon, tie, executor] = self.occupied;
        SpaceSet(if seat == REBEL { x | y | b | falcon } else { tie | executor })
    }
    /// The number of ships of a kind on a space, or the hit points.
    pub(crate) fn count(&self, ship: Ship, space: Space) -> u8 {
        self.ships[ship as usize][space.index()]
    }
    /// The number of ships of a kind on the board.
    pub(crate) fn in_play(&self, ship: Ship) -> u8 {
        self.ships[ship as usize].iter().sum()
    }
    /// The kinds of ships on a space: bit `s` for ship `s`.
    pub(crate) fn kinds_on(&self, space: Space) -> u8 {
        (0..SHIPS).map(|s| ((self.occupied[s] >> space.0 & 1) as u8) << s).sum()
    }

    pub(crate) fn add(&mut self, ship: Ship, space: Space, count: u8) {
        self.ships[ship as usize][space.index()] += count;
        self.occupied[ship as usize] |= 1 << space.0;
    }
    pub(crate) fn remove(&mut self, ship: Ship, space: Space, count: u8) {
        let here = &mut self.ships[ship as usize][space.index()];
        *here -= count;
        if *here == 0 {
            self.occupied[ship as usize] &= !(1 << space.0);
        }
    }
    /// Removes every ship from a space.
    pub(crate) fn clear(&mut self, space: Space) {
        for ship in Ship::ALL {
            self.remove(ship, space, self.count(ship, space));
        }
    }
}
