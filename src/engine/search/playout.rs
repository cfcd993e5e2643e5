//! Playouts: play on from a position and return a value for every player.

use crate::contract::chance::{Chance, SeededChance};
use crate::contract::reward::outcome_of;
use crate::contract::rules::Status;
use crate::contract::spec::{MAX_PLAYERS, Spec};
use crate::contract::{Game, mask};
use crate::search::rating::{is_to_move, lead};

/// Number of rounds, with one turn of every player, before the position is estimated.
const ROUNDS: usize = 4;
/// Maximum number of decisions of a playout before its position is estimated.
const LONGEST: u32 = 400;
/// Actions drawn per decision of a playout; the most promising one is played.
const DRAWN: u32 = 4;

/// Killer moves kept per player: the actions with the largest gains.
const MOST_KILLERS: usize = 8;

/// A value for each player, in [-1, 1].
pub(super) type Values = [f32; MAX_PLAYERS];

/// Maps a change of a lead into (-1/2, 1/2); `scale` is mapped to 1/4.
pub(super) fn squash(change: f32, scale: f32) -> f32 {
    0.5 * change / (change.abs() + scale)
}

/// Runs the playouts of one search. Later playouts use the killer moves and the scale of leads of earlier ones.
pub(super) struct Simulator<'a, G: Game> {
    game: &'a G,
    /// Buffer for the legal actions of a position.
    mask: Vec<u64>,
    families: ActionFamilies,
    /// Killer moves by seat.
    killers: Vec<Killers>,
    /// The candidate actions of the current decision.
    considered: Vec<u32>,
    /// Sum of the absolute changes of the searching player's lead, and their number; their mean is the scale of
    /// values.
    changes: (f32, f32),
}

impl<'a, G: Game> Simulator<'a, G> {
    pub(super) fn new(game: &'a G) -> Self {
        let spec = game.spec();
        Self {
            game,
            mask: vec![0; spec.mask_words()],
            families: ActionFamilies::new(spec),
            killers: vec![Killers::default(); spec.players],
            considered: Vec::new(),
            changes: (1e-6, 1.0),
        }
    }

    /// Plays on and returns the outcomes if the game ends, otherwise the changes of the leads since `origin`, the
    /// position searched by `seat`.
    pub(super) fn playout(
        &mut self,
        mut state: G::State,
        seat: usize,
        origin: &G::State,
        chance: &mut SeededChance,
    ) -> Values {
        let players = self.game.spec().players;
        let mut turns = ROUNDS * players;
        let mut decisions = 0;
        while self.game.status(&state) == Status::Running && decisions < LONGEST {
            let mover = self.game.current_player(&state);
            self.decide(&mut state, mover, chance);
            decisions += 1;
            if !is_to_move(self.game, &state, mover) {
                turns -= 1;
                if turns == 0 {
                    break;
                }
            }
        }
        if self.game.status(&state) == Status::Terminated {
            let mut values = [0.0; MAX_PLAYERS];
            outcome_of(self.game, &state, &mut values[..players]);
            return values;
        }
        self.estimate(&state, seat, origin)
    }

    /// The changes of the leads since `origin`, the position searched by `seat`; no action is played.
    ///
    /// Where scores are the outcome, the estimate in the range of scores.
    pub(super) fn estimate(&mut self, state: &G::State, seat: usize, origin: &G::State) -> Values {
        let spec = self.game.spec();
        if !spec.payoff.is_ranks() {
            let mut values = [0.0; MAX_PLAYERS];
            self.game.outlook(state, &mut values[..spec.players]);
            spec.payoff.scale(&mut values[..spec.players]);
            return values;
        }
        let (before, after) = (self.leads(origin), self.leads(state));
        self.changes.0 += (after[seat] - before[seat]).abs();
        self.changes.1 += 1.0;
        let scale = self.changes.0 / self.changes.1;
        std::array::from_fn(|seat| squash(after[seat] - before[seat], scale))
    }

    /// Draws a few candidate actions, adds the player's legal killer moves, and plays the best.
    fn decide(&mut self, state: &mut G::State, seat: usize, chance: &mut SeededChance) {
        self.game.legal(state, &mut self.mask);
        self.families.count(&self.mask);
        self.considered.clear();
        for _ in 0..DRAWN {
            self.considered.push(self.families.draw(&self.mask, chance));
        }
        let legal = |action: &u32| mask::contains(&self.mask, *action);
        self.considered.extend(self.killers[seat].actions().filter(legal));
        let before = *state;
        let mut best = (f32::NEG_INFINITY, 0);
        for &action in &self.considered {
            let mut next = before;
            self.game.step(&mut next, action, chance);
            let lead = lead(self.game, &next, seat, G::estimate);
            if lead > best.0 {
                best = (lead, action);
                *state = next;
            }
        }
        let gain = best.0 - lead(self.game, &before, seat, G::estimate);
        self.killers[seat].note(best.1, gain);
    }

    fn leads(&self, state: &G::State) -> Values {
        let players = self.game.spec().players;
        std::array::from_fn(
            |seat| if seat < players { lead(self.game, state, seat, G::outlook) } else { 0.0 },
        )
    }
}

/// Killer moves: the actions with the largest gains for a player, tried wherever they are legal. Random draws among
/// hundreds of actions would rarely hit the few that decide a game.
#[derive(Clone, Default)]
struct Killers {
    /// Action and gain.
    best: Vec<(u32, f32)>,
}

impl Killers {
    fn actions(&self) -> impl Iterator<Item = u32> {
        self.best.iter().map(|&(action, _)| action)
    }

    fn note(&mut self, action: u32, gain: f32) {
        if let Some(known) = self.best.iter_mut().find(|known| known.0 == action) {
            known.1 = known.1.max(gain);
        } else if self.best.len() < MOST_KILLERS {
            self.best.push((action, gain));
        } else if let Some(least) = self.best.iter_mut().min_by(|a, b| a.1.total_cmp(&b.1))
            && least.1 < gain
        {
            *least = (action, gain);
        }
    }
}

/// Two-stage draw: first the action's kind (family), then the action, so that a kind with few actions is not lost
/// among hundreds of actions of another kind.
struct ActionFamilies {
    ranges: Vec<Range>,
}

/// The indices of a family of actions.
struct Range {
    first: u32,
    end: u32,
    /// Number of legal actions before the family, and in it.
    legal: (u32, u32),
}

impl ActionFamilies {
    fn new(spec: &Spec) -> Self {
        let range = |first: u32, count: u32| Range { first, end: first + count, legal: (0, 0) };
        Self { ranges: spec.actions.iter().map(|family| range(family.offset, family.count)).collect() }
    }

    /// Counts the legal actions by family.
    fn count(&mut self, mask: &[u64]) {
        for range in &mut self.ranges {
            let before = mask::count_below(mask, range.first);
            range.legal = (before, mask::count_below(mask, range.end) - before);
        }
    }

    /// A legal action: its kind is drawn uniformly, then an action of that kind.
    fn draw(&self, mask: &[u64], chance: &mut SeededChance) -> u32 {
        let mut legal = self.ranges.iter().map(|range| range.legal).filter(|(_, count)| *count > 0);
        let kind = chance.uniform(legal.clone().count() as u32);
        let (before, count) = legal.nth(kind as usize).expect("the kind is below their number");
        mask::select(mask, before + chance.uniform(count)).expect("the index is below the count")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_actions_that_gained_most_are_kept() {
        let mut killers = Killers::default();
        for (action, gain) in (0..20).map(|i| (i, (i * 7 % 20) as f32)) {
            killers.note(action, gain);
        }
        killers.note(0, 100.0);
        killers.note(1, -1.0);
        let mut gains: Vec<f32> = killers.best.iter().map(|known| known.1).collect();
        gains.sort_by(f32::total_cmp);
        assert_eq!(gains, [13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0, 100.0]);
    }
}
