//! Cards: icons, the two decks, and one seat's piles with what the table knows about them.

use std::ops::Index;

use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize};

use super::board::{Ship, Tables};
use crate::engine::chance::Chance;

/// Most different cards a deck has; the empire's uses fewer.
pub const KINDS: usize = 21;
/// How many icons there are.
pub const ICONS: usize = 12;
/// Most cards a seat can have chosen for its order stack.
pub(super) const STACK: usize = 3;
/// Marks a place of the order stack where no card lies, and the card in play when there is none.
pub(super) const NO_CARD: u8 = u8::MAX;

/// One of the things a card may be played for.
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

    /// Its name: `move_` and the ship for move icons, else the original's sub-action.
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
    pub const fn ship(self) -> Option<Ship> {
        if (self as usize) < Ship::ALL.len() { Some(Ship::ALL[self as usize]) } else { None }
    }
}

/// A set of icons; icon `i` is bit `i`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct IconSet(pub u16);

impl IconSet {
    pub const fn contains(self, icon: Icon) -> bool {
        self.0 >> icon as u8 & 1 == 1
    }
    pub fn iter(self) -> impl Iterator<Item = Icon> {
        Icon::ALL.into_iter().filter(move |&i| self.contains(i))
    }
}

/// A kind of card of one seat's deck: copies of a card are not told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind(pub(super) u8);

impl Kind {
    /// The kind as an index into its deck.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// How many cards of each kind.
pub(super) type Counts = [u8; KINDS];

/// How many cards `counts` holds.
pub(super) fn total(counts: &Counts) -> u8 {
    counts.iter().sum()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DecksFile {
    rebel: Vec<CardFile>,
    empire: Vec<CardFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CardFile {
    icons: Vec<Icon>,
    copies: u8,
}

/// What one seat's deck consists of.
#[derive(Debug)]
pub(super) struct Deck {
    /// How many different cards there are.
    pub kinds: usize,
    /// The icons of each kind; empty past `kinds`.
    pub icons: [IconSet; KINDS],
    /// The cards of each kind; 0 past `kinds`.
    pub copies: Counts,
    /// The name of each kind: its icons, joined with `+`.
    pub names: Vec<String>,
}

/// Both decks, by seat.
#[derive(Debug)]
pub(super) struct Decks([Deck; 2]);

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
    pub fn name(&self, kind: Kind) -> &str {
        &self.names[kind.index()]
    }
    pub fn by_name(&self, name: &str) -> Option<Kind> {
        self.names.iter().position(|n| n == name).map(|k| Kind(k as u8))
    }
}

/// One seat's cards.
///
/// No pile has an order but the cards chosen for the order stack: a card that nobody has seen is drawn when
/// it is turned. So a bonus card is only counted (`bonus`) until then and still lies among `deck`, which is
/// the same in distribution: every order of the unseen cards is equally likely.
///
/// `deck + hand + order stack + buried + discard` is always the whole deck of the seat; the card in play is
/// in the discard already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Piles {
    pub hand: Counts,
    pub discard: Counts,
    /// Cards that nobody has seen since the last shuffle; `bonus` of them lie under the order stack.
    pub deck: Counts,
    /// Bonus cards that were drawn before the last shuffle and are not turned yet. They are turned before
    /// those among `deck`.
    pub buried: Counts,
    /// What the whole table knows of the unseen cards: at most so many of each kind are in `buried`, or in
    /// `deck` when nothing is buried. (While cards are buried, `deck` is known exactly: nothing has left
    /// it since the shuffle.)
    pub ceiling: Counts,
    /// What the whole table knows the seat had, in hand and ordered, when those unseen cards were shuffled: so
    /// many of each kind were not among them. Cards that can only come from here when they are turned are taken off.
    pub kept: Counts,
    /// The chosen cards; the last one is turned first.
    pub stack: [u8; STACK],
    /// How many of them are left.
    pub ordered: u8,
    pub bonus: u8,
    /// Sizes of the piles of the same name.
    pub hand_size: u8,
    pub deck_size: u8,
    pub buried_size: u8,
}

/// Takes a random card out of `pile`.
fn draw<C: Chance + ?Sized>(pile: &mut Counts, size: &mut u8, chance: &mut C) -> Kind {
    let weights: [u32; KINDS] = std::array::from_fn(|k| u32::from(pile[k]));
    let k = chance.weighted(&weights);
    pile[k] -= 1;
    *size -= 1;
    Kind(k as u8)
}

impl Piles {
    /// A whole deck.
    pub fn new(copies: Counts) -> Self {
        Self {
            hand: [0; KINDS],
            discard: [0; KINDS],
            deck: copies,
            buried: [0; KINDS],
            ceiling: copies,
            kept: [0; KINDS],
            stack: [NO_CARD; STACK],
            ordered: 0,
            bonus: 0,
            hand_size: 0,
            deck_size: total(&copies),
            buried_size: 0,
        }
    }

    /// How many cards are still to be turned this round.
    pub fn waiting(&self) -> u8 {
        self.ordered + self.buried_size + self.bonus
    }

    /// How many cards can be drawn before the discard must be shuffled.
    pub fn undrawn(&self) -> u8 {
        self.deck_size - self.bonus
    }

    /// The cards chosen for the order stack that are left, the first chosen first.
    pub fn chosen(&self) -> impl DoubleEndedIterator<Item = Kind> {
        self.stack[..usize::from(self.ordered)].iter().map(|&k| Kind(k))
    }

    /// How many of the cards that can be unseen still or were once ([`Piles::ceiling`]) have come to the hand.
    pub fn dealt(&self) -> u8 {
        let unseen = if self.buried_size > 0 { self.buried_size } else { self.deck_size };
        total(&self.ceiling).saturating_sub(unseen)
    }

    /// From here on the unseen cards are those of the deck, and the table knows them and the seat's others.
    fn know_deck(&mut self) {
        self.ceiling = self.deck;
        self.kept = self.hand;
        for kind in &self.stack[..usize::from(self.ordered)] {
            self.kept[usize::from(*kind)] += 1;
        }
    }

    /// The discard becomes the deck.
    fn shuffle(&mut self) {
        for (buried, &left) in self.buried.iter_mut().zip(&self.deck) {
            *buried += left;
        }
        // Every card left in the deck was a bonus card.
        self.buried_size += self.bonus;
        self.bonus = 0;
        self.deck = self.discard;
        self.deck_size = total(&self.deck);
        self.discard = [0; KINDS];
        if self.buried_size == 0 {
            self.know_deck();
        } else {
            // Never more than before in play, where a second shuffle finds nothing buried.
            let unseen = self.unseen();
            for (k, ceiling) in self.ceiling.iter_mut().enumerate() {
                let fresh = unseen[k].saturating_sub(self.kept[k]);
                *ceiling = (*ceiling).max(self.buried[k]).max(fresh);
            }
        }
    }

    /// Sees to it that a card can be drawn; false when all are in hand or waiting. Sets `shuffled` when the
    /// discard had to be shuffled.
    fn replenish(&mut self, shuffled: &mut bool) -> bool {
        if self.undrawn() == 0 {
            self.shuffle();
            *shuffled = true;
        }
        self.undrawn() > 0
    }

    /// Draws a card into the hand.
    pub fn deal<C: Chance + ?Sized>(&mut self, shuffled: &mut bool, chance: &mut C) -> Option<Kind> {
        if !self.replenish(shuffled) {
            return None;
        }
        let kind = draw(&mut self.deck, &mut self.deck_size, chance);
        self.hand[kind.index()] += 1;
        self.hand_size += 1;
        Some(kind)
    }

    /// Puts up to `cards` bonus cards under the order stack and returns how many there were.
    pub fn award(&mut self, cards: u8, shuffled: &mut bool) -> u8 {
        for placed in 0..cards {
            if !self.replenish(shuffled) {
                return placed;
            }
            self.bonus += 1;
        }
        cards
    }

    /// Moves a card from the hand onto the order stack.
    pub fn choose(&mut self, kind: Kind) {
        self.hand[kind.index()] -= 1;
        self.hand_size -= 1;
        self.stack[usize::from(self.ordered)] = kind.0;
        self.ordered += 1;
    }

    /// Turns the next card of the order stack and puts it on the discard.
    pub fn turn<C: Chance + ?Sized>(&mut self, chance: &mut C) -> Kind {
        let kind = if self.ordered > 0 {
            // Before anything was dealt from the shuffled cards, what is turned is one of the others.
            let is_kept = self.dealt() == 0;
            self.ordered -= 1;
            let kind = Kind(std::mem::replace(&mut self.stack[usize::from(self.ordered)], NO_CARD));
            self.kept[kind.index()] -= u8::from(is_kept);
            kind
        } else if self.buried_size > 0 {
            let kind = draw(&mut self.buried, &mut self.buried_size, chance);
            self.ceiling[kind.index()] -= 1;
            if self.buried_size == 0 {
                self.know_deck();
            }
            kind
        } else {
            self.bonus -= 1;
            let kind = draw(&mut self.deck, &mut self.deck_size, chance);
            self.ceiling[kind.index()] -= 1;
            kind
        };
        self.discard[kind.index()] += 1;
        kind
    }
}

impl Tables {
    /// The name of a card of a seat's deck.
    pub fn card_name(&self, seat: usize, kind: Kind) -> &str {
        self.decks[seat].name(kind)
    }
}
