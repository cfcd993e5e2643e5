//! One seat's cards: its piles, and public knowledge about unseen cards.

use bytemuck::{Pod, Zeroable};

use super::cards::{CardKind, Counts, KINDS, NO_CARD, total};
use ludovec_engine::chance::Chance;

/// Maximum number of cards chosen for the order stack.
pub(crate) const STACK: usize = 3;

/// One seat's cards.
///
/// Only the cards chosen for the order stack have an order. For the other piles it is enough to count the cards of
/// each kind: every order of unseen cards is equally likely, so a card is drawn at random at the moment it is
/// turned or dealt. For the same reason a bonus card stays in `deck` until it is turned; `bonus` is their number.
///
/// `deck + hand + order stack + buried + discard` is always the whole deck of the seat; the card in play is already
/// in the discard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Piles {
    pub hand: Counts,
    pub discard: Counts,
    /// Unseen cards since the last shuffle; `bonus` of them are under the order stack.
    pub deck: Counts,
    /// Bonus cards that were drawn before the last shuffle and are not turned yet. They are turned before the bonus
    /// cards in `deck`.
    pub buried: Counts,
    /// Public knowledge of the unseen cards: an upper bound on the number of each kind in `buried`, or in `deck` if
    /// nothing is buried. (While cards are buried, `deck` is known exactly, because nothing has left it since the
    /// shuffle.)
    pub ceiling: Counts,
    /// Public knowledge of the seat's cards, in hand and ordered, at the time when these unseen cards were
    /// shuffled: the number of each kind outside the shuffle. A card is subtracted when it is turned and must have
    /// come from here.
    pub kept: Counts,
    /// The chosen cards; the last one is turned first.
    pub stack: [u8; STACK],
    /// The number of chosen cards left.
    pub ordered: u8,
    pub bonus: u8,
    /// Sizes of the piles of the same name.
    pub hand_size: u8,
    pub deck_size: u8,
    pub buried_size: u8,
}

/// Takes a random card out of `pile`.
fn draw_card<C: Chance + ?Sized>(pile: &mut Counts, size: &mut u8, chance: &mut C) -> CardKind {
    let weights: [u32; KINDS] = std::array::from_fn(|k| u32::from(pile[k]));
    let k = chance.weighted(&weights);
    pile[k] -= 1;
    *size -= 1;
    CardKind(k as u8)
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

    /// The number of cards still to be turned this round.
    pub fn waiting(&self) -> u8 {
        self.ordered + self.buried_size + self.bonus
    }

    /// The number of cards that can be drawn before the discard must be shuffled.
    pub fn undrawn(&self) -> u8 {
        self.deck_size - self.bonus
    }

    /// The remaining cards of the order stack, the first chosen first.
    pub fn chosen(&self) -> impl DoubleEndedIterator<Item = CardKind> {
        self.stack[..usize::from(self.ordered)].iter().map(|&k| CardKind(k))
    }

    /// The number of cards of [`Piles::ceiling`] that were dealt to the hand since the shuffle.
    pub fn dealt(&self) -> u8 {
        let unseen = if self.buried_size > 0 { self.buried_size } else { self.deck_size };
        total(&self.ceiling).saturating_sub(unseen)
    }

    /// Resets public knowledge: the unseen cards are the freshly shuffled deck, and the seat has kept the others.
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
        // The deck holds only bonus cards that are waiting to be turned: they become the buried cards.
        self.buried_size += self.bonus;
        self.bonus = 0;
        self.deck = self.discard;
        self.deck_size = total(&self.deck);
        self.discard = [0; KINDS];
        if self.buried_size == 0 {
            self.know_deck();
        } else {
            // In play a second shuffle finds nothing buried, and the ceiling stays as it is. In positions set up by
            // hand it is raised as far as the unseen cards require.
            let unseen = self.unseen();
            for (k, ceiling) in self.ceiling.iter_mut().enumerate() {
                let fresh = unseen[k].saturating_sub(self.kept[k]);
                *ceiling = (*ceiling).max(self.buried[k]).max(fresh);
            }
        }
    }

    /// Shuffles the discard into the deck if no card is left to draw, and then sets `shuffled`. Returns whether a
    /// card can be drawn: none can if all are in hand, ordered or waiting as bonus cards.
    fn replenish(&mut self, shuffled: &mut bool) -> bool {
        if self.undrawn() == 0 {
            self.shuffle();
            *shuffled = true;
        }
        self.undrawn() > 0
    }

    /// The cards hidden from the opponent: in hand, ordered, and unseen by both.
    pub(crate) fn unseen(&self) -> Counts {
        let pile = if self.buried_size > 0 { &self.buried } else { &self.deck };
        let mut unseen: Counts = std::array::from_fn(|k| self.hand[k] + pile[k]);
        self.chosen().for_each(|kind| unseen[kind.index()] += 1);
        unseen
    }

    /// Draws a card into the hand.
    pub fn deal<C: Chance + ?Sized>(&mut self, shuffled: &mut bool, chance: &mut C) -> Option<CardKind> {
        if !self.replenish(shuffled) {
            return None;
        }
        let kind = draw_card(&mut self.deck, &mut self.deck_size, chance);
        self.hand[kind.index()] += 1;
        self.hand_size += 1;
        Some(kind)
    }

    /// Puts up to `cards` bonus cards under the order stack and returns their number.
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
    pub fn choose(&mut self, kind: CardKind) {
        self.hand[kind.index()] -= 1;
        self.hand_size -= 1;
        self.stack[usize::from(self.ordered)] = kind.0;
        self.ordered += 1;
    }

    /// Turns the next card of the order stack and puts it on the discard.
    pub fn turn<C: Chance + ?Sized>(&mut self, chance: &mut C) -> CardKind {
        let kind = if self.ordered > 0 {
            // As long as nothing has been dealt from the shuffled cards, a turned card must be a kept one.
            let is_kept = self.dealt() == 0;
            self.ordered -= 1;
            let kind = CardKind(std::mem::replace(&mut self.stack[usize::from(self.ordered)], NO_CARD));
            self.kept[kind.index()] -= u8::from(is_kept);
            kind
        } else if self.buried_size > 0 {
            let kind = draw_card(&mut self.buried, &mut self.buried_size, chance);
            self.ceiling[kind.index()] -= 1;
            if self.buried_size == 0 {
                self.know_deck();
            }
            kind
        } else {
            self.bonus -= 1;
            let kind = draw_card(&mut self.deck, &mut self.deck_size, chance);
            self.ceiling[kind.index()] -= 1;
            kind
        };
        self.discard[kind.index()] += 1;
        kind
    }
}
