//! Determinization: drawing the hidden cards of the opponent anew, by Bayesian inference from public knowledge.
//!
//! A seat sees its own hand and order stack and both discards. So it can count which cards of its own deck
//! are still unseen; their order is held by no state. Of the opponent it knows
//!
//! * the size of every pile;
//! * which cards are in the hand, the order stack or among the unseen cards, but not which of them are where;
//! * which cards went into the deck when the discard was last shuffled, since that happens in the open
//!   ([`Piles::ceiling`], less the bonus cards turned since), and which the opponent had kept, in hand or
//!   ordered ([`Piles::kept`]).
//!
//! A card that was turned since the shuffle was therefore either a kept one or one dealt from the shuffled
//! deck, and the seat cannot tell which. The draw weighs every way to split the turned cards between the two,
//! under the assumption that cards are ordered without regard to what they show:
//!
//! * [`HandUse::likelihoods`] says how likely it is that a given choice of so many kept cards was turned. Kept
//!   cards were in the hand from the start and had more rounds in which to be turned.
//! * [`Knowledge::draw`] counts the arrangements (which copy of each card is where) for each number by
//!   dynamic programming over the kinds of cards, and then draws one kind after the other in proportion to
//!   the counts.
//!
//! How many cards of each kind were turned is known; in which round each was turned is not remembered and not
//! used.

use super::cards::{Counts, KINDS, total};
use super::piles::Piles;
use super::state::State;
use crate::engine::chance::Chance;

/// Most cards that a seat can have kept: its whole deck.
const KEPT: usize = 30;

/// `n` over `k`; 0 for a `k` above `n`.
fn binomial(n: u8, k: u8) -> f64 {
    (0..k).fold(1.0, |product, i| product * f64::from(n.saturating_sub(i)) / f64::from(i + 1))
}

/// An index drawn with a probability in proportion to its weight; at least one weight is above 0.
fn draw_index<C: Chance + ?Sized>(weights: &[f64], chance: &mut C) -> usize {
    let scale = 4e9 / weights.iter().sum::<f64>();
    let tickets: Vec<u32> = weights.iter().map(|weight| (weight * scale).round() as u32).collect();
    chance.weighted(&tickets)
}

/// How many cards of a hand a round uses up.
#[derive(Debug, Clone, Copy)]
pub(super) struct HandUse {
    /// Cards in hand when the order is chosen.
    pub hand: u8,
    /// Cards that are ordered and turned.
    pub turned: u8,
}

impl HandUse {
    /// Element `g`: how likely it is that, of `turned` cards since a shuffle, one particular choice of `g`
    /// among the `kept` cards and `turned - g` among the `dealt` cards was turned.
    ///
    /// The first loop plays the rounds: in each, `self.turned` cards of a full hand are turned at random, and
    /// cards are dealt to fill it up (a Markov chain over how many kept cards have been turned). The second
    /// divides by the number of choices.
    fn likelihoods(self, kept: u8, dealt: u8, turned: u8) -> [f64; KEPT + 1] {
        let mut by_kept = [0.0; KEPT + 1];
        by_kept[0] = 1.0;
        let mut left = turned;
        while left > 0 {
            let now = left.min(self.turned);
            left -= now;
            let mut after = [0.0; KEPT + 1];
            for (gone, &p) in by_kept.iter().enumerate().filter(|&(_, &p)| p > 0.0) {
                let in_hand = kept.saturating_sub(gone as u8).min(self.hand);
                for j in 0..=now.min(in_hand) {
                    let ways = binomial(in_hand, j) * binomial(self.hand - in_hand, now - j);
                    after[(gone + usize::from(j)).min(KEPT)] += p * ways / binomial(self.hand, now);
                }
            }
            by_kept = after;
        }
        for (gone, p) in (0..=turned.min(kept)).zip(&mut by_kept) {
            let choices = binomial(kept, gone) * binomial(dealt, turned - gone);
            *p = if choices > 0.0 { *p / choices } else { 0.0 };
        }
        by_kept
    }
}

/// What the table knows of a seat's cards that it does not see.
struct Knowledge {
    /// Cards that were among the unseen ones at the shuffle, less those turned as bonus cards since.
    ceiling: Counts,
    /// Cards that the seat had at the shuffle, in hand or ordered.
    kept: Counts,
    /// Cards of either sort that were turned since, other than bonus cards.
    turned: Counts,
    /// How many cards are unseen still.
    size: u8,
    use_of_hand: HandUse,
}

impl Knowledge {
    /// Every case for the cards of kind `k`: how many are unseen still, how many of the kept ones were
    /// turned, and the number of arrangements with these two numbers.
    fn splits(&self, k: usize) -> Vec<(usize, usize, f64)> {
        let (ceiling, kept, turned) = (self.ceiling[k], self.kept[k], self.turned[k]);
        let pairs = (0..=ceiling.min(self.size)).flat_map(|n| (0..=kept.min(turned)).map(move |g| (n, g)));
        let ways = |(n, g): (u8, u8)| {
            let ways = binomial(ceiling, n) * binomial(kept, g) * binomial(ceiling - n, turned - g);
            (usize::from(n), usize::from(g), ways)
        };
        pairs.map(ways).filter(|split| split.2 > 0.0).collect()
    }

    /// Draws which cards are unseen still, by their probability given what the table knows.
    fn draw<C: Chance + ?Sized>(&self, chance: &mut C) -> Counts {
        let size = usize::from(self.size);
        let (kept, turned) = (total(&self.kept), total(&self.turned));
        let most = usize::from(kept.min(turned));
        let splits: [_; KINDS] = std::array::from_fn(|k| self.splits(k));
        // ways[at(k, n, g)]: the number of arrangements of the kinds from k on in which n cards are unseen
        // still and g of the kept ones were turned.
        let mut ways = vec![0.0; (KINDS + 1) * (size + 1) * (most + 1)];
        let at = |k: usize, n: usize, g: usize| (k * (size + 1) + n) * (most + 1) + g;
        ways[at(KINDS, 0, 0)] = 1.0;
        for (k, n, g) in
            (0..KINDS).rev().flat_map(|k| (0..=size).flat_map(move |n| (0..=most).map(move |g| (k, n, g))))
        {
            let fit = splits[k].iter().filter(|split| split.0 <= n && split.1 <= g);
            ways[at(k, n, g)] = fit.map(|&(i, j, w)| w * ways[at(k + 1, n - i, g - j)]).sum();
        }
        let likely = self.use_of_hand.likelihoods(kept, total(&self.ceiling) - self.size, turned);
        let mut weights: Vec<f64> = (0..=most).map(|g| likely[g] * ways[at(0, size, g)]).collect();
        if weights.iter().all(|&weight| weight == 0.0) {
            // The position was set up by hand and cannot arise in play: every number of kept cards counts the
            // same.
            weights = (0..=most).map(|g| ways[at(0, size, g)]).collect();
        }
        let (mut n, mut g) = (size, draw_index(&weights, chance));
        std::array::from_fn(|k| {
            let fit: Vec<_> = splits[k].iter().filter(|split| split.0 <= n && split.1 <= g).collect();
            weights.clear();
            weights.extend(fit.iter().map(|(i, j, w)| w * ways[at(k + 1, n - i, g - j)]));
            let &(i, j, _) = fit[draw_index(&weights, chance)];
            n -= i;
            g -= j;
            i as u8
        })
    }
}

impl Piles {
    /// Draws anew where the cards are that the opponent cannot see: unseen, ordered or in hand.
    fn redeal<C: Chance + ?Sized>(&mut self, use_of_hand: HandUse, chance: &mut C) {
        let mut unseen = self.unseen();
        let (ceiling, kept) = (self.ceiling, self.kept);
        let turned = std::array::from_fn(|k| kept[k] + ceiling[k] - unseen[k]);
        let (pile, size) = match self.buried_size {
            0 => (&mut self.deck, self.deck_size),
            buried => (&mut self.buried, buried),
        };
        *pile = Knowledge { ceiling, kept, turned, size, use_of_hand }.draw(chance);
        for (rest, &taken) in unseen.iter_mut().zip(&*pile) {
            *rest -= taken;
        }
        for card in &mut self.stack[..usize::from(self.ordered)] {
            let k = chance.weighted(&unseen.map(u32::from));
            unseen[k] -= 1;
            *card = k as u8;
        }
        self.hand = unseen;
    }
}

/// A state that `seat` cannot tell from `state`, drawn by its probability given what the seat knows.
pub(super) fn determinize<C: Chance + ?Sized>(
    state: &State,
    seat: usize,
    use_of_hand: HandUse,
    chance: &mut C,
) -> State {
    let mut drawn = *state;
    drawn.piles[1 - seat].redeal(use_of_hand, chance);
    drawn
}
