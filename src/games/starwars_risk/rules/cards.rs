//! Cards: icons and the two decks.

use std::ops::Index;

use serde::{Deserialize, Serialize};

use super::board::Ship;

/// Maximum number of different cards in a deck; the empire's deck has fewer.
pub const KINDS: usize = 21;
/// The number of icons.
pub const ICONS: usize = 12;
/// The value for an empty place of the order stack, and for no card in play.
pub(crate) const NO_CARD: u8 = u8::MAX;

/// One of the uses of a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum Icon {
    /// Move X-wings and attack.
    MoveXwing,
    /// Move Y-wings and attack.
    MoveYwing,
    /// Move B-wings and attack.
    MoveBwing,
    /// Move the Falcon and attack.
    MoveFalcon,
    /// Move TIE fighters, or spawn them at the Executor, and attack.
    MoveTie,
    /// Move the Executor and attack.
    MoveExecutor,
    /// Roll for the shield generator run.
    Shield,
    /// Roll for the throne room.
    Lightsaber,
    /// End the throne room.
    Hat,
    /// Two hits in the throne room.
    Lightning,
    /// Place stormtroopers on the shield generator run.
    Stormtroopers,
    /// Fire the Death Star.
    FireDeathstar,
}

impl Icon {
    /// All icons in order.
    pub const ALL: [Self; ICONS] = [
        Self::MoveXwing,
        Self::MoveYwing,
        Self::MoveBwing,
        Self::MoveFalcon,
        Self::MoveTie,
        Self::MoveExecutor,
        Self::Shield,
        Self::Lightsaber,
        Self::Hat,
        Self::Lightning,
        Self::Stormtroopers,
        Self::FireDeathstar,
    ];

    /// Its name: `move_` and the ship for move icons, otherwise the original's sub-action.
    #[must_use]
    pub const fn name(self) -> &'static str {
        [
            "move_xwing",
            "move_ywing",
            "move_bwing",
            "move_falcon",
            "move_tie",
            "move_executor",
            "shield",
            "lightsaber",
            "hat",
            "lightning",
            "stormtroopers",
            "fire_deathstar",
        ][self as usize]
    }
    /// The ship that a move icon moves.
    #[must_use]
    pub const fn ship(self) -> Option<Ship> {
        if (self as usize) < Ship::ALL.len() { Some(Ship::ALL[self as usize]) } else { None }
    }
}

/// A set of icons; icon `i` is bit `i`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct IconSet(pub u16);

impl IconSet {
    pub const fn contains(self, icon: Icon) -> bool {
        self.0 >> icon as u8 & 1 == 1
    }
    pub fn iter(self) -> impl Iterator<Item = Icon> {
        Icon::ALL.into_iter().filter(move |&i| self.contains(i))
    }
}

/// A kind of card of one seat's deck: copies of a card are indistinguishable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CardKind(pub(crate) u8);

impl CardKind {
    /// The kind as an index into its deck.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The number of cards of each kind.
pub(crate) type Counts = [u8; KINDS];

/// The number of cards in `counts`.
pub(crate) fn total(counts: &Counts) -> u8 {
    counts.iter().sum()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DecksFile {
    rebel: Vec<CardFile>,
    empire: Vec<CardFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CardFile {
    icons: Vec<Icon>,
    copies: u8,
}

/// The composition of one seat's deck.
#[derive(Debug)]
pub(crate) struct Deck {
    /// The number of different cards.
    pub kinds: usize,
    /// The icons of each kind; empty past `kinds`.
    pub icons: [IconSet; KINDS],
    /// The number of cards of each kind; 0 past `kinds`.
    pub copies: Counts,
    /// The name of each kind: its icons, joined with `+`.
    pub names: Vec<String>,
}

/// Both decks, by seat.
#[derive(Debug)]
pub(crate) struct Decks([Deck; 2]);

impl Decks {
    pub fn compile(file: &DecksFile) -> Self {
        Self([&file.rebel, &file.empire].map(|cards| {
            let mut icons = [IconSet::default(); KINDS];
            let mut copies = [0; KINDS];
            for (k, card) in cards.iter().enumerate() {
                icons[k] = IconSet(card.icons.iter().map(|&i| 1 << i as u16).sum());
                copies[k] = card.copies;
            }
            let name = |c: &CardFile| c.icons.iter().map(|i| i.name()).collect::<Vec<_>>().join("+");
            Deck { kinds: cards.len(), icons, copies, names: cards.iter().map(name).collect() }
        }))
    }
}

impl Index<usize> for Decks {
    type Output = Deck;
    fn index(&self, seat: usize) -> &Deck {
        &self.0[seat]
    }
}

impl Deck {
    pub fn name(&self, kind: CardKind) -> &str {
        &self.names[kind.index()]
    }
    pub fn by_name(&self, name: &str) -> Option<CardKind> {
        self.names.iter().position(|n| n == name).map(|k| CardKind(k as u8))
    }
}
