//! Noughts and crosses: three of your own marks in a row win.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use ludovec_engine::chance::Chance;
use ludovec_engine::{
    ActionId, AnyGame, Dialect, Entry, Error, Guide, ObservationLayout, Options, PackedLayout, Picture,
    Result, Row, Rules, Spec, Status, Words, mask,
};

const ID: &str = "noughts";
const SUMMARY: &str = "three of your own marks in a row win";
const LINES: [u16; 8] = [0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o124, 0o421];

/// The registry entry of the game.
pub const ENTRY: Entry = Entry::new(ID, "Noughts", SUMMARY, Vec::new, build);

ludovec_guest::export_game!(ENTRY: Noughts);

ludovec_engine::actions! {
    /// What a player can do.
    pub enum Action {
        /// mark a cell, row by row
        Mark { cell: 9 },
    }
}

fn build(options: &Options) -> Result<Arc<dyn AnyGame>> {
    Ok(Arc::new(Noughts::new(options)))
}

/// The cells of each player, a bit per cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct State {
    marks: [u16; 2],
}

/// The rules; a game with options would store them here.
pub struct Noughts {
    spec: Spec,
}

impl Noughts {
    fn new(options: &Options) -> Self {
        let mut observation = ObservationLayout::default();
        observation.push("own", &[9], 1, "own marks");
        observation.push("opponent", &[9], 1, "the opponent's marks");
        let spec = Spec::of::<State>(ID, 1, SUMMARY, options, 2, Action::layout(), observation);
        Self { spec: Spec { max_episode_steps: 9, ..spec } }
    }
}

impl State {
    fn played(self) -> u32 {
        (self.marks[0] | self.marks[1]).count_ones()
    }
    fn has_won(self, player: usize) -> bool {
        LINES.iter().any(|line| self.marks[player] & line == *line)
    }
}

impl Rules for Noughts {
    type State = State;

    fn spec(&self) -> &Spec {
        &self.spec
    }
    fn init<C: Chance + ?Sized>(&self, _: &mut C) -> State {
        State::zeroed()
    }
    fn status(&self, state: &State) -> Status {
        let over = state.played() == 9 || state.has_won(0) || state.has_won(1);
        if over { Status::Terminated } else { Status::Running }
    }
    fn current_player(&self, state: &State) -> usize {
        state.played() as usize % 2
    }
    fn legal(&self, state: &State, mask: &mut [u64]) {
        mask.fill(0);
        if self.status(state) == Status::Running {
            let empty = (0..9).filter(|cell| (state.marks[0] | state.marks[1]) >> cell & 1 == 0);
            empty.for_each(|cell| mask::set(mask, Action::Mark { cell }.index()));
        }
    }
    fn step<C: Chance + ?Sized>(&self, state: &mut State, action: ActionId, _: &mut C) {
        if let Some(Action::Mark { cell }) = Action::from_index(action) {
            state.marks[self.current_player(state)] |= 1 << cell;
        }
    }
    fn observe(&self, state: &State, seat: usize, out: &mut [u8]) {
        write::<false>(state, seat, out);
    }
    fn observe_packed(&self, state: &State, seat: usize, _: &PackedLayout, out: &mut [u8]) {
        write::<true>(state, seat, out);
    }
    fn scores(&self, state: &State, out: &mut [f32]) {
        (0..2).for_each(|player| out[player] = state.has_won(player).into());
    }
    fn ranks(&self, state: &State, out: &mut [u8]) {
        (0..2).for_each(|player| out[player] = state.has_won(1 - player).into());
    }
    fn validate(&self, state: &State) -> Result<()> {
        let [first, second] = state.marks;
        let turns = first.count_ones().wrapping_sub(second.count_ones());
        let both = state.has_won(0) && state.has_won(1);
        if (first | second) & !0o777 != 0 || first & second != 0 || turns > 1 || both {
            return Err(Error::state("no game leads to these marks"));
        }
        Ok(())
    }
}

/// Writes an observation, as bytes or packed: the fields in the order of the spec.
fn write<const PACKED: bool>(state: &State, seat: usize, out: &mut [u8]) {
    let mut row = Row::<PACKED>::new(out);
    row.flags(9, [state.marks[seat].into()]);
    row.flags(9, [state.marks[1 - seat].into()]);
    row.finish();
}

impl Words for Noughts {}
impl Picture for Noughts {}
impl Guide for Noughts {}
impl Dialect for Noughts {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conformance() {
        let game = ENTRY.make([]).unwrap();
        game.check_conformance(Default::default()).unwrap();
    }

    #[test]
    fn three_in_a_row_win() {
        let mut game = ENTRY.make([]).unwrap().single(0);
        for action in [0, 3, 1, 4, 2] {
            assert_eq!(game.status(), Status::Running);
            game.step(action).unwrap();
        }
        assert_eq!((game.status(), game.returns()), (Status::Terminated, vec![1.0, -1.0]));
    }
}
