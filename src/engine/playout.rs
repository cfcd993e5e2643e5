//! Playouts for search: deals, plays on, and says what came of it for every seat.

use super::bots::{is_to_move, lead};
use super::chance::{Chance, SeededChance};
use super::game::{Game, Status};
use super::mask;
use super::reward::outcome_from_ranks;
use super::spec::{MAX_PLAYERS, Spec};

/// Rounds, with a turn of every seat, that a playout goes on for before the position is estimated.
const ROUNDS: usize = 4;
/// A playout that is longer than this is estimated where it stands.
const LONGEST: u32 = 400;
/// Actions drawn for every decision of a playout, of which the most promising one is played.
const DRAWN: u32 = 4;

/// A value for each seat, in [-1, 1].
pub(super) type Values = [f32; MAX_PLAYERS];

/// Maps a change of a lead into (-1/2, 1/2); `scale` is mapped to 1/4.
pub(super) fn squash(change: f32, scale: f32) -> f32 {
    0.5 * change / (change.abs() + scale)
}

/// Plays from an information set: the states that the seat to move cannot tell from the root.
pub(super) struct Simulator<'a, G: Game> {
    pub(super) game: &'a G,
    root: &'a G::State,
    /// The seat that searches.
    pub(super) seat: usize,
    pub(super) chance: &'a mut SeededChance,
    /// The legal actions of the position that was asked about last.
    pub(super) mask: Vec<u64>,
    kinds: Kinds,
    /// Leads in the state that was dealt last.
    before: Values,
    /// Sum and number of the changes of the searching seat's lead without their signs: the scale of values.
    changes: (f32, f32),
}

impl<'a, G: Game> Simulator<'a, G> {
    pub(super) fn new(game: &'a G, root: &'a G::State, chance: &'a mut SeededChance) -> Self {
        let spec = game.spec();
        Self {
            game,
            root,
            seat: game.current_player(root),
            chance,
            mask: vec![0; spec.mask_words()],
            kinds: Kinds::new(spec),
            before: [0.0; MAX_PLAYERS],
            changes: (1e-6, 1.0),
        }
    }

    /// A state that the searching seat cannot tell from the root.
    pub(super) fn deal(&mut self) -> G::State {
        let state = self.game.determinize(self.root, self.seat, self.chance);
        self.before = self.leads(&state);
        state
    }

    /// Plays on and returns what comes of it: outcomes at the end of the game, else how leads have changed.
    pub(super) fn finish(&mut self, mut state: G::State) -> Values {
        let players = self.game.spec().players;
        let mut turns = ROUNDS * players;
        let mut decisions = 0;
        while self.game.status(&state) == Status::Running && decisions < LONGEST {
            let seat = self.game.current_player(&state);
            self.decide(&mut state, seat);
            decisions += 1;
            if !is_to_move(self.game, &state, seat) {
                turns -= 1;
                if turns == 0 {
                    break;
                }
            }
        }
        let mut values = [0.0; MAX_PLAYERS];
        if self.game.status(&state) == Status::Terminated {
            let mut ranks = [0; MAX_PLAYERS];
            self.game.ranks(&state, &mut ranks[..players]);
            outcome_from_ranks(&ranks[..players], &mut values[..players]);
            return values;
        }
        let after = self.leads(&state);
        self.changes.0 += (after[self.seat] - self.before[self.seat]).abs();
        self.changes.1 += 1.0;
        let scale = self.changes.0 / self.changes.1;
        for (value, (after, before)) in values.iter_mut().zip(after.iter().zip(&self.before)) {
            *value = squash(after - before, scale);
        }
        values
    }

    /// Draws a few actions and goes on with the one that leaves `seat` the best lead.
    fn decide(&mut self, state: &mut G::State, seat: usize) {
        self.game.legal(state, &mut self.mask);
        self.kinds.count(&self.mask);
        let before = *state;
        let mut best = f32::NEG_INFINITY;
        for _ in 0..DRAWN {
            let action = self.kinds.draw(&self.mask, self.chance);
            let mut next = before;
            self.game.step(&mut next, action, self.chance);
            let lead = lead(self.game, &next, seat);
            if lead > best {
                (best, *state) = (lead, next);
            }
        }
    }

    fn leads(&self, state: &G::State) -> Values {
        let players = self.game.spec().players;
        std::array::from_fn(|seat| if seat < players { lead(self.game, state, seat) } else { 0.0 })
    }
}

/// Draws actions by kind first, so that a rare kind is not lost among hundreds of actions of another.
struct Kinds {
    ranges: Vec<Range>,
}

/// The indices of a family of actions.
struct Range {
    first: u32,
    end: u32,
    /// How many legal actions come before it, and are in it.
    legal: (u32, u32),
}

impl Kinds {
    fn new(spec: &Spec) -> Self {
        let range = |first: u32, count: u32| Range { first, end: first + count, legal: (0, 0) };
        Self { ranges: spec.actions.iter().map(|family| range(family.offset, family.count)).collect() }
    }

    /// Takes the legal actions in.
    fn count(&mut self, mask: &[u64]) {
        for range in &mut self.ranges {
            let before = mask::count_below(mask, range.first);
            range.legal = (before, mask::count_below(mask, range.end) - before);
        }
    }

    /// A legal action: its kind uniformly, then the action among those of the kind.
    fn draw(&self, mask: &[u64], chance: &mut SeededChance) -> u32 {
        let mut legal = self.ranges.iter().map(|range| range.legal).filter(|(_, count)| *count > 0);
        let kind = chance.uniform(legal.clone().count() as u32);
        let (before, count) = legal.nth(kind as usize).expect("the kind is below their number");
        mask::select(mask, before + chance.uniform(count)).expect("the rank is below the count")
    }
}
