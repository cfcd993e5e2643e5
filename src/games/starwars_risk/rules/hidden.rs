//! Determinization: resampling the hidden cards of the opponent, by Bayesian inference from public knowledge.
//!
//! A seat sees its own hand and order stack and both discards. It can therefore count the unseen cards of its own
//! deck; no state holds their order. About the opponent it knows
//!
//! * the size of every pile;
//! * the cards in hand, order stack and unseen cards together, but not their distribution over these piles;
//! * the cards that went into the deck when the discard was last shuffled, since that is public
//!   ([`Piles::ceiling`], minus the bonus cards turned since), and the cards that the opponent had kept, in hand or
//!   ordered ([`Piles::kept`]).
//!
//! A card turned since the shuffle was therefore either a kept one or one dealt from the shuffled deck, and the
//! seat cannot tell the two apart. The draw weighs every way to split the turned cards between the two, under the
//! assumption that cards are ordered regardless of their kind:
//!
//! * [`HandUse::likelihoods`] is the likelihood that a given choice of some number of kept cards was turned. Kept
//!   cards were in the hand from the start and had more rounds in which to be turned.
//! * [`Knowledge::draw_kept`] counts the choices (the copies of each card) for each number by dynamic programming
//!   over the kinds of cards, and then draws one kind after the other in proportion to the counts. Of the dealt
//!   cards that were not turned, the unseen ones are drawn uniformly.
//!
//! The number of turned cards of each kind is known; the round in which each was turned is not remembered and not
//! used.

use super::cards::{Counts, KINDS, total};
use super::piles::Piles;
use super::state::State;
use ludovec_engine::chance::Chance;

/// Maximum number of cards that a seat can have kept: its whole deck.
const KEPT: usize = 30;

/// Pascal's triangle up to a whole deck and a little more: element `[n][k]` is the binomial coefficient `n` over
/// `k`.
static BINOMIALS: [[f64; 33]; 33] = {
    let mut table = [[0.0; 33]; 33];
    let mut n = 0;
    while n < 33 {
        table[n][0] = 1.0;
        let mut k = 1;
        while k <= n {
            table[n][k] = table[n - 1][k - 1] + table[n - 1][k];
            k += 1;
        }
        n += 1;
    }
    table
};

/// `n` over `k`; 0 for a `k` above `n`.
fn binomial(n: u8, k: u8) -> f64 {
    BINOMIALS[usize::from(n)][usize::from(k)]
}

/// Draws an index with probability proportional to its weight; at least one weight is above 0. With a single weight
/// the index is 0 and no random number is drawn.
fn draw_index<C: Chance + ?Sized>(weights: &[f64], chance: &mut C) -> usize {
    if weights.len() == 1 {
        return 0;
    }
    let scale = 4e9 / weights.iter().sum::<f64>();
    let mut scaled_weights = [0; KEPT + 1];
    for (scaled, weight) in scaled_weights.iter_mut().zip(weights) {
        *scaled = (weight * scale).round() as u32;
    }
    chance.weighted(&scaled_weights[..weights.len()])
}

/// The use of a hand in one round.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HandUse {
    /// Cards in hand when the order is chosen.
    pub hand: u8,
    /// Cards that are ordered and turned.
    pub turned: u8,
}

impl HandUse {
    /// Element `g`: the likelihood that, of `turned` cards since a shuffle, one particular choice of `g` among the
    /// `kept` cards and `turned - g` among the `dealt` cards was turned.
    ///
    /// The first loop simulates the rounds: in each, `self.turned` cards of a full hand are turned at random, and
    /// cards are dealt to fill it up (a Markov chain over the number of kept cards turned so far). The second
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

/// Public knowledge of a seat's hidden cards.
struct Knowledge {
    /// Cards that were unseen at the shuffle, minus the bonus cards turned since.
    ceiling: Counts,
    /// Cards of the seat at the shuffle, in hand or ordered.
    kept: Counts,
    /// Cards of either sort turned since, other than bonus cards.
    turned: Counts,
    /// The number of unseen cards.
    size: u8,
    use_of_hand: HandUse,
}

impl Knowledge {
    /// The maximum number of turned cards of kind `k` that can have been kept.
    fn most_kept(&self, k: usize) -> u8 {
        self.kept[k].min(self.turned[k])
    }

    /// The number of ways in which `j` kept cards of kind `k` are among the turned ones.
    fn ways(&self, k: usize, j: usize) -> f64 {
        let j = j as u8;
        binomial(self.kept[k], j) * binomial(self.ceiling[k], self.turned[k] - j)
    }

    /// Draws the number of kept cards among the turned cards of each kind, from the posterior given public
    /// knowledge.
    fn draw_kept<C: Chance + ?Sized>(&self, chance: &mut C) -> Counts {
        let mut drawn = [0; KINDS];
        // Kinds with a choice; the number of ways of any other kind is a common factor, which cancels out.
        let mut open = [0; KINDS];
        let mut kinds = 0;
        for k in 0..KINDS {
            open[kinds] = k;
            kinds += usize::from(self.most_kept(k) > 0);
        }
        let open = &open[..kinds];
        if open.is_empty() {
            return drawn;
        }
        let width = 1 + open.iter().map(|&k| usize::from(self.most_kept(k))).sum::<usize>();
        // Row i, column g: the number of choices of turned cards, over the kinds from open[i] on, that contain g
        // kept ones.
        let mut choices = vec![0.0; (open.len() + 1) * width];
        choices[open.len() * width] = 1.0;
        let mut most = 0;
        for (i, &k) in open.iter().enumerate().rev() {
            let (these, later) = choices[i * width..].split_at_mut(width);
            let of_kind = usize::from(self.most_kept(k));
            for j in 0..=of_kind {
                let here = self.ways(k, j);
                for (these, later) in these[j..].iter_mut().zip(&later[..=most]) {
                    *these += here * later;
                }
            }
            most += of_kind;
        }
        let (all_dealt, all_turned) = (total(&self.ceiling), total(&self.turned));
        let likely = self.use_of_hand.likelihoods(total(&self.kept), all_dealt - self.size, all_turned);
        // For any set of turned dealt cards, every choice of `size` of the others is equally likely to be the
        // unseen cards.
        let unseen = |g: usize| binomial(all_dealt + g as u8 - all_turned, self.size);
        let possible =
            |g: usize| if all_dealt + g as u8 >= all_turned { choices[g] * unseen(g) } else { 0.0 };
        let mut weights = [0.0; KEPT + 1];
        let weights = &mut weights[..width];
        weights.iter_mut().enumerate().for_each(|(g, weight)| *weight = likely[g] * possible(g));
        if weights.iter().all(|&weight| weight == 0.0) {
            // The position was set up by hand and cannot arise in play: every number of kept cards has the same
            // weight.
            weights.iter_mut().enumerate().for_each(|(g, weight)| *weight = possible(g));
        }
        let mut g = draw_index(weights, chance);
        for (i, &k) in open.iter().enumerate() {
            let later = &choices[(i + 1) * width..];
            let mut weights = [0.0; KEPT + 1];
            let weights = &mut weights[..=usize::from(self.most_kept(k)).min(g)];
            for (j, weight) in weights.iter_mut().enumerate() {
                *weight = self.ways(k, j) * later[g - j];
            }
            let j = draw_index(weights, chance);
            g -= j;
            drawn[k] = j as u8;
        }
        drawn
    }

    /// Draws the unseen cards, from the posterior given public knowledge.
    fn draw<C: Chance + ?Sized>(&self, chance: &mut C) -> Counts {
        let Self { ceiling, turned, size, .. } = self;
        let kept = self.draw_kept(chance);
        // The dealt cards that were not turned.
        let mut rest: Counts = std::array::from_fn(|k| ceiling[k] + kept[k] - turned[k]);
        // Selection sampling: each card in turn is among the unseen ones with the remaining probability.
        let (mut all, mut wanted) = (u32::from(total(&rest)), u32::from(*size));
        for of_kind in &mut rest {
            let mut chosen = 0;
            for _ in 0..*of_kind {
                let is_chosen = wanted == all || (wanted > 0 && chance.uniform(all) < wanted);
                all -= 1;
                wanted -= u32::from(is_chosen);
                chosen += u8::from(is_chosen);
            }
            *of_kind = chosen;
        }
        rest
    }
}

impl Piles {
    /// Redistributes the hidden cards among the unseen cards, the order stack and the hand.
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

/// A state that `seat` cannot distinguish from `state`, drawn from the posterior given the seat's knowledge.
pub(crate) fn determinize<C: Chance + ?Sized>(
    state: &State,
    seat: usize,
    use_of_hand: HandUse,
    chance: &mut C,
) -> State {
    let mut drawn = *state;
    drawn.piles[1 - seat].redeal(use_of_hand, chance);
    drawn
}
