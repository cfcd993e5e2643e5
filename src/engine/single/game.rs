//! One game with its history: for people, notebooks, tests, records.
//!
//! The code is compiled once for all games: it reaches the rules through [`ErasedRules`].

use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;

use serde_json::{Value, json};

use crate::bots::named_bot::NamedBot;
use crate::bots::random::bot_chance;
use crate::contract::chance::{
    Chance, ChanceOutcome, EnumeratedOutcomes, RecordedChance, ScriptedChance, SeededChance, StreamId,
    draw_after,
};
use crate::contract::dialect::GtpPosition;
use crate::contract::mask;
use crate::contract::options::CommonOptions;
use crate::contract::rules::Status;
use crate::contract::spec::ActionId;
use crate::contract::support::error::{Error, Result};
use crate::contract::words::CompoundAction;
use crate::dynamic::analysis::Analysis;
use crate::dynamic::any_game::AnyGame;
use crate::dynamic::calls;
use crate::dynamic::interrupt::Interrupt;
use crate::dynamic::record::{LogEntry, Record};
use crate::single::erased::{ErasedRules, ErasedState, ErasedStep};
use crate::single::history::History;

/// Iterator over the possible outcomes of an action, evaluated lazily.
pub type Outcomes = Box<dyn Iterator<Item = ChanceOutcome<SingleGame>> + Send>;

/// Maximum number of characters in a player's name.
pub const MAX_NAME: usize = 60;

/// One game with its history.
///
/// Methods that return an error have changed nothing.
///
/// ```
/// use ludovec_engine::SingleGame;
/// # use ludovec_engine::{Dialect, Guide, Picture, Words};
/// # mod nim { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/nim.rs")); }
/// # use nim::*;
/// # impl Words for Nim {}
/// # impl Picture for Nim {}
/// # impl Guide for Nim {}
/// # impl Dialect for Nim {}
/// # let nim: Arc<dyn AnyGame> = Arc::new(Nim::new(&options()));
///
/// let mut game = nim.single(0);
/// game.step_all(&[2, 0])?;
/// assert_eq!((game.current_player(), game.observation(0)?), (0, vec![17]));
/// assert!(game.undo() && game.steps() == 1);
/// while game.status() == Status::Running {
///     game.step(game.bot_action("random")?)?;
/// }
/// assert_eq!(game.returns().iter().sum::<f32>(), 0.0);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct SingleGame {
    pub(super) game: Arc<dyn ErasedRules>,
    pub(super) state: ErasedState,
    chance: SeededChance,
    /// Whether the set-up drew the first position; otherwise it was given.
    drawn: bool,
    setup: Arc<[u32]>,
    /// Number of decisions before the first position.
    before: usize,
    /// Number of decisions after which the game is truncated.
    max_steps: Option<u32>,
    pub(super) history: History<ErasedState>,
    /// Number of steps before a determinization: records begin after them, and they are not undone.
    redrawn: usize,
    /// The players' names; empty if no player has a name.
    pub(super) names: Arc<[String]>,
    /// The outcome that ended the game without the rules, and the number of steps before.
    result: Option<(usize, Arc<[f32]>)>,
}

impl Debug for SingleGame {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("SingleGame")
            .field("game", &self.game())
            .field("steps", &self.steps())
            .finish_non_exhaustive()
    }
}

impl SingleGame {
    /// The game of a batch with this stream.
    pub(crate) fn new(game: Arc<dyn ErasedRules>, stream: StreamId) -> Self {
        let mut chance = SeededChance::new(stream);
        let mut recorded = RecordedChance::new(&mut chance);
        let state = game.init(&mut recorded);
        let setup = recorded.into_outcomes().into();
        Self { drawn: true, setup, ..Self::from_position(game, state, chance, 0) }
    }

    /// A new game with given chance outcomes, all of which must be drawn.
    pub(crate) fn from_script(game: Arc<dyn ErasedRules>, setup: &[u32]) -> Result<Self> {
        let mut script = ScriptedChance::new(setup);
        let state = game.init(&mut script);
        script.finish()?;
        let chance = SeededChance::from_seed(0);
        Ok(Self { drawn: true, setup: setup.into(), ..Self::from_position(game, state, chance, 0) })
    }

    /// A game that begins at `state`, after `before` decisions.
    pub(crate) fn from_position(
        game: Arc<dyn ErasedRules>,
        state: ErasedState,
        chance: SeededChance,
        before: usize,
    ) -> Self {
        let max_steps = CommonOptions::read(&game.spec().options).max_steps;
        Self {
            game,
            state,
            chance,
            drawn: false,
            setup: [].into(),
            before,
            max_steps,
            history: History::new(),
            redrawn: 0,
            names: [].into(),
            result: None,
        }
    }

    /// The outcome that ended the game in this position without the rules.
    fn result_here(&self) -> Option<&[f32]> {
        let (steps, result) = self.result.as_ref()?;
        (*steps == self.history.len() && self.status() == Status::Running).then_some(&**result)
    }

    /// The random source of a bot that chooses in this position.
    fn bot_chance(&self) -> SeededChance {
        let StreamId { seed, game, .. } = self.chance.id();
        bot_chance(StreamId { seed, game, episode: self.history.len() as u64 })
    }

    /// The stream of the game, if all chance outcomes of set-up and steps came from its start.
    fn whole_stream(&self) -> Option<StreamId> {
        let mut chance = SeededChance::new(self.chance.id());
        let mut gives = |outcomes: &[u32], draw: &mut dyn FnMut(&mut dyn Chance)| {
            let mut recorded = RecordedChance::new(&mut chance);
            draw(&mut recorded);
            recorded.into_outcomes() == outcomes
        };
        let set_up = !self.drawn
            || gives(&self.setup, &mut |chance| {
                self.game.init(chance);
            });
        let whole = set_up
            && self.history.from(self.redrawn).into_iter().all(|step| {
                gives(&step.chance, &mut |chance| {
                    self.game.step(&step.before, step.action, chance);
                })
            });
        whole.then(|| self.chance.id())
    }

    fn check_index(&self, action: u32) -> Result<()> {
        let n = self.game.spec().num_actions;
        if action < n {
            Ok(())
        } else {
            Err(Error::illegal(format!("action {action}: actions are 0 to {}", n - 1)))
        }
    }

    pub(super) fn check_seat(&self, seat: usize) -> Result<()> {
        calls::check_seat(seat, self.game.spec().players)
    }

    /// Number of decisions so far.
    pub(super) fn length(&self) -> usize {
        self.before + self.history.len()
    }

    fn push(&mut self, action: u32, next: ErasedState, chance: Vec<u32>) {
        let player = self.current_player();
        let before = std::mem::replace(&mut self.state, next);
        self.history.push(ErasedStep { before, player, action, chance });
    }
}

#[expect(clippy::must_use_candidate, reason = "nobody calls a query for its effect")]
impl SingleGame {
    /// The rules.
    pub fn game(&self) -> Arc<dyn AnyGame> {
        self.game.game()
    }
    /// The status of the game.
    pub fn status(&self) -> Status {
        match self.game.status(&self.state) {
            Status::Running if self.max_steps.is_some_and(|most| self.length() >= most as usize) => {
                Status::Truncated
            }
            status => status,
        }
    }
    /// The seat of the current player; any seat if the game is over.
    pub fn current_player(&self) -> usize {
        self.game.current_player(&self.state)
    }
    /// Legal action indices in increasing order.
    pub fn legal_actions(&self) -> Vec<ActionId> {
        mask::iter(&self.mask()).collect()
    }
    /// Action mask as bits.
    pub fn mask(&self) -> Vec<u64> {
        let mut mask = vec![0; self.game.spec().mask_words()];
        if self.status() == Status::Running {
            self.game.legal(&self.state, &mut mask);
        }
        mask
    }
    /// Legal actions as objects, in the order of [`SingleGame::legal_actions`].
    pub fn legal_moves(&self) -> Vec<Value> {
        self.legal_actions().into_iter().map(|a| self.game.action_to_json(&self.state, a)).collect()
    }

    /// Plays an action; chance comes from the game's seed.
    ///
    /// # Errors
    /// [`Error::Refused`].
    pub fn step(&mut self, action: ActionId) -> Result<()> {
        self.check(action)?;
        let mut recorded = RecordedChance::new(&mut self.chance);
        let next = self.game.step(&self.state, action, &mut recorded);
        let outcomes = recorded.into_outcomes();
        self.push(action, next, outcomes);
        Ok(())
    }

    /// Plays an action with given chance outcomes, all of which must be drawn.
    ///
    /// # Errors
    /// As for [`SingleGame::step`], and [`Error::InvalidState`] if the outcomes do not
    /// match the draws.
    pub fn step_scripted(&mut self, action: ActionId, outcomes: &[u32]) -> Result<()> {
        self.check(action)?;
        let mut script = ScriptedChance::new(outcomes);
        let next = self.game.step(&self.state, action, &mut script);
        script.finish()?;
        self.push(action, next, outcomes.to_vec());
        Ok(())
    }

    /// Plays several actions in one call: all of them, or none if one is refused.
    ///
    /// # Errors
    /// As for [`SingleGame::step`].
    pub fn step_all(&mut self, actions: &[ActionId]) -> Result<()> {
        let before = (self.state.clone(), self.chance.clone(), self.history.clone());
        for &action in actions {
            if let Err(refused) = self.step(action) {
                (self.state, self.chance, self.history) = before;
                return Err(refused);
            }
        }
        Ok(())
    }

    /// All compound actions: actions in the game's own terms that take several decisions, for
    /// [`SingleGame::step_all`]; see [`Words::compound_actions`](crate::Words::compound_actions).
    pub fn compound_actions(&self) -> Vec<CompoundAction> {
        self.game.compound_actions(&self.state)
    }

    /// Plays an action given as an object; `player` must be the current player.
    ///
    /// # Errors
    /// As for [`SingleGame::step`].
    pub fn submit(&mut self, player: usize, object: &Value) -> Result<()> {
        self.check_seat(player)?;
        if self.status() != Status::Running {
            return Err(Error::game_over("the game is finished"));
        }
        if player != self.current_player() {
            return Err(Error::illegal(format!(
                "player {player}: it is player {}'s turn",
                self.current_player()
            )));
        }
        self.step(self.action_from_json(object)?)
    }

    /// Undoes the last step; false at the start of the game. The random stream is not rewound.
    pub fn undo(&mut self) -> bool {
        if self.history.len() == self.redrawn {
            return false;
        }
        let before = self.history.pop();
        let has_moved = before.is_some();
        self.state = before.unwrap_or_else(|| self.state.clone());
        has_moved
    }

    /// Every outcome of `action`: probability, chance script, and resulting game. Evaluated lazily;
    /// [`at_most`](crate::contract::chance::at_most) collects them.
    ///
    /// # Errors
    /// As for [`SingleGame::step`].
    pub fn outcomes(&self, action: ActionId) -> Result<Outcomes> {
        self.check(action)?;
        let play = self.clone();
        let (game, before) = (self.game.clone(), self.state.clone());
        let states =
            EnumeratedOutcomes::new(move |chance: &mut dyn Chance| game.step(&before, action, chance));
        Ok(Box::new(states.map(move |ChanceOutcome { probability, script, result }| {
            let mut next = play.clone();
            next.push(action, result, script.clone());
            ChanceOutcome { probability, script, result: next }
        })))
    }

    /// The weights of the draw of chance that follows the outcomes of `script` after `action` (`None`: in the set-up of
    /// a new game); `None` if no draw follows.
    ///
    /// # Errors
    /// As for [`SingleGame::step`], and [`Error::InvalidState`] for a script that does not
    /// fit.
    pub fn next_draw(&self, action: Option<ActionId>, script: &[u32]) -> Result<Option<Vec<u32>>> {
        let Some(action) = action else {
            return draw_after(script, |chance| {
                self.game.init(chance);
            });
        };
        self.check(action)?;
        draw_after(script, |chance| {
            self.game.step(&self.state, action, chance);
        })
    }

    /// The action of the bot called `name`. The call changes nothing: equal positions give equal answers.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] for an unknown bot, [`Error::Refused`] if the game is over.
    pub fn bot_action(&self, name: &str) -> Result<ActionId> {
        self.bot_action_until(name, &Interrupt::default())
    }
    /// The same, interruptible by `interrupt`.
    ///
    /// # Errors
    /// As for [`SingleGame::bot_action`], and [`Error::Interrupted`].
    pub fn bot_action_until(&self, name: &str, interrupt: &Interrupt) -> Result<ActionId> {
        let bot = NamedBot::find(&*self.game(), name)?;
        if self.status() != Status::Running {
            return Err(Error::game_over("the game is finished"));
        }
        let action = self.game.choose(bot, &self.state, &self.mask(), &mut self.bot_chance(), interrupt);
        if interrupt.is_raised() {
            return Err(Error::interrupted(format!("bot {name} has not chosen")));
        }
        Ok(action)
    }
    /// The first attempt of the bot `name` with the reason of its refusal, or `None` if the attempt is legal. After a
    /// refusal the bot plays [`SingleGame::bot_action`].
    ///
    /// # Errors
    /// As for [`SingleGame::bot_action`].
    pub fn bot_attempt(&self, name: &str) -> Result<Option<String>> {
        let bot = NamedBot::find(&*self.game(), name)?;
        if self.status() != Status::Running {
            return Err(Error::game_over("the game is finished"));
        }
        let tried = self.game.first_attempt(bot, &self.state, &mut self.bot_chance());
        let refused = tried.filter(|&action| !mask::contains(&self.mask(), action));
        Ok(refused.map(|action| {
            let asked = self.game.action_to_string(&self.state, action);
            format!("{}: {}", asked, self.game.explain_illegal(&self.state, action))
        }))
    }
    /// The analysis of the position by the search of the bot called `name`; `None` if the bot does not search.
    ///
    /// # Errors
    /// As for [`SingleGame::bot_action_until`].
    pub fn bot_analysis(&self, name: &str, interrupt: &Interrupt) -> Result<Option<Analysis>> {
        let bot = NamedBot::find(&*self.game(), name)?;
        if self.status() != Status::Running {
            return Err(Error::game_over("the game is finished"));
        }
        let analysis = self.game.analyse(bot, &self.state, &mut self.bot_chance(), interrupt);
        if interrupt.is_raised() {
            return Err(Error::interrupted(format!("bot {name} has not chosen")));
        }
        Ok(analysis)
    }

    /// The request to a bot in another program; see [`Dialect::bot_request`](crate::Dialect::bot_request).
    pub fn bot_request(&self) -> Value {
        self.game.bot_request(&self.state, self.current_player(), &mut self.bot_chance())
    }
    /// The reply to such a request.
    ///
    /// # Errors
    /// [`Error::Refused`] for an index out of range.
    pub fn bot_reply(&self, action: ActionId) -> Result<Value> {
        self.check_index(action)?;
        Ok(self.game.bot_reply(&self.state, action))
    }
    /// The legal action in a reply.
    ///
    /// # Errors
    /// [`Error::Refused`] if the reply names no legal action.
    pub fn action_from_bot_reply(&self, reply: &Value) -> Result<ActionId> {
        let action = self.game.action_from_bot_reply(&self.state, reply)?;
        self.check(action)?;
        Ok(action)
    }
    /// The position in Forsyth-Edwards notation, if the game is one of UCI engines.
    pub fn uci_position(&self) -> Option<String> {
        self.game().uci().map(|_| self.game.uci_position(&self.state))
    }
    /// The position in the terms of GTP, if the game is one of GTP engines.
    pub fn gtp_position(&self) -> Option<GtpPosition> {
        self.game().gtp().map(|_| self.game.gtp_position(&self.state))
    }
    /// The legal action of a move of GTP.
    ///
    /// # Errors
    /// [`Error::Refused`] if the text names no legal action.
    pub fn action_from_gtp(&self, text: &str) -> Result<ActionId> {
        let action = self.game.action_from_gtp(&self.state, text)?;
        self.check(action)?;
        Ok(action)
    }
    /// Checks that an action is legal now.
    ///
    /// # Errors
    /// [`Error::Refused`] with the reason.
    pub fn check(&self, action: ActionId) -> Result<()> {
        if self.status() != Status::Running {
            return Err(Error::game_over("the game is finished"));
        }
        self.check_index(action)?;
        if mask::contains(&self.mask(), action) {
            Ok(())
        } else {
            Err(self.game.explain_illegal(&self.state, action).into())
        }
    }

    /// An action as text.
    ///
    /// # Errors
    /// [`Error::Refused`] for an index out of range.
    pub fn action_to_string(&self, action: ActionId) -> Result<String> {
        self.check_index(action)?;
        Ok(self.game.action_to_string(&self.state, action))
    }
    /// The legal action with this text.
    ///
    /// # Errors
    /// [`Error::Refused`] if there is none.
    pub fn string_to_action(&self, text: &str) -> Result<ActionId> {
        self.game.string_to_action(&self.state, text)
    }
    /// An action as a sentence for people; see [`Words::action_in_words`](crate::Words::action_in_words).
    ///
    /// # Errors
    /// [`Error::Refused`] for an index out of range.
    pub fn action_in_words(&self, action: ActionId) -> Result<String> {
        self.check_index(action)?;
        Ok(self.game.action_in_words(&self.state, action, &self.names()))
    }
    /// An action as an object.
    ///
    /// # Errors
    /// [`Error::Refused`] for an index out of range.
    pub fn action_to_json(&self, action: ActionId) -> Result<Value> {
        self.check_index(action)?;
        Ok(self.game.action_to_json(&self.state, action))
    }
    /// The action described by an object.
    ///
    /// # Errors
    /// [`Error::Refused`] if the object describes no action.
    pub fn action_from_json(&self, object: &Value) -> Result<ActionId> {
        self.game.action_from_json(&self.state, object)
    }

    /// Outcome by seat in [-1, 1]; all 0 unless the game has terminated.
    pub fn returns(&self) -> Vec<f32> {
        let players = self.game.spec().players;
        let mut returns = vec![0.0; players];
        if self.status() == Status::Terminated {
            self.game.outcome(&self.state, &mut returns);
        }
        returns
    }
    /// Scores by seat.
    pub fn scores(&self) -> Vec<f32> {
        let mut scores = vec![0.0; self.game.spec().players];
        self.game.scores(&self.state, &mut scores);
        scores
    }
    /// Scores by seat as far as `viewer` may know them: all at the end of the game, and before as
    /// [`Words::shows_score`](crate::Words::shows_score) says. Without a viewer, all scores.
    pub fn shown_scores(&self, viewer: Option<usize>) -> Vec<Option<f32>> {
        let is_over = self.status() != Status::Running;
        let is_shown = |seat| is_over || viewer.is_none_or(|viewer| self.game.shows_score(viewer, seat));
        self.scores().into_iter().enumerate().map(|(seat, score)| is_shown(seat).then_some(score)).collect()
    }
    /// Estimate of each player's position by the game's own [`Guide::estimate`](crate::Guide::estimate); the scores,
    /// if the game is over.
    pub fn estimates(&self) -> Vec<f32> {
        if self.status() != Status::Running {
            return self.scores();
        }
        let mut estimates = vec![0.0; self.game.spec().players];
        self.game.estimate(&self.state, &mut estimates);
        estimates
    }

    /// The observation of `seat`, in the batch's byte format.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] if the seat does not exist.
    pub fn observation(&self, seat: usize) -> Result<Vec<u8>> {
        self.check_seat(seat)?;
        let mut out = vec![0; self.game.spec().observation_len()];
        self.game.observe(&self.state, seat, &mut out);
        Ok(out)
    }
    /// The observation of `seat`, as an object.
    ///
    /// # Errors
    /// As for [`SingleGame::observation`].
    pub fn observation_to_json(&self, seat: usize) -> Result<Value> {
        self.check_seat(seat)?;
        Ok(self.game.observation_to_json(&self.state, seat))
    }
    /// The information state of `seat` (perfect recall), as an object.
    ///
    /// # Errors
    /// As for [`SingleGame::observation`].
    pub fn information_state(&self, seat: usize) -> Result<Value> {
        self.check_seat(seat)?;
        Ok(self.game.information_state(&self.state, seat, &self.history.from(0)))
    }
    /// Determinization: a game that `seat` cannot distinguish from this one, with all hidden information redrawn. The
    /// history is the true one, but its steps cannot be undone, and records begin at the redrawn position.
    ///
    /// # Errors
    /// As for [`SingleGame::observation`].
    pub fn determinize(&self, seat: usize, seed: u64) -> Result<SingleGame> {
        self.check_seat(seat)?;
        let mut chance = SeededChance::from_seed(seed);
        let state = self.game.determinize(&self.state, seat, &mut chance);
        let redrawn = self.history.len();
        Ok(Self { state, chance, drawn: false, setup: [].into(), redrawn, ..self.clone() })
    }

    /// The whole position as JSON, which [`single_from_position`](trait.AnyGame.html#method.single_from_position) reads.
    pub fn position(&self) -> Value {
        self.game.state_to_json(&self.state)
    }
    /// The environment, its version, its options and the position as JSON, without history; `games::from_json` of the
    /// crate `ludovec` reads it. Python's `Game.to_json` returns the same as text.
    pub fn to_json(&self) -> Value {
        let spec = self.game.spec();
        json!({
            "env": spec.env,
            "version": spec.version,
            "options": spec.options,
            "position": self.position(),
        })
    }
    /// The position as bytes: equal for equal positions of the same environment, version and options.
    pub fn position_bytes(&self) -> Vec<u8> {
        self.game.position_bytes(&self.state)
    }

    /// The random stream of the game and its position.
    pub fn stream(&self) -> (StreamId, u64) {
        (self.chance.id(), self.chance.position())
    }
    /// Continues chance from another position, of the same stream or another one.
    pub fn set_stream(&mut self, id: StreamId, position: u64) {
        self.chance = SeededChance::at(id, position);
    }

    /// Number of steps played.
    pub fn steps(&self) -> usize {
        self.history.len()
    }
    /// The current turn or round, from 1, if the game counts them.
    pub fn turn(&self) -> Option<u32> {
        self.game.turn(&self.state)
    }
    /// The steps so far, in words.
    pub fn log(&self) -> Vec<LogEntry> {
        let entry = |step: &ErasedStep| LogEntry {
            player: step.player,
            action: step.action,
            label: self.game.action_to_string(&step.before, step.action),
            object: self.game.action_to_json(&step.before, step.action),
            chance: step.chance.clone(),
        };
        self.history.from(0).into_iter().map(entry).collect()
    }
    /// The record of the game so far.
    pub fn record(&self) -> Record {
        let spec = self.game.spec();
        let steps = self.history.from(self.redrawn);
        let first = steps.first().map_or(&self.state, |step| &step.before);
        let stream = self.whole_stream();
        let scripted = stream.is_none() && steps.iter().any(|step| !step.chance.is_empty());
        Record {
            env: spec.env.into(),
            version: spec.version,
            options: serde_json::to_value(&spec.options).expect("options are plain values"),
            position: (!self.drawn).then(|| self.game.state_to_json(first)),
            setup: self.setup.to_vec(),
            stream,
            chance: if scripted { steps.iter().map(|h| h.chance.clone()).collect() } else { Vec::new() },
            names: self.names.to_vec(),
            players: steps.iter().map(|h| h.player).collect(),
            actions: steps.iter().map(|h| h.action).collect(),
            labels: steps.iter().map(|h| self.game.action_to_string(&h.before, h.action)).collect(),
            estimates: Vec::new(),
            scores: self.scores(),
            returns: (self.status() == Status::Terminated).then(|| self.returns()),
            result: self.result_here().map(<[f32]>::to_vec),
            variations: Vec::new(),
        }
    }

    /// The acting seat and a description of each step from step `first` on, as observed by `seat` (`None`:
    /// everything); see [`Words::describe_step`](crate::Words::describe_step).
    pub fn narrate(&self, first: usize, seat: Option<usize>) -> Vec<(usize, String)> {
        let steps = self.history.from(first).into_iter();
        let names = self.names();
        steps.map(|step| (step.player, self.game.describe_step(step, seat, &names))).collect()
    }

    /// Sets the outcome, by seat in [-1, 1], that ends the game here without the rules: resignation, agreement,
    /// adjudication. The game stays in progress; [`Record::result`](crate::Record) has it until the next step.
    ///
    /// # Errors
    /// [`Error::Refused`] if the game is over;
    /// [`Error::InvalidConfig`] unless there is one number in [-1, 1] per seat.
    pub fn set_result(&mut self, returns: &[f32]) -> Result<()> {
        if self.status() != Status::Running {
            return Err(Error::game_over("the rules gave its outcome"));
        }
        let players = self.game.spec().players;
        if returns.len() != players || !returns.iter().all(|value| (-1.0..=1.0).contains(value)) {
            return Err(Error::config(format!(
                "result={returns:?}: {players} numbers from -1 to 1 are needed"
            )));
        }
        self.result = Some((self.history.len(), returns.into()));
        Ok(())
    }
}
