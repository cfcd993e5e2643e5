//! Single games under a guard.

use std::sync::Arc;

use serde_json::Value;

use super::{Guard, game, guarded};
use crate::contract::chance::{ChanceOutcome, StreamId};
use crate::contract::dialect::GtpPosition;
use crate::contract::rules::Status;
use crate::contract::show::beside::Beside;
use crate::contract::show::view::{Marks, Place, View};
use crate::contract::spec::ActionId;
use crate::contract::support::error::Result;
use crate::contract::words::CompoundAction;
use crate::dynamic::analysis::Analysis;
use crate::dynamic::any_game::AnyGame;
use crate::dynamic::interrupt::Interrupt;
use crate::dynamic::record::{LogEntry, Record};
use crate::dynamic::single::{Outcomes, SingleGame};

struct Guarded {
    guard: Guard,
    inner: Box<dyn SingleGame>,
}

pub(super) fn guard(guard: Guard, inner: Box<dyn SingleGame>) -> Box<dyn SingleGame> {
    Box::new(Guarded { guard, inner })
}

impl SingleGame for Guarded {
    fn game(&self) -> Arc<dyn AnyGame> {
        game::Guarded { guard: self.guard, inner: self.guard.run(|| self.inner.game()) }.shared()
    }
    fn outcomes(&self, action: ActionId) -> Result<Outcomes> {
        let guard = self.guard;
        let mut outcomes = guard.run(|| self.inner.outcomes(action))?;
        Ok(Box::new(std::iter::from_fn(move || {
            let ChanceOutcome { probability, script, result } = guard.run(|| outcomes.next())?;
            Some(ChanceOutcome { probability, script, result: self::guard(guard, result) })
        })))
    }
    fn determinize(&self, seat: usize, seed: u64) -> Result<Box<dyn SingleGame>> {
        self.guard.run(|| self.inner.determinize(seat, seed)).map(|inner| guard(self.guard, inner))
    }
    fn clone_box(&self) -> Box<dyn SingleGame> {
        guard(self.guard, self.guard.run(|| self.inner.clone_box()))
    }
    guarded! {
        ref fn status() -> Status;
        ref fn current_player() -> usize;
        ref fn legal_actions() -> Vec<ActionId>;
        ref fn mask() -> Vec<u64>;
        ref fn legal_moves() -> Vec<Value>;
        ref fn compound_actions() -> Vec<CompoundAction>;
        ref fn next_draw(action: Option<ActionId>, script: &[u32]) -> Result<Option<Vec<u32>>>;
        ref fn bot_action(name: &str) -> Result<ActionId>;
        ref fn bot_action_until(name: &str, interrupt: &Interrupt) -> Result<ActionId>;
        ref fn bot_attempt(name: &str) -> Result<Option<String>>;
        ref fn bot_analysis(name: &str, interrupt: &Interrupt) -> Result<Option<Analysis>>;
        ref fn bot_request() -> Value;
        ref fn bot_reply(action: ActionId) -> Result<Value>;
        ref fn action_from_bot_reply(reply: &Value) -> Result<ActionId>;
        ref fn uci_position() -> Option<String>;
        ref fn gtp_position() -> Option<GtpPosition>;
        ref fn action_from_gtp(text: &str) -> Result<ActionId>;
        ref fn check(action: ActionId) -> Result<()>;
        ref fn action_to_string(action: ActionId) -> Result<String>;
        ref fn string_to_action(text: &str) -> Result<ActionId>;
        ref fn action_in_words(action: ActionId) -> Result<String>;
        ref fn action_to_json(action: ActionId) -> Result<Value>;
        ref fn action_from_json(object: &Value) -> Result<ActionId>;
        ref fn returns() -> Vec<f32>;
        ref fn scores() -> Vec<f32>;
        ref fn shown_scores(viewer: Option<usize>) -> Vec<Option<f32>>;
        ref fn estimates() -> Vec<f32>;
        ref fn observation(seat: usize) -> Result<Vec<u8>>;
        ref fn observation_to_json(seat: usize) -> Result<Value>;
        ref fn information_state(seat: usize) -> Result<Value>;
        ref fn position() -> Value;
        ref fn to_json() -> Value;
        ref fn position_bytes() -> Vec<u8>;
        ref fn stream() -> (StreamId, u64);
        ref fn steps() -> usize;
        ref fn turn() -> Option<u32>;
        ref fn log() -> Vec<LogEntry>;
        ref fn record() -> Record;
        ref fn narrate(first: usize, seat: Option<usize>) -> Vec<(usize, String)>;
        ref fn to_text(view: View) -> Result<String>;
        ref fn to_svg(view: View) -> Result<String>;
        ref fn to_marked_svg(view: View, marks: &Marks) -> Result<String>;
        ref fn explain_places(places: &[Vec<(String, Value)>]) -> String;
        ref fn places(view: View) -> Vec<Place>;
        ref fn beside(view: View) -> Option<Beside>;
        ref fn footprint(action: ActionId) -> Option<String>;
        ref fn title() -> String;
        ref fn standing() -> String;
        ref fn names() -> Vec<String>;
    }
    guarded! {
        mut fn step(action: ActionId) -> Result<()>;
        mut fn step_scripted(action: ActionId, outcomes: &[u32]) -> Result<()>;
        mut fn step_all(actions: &[ActionId]) -> Result<()>;
        mut fn submit(player: usize, object: &Value) -> Result<()>;
        mut fn undo() -> bool;
        mut fn set_stream(id: StreamId, position: u64);
        mut fn set_names(names: &[String]) -> Result<()>;
        mut fn set_result(returns: &[f32]) -> Result<()>;
    }
}
