//! The rules of Star Wars Risk as the engine's `Rules`.

pub(crate) mod board;
pub(crate) mod cards;
pub(crate) mod compound;
pub(crate) mod death_star;
pub(crate) mod events;
pub(crate) mod game_data;
pub(crate) mod hidden;
pub(crate) mod legal;
pub(crate) mod phase;
pub(crate) mod piles;
pub(crate) mod refusals;
pub(crate) mod rounds;
pub(crate) mod shield_run;
pub(crate) mod ships;
pub(crate) mod state;
pub(crate) mod step;
pub(crate) mod throne_room;

use self::game_data::GameData;
use self::hidden::HandUse;
use self::phase::GameResult;
use self::state::State;
use super::{ID, actions, observe, options, values};
use crate::exchange::validate;
use ludovec_engine::chance::Chance;
use ludovec_engine::multiversion;
use ludovec_engine::{Options, PackedLayout, Result, Row, Rules, Spec, Status, reward_range};

/// Version of the behaviour: every change of rules, indices or layout increments it.
pub(super) const VERSION: u32 = 2;

/// The rules under one set of options.
#[derive(Debug)]
pub struct StarWarsRisk {
    spec: Spec,
    pub(super) data: GameData,
    pub(super) max_rounds: u16,
}

impl StarWarsRisk {
    /// The rules under checked options.
    #[must_use]
    pub fn new(options: &Options) -> Self {
        let max_rounds = options.int("max_rounds") as u16;
        let data = GameData::load();
        let spec = Spec {
            env: ID,
            version: VERSION,
            summary: options::SUMMARY,
            options: options.clone(),
            players: 2,
            num_actions: actions::ACTIONS,
            actions: actions::layout().into_families(),
            observation_shape: vec![observe::LEN],
            observation: observe::layout().into_fields(),
            score: "1 for the winner",
            reward_range: reward_range(options, (0.0, 1.0)),
            max_episode_steps: most_decisions(max_rounds.into()),
            hidden_information: true,
            payoff: Default::default(),
            simultaneous: "",
            state_bytes: size_of::<State>(),
            state: values::columns(),
            values: values::tables(&data),
        };
        Self { spec, data, max_rounds }
    }
}

/// A bound on the decisions of a game: 6 to order a round's cards, 10 to play one.
///
/// Cards are turned 6 per round, and as bonus cards. The empire gets at most 55 bonus cards (every one of 48 ships
/// and the Falcon alone on a space, 2 more for the Falcon, 4 in the throne room), the rebellion at most one for
/// each TIE fighter and the Executor and 5 in the throne room; 24 TIE fighters start, 4 come with each card the
/// empire turns.
fn most_decisions(rounds: u32) -> u32 {
    let empire = 3 * rounds + 55;
    let rebel = 3 * rounds + (24 + 4 * empire) + 1 + 5;
    6 * rounds + 10 * (empire + rebel)
}

impl Rules for StarWarsRisk {
    type State = State;

    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn init<C: Chance + ?Sized>(&self, chance: &mut C) -> State {
        self.start(chance)
    }

    fn status(&self, state: &State) -> Status {
        match state.outcome {
            GameResult::None => Status::Running,
            GameResult::Rounds => Status::Truncated,
            GameResult::Rebel | GameResult::Empire => Status::Terminated,
        }
    }

    fn current_player(&self, state: &State) -> usize {
        state.seat()
    }

    fn legal(&self, state: &State, mask: &mut [u64]) {
        mask.copy_from_slice(&multiversion!(self.legal_mask(state)));
    }

    fn step<C: Chance + ?Sized>(&self, state: &mut State, action: u32, chance: &mut C) {
        self.play(state, action, chance, &mut ());
    }

    fn observe(&self, state: &State, seat: usize, out: &mut [u8]) {
        let out: &mut [u8; observe::LEN] = out.try_into().expect("a row has Spec::observation_len elements");
        multiversion!(observe::observe(self, state, seat, Row::<false>::new(out)));
    }

    #[inline]
    fn observe_packed(&self, state: &State, seat: usize, _: &PackedLayout, row: &mut [u8]) {
        multiversion!(observe::observe(self, state, seat, Row::<true>::new(row)));
    }

    fn scores(&self, state: &State, out: &mut [f32]) {
        for (seat, score) in out.iter_mut().enumerate() {
            *score = f32::from(state.outcome.winner() == Some(seat));
        }
    }

    fn ranks(&self, state: &State, out: &mut [u8]) {
        for (seat, rank) in out.iter_mut().enumerate() {
            *rank = u8::from(state.outcome.winner() == Some(1 - seat));
        }
    }

    fn validate(&self, state: &State) -> Result<()> {
        validate::validate(self, state)
    }

    fn determinize<C: Chance + ?Sized>(&self, state: &State, seat: usize, chance: &mut C) -> State {
        let constants = &self.data.constants;
        let use_of_hand = HandUse { hand: constants.hand, turned: constants.cards_per_round };
        hidden::determinize(state, seat, use_of_hand, chance)
    }
}
