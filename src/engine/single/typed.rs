//! A single game of a known type.

use std::sync::Arc;

use crate::contract::chance::{SeededChance, StreamId};
use crate::contract::options::CommonOptions;
use crate::contract::rules::{Rules, Status};
use crate::contract::spec::{ActionId, MAX_PLAYERS};
use crate::contract::support::error::{Error, Refusal, Result};
use crate::contract::{Game, mask};
use crate::transition::{self, Transition};

/// A single game of a known type: the compiler sees the rules behind every call, and the state has its own type.
///
/// [`SingleGame`](crate::SingleGame) has histories, texts and drawings for any game; this one is for loops of your own,
/// such as playouts. [`BatchEnv`](crate::BatchEnv) and [`Forest`](crate::Forest) are batches and searches of a known
/// type.
///
/// ```
/// use std::sync::Arc;
/// use ludovec_engine::{Game, Status, TypedGame};
///
/// /// The results of a game in which everybody plays the first legal action.
/// fn first_actions<G: Game>(rules: Arc<G>) -> Vec<f32> {
///     let mut game = TypedGame::new(rules, 0);
///     while game.status() == Status::Running {
///         let action = game.legal_actions().next().expect("a running game has one");
///         game.step(action).expect("it is legal");
///     }
///     game.returns().to_vec()
/// }
/// ```
#[derive(Clone)]
pub struct TypedGame<G: Game> {
    rules: Arc<G>,
    state: G::State,
    chance: SeededChance,
    common: CommonOptions,
    /// Number of decisions.
    length: u32,
    status: Status,
    rewards: [f32; MAX_PLAYERS],
    returns: [f32; MAX_PLAYERS],
    mask: Vec<u64>,
}

impl<G: Game> std::fmt::Debug for TypedGame<G> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TypedGame")
            .field("env", &Rules::spec(&*self.rules).env)
            .field("state", &self.state)
            .field("length", &self.length)
            .finish_non_exhaustive()
    }
}

impl<G: Game> TypedGame<G> {
    /// A new game, identical to `rules.single(seed)` and to game 0 of a batch with this seed.
    pub fn new(rules: Arc<G>, seed: u64) -> Self {
        let mut chance = SeededChance::new(StreamId { seed, game: 0, episode: 0 });
        let state = rules.init(&mut chance);
        Self::from_state(rules, state, chance)
    }
    /// A game that begins at `state` and draws from `chance`.
    pub fn from_state(rules: Arc<G>, state: G::State, chance: SeededChance) -> Self {
        let spec = Rules::spec(&*rules);
        let (common, words) = (CommonOptions::read(&spec.options), spec.mask_words());
        let status = rules.status(&state);
        let mut game = Self {
            rules,
            state,
            chance,
            common,
            length: 0,
            status,
            rewards: [0.0; MAX_PLAYERS],
            returns: [0.0; MAX_PLAYERS],
            mask: vec![0; words],
        };
        game.write_mask();
        game
    }
    fn write_mask(&mut self) {
        self.mask.fill(0);
        if self.status == Status::Running {
            self.rules.legal(&self.state, &mut self.mask);
        }
    }
    /// The rules.
    pub fn rules(&self) -> &Arc<G> {
        &self.rules
    }
    /// The true state.
    pub fn state(&self) -> &G::State {
        &self.state
    }
    /// Whether the game goes on; truncated by the option `max_steps`, too.
    pub fn status(&self) -> Status {
        self.status
    }
    /// The current player.
    pub fn current_player(&self) -> usize {
        self.rules.current_player(&self.state)
    }
    /// The legal actions as bits; none if the game is over.
    pub fn mask(&self) -> &[u64] {
        &self.mask
    }
    /// The legal actions in increasing order; none if the game is over.
    pub fn legal_actions(&self) -> impl Iterator<Item = ActionId> + '_ {
        mask::iter(&self.mask)
    }
    /// Plays an action and returns the rewards of the step by seat.
    ///
    /// # Errors
    /// [`Error::Refused`] if the game is over or the action is illegal; nothing has changed then.
    pub fn step(&mut self, action: ActionId) -> Result<&[f32]> {
        if self.status != Status::Running {
            return Err(Refusal::game_over("no action is legal any more").into());
        }
        if !mask::contains(&self.mask, action) {
            let actions = Rules::spec(&*self.rules).num_actions;
            return Err(if action < actions {
                self.rules.explain_illegal(&self.state, action).into()
            } else {
                Error::illegal(format!("action {action}: actions are 0 to {}", actions - 1))
            });
        }
        self.length += 1;
        let Transition { status, rewards, returns } = transition::step(
            &*self.rules,
            &self.common,
            &mut self.state,
            action,
            self.length,
            &mut self.chance,
        );
        (self.status, self.rewards, self.returns) = (status, rewards, returns);
        self.write_mask();
        Ok(&self.rewards[..self.players()])
    }
    /// The outcome of a game that has ended, from -1 to 1 by seat; 0 before and after a truncation.
    pub fn returns(&self) -> &[f32] {
        &self.returns[..self.players()]
    }
    /// The scores by seat.
    pub fn scores(&self) -> Vec<f32> {
        let mut scores = vec![0.0; self.players()];
        self.rules.scores(&self.state, &mut scores);
        scores
    }
    fn players(&self) -> usize {
        Rules::spec(&*self.rules).players
    }
}
