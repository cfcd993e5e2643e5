//! Aids for players of a game: estimates, bots, symmetries.

use serde::{Deserialize, Serialize};

use crate::contract::chance::Chance;
use crate::contract::rules::Rules;
use crate::contract::spec::ActionId;

/// The first action that a bot attempts in a state; the action can be illegal.
pub type Attempt<G> = fn(&G, &<G as Rules>::State, &mut dyn Chance) -> u32;

/// A bot of a game.
///
/// A bot may use only the information state of its player: hidden parts of the state must not influence it.
pub struct Bot<G: Rules> {
    /// Its name on command lines.
    pub name: &'static str,
    /// One sentence on how it plays.
    pub help: &'static str,
    /// Chooses one of the legal actions in `mask`; draws randomness from `chance`.
    pub act: fn(&G, &G::State, mask: &[u64], chance: &mut dyn Chance) -> u32,
    /// Optional first attempt, legal or not, of a bot that plays another action if the attempt is refused; for logs.
    /// `chance` yields the same numbers as in `act`.
    pub tries: Option<Attempt<G>>,
}

impl<G: Rules> std::fmt::Debug for Bot<G> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bot").field("name", &self.name).field("help", &self.help).finish_non_exhaustive()
    }
}

/// A symmetry of the rules, for data augmentation: applying both permutations to an observation and an action gives
/// an equivalent game.
///
/// ```
/// use ludovec_engine::Symmetry;
/// let mirror = Symmetry { name: "mirror".into(), observation: vec![2, 1, 0], action: vec![1, 0] };
/// let seen = [7, 8, 9];
/// let mirrored: Vec<u8> = mirror.observation.iter().map(|&from| seen[from as usize]).collect();
/// assert_eq!(mirrored, [9, 8, 7]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symmetry {
    /// Its name.
    pub name: String,
    /// Element `i` of the transformed observation is element `observation[i]` of the original.
    pub observation: Vec<u32>,
    /// Action `a` of the original position is action `action[a]` of the transformed one.
    pub action: Vec<ActionId>,
}

/// Aids for players of a game. Everything has a default: the score as the estimate, no bots, no symmetries.
///
/// ```
/// use ludovec_engine::{Bot, Dialect, Guide, Picture, Words};
/// # mod nim { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/nim.rs")); }
/// # use nim::*;
///
/// impl Guide for Nim {
///     fn bots() -> &'static [Bot<Self>] {
///         const EXACT: Bot<Nim> = Bot {
///             name: "exact",
///             help: "leaves a multiple of four, if it can",
///             act: |_, state, _, _| u32::from((state.left % 4).max(1)) - 1,
///             tries: None,
///         };
///         &[EXACT]
///     }
/// }
/// # impl Words for Nim {}
/// # impl Picture for Nim {}
/// # impl Dialect for Nim {}
/// # let game: Arc<dyn AnyGame> = Arc::new(Nim::new(&options()));
///
/// let mut game = game.single(0);
/// assert_eq!(game.bot_action("exact")?, 0); // 21 - 1 = 20
/// # Ok::<(), Error>(())
/// ```
pub trait Guide: Rules {
    /// Heuristic evaluation: writes an estimate for each player in a running game, on any scale. Generic bots use it.
    /// The default is the score.
    fn estimate(&self, state: &Self::State, out: &mut [f32]) {
        self.scores(state, out);
    }
    /// Long-term heuristic evaluation: writes an estimate for each player beyond the next few turns, on the scale of
    /// [`Guide::estimate`]. It may be slower. Search evaluates the ends of its playouts with it. The default is the
    /// estimate.
    fn outlook(&self, state: &Self::State, out: &mut [f32]) {
        self.estimate(state, out);
    }
    /// The pass action, if the rules have one. A bot that fails to answer plays it.
    fn pass(&self, _state: &Self::State) -> Option<ActionId> {
        None
    }
    /// The bots of this game; `random` and `greedy` exist for every game and are not listed here.
    #[must_use]
    fn bots() -> &'static [Bot<Self>] {
        &[]
    }
    /// Names and descriptions of the bots. A game whose bots are known only while the program runs overrides this
    /// method and [`Guide::bot_action`] instead of [`Guide::bots`].
    fn bot_names(&self) -> Vec<(&'static str, &'static str)> {
        Self::bots().iter().map(|bot| (bot.name, bot.help)).collect()
    }
    /// The action of bot `bot`, an index in [`Guide::bot_names`].
    fn bot_action(&self, bot: usize, state: &Self::State, mask: &[u64], chance: &mut dyn Chance) -> ActionId {
        (Self::bots()[bot].act)(self, state, mask, chance)
    }
    /// The first attempt of bot `bot` ([`Bot::tries`]), if it has one.
    fn bot_attempt(&self, bot: usize, state: &Self::State, chance: &mut dyn Chance) -> Option<ActionId> {
        Some(Self::bots().get(bot)?.tries?(self, state, chance))
    }
    /// The symmetries of the rules, the identity first; empty if there are none.
    fn symmetries(&self) -> Vec<Symmetry> {
        Vec::new()
    }
}
