//! What a seat does not know: drawing the opponent's cards anew.
//!
//! A seat sees its own hand and order stack and every discard; so it can count which cards of its own deck
//! are still unseen, but not their order, which no state holds. Of the opponent it knows the sizes of the
//! piles, which cards are unseen, and since a shuffle in the open ([`Piles::ceiling`]) how many of each kind
//! the deck can hold at most. An arrangement puts every unseen card into the hand, onto a place of the order
//! stack, or among the cards nobody has seen; all that fit this knowledge are equally likely.

use super::cards::{Counts, KINDS, Piles};
use super::state::State;
use crate::engine::chance::Chance;

/// Most cards of a deck.
const DECK: usize = 30;

/// `n` over `k` for the copies of a card.
fn binomial(n: u8, k: u8) -> u32 {
    (0..u32::from(k)).fold(1, |product, i| product * (u32::from(n) - i) / (i + 1))
}

/// Draws `size` of the `unseen` cards, at most `ceiling` of each kind: every set of cards that fits is
/// equally likely.
fn draw_set<C: Chance + ?Sized>(unseen: &Counts, ceiling: &Counts, size: u8, chance: &mut C) -> Counts {
    // ways[k][n]: how many sets of n cards of the kinds k and above fit; at most 30 over 15.
    let mut ways = [[0u32; DECK + 1]; KINDS + 1];
    ways[KINDS][0] = 1;
    let most = |k: usize, n: usize| unseen[k].min(ceiling[k]).min(n as u8);
    for k in (0..KINDS).rev() {
        for n in 0..=usize::from(size) {
            ways[k][n] = (0..=most(k, n))
                .map(|taken| binomial(unseen[k], taken) * ways[k + 1][n - usize::from(taken)])
                .sum();
        }
    }
    let mut left = usize::from(size);
    let mut ticket = chance.uniform(ways[0][left]);
    std::array::from_fn(|k| {
        let mut taken = 0;
        loop {
            let here = binomial(unseen[k], taken) * ways[k + 1][left - usize::from(taken)];
            if ticket < here {
                break;
            }
            ticket -= here;
            taken += 1;
        }
        // Which copies were taken makes no difference; what is left of the ticket chooses among the rest.
        ticket /= binomial(unseen[k], taken);
        left -= usize::from(taken);
        taken
    })
}

impl Piles {
    /// Deals the cards that the opponent cannot see anew.
    fn redeal<C: Chance + ?Sized>(&mut self, chance: &mut C) {
        let unseen_pile = if self.buried_size > 0 { &mut self.buried } else { &mut self.deck };
        let mut unseen: Counts = std::array::from_fn(|k| self.hand[k] + unseen_pile[k]);
        let chosen = &mut self.stack[..usize::from(self.ordered)];
        for &mut card in &mut *chosen {
            unseen[usize::from(card)] += 1;
        }
        let size = if self.buried_size > 0 { self.buried_size } else { self.deck_size };
        *unseen_pile = draw_set(&unseen, &self.ceiling, size, chance);
        for (rest, &taken) in unseen.iter_mut().zip(&*unseen_pile) {
            *rest -= taken;
        }
        for card in chosen {
            let k = chance.weighted(&unseen.map(u32::from));
            unseen[k] -= 1;
            *card = k as u8;
        }
        self.hand = unseen;
    }
}

/// A state that `seat` cannot tell from `state`, all of them equally likely.
pub(super) fn determinize<C: Chance + ?Sized>(state: &State, seat: usize, chance: &mut C) -> State {
    let mut drawn = *state;
    drawn.piles[1 - seat].redeal(chance);
    drawn
}
