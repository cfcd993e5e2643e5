//! A guest in Rust against the conformance suite, and guests whose rules fail.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use ludovec_engine::chance::Chance;
use ludovec_engine::{
    ActionLayout, BatchConfig, Effort, Error, ObservationLayout, Options, Result, Spec, StateColumn, mask,
};

use crate::functions::{ChanceHandle, Function, uniform, weighted};
use crate::{BotName, Features, GuestRules, Player, game};

mod door;
pub(crate) mod header;

/// The fault of a wrong variant.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fault {
    None,
    Start,
    Player,
    Mask,
    Returns,
    Observation,
    Determinize,
    Step,
}

/// Each player holds one of four cards and may give it back for another, five times; the higher card wins.
struct Cards {
    spec: Spec,
    features: Features,
    fault: Fault,
}

const SWAP: u32 = 0;
const DECISIONS: u8 = 10;

fn cards(fault: Fault, bytes: usize) -> Arc<Cards> {
    let mut actions = ActionLayout::default();
    actions.push("swap", 1, "take another card");
    actions.push("keep", 1, "keep the card");
    let mut observation = ObservationLayout::default();
    observation.push("card", &[1], 3, "own card");
    observation.push("decisions", &[1], DECISIONS, "decisions so far");
    let column = |name: &str, offset, dtype, shape: &[usize]| StateColumn {
        name: name.into(),
        offset,
        dtype,
        shape: shape.to_vec(),
        strides: vec![1; shape.len()],
        meaning: name.into(),
        values: Default::default(),
    };
    let spec = Spec {
        env: "cards",
        version: 1,
        summary: "the higher card wins",
        options: Options::parse(&[], std::iter::empty::<(&str, _)>()).unwrap(),
        players: 2,
        num_actions: actions.len(),
        actions: actions.into_families(),
        observation_shape: vec![observation.len()],
        observation: observation.into_fields(),
        score: "1 for the winner",
        reward_range: (-1.0, 1.0),
        max_episode_steps: DECISIONS.into(),
        hidden_information: true,
        payoff: Default::default(),
        simultaneous: "",
        state_bytes: bytes,
        state: vec![column("cards", 0, "int8", &[2]), column("decisions", 2, "uint8", &[])],
        values: Default::default(),
    };
    let bots = vec![BotName { name: "careful".into(), help: "keeps".into() }];
    Arc::new(Cards { spec, features: Features { bots, ..Features::NONE }, fault })
}

impl GuestRules for Cards {
    fn spec(&self) -> &Spec {
        &self.spec
    }
    fn features(&self) -> &Features {
        &self.features
    }
    fn is_serial(&self) -> bool {
        false
    }
    fn init(&self, record: &mut [u8], chance: &mut dyn Chance) -> Result<()> {
        record[0] = chance.uniform(4) as u8;
        record[1] = (record[0] + 1 + chance.uniform(3) as u8) % 4;
        Ok(())
    }
    fn current_player(&self, record: &[u8]) -> Result<Player> {
        if self.fault == Fault::Start {
            return Ok(Player::None);
        }
        let player = if self.fault == Fault::Player { 5 } else { record[2] % 2 };
        Ok((record[2] < DECISIONS).then_some(player.into()).into())
    }
    fn legal(&self, _: &[u8], mask: &mut [u64]) -> Result<()> {
        mask[0] = if self.fault == Fault::Mask { 0 } else { 3 };
        Ok(())
    }
    fn step(&self, record: &mut [u8], action: u32, chance: &mut dyn Chance) -> Result<()> {
        let player = usize::from(record[2] % 2);
        if action == SWAP {
            let free = (0..4).filter(|card| !record[..2].contains(card));
            let free: Vec<u8> = free.collect();
            record[player] = free[chance.uniform(2) as usize];
        }
        record[2] += 1;
        if self.fault == Fault::Step { Err(Error::rules("cards.step: no")) } else { Ok(()) }
    }
    fn observe(&self, record: &[u8], seat: usize, out: &mut [u8]) -> Result<()> {
        out[0] = record[seat] + if self.fault == Fault::Observation { 4 } else { 0 };
        out[1] = record[2];
        Ok(())
    }
    fn returns(&self, record: &[u8], out: &mut [f32]) -> Result<()> {
        out[0] = if record[0] > record[1] { 1.0 } else { -1.0 };
        out[1] = if self.fault == Fault::Returns { f32::NAN } else { -out[0] };
        Ok(())
    }
    fn determinize(&self, record: &mut [u8], seat: usize, chance: &mut dyn Chance) -> Result<()> {
        record[1 - seat] = (record[seat] + 1 + chance.uniform(3) as u8) % 4;
        record[2] = if self.fault == Fault::Determinize { DECISIONS } else { record[2] };
        Ok(())
    }
    fn validate(&self, record: &[u8]) -> Result<()> {
        let is_valid = record[0] < 4 && record[1] < 4 && record[0] != record[1] && record[2] <= DECISIONS;
        if is_valid { Ok(()) } else { Err(Error::state("no such cards")) }
    }
    fn bot_action(&self, _: usize, _: &[u8], _: &[u64], _: &mut dyn Chance) -> Result<Option<u32>> {
        Ok(Some(1))
    }
}

#[test]
fn guests_of_every_size_pass_the_conformance_suite() {
    for bytes in [3, 100, 400, 1900, 16_000] {
        let game = game(cards(Fault::None, bytes)).unwrap();
        assert!(game.spec().state_bytes >= bytes);
        let effort = Effort { games: 8, slow_positions: 16, batch_steps: 6, ..Effort::default() };
        game.check_conformance(effort).unwrap_or_else(|said| panic!("{bytes} bytes: {said}"));
    }
    let said = game(cards(Fault::None, 16_384)).map(drop).unwrap_err().to_string();
    assert!(said.contains("16384 bytes"), "{said}");
}

#[test]
fn nonsense_is_one_error_that_names_game_and_method() {
    for (fault, expected) in [
        (Fault::Start, "cards.init: the game is over at its start"),
        (Fault::Player, "cards.current_player: player 5 of 2"),
        (Fault::Mask, "cards.legal: no action is legal, but the game is not over"),
        (Fault::Returns, "cards.returns: NaN, a finite number is needed"),
        (Fault::Observation, "cards.observe: element 0 is"),
        (Fault::Step, "cards.step: no"),
    ] {
        let rules = game(cards(fault, 3)).unwrap();
        let play = || {
            let mut env =
                rules.vector(BatchConfig { num_envs: 4, threads: Some(2), ..Default::default() })?;
            for _ in 0..=DECISIONS {
                env.step_sampled()?;
            }
            Ok::<(), Error>(())
        };
        let payload = catch_unwind(AssertUnwindSafe(play)).expect_err("the rules are wrong");
        let said = payload.downcast_ref::<Error>().expect("an error of the engine").to_string();
        assert!(said.starts_with(expected), "{said}");
    }
    let game = game(cards(Fault::Determinize, 3)).unwrap().single(0);
    let payload = catch_unwind(AssertUnwindSafe(|| game.determinize(0, 1).map(drop))).unwrap_err();
    assert!(payload.downcast_ref::<Error>().unwrap().to_string().starts_with("cards.determinize"));
}

#[test]
fn a_failing_step_leaves_a_single_game_unchanged() {
    let mut play = game(cards(Fault::Step, 3)).unwrap().single(3);
    let before = play.position_bytes();
    assert!(catch_unwind(AssertUnwindSafe(|| play.step(SWAP).map(drop))).is_err());
    assert_eq!(play.position_bytes(), before);
}

#[test]
fn positions_as_json_have_the_fields_of_the_record() {
    let rules = game(cards(Fault::None, 3)).unwrap();
    let json = serde_json::json!({ "cards": [2, 0], "decisions": 1 });
    let play = rules.clone().single_from_position(&json, 0).unwrap();
    assert_eq!((play.current_player(), &play.position()["cards"]), (1, &json["cards"]));
    for (wrong, expected) in [
        (serde_json::json!({ "cards": [2, 0] }), "decisions: missing"),
        (serde_json::json!({ "cards": [2, 300], "decisions": 1 }), "300 is no number of the type int8"),
        (serde_json::json!({ "cards": [2], "decisions": 1 }), "int8[2] is needed"),
        (serde_json::json!({ "cards": [2, 2], "decisions": 1 }), "no such cards"),
    ] {
        let said = rules.clone().single_from_position(&wrong, 0).map(drop).unwrap_err().to_string();
        assert!(said.contains(expected), "{said}");
    }
}

/// C functions that draw, set masks of many actions, and write numbers.
mod c {
    use super::*;

    pub(super) extern "C" fn init(record: *mut u8, chance: ChanceHandle) -> i32 {
        let weights = [0, 0, 5, 0];
        // Safety: the test gives two bytes and a handle.
        unsafe {
            *record = uniform(chance, 6) as u8;
            *record.add(1) = weighted(chance, weights.as_ptr(), 4) as u8;
            assert_eq!((uniform(chance, 0), weighted(chance, weights.as_ptr(), 2)), (0, 0));
        }
        0
    }
    pub(super) extern "C" fn legal(_: *const u8, mask: *mut u8) -> i32 {
        // Safety: the test gives room for 1000 actions.
        unsafe { [0, 63, 64, 999].into_iter().for_each(|action| *mask.add(action) = 1) };
        1
    }
}

#[test]
fn c_functions_draw_and_set_masks() {
    let at = |address: *const ()| Function::at(address as usize).unwrap();
    let mut record = [0; 2];
    let mut script = ludovec_engine::chance::ScriptedChance::new(&[4, 2]);
    // Safety: the functions have the types of the methods.
    assert!(unsafe { at(c::init as *const ()).init(&mut record, &mut script) });
    script.finish().unwrap();
    assert_eq!(record, [4, 2]);
    let mut set = vec![0; mask::words(1000)];
    // Safety: as above.
    assert!(!unsafe { at(c::legal as *const ()).legal(&record, 1000, &mut set) }, "it returns 1");
    assert_eq!(mask::iter(&set).collect::<Vec<_>>(), [0, 63, 64, 999]);
}
