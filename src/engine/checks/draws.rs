//! The draws of determinizations: what is redrawn, and with which probabilities.
//!
//! Under right probabilities the real position and its determinizations are exchangeable: nothing but chance tells
//! which one is real. So the rank of the real one among them, by any score, is uniform, also in the positions that show
//! the player the same. Positions are taken before the first decision of another player, because such decisions can
//! depend on the knowledge of that player.
//!
//! Later positions show values that never fit an element of the observation, and secrets that no determinization
//! redraws: bytes that differ between whole games that the viewer cannot tell apart.

use std::collections::BTreeMap;

use crate::checks::conformance::Verdict;
use crate::checks::histories::Recorded;
use crate::checks::twins::{legal, observation};
use crate::contract::Game;
use crate::contract::chance::{Chance, SeededChance, split_mix};
use crate::contract::mask;
use crate::contract::rules::{Status, state_from_bytes};
use crate::contract::spec::Spec;
use crate::dynamic::effort::{Clock, Effort};

/// Determinizations of each position.
const TWINS: usize = 15;
/// Positions for each game of the effort, and their limit.
const POSITIONS: (u64, u64) = (60, 360);
/// As many times more positions are taken of games with states of at most this many bytes.
const SMALL: (u64, usize) = (10, 256);
/// Most decisions before a position.
const DEPTH: u32 = 10;
/// Most decisions before a position of games that go on after the decisions of others.
const LATE_DEPTH: u32 = 80;
/// Standard deviations from the expected mean that no right draw reaches.
const LIMIT: f64 = 6.0;
/// Negative logarithm of the probability with which a right draw is refused, for one byte and one value of an element.
const UNLIKELY: f64 = 25.0;
/// Deviation of a mean rank, on a scale from 0 to 1, that is reported for late positions.
const LATE_LIMIT: f64 = 0.3;
/// Fewest positions in which a score must tell determinizations apart.
const LEAST: usize = 25;
/// Number of real positions that determinizations lead to expect, of values that no real position has.
const MISSING: f64 = 18.0;
/// Smallest such number of a single value that counts.
const COUNTS: f64 = 4.0;
/// Most elements of an observation that are compared with values.
const ELEMENTS: usize = 400;
/// Pairs of games for each game of the effort, and their limit.
const PAIRS: (u64, u64) = (40, 240);
/// Alterations that are tried for each of them.
const TRIES: usize = 6;
/// Pairs that differ in a byte, before the byte counts as a secret.
const SECRET: usize = 3;
/// Of the seeds of pairs.
const SALT: u64 = 0x5ec2_e7b1;
/// Orders of whole states besides orders of single bytes.
const ORDERS: u64 = 4;

/// Sums of a score of the real position among its determinizations, minus its expectation.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    deviation: f64,
    variance: f64,
    positions: usize,
}

impl Sum {
    /// Adds a position with the scores of all items, the real one first.
    fn add(&mut self, scores: &[f64]) {
        let n = scores.len() as f64;
        let mean = scores.iter().sum::<f64>() / n;
        let variance = scores.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / n;
        if variance > 0.0 {
            self.deviation += scores[0] - mean;
            self.variance += variance;
            self.positions += 1;
        }
    }
    /// Adds the positions of another sum.
    fn merge(&mut self, other: Self) {
        self.deviation += other.deviation;
        self.variance += other.variance;
        self.positions += other.positions;
    }
    /// Whether scores from 0 to 1 deviate so far with a probability below exp(-[`UNLIKELY`]), by Bernstein's inequality:
    /// unlike standard deviations, it holds for few positions and rare values.
    fn is_unlikely(&self) -> bool {
        self.deviation.powi(2) > 2.0 * UNLIKELY * (self.variance + self.deviation.abs() / 3.0)
    }
    /// The deviation in standard deviations.
    fn z(&self) -> f64 {
        if self.positions < LEAST { 0.0 } else { self.deviation / self.variance.sqrt() }
    }
    fn mean(&self) -> f64 {
        self.deviation / self.positions.max(1) as f64
    }
}

/// Statistics of one order of the items: their ranks, the distance of the ranks from the middle, and the number of
/// equal items.
#[derive(Debug, Clone, Copy, Default)]
struct Statistics([Sum; 3]);

impl Statistics {
    fn add(&mut self, keys: &[u64]) {
        let (ranks, equal) = ranks(keys);
        let spread: Vec<f64> = ranks.iter().map(|rank| (rank - 0.5).abs()).collect();
        for (sum, scores) in self.0.iter_mut().zip([&ranks, &spread, &equal]) {
            sum.add(scores);
        }
    }
}

/// The rank of each item from 0 to 1, and the number of others that equal it.
fn ranks(keys: &[u64]) -> (Vec<f64>, Vec<f64>) {
    let others = (keys.len() - 1) as f64;
    let count = |test: &dyn Fn(u64) -> bool| keys.iter().filter(|&&key| test(key)).count() as f64;
    let equal: Vec<f64> = keys.iter().map(|&key| count(&|other| other == key) - 1.0).collect();
    let rank = |(&key, equal): (&u64, &f64)| (count(&|other| other < key) + equal / 2.0) / others;
    (keys.iter().zip(&equal).map(rank).collect(), equal)
}

/// A position with its determinizations.
struct Sample<S> {
    viewer: usize,
    state: S,
    twins: Vec<S>,
}

/// Checks the determinizations of many positions; returns warnings.
pub(super) fn draws<G: Game>(game: &G, effort: &Effort) -> Verdict<Vec<String>> {
    let spec = game.spec();
    let positions = (effort.games * POSITIONS.0).min(POSITIONS.1);
    if !spec.hidden_information || positions == 0 {
        return Ok(Vec::new());
    }
    let sampled = |late: bool, more: u64, share: f64| {
        let clock = Clock::of(effort, share);
        let seeds = (0..positions * more).take_while(move |&seed| seed < LEAST as u64 || !clock.is_over(1.0));
        let seeds = seeds.map(|seed| effort.seed.wrapping_add(seed));
        seeds.filter_map(|seed| sample(game, if late { !seed } else { seed }, late)).collect::<Vec<_>>()
    };
    let more = if spec.state_bytes <= SMALL.1 { SMALL.0 } else { 1 };
    let (samples, late) = (sampled(false, more, 0.08), sampled(true, 1, 0.14));
    let redrawn = samples.iter().chain(&late).any(|s| s.twins.iter().any(|twin| *twin != s.state));
    if !redrawn {
        return Err("determinize never changes a position, although hidden_information is true".into());
    }
    let mut redrawn = kept(game, samples.iter().chain(&late))?;
    secrets(game, effort, &mut redrawn)?;
    let (bytes, orders) = statistics(spec, &samples);
    let named =
        bytes.iter().enumerate().map(|(at, of)| (format!("byte {at} of the state{}", column(spec, at)), of));
    let whole = orders.iter().map(|of| ("the state as a whole".to_string(), of));
    for (what, Statistics([rank, spread, equal])) in named.chain(whole) {
        if rank.z().abs() > LIMIT || spread.z().abs() > LIMIT || equal.z().abs() > LIMIT {
            return Err(format!(
                "determinize draws with wrong probabilities: in {} positions {what} has mean rank {:.2} among its \
                 determinizations (right: 0.50), {:.2} farther from the middle than they are (right: 0.00), and equals \
                 {:+.2} more of them than they equal one another (right: 0.00)",
                rank.positions,
                0.5 + rank.mean(),
                spread.mean(),
                equal.mean()
            ));
        }
    }
    classes(game, &samples)?;
    let worst = statistics(spec, &late).0.into_iter().enumerate();
    let worst = worst.filter(|(_, s)| s.0[0].z().abs() > LIMIT && s.0[0].mean().abs() > LATE_LIMIT);
    let worst = worst
        .max_by(|a, b| a.1.0[0].mean().abs().total_cmp(&b.1.0[0].mean().abs()))
        .map(|(at, s)| {
            format!(
                "determinize: under random play byte {at} of the state{} has mean rank {:.2} among its \
                 determinizations (right: 0.50)",
                column(spec, at),
                0.5 + s.0[0].mean()
            )
        })
        .into_iter();
    Ok(worst.chain(impossible(game, &samples, &late)).collect())
}

/// Ranks are right in each class of positions with the same value of an element of the observation.
fn classes<G: Game>(game: &G, samples: &[Sample<G::State>]) -> Verdict {
    let spec = game.spec();
    let stride = spec.observation_len().div_ceil(ELEMENTS).max(1);
    for viewer in 0..spec.players {
        let samples: Vec<_> = samples.iter().filter(|sample| sample.viewer == viewer).collect();
        let seen: Vec<Vec<u8>> = samples.iter().map(|s| observation(game, &s.state, viewer)).collect();
        for at in 0..spec.state_bytes {
            let rank = |sample: &&Sample<G::State>| {
                let items = std::iter::once(&sample.state).chain(&sample.twins);
                let keys: Vec<u64> = items.map(|state| bytemuck::bytes_of(state)[at].into()).collect();
                let mut sum = Sum::default();
                if keys.iter().any(|key| *key != keys[0]) {
                    sum.add(&ranks(&keys).0);
                }
                sum
            };
            let ranks: Vec<Sum> = samples.iter().map(rank).collect();
            if ranks.iter().all(|rank| rank.positions == 0) {
                continue;
            }
            for element in (0..spec.observation_len()).step_by(stride) {
                let mut of_value: BTreeMap<u8, Sum> = BTreeMap::new();
                for (rank, seen) in ranks.iter().zip(&seen) {
                    of_value.entry(seen[element]).or_default().merge(*rank);
                }
                if let Some((shown, sum)) = of_value.iter().find(|(_, sum)| sum.is_unlikely()) {
                    return Err(format!(
                        "determinize for player {viewer} draws with wrong probabilities where element {element} of its \
                         observation{} is {shown}: in {} positions byte {at} of the state{} has mean rank {:.2} among \
                         its determinizations (right: 0.50)",
                        field(spec, element),
                        sum.positions,
                        column(spec, at),
                        0.5 + sum.mean()
                    ));
                }
            }
        }
    }
    Ok(())
}

/// A warning if determinizations have values that no real position has with the same element of the observation.
fn impossible<G: Game>(game: &G, samples: &[Sample<G::State>], late: &[Sample<G::State>]) -> Option<String> {
    let spec = game.spec();
    for viewer in 0..spec.players {
        let samples: Vec<_> = samples.iter().chain(late).filter(|sample| sample.viewer == viewer).collect();
        let seen: Vec<Vec<u8>> = samples.iter().map(|s| observation(game, &s.state, viewer)).collect();
        let differs = |at: usize, s: &Sample<G::State>| {
            s.twins.iter().any(|twin| bytemuck::bytes_of(twin)[at] != bytemuck::bytes_of(&s.state)[at])
        };
        let stride = spec.observation_len().div_ceil(ELEMENTS).max(1);
        for at in (0..spec.state_bytes).filter(|&at| samples.iter().any(|s| differs(at, s))) {
            for element in (0..spec.observation_len()).step_by(stride) {
                let mut of_value: BTreeMap<(u8, u8), (f64, bool)> = BTreeMap::new();
                for (sample, seen) in samples.iter().zip(&seen) {
                    let shown = seen[element];
                    of_value.entry((shown, bytemuck::bytes_of(&sample.state)[at])).or_default().1 = true;
                    for twin in &sample.twins {
                        of_value.entry((shown, bytemuck::bytes_of(twin)[at])).or_default().0 +=
                            1.0 / TWINS as f64;
                    }
                }
                for shown in 0..=u8::MAX {
                    let values = of_value.range((shown, 0)..=(shown, u8::MAX));
                    let missing = values.filter(|(_, (expected, real))| !real && *expected >= COUNTS);
                    let missing: Vec<_> =
                        missing.map(|((_, value), (expected, _))| (*value, *expected)).collect();
                    let expected: f64 = missing.iter().map(|(_, expected)| expected).sum();
                    if expected >= MISSING {
                        return Some(format!(
                            "determinize for player {viewer} draws values that do not fit what the player knows: where \
                             element {element} of its observation{} is {shown}, byte {at} of the state{} is never {}, \
                             which it draws for {expected:.0} of the positions",
                            field(spec, element),
                            column(spec, at),
                            missing[0].0
                        ));
                    }
                }
            }
        }
    }
    None
}

/// Bytes that differ between two whole games that a player cannot tell apart are redrawn for this player. `redrawn` are
/// the bytes by viewer that determinizations have changed.
fn secrets<G: Game>(game: &G, effort: &Effort, redrawn: &mut [Vec<bool>]) -> Verdict {
    let spec = game.spec();
    let clock = Clock::of(effort, 0.1);
    let mut differing = vec![vec![0; spec.state_bytes]; spec.players];
    for seed in 0..(effort.games * PAIRS.0).min(PAIRS.1) {
        if clock.is_over(1.0) {
            break;
        }
        let mut chance = SeededChance::from_seed(effort.seed.wrapping_add(seed) ^ SALT);
        let viewer = chance.uniform(spec.players as u32) as usize;
        let depth = chance.uniform(if seed % 4 == 0 { LATE_DEPTH } else { DEPTH });
        let played = Recorded::play(game, depth, &mut chance);
        if game.status(&played.state) != Status::Running {
            continue;
        }
        let twin = (0..TRIES).find_map(|_| {
            let site = played.site(viewer, &mut chance)?;
            played.twin(game, viewer, site, &mut chance).filter(|twin| twin.state != played.state)
        });
        let Some(twin) = twin else { continue };
        let real = bytemuck::bytes_of(&played.state);
        let other = bytemuck::bytes_of(&twin.state);
        (0..real.len()).filter(|&at| real[at] != other[at]).for_each(|at| differing[viewer][at] += 1);
        for _ in 0..TWINS {
            let drawn = game.determinize(&played.state, viewer, &mut chance as &mut dyn Chance);
            let drawn = bytemuck::bytes_of(&drawn);
            (0..real.len()).filter(|&at| real[at] != drawn[at]).for_each(|at| redrawn[viewer][at] = true);
        }
    }
    for viewer in 0..spec.players {
        let is_secret = |&at: &usize| differing[viewer][at] >= SECRET && !redrawn[viewer][at];
        if let Some(at) = (0..spec.state_bytes).find(is_secret) {
            return Err(format!(
                "determinize for player {viewer} never redraws byte {at} of the state{}, which differs between games in \
                 which the player is shown the same",
                column(spec, at)
            ));
        }
    }
    Ok(())
}

/// The name of the observation field that holds an element, in brackets.
pub(super) fn field(spec: &Spec, element: usize) -> String {
    let field = spec.observation.iter().find(|field| field.indices().any(|at| at == element));
    field.map_or(String::new(), |field| format!(" ({})", field.name))
}

/// The name of the state column that holds a byte, in brackets.
pub(super) fn column(spec: &Spec, at: usize) -> String {
    let holds = |first: usize, item: usize| (first..first + item).contains(&at);
    let column = spec.state.iter().find(|c| c.offsets().any(|first| holds(first, c.item())));
    column.map_or(String::new(), |column| format!(" ({})", column.name))
}

/// A random position: before the first decision of another player than the viewer, or anywhere if `late`.
fn sample<G: Game>(game: &G, seed: u64, late: bool) -> Option<Sample<G::State>> {
    let mut chance = SeededChance::from_seed(seed);
    let viewer = chance.uniform(game.spec().players as u32) as usize;
    let depth = chance.uniform(if late { LATE_DEPTH } else { DEPTH });
    let mut state = game.init(&mut chance as &mut dyn Chance);
    for _ in 0..depth {
        let mut next = state;
        if game.status(&state) != Status::Running || !late && game.current_player(&state) != viewer {
            break;
        }
        let action = mask::at_random(&legal(game, &state), &mut chance);
        game.step(&mut next, action, &mut chance as &mut dyn Chance);
        if game.status(&next) != Status::Running {
            // An end can reveal the hidden part of the position before it, which is then not a random one.
            if late {
                break;
            }
            return None;
        }
        state = next;
    }
    let twins =
        (0..TWINS).map(|_| game.determinize(&state, viewer, &mut chance as &mut dyn Chance)).collect();
    (game.status(&state) == Status::Running).then_some(Sample { viewer, state, twins })
}

/// The statistics of every byte, and of whole states in several orders.
fn statistics<S: bytemuck::NoUninit>(
    spec: &Spec,
    samples: &[Sample<S>],
) -> (Vec<Statistics>, Vec<Statistics>) {
    let mut bytes = vec![Statistics::default(); spec.state_bytes];
    let mut orders = vec![Statistics::default(); ORDERS as usize];
    for sample in samples {
        let items: Vec<&[u8]> = std::iter::once(&sample.state)
            .chain(&sample.twins)
            .map(|state| bytemuck::bytes_of(state))
            .collect();
        let differs = |at: &usize| items.iter().any(|item| item[*at] != items[0][*at]);
        let differing: Vec<usize> = (0..spec.state_bytes).filter(differs).collect();
        for &at in &differing {
            bytes[at].add(&items.iter().map(|item| item[at].into()).collect::<Vec<_>>());
        }
        // Orders that belong to no byte: hashes of the bytes that differ at all.
        let hash = |item: &[u8], salt: u64| {
            differing.iter().fold(salt, |hash, &at| split_mix(hash ^ (at as u64) << 8 ^ u64::from(item[at])))
        };
        for (salt, statistics) in orders.iter_mut().enumerate() {
            statistics.add(&items.iter().map(|item| hash(item, salt as u64)).collect::<Vec<_>>());
        }
    }
    (bytes, orders)
}

/// What is redrawn for one player is redrawn for every other player who cannot see it either.
/// Returns the bytes by viewer that are redrawn.
fn kept<'a, G: Game>(
    game: &G,
    samples: impl Iterator<Item = &'a Sample<G::State>> + Clone,
) -> Verdict<Vec<Vec<bool>>> {
    let spec = game.spec();
    let mut redrawn = vec![vec![false; spec.state_bytes]; spec.players];
    for sample in samples.clone() {
        let real = bytemuck::bytes_of(&sample.state);
        for twin in &sample.twins {
            let differs = bytemuck::bytes_of(twin).iter().zip(real).map(|(a, b)| a != b);
            redrawn[sample.viewer].iter_mut().zip(differs).for_each(|(redrawn, differs)| *redrawn |= differs);
        }
    }
    for viewer in 0..spec.players {
        for other in (0..spec.players).filter(|&other| other != viewer) {
            // Runs of bytes, because a number or a hand can have several.
            let kept = |at: usize| redrawn[other][at] && !redrawn[viewer][at];
            let bytes: Vec<usize> = (0..spec.state_bytes).filter(|&at| kept(at)).collect();
            for run in bytes.chunk_by(|a, b| a + 1 == *b) {
                let of_other = samples.clone().filter(|sample| sample.viewer == other);
                let shown: Vec<bool> =
                    of_other.filter_map(|sample| is_shown(game, sample, run, viewer)).collect();
                if shown.len() >= LEAST && !shown.contains(&true) {
                    return Err(format!(
                        "determinize for player {viewer} never redraws byte {} of the state{}, which is redrawn for \
                         player {other} and not in the observation of player {viewer} either",
                        run[0],
                        column(spec, run[0])
                    ));
                }
            }
        }
    }
    Ok(redrawn)
}

/// Whether `viewer` observes that some bytes of a position are a twin's; `None` if the bytes are equal or the
/// mixture is no position.
fn is_shown<G: Game>(game: &G, sample: &Sample<G::State>, bytes: &[usize], viewer: usize) -> Option<bool> {
    let mut mixed = bytemuck::bytes_of(&sample.state).to_vec();
    let twin = bytemuck::bytes_of(&sample.twins[0]);
    bytes.iter().for_each(|&at| mixed[at] = twin[at]);
    let mixed = state_from_bytes(game, &mixed).ok()?;
    let is_other = mixed != sample.state && game.status(&mixed) == Status::Running;
    is_other.then(|| observation(game, &mixed, viewer) != observation(game, &sample.state, viewer))
}
