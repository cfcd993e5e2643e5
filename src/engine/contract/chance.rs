//! Chance as an input: a game owns no randomness. It draws from the source passed to `step`.
//!
//! | source | use |
//! |---|---|
//! | [`SeededChance`] | play: ChaCha8, one stream per (seed, game, episode) |
//! | [`ScriptedChance`] | replays and rule scenarios: outcomes given in advance |
//! | [`RecordedChance`] | wraps another source and records its draws |
//! | [`EnumeratedOutcomes`] | search: every outcome of a step with its probability |

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

use crate::contract::support::error::{Error, Result};

/// A source of random outcomes.
///
/// Every random event of a game is a sequence of draws, each with finitely many outcomes `0..n`.
///
/// ```
/// use ludovec_engine::chance::{Chance, SeededChance};
///
/// fn roll(chance: &mut dyn Chance) -> u32 {
///     chance.uniform(6) + 1
/// }
/// assert!((1..=6).contains(&roll(&mut SeededChance::from_seed(4))));
/// ```
pub trait Chance {
    /// One of `0..n`, all equally likely. `n` is at least 1.
    fn uniform(&mut self, n: u32) -> u32;

    /// One of `0..weights.len()` with probability proportional to its weight.
    ///
    /// The weights sum to at least 1 and at most `u32::MAX`. Use it to merge equivalent outcomes (three blank die
    /// faces) into one, so that search enumerates fewer branches.
    fn weighted(&mut self, weights: &[u32]) -> usize;
}

/// Inverse transform sampling: the index selected by the uniform `draw` in `0..sum(weights)`.
fn locate(weights: &[u32], mut draw: u32) -> usize {
    for (i, &w) in weights.iter().enumerate() {
        if draw < w {
            return i;
        }
        draw -= w;
    }
    unreachable!("a draw is below the sum of the weights")
}

/// Fisher-Yates shuffle of `items` (`items.len() - 1` draws).
///
/// ```
/// use ludovec_engine::chance::{SeededChance, shuffle};
/// let mut cards = [1, 2, 3, 4];
/// shuffle(&mut cards, &mut SeededChance::from_seed(7));
/// cards.sort();
/// assert_eq!(cards, [1, 2, 3, 4]);
/// ```
pub fn shuffle<T, C: Chance + ?Sized>(items: &mut [T], chance: &mut C) {
    for i in (1..items.len()).rev() {
        items.swap(i, chance.uniform(i as u32 + 1) as usize);
    }
}

/// The key of a game's random stream: streams with different keys are independent.
///
/// ```
/// use ludovec_engine::chance::{Chance, SeededChance, StreamId};
/// let id = StreamId { seed: 1, game: 0, episode: 0 };
/// let draws = |id| {
///     let mut chance = SeededChance::new(id);
///     [(); 4].map(|()| chance.uniform(1000))
/// };
/// assert_eq!(draws(id), draws(id));
/// assert_ne!(draws(id), draws(id.next_episode()));
/// ```
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, bytemuck::Pod, bytemuck::Zeroable, Serialize, Deserialize,
)]
#[repr(C)]
pub struct StreamId {
    /// The seed of the batch.
    pub seed: u64,
    /// Index of the game in the whole batch, independent of the block or thread that steps it.
    pub game: u64,
    /// Number of episodes that this game has finished or abandoned since seeding.
    pub episode: u64,
}

impl StreamId {
    /// The stream of the same game's next episode. The number wraps around, because a snapshot may claim any number
    /// of episodes.
    ///
    /// ```
    /// use ludovec_engine::chance::StreamId;
    /// let id = StreamId { seed: 1, game: 2, episode: 3 };
    /// assert_eq!(id.next_episode().episode, 4);
    /// ```
    #[must_use]
    pub fn next_episode(self) -> Self {
        Self { episode: self.episode.wrapping_add(1), ..self }
    }

    /// A 64-bit hash of the key, used to draw action samples.
    pub(crate) fn mix(self, salt: u64) -> u64 {
        let mut x = self.seed;
        for part in [self.game, self.episode, salt] {
            x = split_mix(x.wrapping_add(0x9e37_79b9_7f4a_7c15) ^ part.rotate_left(32));
        }
        x
    }
}

/// Finaliser of SplitMix64: a bijection of 64-bit words that spreads every input bit.
pub(crate) fn split_mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// ChaCha8, keyed by a [`StreamId`]; the position in the stream can be read and set.
///
/// ```
/// use ludovec_engine::chance::{Chance, SeededChance};
/// let [mut one, mut other] = [5, 5].map(SeededChance::from_seed);
/// assert_eq!(one.weighted(&[1, 2, 3]), other.weighted(&[1, 2, 3]));
/// ```
#[derive(Debug, Clone)]
pub struct SeededChance {
    id: StreamId,
    rng: ChaCha8Rng,
}

impl SeededChance {
    /// The stream of `id`, at its start.
    #[must_use]
    pub fn new(id: StreamId) -> Self {
        let mut key = [0; 32];
        key[..24].copy_from_slice(bytemuck::bytes_of(&id));
        key[24..].copy_from_slice(b"ludovec1");
        Self { id, rng: ChaCha8Rng::from_seed(key) }
    }
    /// A stream independent of every batch, for tools that take a single seed.
    #[must_use]
    pub fn from_seed(seed: u64) -> Self {
        Self::new(StreamId { seed, game: u64::MAX, episode: 0 })
    }
    /// The key of this stream.
    #[must_use]
    pub fn id(&self) -> StreamId {
        self.id
    }
    /// Number of 32-bit words drawn.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.rng.get_word_pos() as u64
    }
    /// The stream of `id` after `position` words.
    ///
    /// ```
    /// use ludovec_engine::chance::{Chance, SeededChance};
    /// let mut chance = SeededChance::from_seed(3);
    /// chance.uniform(10);
    /// let mut later = SeededChance::at(chance.id(), chance.position());
    /// assert_eq!(chance.uniform(10), later.uniform(10));
    /// ```
    #[must_use]
    pub fn at(id: StreamId, position: u64) -> Self {
        let mut chance = Self::new(id);
        chance.rng.set_word_pos(u128::from(position));
        chance
    }
}

impl Chance for SeededChance {
    #[inline]
    fn uniform(&mut self, n: u32) -> u32 {
        debug_assert!(n > 0);
        // Lemire's multiply-shift method with rejection: every outcome is exactly equally likely.
        let mut product = u64::from(self.rng.next_u32()) * u64::from(n);
        if (product as u32) < n {
            let zone = n.wrapping_neg() % n;
            while (product as u32) < zone {
                product = u64::from(self.rng.next_u32()) * u64::from(n);
            }
        }
        (product >> 32) as u32
    }

    #[inline]
    fn weighted(&mut self, weights: &[u32]) -> usize {
        let draw = self.uniform(weights.iter().sum());
        locate(weights, draw)
    }
}

/// Outcomes given in advance, one number per draw.
///
/// A draw past the end of the script, or with a scripted outcome out of range, returns outcome 0 (in a weighted draw,
/// the first with a positive weight). [`ScriptedChance::finish`] reports the mismatch. So a game with a wrong script
/// never panics.
///
/// ```
/// use ludovec_engine::chance::{Chance, ScriptedChance};
/// let mut chance = ScriptedChance::new(&[4, 0]);
/// assert_eq!((chance.uniform(6), chance.uniform(2)), (4, 0));
/// assert!(chance.finish().is_ok());
/// ```
#[derive(Debug, Clone)]
pub struct ScriptedChance<'a> {
    outcomes: &'a [u32],
    used: usize,
    fault: Option<String>,
}

impl<'a> ScriptedChance<'a> {
    /// A source that returns `outcomes` in order.
    #[must_use]
    pub fn new(outcomes: &'a [u32]) -> Self {
        Self { outcomes, used: 0, fault: None }
    }

    /// Checks that the script matched the draws exactly.
    ///
    /// # Errors
    /// [`Error::InvalidState`] for the first draw that did not match, or for leftover outcomes.
    ///
    /// ```
    /// use ludovec_engine::chance::{Chance, ScriptedChance};
    /// let mut chance = ScriptedChance::new(&[9]);
    /// assert_eq!(chance.uniform(6), 0);
    /// assert!(chance.finish().unwrap_err().to_string().contains("0 to 5 is allowed"));
    /// ```
    pub fn finish(&self) -> Result<()> {
        match &self.fault {
            Some(fault) => Err(Error::state(fault.clone())),
            None if self.used < self.outcomes.len() => Err(Error::state(format!(
                "the chance script has {} outcomes, the game drew {}",
                self.outcomes.len(),
                self.used
            ))),
            None => Ok(()),
        }
    }

    fn next(&mut self, fits: impl Fn(u32) -> bool, allowed: &str) -> Option<u32> {
        let outcome = self.outcomes.get(self.used).copied();
        self.used += 1;
        match outcome {
            Some(o) if fits(o) => Some(o),
            other => {
                let got = other.map_or("nothing".into(), |o| o.to_string());
                let at = self.used - 1;
                self.fault.get_or_insert_with(|| {
                    format!("chance script, draw {at}: {got} is scripted, {allowed} is allowed")
                });
                None
            }
        }
    }
}

impl Chance for ScriptedChance<'_> {
    fn uniform(&mut self, n: u32) -> u32 {
        self.next(|o| o < n, &format!("0 to {}", n.saturating_sub(1))).unwrap_or(0)
    }
    fn weighted(&mut self, weights: &[u32]) -> usize {
        let first = weights.iter().position(|&w| w > 0).unwrap_or(0);
        let fits = |o: u32| weights.get(o as usize).is_some_and(|&w| w > 0);
        self.next(fits, "an index with a weight").map_or(first, |o| o as usize)
    }
}

/// Records every outcome drawn from another source.
///
/// ```
/// use ludovec_engine::chance::{Chance, RecordedChance, ScriptedChance};
/// let mut script = ScriptedChance::new(&[2, 1]);
/// let mut chance = RecordedChance::new(&mut script);
/// chance.uniform(3);
/// chance.uniform(3);
/// assert_eq!(chance.into_outcomes(), [2, 1]);
/// ```
#[derive(Debug)]
pub struct RecordedChance<'a, C: Chance + ?Sized> {
    source: &'a mut C,
    outcomes: Vec<u32>,
}

impl<'a, C: Chance + ?Sized> RecordedChance<'a, C> {
    /// Wraps `source`.
    pub fn new(source: &'a mut C) -> Self {
        Self { source, outcomes: Vec::new() }
    }
    /// The draws in order: a script for [`ScriptedChance`].
    #[must_use]
    pub fn into_outcomes(self) -> Vec<u32> {
        self.outcomes
    }
}

impl<C: Chance + ?Sized> Chance for RecordedChance<'_, C> {
    fn uniform(&mut self, n: u32) -> u32 {
        let outcome = self.source.uniform(n);
        self.outcomes.push(outcome);
        outcome
    }
    fn weighted(&mut self, weights: &[u32]) -> usize {
        let outcome = self.source.weighted(weights);
        self.outcomes.push(outcome as u32);
        outcome
    }
}

/// Follows a prefix of outcomes, then takes the first possible outcome of every draw and records the alternatives.
#[derive(Debug)]
struct Explorer {
    /// (outcome taken, weights of the draw)
    path: Vec<(u32, Vec<u32>)>,
    depth: usize,
}

impl Explorer {
    fn draw(&mut self, weights: impl FnOnce() -> Vec<u32>) -> u32 {
        if self.depth == self.path.len() {
            let weights = weights();
            let first = weights.iter().position(|&w| w > 0).unwrap_or(0);
            self.path.push((first as u32, weights));
        }
        self.depth += 1;
        self.path[self.depth - 1].0
    }

    /// Moves to the next unexplored path; false if there is none.
    fn advance(&mut self) -> bool {
        self.depth = 0;
        while let Some((outcome, weights)) = self.path.last_mut() {
            let next = weights[*outcome as usize + 1..].iter().position(|&w| w > 0);
            if let Some(step) = next {
                *outcome += 1 + step as u32;
                return true;
            }
            self.path.pop();
        }
        false
    }

    fn probability(&self) -> f64 {
        self.path
            .iter()
            .map(|(o, w)| f64::from(w[*o as usize]) / w.iter().map(|&w| f64::from(w)).sum::<f64>())
            .product()
    }
}

impl Chance for Explorer {
    fn uniform(&mut self, n: u32) -> u32 {
        self.draw(|| vec![1; n as usize])
    }
    fn weighted(&mut self, weights: &[u32]) -> usize {
        self.draw(|| weights.to_vec()) as usize
    }
}

/// Follows a script, and notes the first draw after it.
struct DrawAfter<'a> {
    script: ScriptedChance<'a>,
    weights: Option<Vec<u32>>,
}

impl DrawAfter<'_> {
    /// Whether the script has no outcome for the coming draw.
    fn is_past_the_script(&self) -> bool {
        self.script.used >= self.script.outcomes.len()
    }
}

impl Chance for DrawAfter<'_> {
    fn uniform(&mut self, n: u32) -> u32 {
        if !self.is_past_the_script() {
            return self.script.uniform(n);
        }
        self.weights.get_or_insert_with(|| vec![1; n as usize]);
        0
    }
    fn weighted(&mut self, weights: &[u32]) -> usize {
        if !self.is_past_the_script() {
            return self.script.weighted(weights);
        }
        self.weights.get_or_insert_with(|| weights.to_vec());
        weights.iter().position(|&weight| weight > 0).unwrap_or(0)
    }
}

/// The weights of the draw that follows the outcomes of `script` in an event; `None` if they are all of its draws.
///
/// Trees in which every draw is a node ask for one draw at a time: a deal of cards has too many outcomes to list.
///
/// # Errors
/// [`Error::InvalidState`] if the script does not fit the draws.
pub fn draw_after(script: &[u32], event: impl FnOnce(&mut dyn Chance)) -> Result<Option<Vec<u32>>> {
    let mut chance = DrawAfter { script: ScriptedChance::new(script), weights: None };
    event(&mut chance);
    chance.script.finish()?;
    Ok(chance.weights)
}

/// One outcome of a step.
///
/// ```
/// use ludovec_engine::chance::{Chance, enumerate_outcomes};
/// let two = enumerate_outcomes(10, |chance| chance.weighted(&[3, 1])).unwrap();
/// assert_eq!((two[1].probability, &two[1].script[..], two[1].result), (0.25, &[1][..], 1));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ChanceOutcome<T> {
    /// Its probability; the probabilities of all outcomes of a step sum to 1.
    pub probability: f64,
    /// The draws that lead to it: a script for [`ScriptedChance`].
    pub script: Vec<u32>,
    /// Its result.
    pub result: T,
}

/// Runs an event under every possible sequence of chance outcomes; each call of `next` runs one sequence.
///
/// Lazy evaluation: a step that deals cards can have too many outcomes to list.
///
/// ```
/// use ludovec_engine::chance::{Chance, EnumeratedOutcomes};
/// let mut dice = EnumeratedOutcomes::new(|chance| chance.uniform(6) + chance.uniform(6) + 2);
/// assert_eq!(dice.next().unwrap().result, 2);
/// assert_eq!(dice.count(), 35);
/// ```
pub struct EnumeratedOutcomes<F> {
    /// `None` after the last sequence.
    explorer: Option<Explorer>,
    event: F,
}

impl<F> std::fmt::Debug for EnumeratedOutcomes<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EnumeratedOutcomes").field("explorer", &self.explorer).finish_non_exhaustive()
    }
}

impl<F> EnumeratedOutcomes<F> {
    /// The outcomes of `event`.
    pub fn new<T>(event: F) -> Self
    where
        F: FnMut(&mut dyn Chance) -> T,
    {
        Self { explorer: Some(Explorer { path: Vec::new(), depth: 0 }), event }
    }
}

impl<T, F: FnMut(&mut dyn Chance) -> T> Iterator for EnumeratedOutcomes<F> {
    type Item = ChanceOutcome<T>;

    fn next(&mut self) -> Option<Self::Item> {
        let explorer = self.explorer.as_mut()?;
        let result = (self.event)(explorer);
        let outcome = ChanceOutcome {
            probability: explorer.probability(),
            script: explorer.path.iter().map(|(o, _)| *o).collect(),
            result,
        };
        if !explorer.advance() {
            self.explorer = None;
        }
        Some(outcome)
    }
}

/// Collects all outcomes.
///
/// # Errors
/// [`Error::InvalidConfig`] if there are more than `limit` (a deck shuffle has too many).
///
/// ```
/// use ludovec_engine::chance::{Chance, EnumeratedOutcomes, at_most};
/// let rolls = EnumeratedOutcomes::new(|chance| chance.uniform(6));
/// assert!(at_most(5, rolls).is_err());
/// ```
pub fn at_most<T>(
    limit: usize,
    outcomes: impl Iterator<Item = ChanceOutcome<T>>,
) -> Result<Vec<ChanceOutcome<T>>> {
    let mut listed = Vec::new();
    for outcome in outcomes {
        if listed.len() == limit {
            return Err(Error::config(format!(
                "more than {limit} chance outcomes; raise the limit, or take them one by one without it"
            )));
        }
        listed.push(outcome);
    }
    Ok(listed)
}

/// Runs `event` under every possible sequence of chance outcomes.
///
/// # Errors
/// As for [`at_most`].
///
/// ```
/// use ludovec_engine::chance::{Chance, enumerate_outcomes};
/// let coins = enumerate_outcomes(4, |chance| (chance.uniform(2), chance.uniform(2))).unwrap();
/// assert_eq!(coins.iter().map(|outcome| outcome.probability).sum::<f64>(), 1.0);
/// ```
pub fn enumerate_outcomes<T>(
    limit: usize,
    event: impl FnMut(&mut dyn Chance) -> T,
) -> Result<Vec<ChanceOutcome<T>>> {
    at_most(limit, EnumeratedOutcomes::new(event))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_by_every_part_of_the_key() {
        let id = StreamId { seed: 1, game: 2, episode: 3 };
        let draw = |id| {
            let mut c = SeededChance::new(id);
            (0..8).map(|_| c.uniform(1 << 30)).collect::<Vec<_>>()
        };
        assert_eq!(draw(id), draw(id));
        for other in [
            StreamId { seed: 2, ..id },
            StreamId { game: 3, ..id },
            id.next_episode(),
            // Seeds and game numbers must not be interchangeable: with the key seed + game, game 0 of seed 1 would
            // share the stream of game 1 of seed 0.
            StreamId { seed: 2, game: 1, episode: 3 },
        ] {
            assert_ne!(draw(id), draw(other), "{other:?}");
            assert_ne!(id.mix(0), other.mix(0));
        }
        assert_eq!(StreamId { episode: u64::MAX, ..id }.next_episode(), StreamId { episode: 0, ..id });
    }

    #[test]
    fn a_position_in_the_stream_can_be_restored() {
        let mut a = SeededChance::from_seed(9);
        for n in 1..100 {
            a.uniform(n);
        }
        let mut b = SeededChance::at(a.id(), a.position());
        assert_eq!(a.uniform(1000), b.uniform(1000));
    }

    #[test]
    fn the_draw_after_a_script_is_found() {
        let event = |chance: &mut dyn Chance| {
            if chance.uniform(2) == 1 {
                chance.weighted(&[0, 3, 1]);
            }
        };
        assert_eq!(draw_after(&[], event).unwrap(), Some(vec![1, 1]));
        assert_eq!(draw_after(&[0], event).unwrap(), None);
        assert_eq!(draw_after(&[1], event).unwrap(), Some(vec![0, 3, 1]));
        assert_eq!(draw_after(&[1, 2], event).unwrap(), None);
        for wrong in [&[2][..], &[1, 0], &[0, 0]] {
            assert!(draw_after(wrong, event).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn uniform_and_weighted_draws_have_their_probabilities() {
        let mut c = SeededChance::from_seed(4);
        let mut die = [0u32; 6];
        let mut weighted = [0u32; 4];
        for _ in 0..60_000 {
            die[c.uniform(6) as usize] += 1;
            weighted[c.weighted(&[3, 0, 1, 2])] += 1;
        }
        assert!(die.iter().all(|&n| n.abs_diff(10_000) < 500), "{die:?}");
        assert_eq!(weighted[1], 0);
        assert!(weighted[0].abs_diff(30_000) < 800 && weighted[2].abs_diff(10_000) < 500, "{weighted:?}");
    }

    #[test]
    fn enumeration_visits_every_outcome_once_with_its_probability() {
        let outcomes = enumerate_outcomes(100, |c| {
            let face = c.weighted(&[3, 1, 0, 2]);
            if face == 0 { (0, c.uniform(2)) } else { (face, 0) }
        })
        .unwrap();
        let results: Vec<_> = outcomes.iter().map(|o| o.result).collect();
        assert_eq!(results, [(0, 0), (0, 1), (1, 0), (3, 0)]);
        let p: Vec<_> = outcomes.iter().map(|o| o.probability).collect();
        assert!(p.iter().zip([0.25, 0.25, 1. / 6., 1. / 3.]).all(|(a, b)| (a - b).abs() < 1e-12));
        assert!(enumerate_outcomes(3, |c| c.uniform(4)).is_err());
    }

    #[test]
    fn a_script_is_followed_and_its_faults_are_reported() {
        let mut c = ScriptedChance::new(&[5, 1]);
        assert_eq!((c.uniform(6), c.weighted(&[1, 1])), (5, 1));
        assert!(c.finish().is_ok());
        assert_eq!(c.uniform(3), 0);
        assert!(c.finish().unwrap_err().to_string().contains("draw 2"));
        let mut c = ScriptedChance::new(&[7]);
        assert_eq!(c.weighted(&[0, 2]), 1);
        assert!(c.finish().is_err());
        assert!(ScriptedChance::new(&[1]).finish().is_err());
    }
}
