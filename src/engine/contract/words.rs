//! A game in words: actions as text and objects, positions as JSON.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::contract::defaults;
use crate::contract::rules::{Rules, state_from_bytes};
use crate::contract::spec::ActionId;
use crate::contract::support::error::{Error, Refusal, Result};

/// One step of a recorded game.
#[derive(Debug, Clone, PartialEq)]
pub struct Step<S> {
    /// The position before the step.
    pub before: S,
    /// The seat that acted.
    pub player: usize,
    /// Its action.
    pub action: ActionId,
    /// The chance outcomes of the step, in drawing order.
    pub chance: Vec<u32>,
}

/// A compound action: several decisions that form one action in a game's own terms and are played in one call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompoundAction {
    /// The parts of the action, in the game's own words.
    pub sub_actions: Vec<Value>,
    /// The decisions, at least one, each legal after the previous ones. Only the last draws chance.
    pub actions: Vec<ActionId>,
}

/// A game in words.
///
/// Every method has a default derived from the [`Spec`](crate::Spec): actions are named by family and index,
/// observations are listed by field, states are shown as bytes. Games override the defaults.
///
/// ```
/// use ludovec_engine::{Dialect, Guide, Picture, Words};
/// # mod nim { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/nim.rs")); }
/// # use nim::*;
///
/// impl Words for Nim {
///     fn action_to_string(&self, _: &State, action: ActionId) -> String {
///         format!("take {}", action + 1)
///     }
/// }
/// # impl Picture for Nim {}
/// # impl Guide for Nim {}
/// # impl Dialect for Nim {}
/// # let game: Arc<dyn AnyGame> = Arc::new(Nim::new(&options()));
///
/// let mut game = game.single(0);
/// game.step(game.string_to_action("take 2")?)?;
/// assert_eq!(game.action_to_string(2)?, "take 3");
/// # Ok::<(), Error>(())
/// ```
pub trait Words: Rules {
    /// An action as a short text, unique among the legal actions of `state`.
    fn action_to_string(&self, _state: &Self::State, action: ActionId) -> String {
        defaults::action_to_string(self.spec(), action)
    }
    /// An action of `state` as a sentence for people, without the numbers that only programs need: "Conquer the hill
    /// 21 for 3 tokens". `names` are the players' names by seat. The default is [`Words::action_to_string`].
    fn action_in_words(&self, state: &Self::State, action: ActionId, _names: &[String]) -> String {
        self.action_to_string(state, action)
    }
    /// The default name of a player; people count from 1.
    fn seat_name(&self, seat: usize) -> String {
        format!("Player {}", seat + 1)
    }
    /// The default names of all players.
    fn seat_names(&self) -> Vec<String> {
        (0..self.spec().players).map(|seat| self.seat_name(seat)).collect()
    }
    /// The legal action named by `text`.
    ///
    /// # Errors
    /// [`Error::Refused`] if no legal action has this text.
    fn string_to_action(&self, state: &Self::State, text: &str) -> Result<ActionId> {
        defaults::string_to_action(self, state, text)
    }
    /// An action as an object: `{"type": "CONQUER", "region": 7}`. The default is `{"type": family, "index": i}`.
    fn action_to_json(&self, _state: &Self::State, action: ActionId) -> Value {
        defaults::action_to_json(self.spec(), action)
    }
    /// The action described by an object, legal or not.
    ///
    /// # Errors
    /// [`Error::Refused`] if the object describes no action.
    fn action_from_json(&self, _state: &Self::State, json: &Value) -> Result<ActionId> {
        defaults::action_from_json(self.spec(), json)
    }
    /// The refusal of `action`, which is illegal in `state`.
    fn explain_illegal(&self, state: &Self::State, action: ActionId) -> Refusal {
        Refusal::illegal(format!("{} is not legal now", self.action_to_string(state, action)))
    }
    /// The reason why no legal action refers to all of these places of the drawing, each given by the keys and values of
    /// its [`Place`](crate::Place). `None`, the default, leaves the answer to [`Words::explain_illegal`].
    fn explain_places(&self, _state: &Self::State, _places: &[Vec<(String, Value)>]) -> Option<String> {
        None
    }

    /// The whole state as JSON, hidden parts included. The default is its bytes: `{"bytes": "00ff..."}`.
    fn state_to_json(&self, state: &Self::State) -> Value {
        let bytes: String = bytemuck::bytes_of(state).iter().map(|byte| format!("{byte:02x}")).collect();
        json!({ "bytes": bytes })
    }
    /// The state of a JSON document written by [`Words::state_to_json`] or by a user.
    ///
    /// # Errors
    /// [`Error::InvalidState`] names the key, the value and the allowed values. Every accepted state passes
    /// [`Rules::validate`].
    fn state_from_json(&self, json: &Value) -> Result<Self::State> {
        let size = size_of::<Self::State>();
        let digits = json["bytes"].as_str().filter(|digits| digits.len() == 2 * size && digits.is_ascii());
        let digits = digits.ok_or_else(|| {
            Error::state(format!("bytes: a text of {} hexadecimal digits is needed", 2 * size))
        })?;
        let byte = |at: usize| {
            let pair = &digits[2 * at..2 * at + 2];
            u8::from_str_radix(pair, 16)
                .map_err(|_| Error::state(format!("bytes: {pair:?} is not a pair of hexadecimal digits")))
        };
        let bytes = (0..size).map(byte).collect::<Result<Vec<u8>>>()?;
        state_from_bytes(self, &bytes)
    }
    /// The observation of `seat` as an object, for people and scripted bots. The default has a list for each field of
    /// the observation.
    ///
    /// Like [`Rules::observe`], it never reveals information hidden from the player.
    fn observation_to_json(&self, state: &Self::State, seat: usize) -> Value {
        defaults::observation_to_json(self, state, seat)
    }

    /// Whether `viewer` may know the score of `seat` while the game runs. The default shows every score; games with
    /// hidden scores override it.
    fn shows_score(&self, _viewer: usize, _seat: usize) -> bool {
        true
    }
    /// The current turn or round, from 1, if the game counts them.
    fn turn(&self, _state: &Self::State) -> Option<u32> {
        None
    }
    /// A step and its effects in one line for people, as observed by `seat`; `None` sees everything. `names` are the
    /// players' names by seat.
    ///
    /// The default is the action in words; games with hidden moves override it.
    fn describe_step(&self, step: &Step<Self::State>, _seat: Option<usize>, names: &[String]) -> String {
        self.action_in_words(&step.before, step.action, names)
    }
    /// The information state of `seat`: its knowledge with perfect recall, given all steps of the game.
    ///
    /// The default is the history as public information together with the current observation; games with hidden
    /// moves override it.
    fn information_state(&self, state: &Self::State, seat: usize, history: &[Step<Self::State>]) -> Value {
        let moves: Vec<Value> =
            history.iter().map(|h| json!([h.player, self.action_to_string(&h.before, h.action)])).collect();
        json!({ "observation": self.observation_to_json(state, seat), "history": moves })
    }
    /// Every compound action: a sequence of decisions from `state` that counts as one action in the game's own terms.
    /// Empty if each decision is an action.
    fn compound_actions(&self, _state: &Self::State) -> Vec<CompoundAction> {
        Vec::new()
    }
}
