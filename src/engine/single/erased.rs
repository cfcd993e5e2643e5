//! The rules of a game over states of an erased type.
//!
//! Single games, with their history, records and drawings, are compiled once for all games: they reach the rules
//! through [`ErasedRules`], of which each game instantiates only the calls below. Speed does not matter here, so chance
//! is passed as `dyn Chance`: rules are compiled once for play in batches and once for everything else.

use std::any::Any;
use std::sync::Arc;

use serde_json::Value;

use crate::bots::named_bot::NamedBot;
use crate::contract::Game;
use crate::contract::chance::{Chance, SeededChance};
use crate::contract::dialect::GtpPosition;
use crate::contract::picture::Caption;
use crate::contract::reward::outcome_of;
use crate::contract::rules::{Rules, Status, position_bytes};
use crate::contract::show::beside::Beside;
use crate::contract::show::view::{Place, View};
use crate::contract::spec::Spec;
use crate::contract::support::error::{Refusal, Result};
use crate::contract::words::{CompoundAction, Step};
use crate::dynamic::analysis::Analysis;
use crate::dynamic::any_game::AnyGame;
use crate::dynamic::interrupt::Interrupt;

/// A state, immutable and shared by the copies of a game.
pub type ErasedState = Arc<dyn Any + Send + Sync>;

/// A step between erased states.
pub type ErasedStep = Step<ErasedState>;

/// The only implementation of [`ErasedRules`].
struct Erased<G>(Arc<G>);

/// The rules of `game` over erased states.
pub(crate) fn erase<G: Game>(game: Arc<G>) -> Arc<dyn ErasedRules> {
    Arc::new(Erased(game))
}

/// The state behind the pointer.
fn typed<G: Game>(state: &ErasedState) -> &G::State {
    state.downcast_ref().expect("a game gets its own states back")
}

/// A step in the game's own type of state.
fn typed_step<G: Game>(step: &ErasedStep) -> Step<G::State> {
    let Step { before, player, action, chance } = step;
    Step { before: *typed::<G>(before), player: *player, action: *action, chance: chance.clone() }
}

/// Declares [`ErasedRules`] and implements it for every game, so that each method is listed once.
macro_rules! erased {
    ($($(#[$doc:meta])*
    fn $name:ident(&$self:ident $(, $argument:ident: $type:ty)* $(,)?) $(-> $result:ty)? $body:block)*) => {
        /// The rules, words, pictures and bots of a game. Every state passed in must come from the same rules.
        pub trait ErasedRules: Send + Sync {
            $($(#[$doc])* fn $name(&$self $(, $argument: $type)*) $(-> $result)?;)*
        }
        impl<G: Game> ErasedRules for Erased<G> {
            $(fn $name(&$self $(, $argument: $type)*) $(-> $result)? $body)*
        }
    };
}

erased! {
    fn game(&self) -> Arc<dyn AnyGame> {
        self.0.clone()
    }
    fn spec(&self) -> &Spec {
        Rules::spec(&*self.0)
    }

    fn init(&self, chance: &mut dyn Chance) -> ErasedState {
        Arc::new(self.0.init(chance))
    }
    fn status(&self, state: &ErasedState) -> Status {
        self.0.status(typed::<G>(state))
    }
    fn current_player(&self, state: &ErasedState) -> usize {
        self.0.current_player(typed::<G>(state))
    }
    fn legal(&self, state: &ErasedState, mask: &mut [u64]) {
        self.0.legal(typed::<G>(state), mask);
    }
    /// The state after a legal action.
    fn step(&self, state: &ErasedState, action: u32, chance: &mut dyn Chance) -> ErasedState {
        let mut next = *typed::<G>(state);
        self.0.step(&mut next, action, chance);
        Arc::new(next)
    }
    fn observe(&self, state: &ErasedState, seat: usize, out: &mut [u8]) {
        self.0.observe(typed::<G>(state), seat, out);
    }
    fn scores(&self, state: &ErasedState, out: &mut [f32]) {
        self.0.scores(typed::<G>(state), out);
    }
    fn outcome(&self, state: &ErasedState, out: &mut [f32]) {
        outcome_of(&*self.0, typed::<G>(state), out);
    }
    fn estimate(&self, state: &ErasedState, out: &mut [f32]) {
        self.0.estimate(typed::<G>(state), out);
    }
    fn determinize(&self, state: &ErasedState, seat: usize, chance: &mut dyn Chance) -> ErasedState {
        Arc::new(self.0.determinize(typed::<G>(state), seat, chance))
    }
    fn position_bytes(&self, state: &ErasedState) -> Vec<u8> {
        position_bytes(&*self.0, typed::<G>(state))
    }

    fn action_to_string(&self, state: &ErasedState, action: u32) -> String {
        self.0.action_to_string(typed::<G>(state), action)
    }
    fn action_in_words(&self, state: &ErasedState, action: u32, names: &[String]) -> String {
        self.0.action_in_words(typed::<G>(state), action, names)
    }
    fn string_to_action(&self, state: &ErasedState, text: &str) -> Result<u32> {
        self.0.string_to_action(typed::<G>(state), text)
    }
    fn action_to_json(&self, state: &ErasedState, action: u32) -> Value {
        self.0.action_to_json(typed::<G>(state), action)
    }
    fn action_from_json(&self, state: &ErasedState, json: &Value) -> Result<u32> {
        self.0.action_from_json(typed::<G>(state), json)
    }
    fn explain_illegal(&self, state: &ErasedState, action: u32) -> Refusal {
        self.0.explain_illegal(typed::<G>(state), action)
    }
    fn explain_places(&self, state: &ErasedState, places: &[Vec<(String, Value)>]) -> Option<String> {
        self.0.explain_places(typed::<G>(state), places)
    }
    fn compound_actions(&self, state: &ErasedState) -> Vec<CompoundAction> {
        self.0.compound_actions(typed::<G>(state))
    }
    fn state_to_json(&self, state: &ErasedState) -> Value {
        self.0.state_to_json(typed::<G>(state))
    }
    fn state_from_json(&self, json: &Value) -> Result<ErasedState> {
        Ok(Arc::new(self.0.state_from_json(json)?))
    }
    fn observation_to_json(&self, state: &ErasedState, seat: usize) -> Value {
        self.0.observation_to_json(typed::<G>(state), seat)
    }
    fn information_state(&self, state: &ErasedState, seat: usize, history: &[&ErasedStep]) -> Value {
        let history: Vec<_> = history.iter().map(|step| typed_step::<G>(step)).collect();
        self.0.information_state(typed::<G>(state), seat, &history)
    }
    fn turn(&self, state: &ErasedState) -> Option<u32> {
        self.0.turn(typed::<G>(state))
    }
    fn describe_step(&self, step: &ErasedStep, seat: Option<usize>, names: &[String]) -> String {
        self.0.describe_step(&typed_step::<G>(step), seat, names)
    }
    fn seat_names(&self) -> Vec<String> {
        self.0.seat_names()
    }
    fn shows_score(&self, viewer: usize, seat: usize) -> bool {
        self.0.shows_score(viewer, seat)
    }

    fn title(&self) -> String {
        self.0.title()
    }
    fn standing(&self, state: &ErasedState, names: &[String]) -> String {
        self.0.standing(typed::<G>(state), names)
    }
    fn to_text(
        &self,
        state: &ErasedState,
        last: Option<&ErasedStep>,
        view: View,
        caption: Caption<'_>,
    ) -> String {
        self.0.to_text(typed::<G>(state), last.map(typed_step::<G>).as_ref(), view, caption)
    }
    fn to_svg(
        &self,
        state: &ErasedState,
        last: Option<&ErasedStep>,
        view: View,
        caption: Caption<'_>,
    ) -> String {
        self.0.to_svg(typed::<G>(state), last.map(typed_step::<G>).as_ref(), view, caption)
    }
    fn beside(&self, state: &ErasedState, view: View, caption: Caption<'_>) -> Option<Beside> {
        self.0.beside(typed::<G>(state), view, caption)
    }
    fn footprint(&self, state: &ErasedState, action: u32) -> Option<String> {
        self.0.footprint(typed::<G>(state), action)
    }
    fn places(&self, state: &ErasedState, view: View) -> Vec<Place> {
        self.0.places(typed::<G>(state), view)
    }

    fn bot_request(&self, state: &ErasedState, seat: usize, chance: &mut dyn Chance) -> Value {
        self.0.bot_request(typed::<G>(state), seat, chance)
    }
    fn state_from_bot_request(&self, request: &Value) -> Result<ErasedState> {
        Ok(Arc::new(self.0.state_from_bot_request(request)?))
    }
    fn bot_reply(&self, state: &ErasedState, action: u32) -> Value {
        self.0.bot_reply(typed::<G>(state), action)
    }
    fn action_from_bot_reply(&self, state: &ErasedState, reply: &Value) -> Result<u32> {
        self.0.action_from_bot_reply(typed::<G>(state), reply)
    }
    fn uci_position(&self, state: &ErasedState) -> String {
        self.0.uci_position(typed::<G>(state))
    }
    fn state_from_uci(&self, text: &str) -> Result<ErasedState> {
        Ok(Arc::new(self.0.state_from_uci(text)?))
    }
    fn gtp_position(&self, state: &ErasedState) -> GtpPosition {
        self.0.gtp_position(typed::<G>(state))
    }
    fn action_from_gtp(&self, state: &ErasedState, text: &str) -> Result<u32> {
        self.0.action_from_gtp(typed::<G>(state), text)
    }
    /// [`NamedBot::choose`].
    fn choose(
        &self,
        bot: NamedBot,
        state: &ErasedState,
        mask: &[u64],
        chance: &mut SeededChance,
        interrupt: &Interrupt,
    ) -> u32 {
        bot.choose(&self.0, typed::<G>(state), mask, chance, interrupt)
    }
    /// [`NamedBot::first_attempt`].
    fn first_attempt(&self, bot: NamedBot, state: &ErasedState, chance: &mut SeededChance) -> Option<u32> {
        bot.first_attempt(&*self.0, typed::<G>(state), chance)
    }
    /// [`NamedBot::analyse`].
    fn analyse(
        &self,
        bot: NamedBot,
        state: &ErasedState,
        chance: &mut SeededChance,
        interrupt: &Interrupt,
    ) -> Option<Analysis> {
        bot.analyse(&self.0, typed::<G>(state), chance, interrupt)
    }
}
