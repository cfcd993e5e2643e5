//! Connect Four: discs fall into 7 columns of 6; four in a row, in any direction, win.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use ludovec::engine::chance::Chance;
use ludovec::engine::{
    ActionId, AnyGame, Entry, Error, ObservationLayout, Options, Result, Rules, Spec, Status, actions, mask,
};

pub const COLUMNS: u32 = 7;
pub const ROWS: u32 = 6;
/// Bits of a column: its cells from the bottom up, and one empty bit that separates columns.
const HEIGHT: u32 = ROWS + 1;

const ID: &str = "connect_four";

/// The registry entry of the game.
pub const ENTRY: Entry = Entry::new(ID, "ConnectFour", SUMMARY, Vec::new, build);

const SUMMARY: &str = "Connect Four: discs fall into 7 columns, four in a row win";

actions! {
    /// What a player can do.
    pub enum Action {
        /// drop a disc into column i, from the left
        Drop { column: COLUMNS },
    }
}

fn build(options: &Options) -> Result<Arc<dyn AnyGame>> {
    Ok(Arc::new(ConnectFour::new(options)))
}

/// One game: a fixed-size plain value.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct State {
    /// The discs of each seat, one bit per cell: bit `column * 7 + row`.
    pub discs: [u64; 2],
}

impl State {
    /// Seat 0 begins and seats alternate, so the number of discs determines the current player.
    fn mover(&self) -> usize {
        (self.count() % 2) as usize
    }
    fn count(&self) -> u32 {
        (self.discs[0] | self.discs[1]).count_ones()
    }
    /// Whether `seat` has four in a row: along a column, a row, or a diagonal.
    fn has_won(&self, seat: usize) -> bool {
        [1, HEIGHT, HEIGHT - 1, HEIGHT + 1].iter().any(|step| {
            let pairs = self.discs[seat] & self.discs[seat] >> step;
            pairs & pairs >> (2 * step) != 0
        })
    }
    /// The cells of a column.
    fn column(column: u32) -> u64 {
        ((1 << ROWS) - 1) << (column * HEIGHT)
    }
    /// The lowest empty cell of a column, if there is one.
    fn lowest(&self, column: u32) -> Option<u64> {
        let empty = Self::column(column) & !(self.discs[0] | self.discs[1]);
        (empty != 0).then(|| empty & empty.wrapping_neg())
    }
}

/// The rules; a game with options would store them here.
pub struct ConnectFour {
    spec: Spec,
}

impl ConnectFour {
    pub fn new(options: &Options) -> Self {
        let mut observation = ObservationLayout::default();
        let shape = [COLUMNS as usize, ROWS as usize];
        observation.push("own", &shape, 1, "own discs by column and row, from the lower left");
        observation.push("opponent", &shape, 1, "the opponent's discs");
        let spec = Spec::of::<State>(ID, 1, SUMMARY, options, 2, Action::layout(), observation);
        let shape = vec![2, COLUMNS as usize, ROWS as usize];
        Self { spec: Spec { observation_shape: shape, max_episode_steps: COLUMNS * ROWS, ..spec } }
    }
}

impl Rules for ConnectFour {
    type State = State;

    fn spec(&self) -> &Spec {
        &self.spec
    }
    fn init<C: Chance + ?Sized>(&self, _: &mut C) -> State {
        State { discs: [0; 2] }
    }
    fn status(&self, state: &State) -> Status {
        let over = state.count() == COLUMNS * ROWS || state.has_won(0) || state.has_won(1);
        if over { Status::Terminated } else { Status::Running }
    }
    fn current_player(&self, state: &State) -> usize {
        state.mover()
    }
    fn legal(&self, state: &State, mask: &mut [u64]) {
        mask.fill(0);
        if self.status(state) == Status::Running {
            (0..COLUMNS).filter(|&c| state.lowest(c).is_some()).for_each(|c| mask::set(mask, c));
        }
    }
    fn step<C: Chance + ?Sized>(&self, state: &mut State, action: ActionId, _: &mut C) {
        let mover = state.mover();
        state.discs[mover] |= state.lowest(action).unwrap_or(0);
    }
    fn observe(&self, state: &State, seat: usize, out: &mut [u8]) {
        let cells = (0..COLUMNS).flat_map(|column| (0..ROWS).map(move |row| column * HEIGHT + row));
        let seats = [seat, 1 - seat].into_iter().flat_map(|seat| cells.clone().map(move |cell| (seat, cell)));
        for (out, (seat, cell)) in out.iter_mut().zip(seats) {
            *out = (state.discs[seat] >> cell & 1) as u8;
        }
    }
    fn scores(&self, state: &State, out: &mut [f32]) {
        for (seat, score) in out.iter_mut().enumerate() {
            *score = f32::from(state.has_won(seat));
        }
    }
    fn ranks(&self, state: &State, out: &mut [u8]) {
        for (seat, rank) in out.iter_mut().enumerate() {
            *rank = state.has_won(1 - seat).into();
        }
    }
    /// The reachable states: discs on discs, turns that alternate, and a win that ended the game.
    fn validate(&self, state: &State) -> Result<()> {
        let [first, second] = state.discs;
        let discs = first | second;
        let board = (0..COLUMNS).map(State::column).sum::<u64>();
        let fallen = (0..COLUMNS).all(|column| {
            let column = (discs & State::column(column)) >> (column * HEIGHT);
            column & (column + 1) == 0
        });
        let counts = first.count_ones().wrapping_sub(second.count_ones());
        let wrong = if first & second != 0 || discs & !board != 0 {
            "a disc is outside the board or on another"
        } else if !fallen {
            "a disc hangs in the air"
        } else if counts > 1 {
            "seat 0 has as many discs as seat 1, or one more"
        } else if state.has_won(state.mover()) {
            "the game went on after a win"
        } else {
            return Ok(());
        };
        Err(Error::state(wrong))
    }
}
