// Nim, the game of the example of `Rules`, for the examples of the other traits.

pub use std::sync::Arc;

pub use ludovec_engine::bytemuck::{Pod, Zeroable};
pub use ludovec_engine::chance::Chance;
pub use ludovec_engine::{
    ActionId, ActionLayout, AnyGame, Error, ObservationLayout, Options, Result, Rules, Spec, Status, mask,
};

#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[bytemuck(crate = "ludovec_engine::bytemuck")]
#[repr(C)]
pub struct State {
    pub left: u8,
    pub player: u8,
}

pub struct Nim {
    pub spec: Spec,
}

/// The usual options.
pub fn options() -> Options {
    Options::parse(&[], [("reward", "outcome".into())]).expect("an outcome is a reward")
}

impl Nim {
    pub fn new(options: &Options) -> Self {
        let mut actions = ActionLayout::default();
        actions.push("TAKE", 3, "take i + 1 matches");
        let mut observation = ObservationLayout::default();
        observation.push("left", &[1], 21, "matches left");
        let summary = "Nim: who takes the last match wins";
        let spec = Spec::of::<State>("nim", 1, summary, options, 2, actions, observation);
        Self { spec: Spec { max_episode_steps: 21, ..spec } }
    }
}

impl Rules for Nim {
    type State = State;

    fn spec(&self) -> &Spec {
        &self.spec
    }
    fn init<C: Chance + ?Sized>(&self, _: &mut C) -> State {
        State { left: 21, player: 0 }
    }
    fn status(&self, state: &State) -> Status {
        if state.left == 0 { Status::Terminated } else { Status::Running }
    }
    fn current_player(&self, state: &State) -> usize {
        state.player.into()
    }
    fn legal(&self, state: &State, mask: &mut [u64]) {
        mask.fill(0);
        (0..u32::from(state.left.min(3))).for_each(|action| mask::set(mask, action));
    }
    fn step<C: Chance + ?Sized>(&self, state: &mut State, action: ActionId, _: &mut C) {
        state.left -= action as u8 + 1;
        state.player ^= 1;
    }
    fn observe(&self, state: &State, _: usize, out: &mut [u8]) {
        out[0] = state.left;
    }
    fn scores(&self, state: &State, out: &mut [f32]) {
        out.fill(0.0);
        out[1 - usize::from(state.player)] = f32::from(state.left == 0);
    }
    fn ranks(&self, state: &State, out: &mut [u8]) {
        out[usize::from(state.player)] = 1;
        out[1 - usize::from(state.player)] = 0;
    }
    fn validate(&self, state: &State) -> Result<()> {
        let fits = state.left <= 21 && state.player < 2;
        if fits { Ok(()) } else { Err(Error::state("left is 0 to 21, player 0 or 1")) }
    }
}
