//! Whole games that a player cannot tell apart.
//!
//! A recorded game is replayed with one chance outcome or one action of another player altered. The altered game is a
//! twin of the recorded one for a viewer if all that the viewer is shown is the same from the first position to the
//! last: observations, legal actions, descriptions of steps, current players.

use crate::checks::twins::{legal, observation};
use crate::contract::Game;
use crate::contract::chance::{Chance, RecordedChance, SeededChance};
use crate::contract::mask;
use crate::contract::rules::Status;
use crate::contract::words::Step;

/// A recorded game.
pub(super) struct Recorded<S> {
    /// Chance outcomes of the start.
    pub(super) start: Vec<u32>,
    pub(super) steps: Vec<Step<S>>,
    pub(super) state: S,
}

/// The place of an alteration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Site {
    /// A chance outcome of the start.
    Start(usize),
    /// A chance outcome of a step.
    Chance(usize, usize),
    /// The action of a step.
    Action(usize),
    /// The action of a step is replaced by this one.
    Replaced(usize, u32),
}

/// Follows a script, except for one draw; draws the rest at random.
struct Altered<'a> {
    script: &'a [u32],
    used: usize,
    altered: Option<usize>,
    /// Whether a draw had another outcome than the scripted one.
    is_other: bool,
    chance: &'a mut SeededChance,
}

impl Altered<'_> {
    /// The scripted outcome of the next draw, and whether it is altered.
    fn scripted(&mut self) -> (Option<u32>, bool) {
        let at = self.used;
        self.used += 1;
        (self.script.get(at).copied(), self.altered == Some(at))
    }
}

impl Chance for Altered<'_> {
    fn uniform(&mut self, n: u32) -> u32 {
        match self.scripted() {
            (Some(outcome), false) if outcome < n => outcome,
            (Some(outcome), true) if n > 1 => {
                self.is_other = true;
                (outcome % n + 1 + self.chance.uniform(n - 1)) % n
            }
            _ => self.chance.uniform(n),
        }
    }
    fn weighted(&mut self, weights: &[u32]) -> usize {
        match self.scripted() {
            (Some(outcome), false) if weights.get(outcome as usize).is_some_and(|&weight| weight > 0) => {
                outcome as usize
            }
            (Some(outcome), true) => {
                let mut others = weights.to_vec();
                if let Some(weight) = others.get_mut(outcome as usize) {
                    *weight = 0;
                }
                let is_possible = others.iter().any(|&weight| weight > 0);
                self.is_other |= is_possible;
                self.chance.weighted(if is_possible { &others } else { weights })
            }
            _ => self.chance.weighted(weights),
        }
    }
}

impl<S: Copy + PartialEq> Recorded<S> {
    /// Plays a random game of at most `decisions` decisions.
    pub(super) fn play<G: Game<State = S>>(game: &G, decisions: u32, chance: &mut SeededChance) -> Self {
        let mut source = RecordedChance::new(chance);
        let state = game.init(&mut source as &mut dyn Chance);
        let start = source.into_outcomes();
        let mut played = Self { start, steps: Vec::new(), state };
        for _ in 0..decisions {
            let before = played.state;
            if game.status(&before) != Status::Running {
                break;
            }
            let action = mask::at_random(&legal(game, &before), chance);
            let mut source = RecordedChance::new(chance);
            game.step(&mut played.state, action, &mut source as &mut dyn Chance);
            let chance = source.into_outcomes();
            played.steps.push(Step { before, player: game.current_player(&before), action, chance });
        }
        played
    }

    /// The places of all chance outcomes.
    pub(super) fn draws(&self) -> Vec<Site> {
        let start = (0..self.start.len()).map(Site::Start);
        let steps = self.steps.iter().enumerate();
        let of_steps = steps.flat_map(|(n, step)| (0..step.chance.len()).map(move |at| Site::Chance(n, at)));
        start.chain(of_steps).collect()
    }

    /// The first position if a chance outcome of the start is altered; `None` if it has no alternative.
    pub(super) fn other_start<G: Game<State = S>>(
        &self,
        game: &G,
        at: usize,
        chance: &mut SeededChance,
    ) -> Option<S> {
        let mut source = Altered { script: &self.start, used: 0, altered: Some(at), is_other: false, chance };
        let state = game.init(&mut source as &mut dyn Chance);
        source.is_other.then_some(state)
    }

    /// The position after step `n` if a chance outcome is altered; `None` if it has no alternative.
    pub(super) fn other_step<G: Game<State = S>>(
        &self,
        game: &G,
        n: usize,
        at: usize,
        chance: &mut SeededChance,
    ) -> Option<S> {
        let step = &self.steps[n];
        let mut state = step.before;
        let mut source =
            Altered { script: &step.chance, used: 0, altered: Some(at), is_other: false, chance };
        game.step(&mut state, step.action, &mut source as &mut dyn Chance);
        source.is_other.then_some(state)
    }

    /// A random place that can be altered without the knowledge of `viewer`.
    pub(super) fn site(&self, viewer: usize, chance: &mut SeededChance) -> Option<Site> {
        let draws: usize = self.start.len() + self.steps.iter().map(|step| step.chance.len()).sum::<usize>();
        let others = self.steps.iter().filter(|step| step.player != viewer).count();
        let count = (draws + others) as u32;
        let mut at = if count == 0 { return None } else { chance.uniform(count) as usize };
        if at < self.start.len() {
            return Some(Site::Start(at));
        }
        at -= self.start.len();
        for (n, step) in self.steps.iter().enumerate() {
            if at < step.chance.len() {
                return Some(Site::Chance(n, at));
            }
            at -= step.chance.len();
            if step.player != viewer {
                if at == 0 {
                    return Some(Site::Action(n));
                }
                at -= 1;
            }
        }
        None
    }

    /// The game with an alteration, if it is another game and `viewer` cannot tell it from this one.
    pub(super) fn twin<G: Game<State = S>>(
        &self,
        game: &G,
        viewer: usize,
        site: Site,
        chance: &mut SeededChance,
    ) -> Option<Self> {
        let altered = if let Site::Start(at) = site { Some(at) } else { None };
        let mut source = Altered { script: &self.start, used: 0, altered, is_other: false, chance };
        let mut source = RecordedChance::new(&mut source);
        let state = game.init(&mut source as &mut dyn Chance);
        let start = source.into_outcomes();
        let mut twin = Self { start, steps: Vec::new(), state };
        let names = game.seat_names();
        for (n, step) in self.steps.iter().enumerate() {
            if !is_same(game, viewer, &step.before, &twin.state) {
                return None;
            }
            let before = twin.state;
            let mask = legal(game, &before);
            let action = match site {
                Site::Replaced(at, action) if at == n => action,
                Site::Action(at) if at == n => mask::at_random(&mask, chance),
                _ => step.action,
            };
            let action = match (mask::contains(&mask, action), step.player == viewer) {
                (true, _) => action,
                // A hidden action can depend on hidden information.
                (false, false) => mask::at_random(&mask, chance),
                (false, true) => return None,
            };
            let altered = if let Site::Chance(at, draw) = site { (at == n).then_some(draw) } else { None };
            let mut source = Altered { script: &step.chance, used: 0, altered, is_other: false, chance };
            let mut source = RecordedChance::new(&mut source);
            game.step(&mut twin.state, action, &mut source as &mut dyn Chance);
            let chance = source.into_outcomes();
            let other = Step { before, player: step.player, action, chance };
            let [told, other_told] = [step, &other].map(|s| game.describe_step(s, Some(viewer), &names));
            if told != other_told {
                return None;
            }
            twin.steps.push(other);
        }
        let is_other = twin.state != self.state || twin.steps != self.steps;
        (is_other && is_same(game, viewer, &self.state, &twin.state)).then_some(twin)
    }
}

/// Whether `viewer` is shown the same in two positions.
fn is_same<G: Game>(game: &G, viewer: usize, state: &G::State, other: &G::State) -> bool {
    let player = game.current_player(state);
    game.status(state) == game.status(other)
        && player == game.current_player(other)
        && observation(game, state, viewer) == observation(game, other, viewer)
        && (player != viewer || legal(game, state) == legal(game, other))
}
