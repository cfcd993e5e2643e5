//! The contract between rules and engine: what a game implements.

use std::fmt::Debug;

use bytemuck::{CheckedBitPattern, NoUninit};
use serde_json::{Value, json};

use super::chance::Chance;
use super::error::{Error, Result};
use super::mask;
use super::spec::Spec;
use super::view::{Place, SEAT_COLOURS, Theme, View};

/// Whether a game goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Somebody is to move.
    Running,
    /// Finished by its rules; [`Game::ranks`] holds.
    Terminated,
    /// Stopped by a limit of the game's own (rounds, plies) without a result.
    Truncated,
}

/// A player that ships with a game.
///
/// A bot acts on what its seat may know: hidden parts of the state must not influence it.
pub struct Bot<G: Game> {
    /// Its name on command lines.
    pub name: &'static str,
    /// One sentence on how it plays.
    pub help: &'static str,
    /// Chooses one of the legal actions in `mask`; randomness comes from the source it is handed.
    pub act: fn(&G, &G::State, mask: &[u64], chance: &mut dyn Chance) -> u32,
}

/// A symmetry of the rules, for data augmentation: both permutations applied to a position and an action
/// give the same game seen differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symmetry {
    /// Its name.
    pub name: String,
    /// Element `i` of the transformed observation is element `observation[i]` of the original.
    pub observation: Vec<u32>,
    /// Action `a` of the original position is action `action[a]` of the transformed one.
    pub action: Vec<u32>,
}

/// Several decisions that make up one action in a game's own terms; they are played as one call.
#[derive(Debug, Clone, PartialEq)]
pub struct CompoundAction {
    /// What it does, part by part, in the game's own words.
    pub sub_actions: Vec<Value>,
    /// The decisions, at least one, each legal after those before it. No chance is drawn before the last.
    pub actions: Vec<u32>,
}

/// The rules of one game under one set of options.
///
/// A value of the implementing type is what all games of a batch share: compiled options and tables. It
/// never changes after construction. A [`Game::State`] is one game: a plain fixed-size value without heap,
/// pointers or randomness, so that cloning, snapshots and forks are memory copies.
///
/// The engine decides everything around the rules: it checks that an action is legal before
/// [`Game::step`] sees it, resets finished games, seeds chance, computes rewards from
/// [`Game::scores`] and [`Game::ranks`], truncates. A game knows nothing of batches and threads.
///
/// # What the engine relies on
/// * `legal` sets exactly the actions `step` accepts, at least one while the game runs, none afterwards.
/// * A decision with a single way on may be taken by the rules themselves inside `step` and `init`.
/// * `step` and `init` draw all randomness from their chance source, at the moment the event happens.
///   A state never holds what has not been revealed by a draw (an unshuffled deck is a set, not an order).
/// * `observe` writes every element, and depends only on what `seat` may see.
/// * After `validate` accepts a state, no method panics on it.
///
/// The conformance suite tests all of this for every registered game.
pub trait Game: Sized + Send + Sync + 'static {
    /// One game in progress.
    type State: Copy + CheckedBitPattern + NoUninit + PartialEq + Debug + Send + Sync + 'static;

    /// The environment id.
    const ID: &'static str;
    /// Version of the behaviour; bump it whenever rules, indices or layout change.
    const VERSION: u32;

    /// What the environment looks like from outside. Built once, in the constructor.
    fn spec(&self) -> &Spec;

    // ---- play: the hot path ----

    /// A new game, up to its first decision.
    fn init<C: Chance + ?Sized>(&self, chance: &mut C) -> Self::State;
    /// Whether the game goes on.
    fn status(&self, state: &Self::State) -> Status;
    /// The seat to move; any seat when the game is over.
    fn current_player(&self, state: &Self::State) -> usize;
    /// Overwrites `mask` (`Spec::mask_words` words with arbitrary contents) with the legal actions.
    fn legal(&self, state: &Self::State, mask: &mut [u64]);
    /// Plays a legal action and everything that follows from it, up to the next decision or the end.
    fn step<C: Chance + ?Sized>(&self, state: &mut Self::State, action: u32, chance: &mut C);
    /// Overwrites `out` (`Spec::observation_len` elements with arbitrary contents) with what `seat` sees.
    fn observe(&self, state: &Self::State, seat: usize, out: &mut [u8]);
    /// What [`Game::observe`] writes, into memory that is read much later.
    ///
    /// A game with long rows may store past the processor's caches, which then keep the states. The engine asks for
    /// it where the observations of a batch do not fit the caches anyway, and fences the stores before anybody reads.
    #[inline]
    fn observe_past_caches(&self, state: &Self::State, seat: usize, out: &mut [u8]) {
        self.observe(state, seat, out);
    }
    /// Writes each seat's score so far: what `reward=score` counts.
    fn scores(&self, state: &Self::State, out: &mut [f32]);
    /// Writes what each seat's position is worth in a game that goes on, on any scale: what bots that play
    /// every game steer by. The default is the score.
    fn estimate(&self, state: &Self::State, out: &mut [f32]) {
        self.scores(state, out);
    }
    /// Writes what each seat's position promises beyond the next few turns, on the scale of [`Game::estimate`] and as
    /// slowly as that takes: what search judges the ends of its playouts by. The default is the estimate.
    fn outlook(&self, state: &Self::State, out: &mut [f32]) {
        self.estimate(state, out);
    }
    /// Writes each seat's rank in a terminated game: 0 is best, seats that share a place share a number.
    ///
    /// Only the order matters, not the gaps.
    fn ranks(&self, state: &Self::State, out: &mut [u8]);

    // ---- states from outside ----

    /// Whether a state of arbitrary contents is one that play could go on from.
    ///
    /// # Errors
    /// [`Error::InvalidState`] says what is wrong. After `Ok` no method may panic on the state.
    fn validate(&self, state: &Self::State) -> Result<()>;
    /// The whole state as JSON, hidden parts included, in the game's own words.
    fn state_to_json(&self, state: &Self::State) -> Value;
    /// The state that [`Game::state_to_json`] wrote, or one that a user set up.
    ///
    /// # Errors
    /// [`Error::InvalidState`] names the key, the value and what is allowed. Every accepted state passes
    /// [`Game::validate`].
    fn state_from_json(&self, json: &Value) -> Result<Self::State>;
    /// A state drawn from those that `seat` cannot tell from this one.
    ///
    /// Games without hidden information return a copy.
    fn determinize<C: Chance + ?Sized>(
        &self,
        state: &Self::State,
        seat: usize,
        chance: &mut C,
    ) -> Self::State;

    // ---- words and pictures ----

    /// An action as a short text, unique among the legal actions of `state`.
    fn action_to_string(&self, state: &Self::State, action: u32) -> String;
    /// The legal action that `text` names.
    ///
    /// # Errors
    /// [`Error::IllegalAction`] when no legal action is spelled so.
    fn string_to_action(&self, state: &Self::State, text: &str) -> Result<u32> {
        let mut mask = vec![0; self.spec().mask_words()];
        self.legal(state, &mut mask);
        mask::iter(&mask)
            .find(|&a| self.action_to_string(state, a) == text.trim())
            .ok_or_else(|| Error::illegal(format!("no legal action is written {:?}", text.trim())))
    }
    /// An action as an object: `{"type": "CONQUER", "region": 7}`.
    fn action_to_json(&self, state: &Self::State, action: u32) -> Value;
    /// The action that an object describes, legal or not.
    ///
    /// # Errors
    /// [`Error::IllegalAction`] when the object describes no action at all.
    fn action_from_json(&self, state: &Self::State, json: &Value) -> Result<u32>;
    /// Why `action`, which is not legal in `state`, is refused.
    fn explain_illegal(&self, state: &Self::State, action: u32) -> Error {
        Error::illegal(format!("{} is not legal now", self.action_to_string(state, action)))
    }
    /// What `seat` sees, as an object for people and scripted bots.
    ///
    /// Like [`Game::observe`] it never shows what is hidden from the seat.
    fn observation_to_json(&self, state: &Self::State, seat: usize) -> Value;
    /// The position as lines of text, in which the step that led to it may be marked.
    ///
    /// Like a drawing it depends only on what [`View::seat`] may see.
    fn to_text(&self, state: &Self::State, last: Option<&Step<Self::State>>, view: View) -> String;
    /// The position as one SVG document, which begins with `<svg` and a `viewBox`; the step that led to it may be
    /// marked.
    fn to_svg(&self, state: &Self::State, last: Option<&Step<Self::State>>, view: View) -> String;

    /// What a step did, in one line, as `seat` witnessed it; `None` sees everything.
    ///
    /// The default is the action as text; games in which moves are hidden override it.
    fn describe_step(&self, step: &Step<Self::State>, _seat: Option<usize>) -> String {
        self.action_to_string(&step.before, step.action)
    }

    /// The parts of the drawing that actions refer to; none by default.
    fn places(&self, _state: &Self::State) -> Vec<Place> {
        Vec::new()
    }

    /// The colours that stand for the seats in drawings, as `#rrggbb`, at least one a seat.
    fn seat_colours(_theme: Theme) -> Vec<&'static str> {
        SEAT_COLOURS.to_vec()
    }

    // ---- bots in other programs ----

    /// What a bot in another program is told when `seat` is to move.
    ///
    /// The default is what the seat sees, its legal actions, and one of the positions that it cannot tell from the
    /// real one.
    fn bot_request<C: Chance + ?Sized>(&self, state: &Self::State, seat: usize, chance: &mut C) -> Value {
        let mut mask = vec![0; self.spec().mask_words()];
        self.legal(state, &mut mask);
        json!({
            "env": Self::ID,
            "player": seat,
            "observation": self.observation_to_json(state, seat),
            "legal_moves": mask::iter(&mask).map(|a| self.action_to_json(state, a)).collect::<Vec<_>>(),
            "position": self.state_to_json(&self.determinize(state, seat, chance)),
        })
    }
    /// The position in a request, for a bot of the engine's to choose in.
    ///
    /// # Errors
    /// [`Error::InvalidState`] says what is wrong with the request.
    fn state_from_bot_request(&self, request: &Value) -> Result<Self::State> {
        self.state_from_json(&request["position"])
    }
    /// How a bot answers that it plays `action`.
    fn bot_reply(&self, state: &Self::State, action: u32) -> Value {
        json!({ "action": self.action_to_json(state, action) })
    }
    /// The action in an answer: an index, a text or an object in the default; legal or not.
    ///
    /// # Errors
    /// [`Error::IllegalAction`] when it names none.
    fn action_from_bot_reply(&self, state: &Self::State, reply: &Value) -> Result<u32> {
        match &reply["action"] {
            Value::Number(index) => index
                .as_u64()
                .and_then(|index| u32::try_from(index).ok())
                .ok_or_else(|| Error::illegal(format!("{index} is no action"))),
            Value::String(text) => self.string_to_action(state, text),
            Value::Null => Err(Error::illegal("the answer has no \"action\"")),
            object => self.action_from_json(state, object),
        }
    }

    // ---- extras ----

    /// The turn or round that is being played, from 1, where the game counts them.
    fn turn(&self, _state: &Self::State) -> Option<u32> {
        None
    }

    /// The bots of this game; `random` and `greedy` exist for every game and are not listed here.
    fn bots() -> &'static [Bot<Self>] {
        &[]
    }
    /// The action that does nothing, where the rules have one: what a bot plays that fails to answer.
    fn pass(&self, _state: &Self::State) -> Option<u32> {
        None
    }
    /// The symmetries of the rules, the identity first; empty when there are none.
    fn symmetries(&self) -> Vec<Symmetry> {
        Vec::new()
    }
    /// Every way to play on from `state` that counts as one action in the game's own terms although it takes
    /// several decisions here; empty where a decision is an action.
    fn compound_actions(&self, _state: &Self::State) -> Vec<CompoundAction> {
        Vec::new()
    }
    /// What `seat` knows with perfect recall, given every step since the game began.
    ///
    /// The default is the history as public information together with the current observation; games in
    /// which moves are hidden override it.
    fn information_state(&self, state: &Self::State, seat: usize, history: &[Step<Self::State>]) -> Value {
        let moves: Vec<Value> =
            history.iter().map(|h| json!([h.player, self.action_to_string(&h.before, h.action)])).collect();
        json!({ "observation": self.observation_to_json(state, seat), "history": moves })
    }
}

/// One step of a game that is being recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct Step<S> {
    /// The position it was played in.
    pub before: S,
    /// The seat that acted.
    pub player: usize,
    /// What it played.
    pub action: u32,
    /// The chance outcomes that followed, in the order they were drawn.
    pub chance: Vec<u32>,
}
