//! One game as a plain value.

use bytemuck::{CheckedBitPattern, NoUninit};

use super::board::{EMPIRE, REBEL, SHIPS, SPACES, Ship, Space, SpaceSet, Tables};
use super::cards::{Icon, Kind, NO_CARD, Piles};

/// What the seat to move decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, CheckedBitPattern, NoUninit)]
#[repr(u8)]
pub enum Phase {
    /// Which card of the hand goes onto the order stack next.
    Order,
    /// Which icon of the turned card is played, if any.
    Icon,
    /// Where the ships start from, or whether TIE fighters are spawned.
    From,
    /// Where they go.
    To,
    /// How many go.
    Count,
    /// Whether and where a capital ship goes a second step.
    Again,
    /// What they attack, if anything.
    Attack,
    /// What the Death Star fires at.
    Fire,
    /// Which ship the highest die left hits.
    Hit,
    /// The game has ended.
    Over,
}

impl Phase {
    /// All phases in order.
    pub const ALL: [Self; 10] = [
        Self::Order,
        Self::Icon,
        Self::From,
        Self::To,
        Self::Count,
        Self::Again,
        Self::Attack,
        Self::Fire,
        Self::Hit,
        Self::Over,
    ];

    /// Its name.
    pub const fn name(self) -> &'static str {
        ["order", "icon", "from", "to", "count", "again", "attack", "fire", "hit", "over"][self as usize]
    }
}

/// How a game stands or ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, CheckedBitPattern, NoUninit)]
#[repr(u8)]
pub(super) enum Outcome {
    /// The rebellion has destroyed the Death Star.
    Rebel,
    /// No rebel ship is left.
    Empire,
    /// The game goes on.
    None,
    /// The last round is over.
    Rounds,
}

impl Outcome {
    pub const ALL: [Self; 4] = [Self::Rebel, Self::Empire, Self::None, Self::Rounds];

    pub const fn name(self) -> &'static str {
        ["rebel", "empire", "none", "rounds"][self as usize]
    }
    /// The seat that has won.
    pub const fn winner(self) -> Option<usize> {
        match self {
            Self::Rebel => Some(REBEL),
            Self::Empire => Some(EMPIRE),
            Self::None | Self::Rounds => None,
        }
    }
}

/// Marks a space that is not chosen yet.
const NOWHERE: u8 = u8::MAX;

/// The play of the turned card as far as it has got. What is not decided yet is as in [`Play::NONE`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, CheckedBitPattern, NoUninit)]
#[repr(C)]
pub(super) struct Play {
    /// What moves and attacks; meaningful from [`Phase::From`] on.
    pub ship: Ship,
    /// How many ships move and attack; 0 while not decided.
    pub count: u8,
    /// Where they started.
    from: u8,
    /// Where they are or will go.
    at: u8,
    /// What they attack.
    target: u8,
    /// The dice that have not been used yet, by face less 1.
    pub dice: [u8; 6],
}

impl Play {
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
    /// Whether every space is on the board or not chosen.
    pub fn on_board(&self) -> bool {
        [self.from, self.at, self.target].iter().all(|&s| s == NOWHERE || usize::from(s) < SPACES)
    }
    /// The highest face that a die left shows.
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
    /// The spaces each kind of ship is on: what `ships` says, kept for speed.
    pub(super) occupied: [u32; SHIPS],
    /// Cards turned.
    pub(super) turns: u32,
    /// Rounds begun; the first is 1.
    pub(super) round: u16,
    /// By kind and space: how many ships, for capital ships the hit points.
    pub(super) ships: [[u8; SPACES]; SHIPS],
    pub(super) piles: [Piles; 2],
    pub(super) phase: Phase,
    pub(super) outcome: Outcome,
    /// The seat to move.
    pub(super) seat: u8,
    /// The card in play.
    card: u8,
    /// The mothership spaces that are not destroyed, one bit each.
    pub(super) motherships: u8,
    /// How many spaces of the shield run the rebellion has passed.
    pub(super) shield: u8,
    /// How many of the next spaces have stormtroopers: always the nearest ones.
    pub(super) stormtroopers: u8,
    /// The counters of the throne room, by seat.
    pub(super) throne: [u8; 2],
    pub(super) play: Play,
    /// No padding: every byte of a snapshot is accounted for.
    pub(super) zero: [u8; 2],
}

impl State {
    /// The board before the first cards are drawn.
    pub(super) fn new(tables: &Tables) -> Self {
        let mut state = Self {
            occupied: [0; SHIPS],
            round: 0,
            turns: 0,
            ships: tables.start,
            piles: [REBEL, EMPIRE].map(|seat| Piles::new(tables.decks[seat].copies)),
            phase: Phase::Order,
            outcome: Outcome::None,
            seat: REBEL as u8,
            card: NO_CARD,
            motherships: SpaceSet::MOTHERSHIPS.0 as u8,
            shield: 0,
            stormtroopers: 0,
            throne: tables.constants.throne_counters,
            play: Play::NONE,
            zero: [0; 2],
        };
        state.occupied = state.count_occupied();
        state
    }

    /// What `occupied` must be.
    pub(super) fn count_occupied(&self) -> [u32; SHIPS] {
        self.ships.map(|plane| (0..SPACES).filter(|&s| plane[s] > 0).map(|s| 1 << s).sum())
    }

    pub(super) fn seat(&self) -> usize {
        usize::from(self.seat)
    }
    pub(super) fn card(&self) -> Option<Kind> {
        (self.card != NO_CARD).then_some(Kind(self.card))
    }
    pub(super) fn set_card(&mut self, card: Option<Kind>) {
        self.card = card.map_or(NO_CARD, |k| k.0);
    }

    /// The spaces a kind of ship is on.
    pub(super) fn with(&self, ship: Ship) -> SpaceSet {
        SpaceSet(self.occupied[ship as usize])
    }
    /// The spaces with ships of a seat.
    pub(super) fn fleet(&self, seat: usize) -> SpaceSet {
        let [x, y, b, falcon, tie, executor] = self.occupied;
        SpaceSet(if seat == REBEL { x | y | b | falcon } else { tie | executor })
    }
    /// How many ships of a kind are on a space, or the hit points.
    pub(super) fn count(&self, ship: Ship, space: Space) -> u8 {
        self.ships[ship as usize][space.index()]
    }
    /// How many ships of a kind are on the board.
    pub(super) fn in_play(&self, ship: Ship) -> u8 {
        self.ships[ship as usize].iter().sum()
    }
    /// The kinds of ships on a space: bit `s` for ship `s`.
    pub(super) fn kinds_on(&self, space: Space) -> u8 {
        (0..SHIPS).map(|s| ((self.occupied[s] >> space.0 & 1) as u8) << s).sum()
    }

    pub(super) fn add(&mut self, ship: Ship, space: Space, count: u8) {
        self.ships[ship as usize][space.index()] += count;
        self.occupied[ship as usize] |= 1 << space.0;
    }
    pub(super) fn remove(&mut self, ship: Ship, space: Space, count: u8) {
        let here = &mut self.ships[ship as usize][space.index()];
        *here -= count;
        if *here == 0 {
            self.occupied[ship as usize] &= !(1 << space.0);
        }
    }
    /// Takes every ship off a space.
    pub(super) fn clear(&mut self, space: Space) {
        for ship in Ship::ALL {
            self.remove(ship, space, self.count(ship, space));
        }
    }

    /// The spaces next to `space`.
    pub(super) fn moves_from(&self, tables: &Tables, space: Space) -> SpaceSet {
        tables.neighbours[space.index()] & self.open(self.seat())
    }
    /// The spaces that ships of `seat` may enter.
    pub(super) fn open(&self, seat: usize) -> SpaceSet {
        SpaceSet::ALL.without(SpaceSet::MOTHERSHIPS | self.fleet(1 - seat))
    }
    /// The spaces from which ships of a kind can go somewhere.
    pub(super) fn sources(&self, tables: &Tables, ship: Ship) -> SpaceSet {
        let open = self.open(ship.side());
        let mut sources = self.with(ship);
        for space in sources.iter() {
            if (tables.neighbours[space.index()] & open).is_empty() {
                sources.0 &= !(1 << space.0);
            }
        }
        sources
    }
    /// Whether the empire may spawn TIE fighters.
    pub(super) fn can_spawn(&self, tables: &Tables) -> bool {
        let constants = &tables.constants;
        !self.with(Ship::Executor).is_empty()
            && self.in_play(Ship::Tie) + constants.tie_spawn <= constants.max_tie
    }
    /// The spaces that ships of the seat to move may attack from `space`.
    pub(super) fn attacks_from(&self, tables: &Tables, space: Space) -> SpaceSet {
        tables.neighbours[space.index()] & self.fleet(1 - self.seat())
    }
    /// Whether ships of the seat to move may attack the Death Star from `space`.
    pub(super) fn deathstar_open(&self, space: Space) -> bool {
        self.seat() == REBEL && self.shield_is_down() && SpaceSet::INNER_RING.contains(space)
    }
    /// Whether the shield generator run is completed.
    pub(super) fn shield_is_down(&self) -> bool {
        usize::from(self.shield) == super::board::SHIELD_RUN
    }
    /// What the Death Star may fire at: the motherships, and once they are gone every space with rebels.
    pub(super) fn fire_targets(&self) -> SpaceSet {
        if self.motherships > 0 { SpaceSet(u32::from(self.motherships)) } else { self.fleet(REBEL) }
    }
    /// How many stormtroopers the next action places.
    pub(super) fn stormtrooper_room(&self, tables: &Tables) -> u8 {
        let constants = &tables.constants;
        let ahead = super::board::SHIELD_RUN as u8 - self.shield;
        constants
            .stormtroopers_per_action
            .min(constants.max_stormtroopers.min(ahead).saturating_sub(self.stormtroopers))
    }

    /// Whether the icon can be played for anything.
    pub(super) fn playable(&self, tables: &Tables, icon: Icon) -> bool {
        let throne_open = self.throne[REBEL] > 0 && self.throne[EMPIRE] > 0;
        match icon {
            Icon::MoveXwing | Icon::MoveYwing | Icon::MoveBwing | Icon::MoveFalcon | Icon::MoveExecutor => {
                !self.sources(tables, Ship::ALL[icon as usize]).is_empty()
            }
            Icon::MoveTie => self.can_spawn(tables) || !self.sources(tables, Ship::Tie).is_empty(),
            Icon::Shield => !self.shield_is_down(),
            Icon::Lightsaber | Icon::Lightning => throne_open,
            Icon::Hat => throne_open && self.throne[EMPIRE] <= tables.constants.hat_threshold,
            Icon::Stormtroopers => self.stormtrooper_room(tables) > 0,
            Icon::FireDeathstar => !self.fire_targets().is_empty(),
        }
    }
    /// The icons of the turned card that can be played, one bit each.
    pub(super) fn playable_icons(&self, tables: &Tables, card: Kind) -> u16 {
        let icons = tables.decks[self.seat()].icons[card.index()];
        icons.iter().filter(|&i| self.playable(tables, i)).map(|i| 1 << i as u16).sum()
    }
}
