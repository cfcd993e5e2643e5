//! Bots that every game has, and how a bot that is given by name chooses.

use std::sync::Arc;

use crate::engine::contract::chance::{Chance, SeededChance};
use crate::engine::contract::error::{Error, Result};
use crate::engine::contract::guide::Bot;
use crate::engine::contract::{Game, mask};
use crate::engine::faces::analysis::Analysis;
use crate::engine::faces::interrupt::Interrupt;
use crate::engine::search::playouts::{Limits, Lookahead, search_by_playouts};
use crate::engine::search::rating::rate_actions;

/// The bots that play any game.
pub const GENERIC_BOTS: [(&str, &str); 5] = [
    ("random", "plays uniformly at random"),
    ("greedy", "plays the action after which, with its turn finished at random, its lead is largest"),
    ("pass", "does nothing where the rules allow that, else plays at random: the move of a bot that fails"),
    ("flat", "Monte Carlo search one action deep; flat:500 makes 500 playouts, 200 by default"),
    ("search", "tree search by playouts; search:500 makes 500 playouts, 200 by default"),
];

/// Playouts of a search whose name gives no number.
const DEFAULT_PLAYOUTS: u32 = 200;
/// Limit of the number that a bot's name may ask for.
const MAX_PLAYOUTS: u32 = 100_000_000;

/// A bot of the engine or of the game, which decides for a seat.
pub(crate) enum Policy<G: Game> {
    Random,
    Greedy,
    Pass,
    Search { lookahead: Lookahead, playouts: u32 },
    Named(&'static Bot<G>),
}

impl<G: Game> Clone for Policy<G> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<G: Game> Copy for Policy<G> {}

impl<G: Game> Policy<G> {
    /// The bot called `name`.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] lists the bots of the game.
    pub(crate) fn find(name: &str) -> Result<Self> {
        let (word, number) = name.split_once(':').map_or((name, None), |(word, n)| (word, Some(n)));
        let policy = match word {
            "flat" => return Ok(Self::Search { lookahead: Lookahead::OneAction, playouts: playouts(name)? }),
            "search" => return Ok(Self::Search { lookahead: Lookahead::Tree, playouts: playouts(name)? }),
            _ if number.is_some() => None,
            "random" => Some(Self::Random),
            "greedy" => Some(Self::Greedy),
            "pass" => Some(Self::Pass),
            _ => G::bots().iter().find(|b| b.name == name).map(Self::Named),
        };
        policy.ok_or_else(|| {
            let names: Vec<_> = bot_list::<G>().into_iter().map(|(name, _)| name).collect();
            Error::config(format!("unknown bot {name:?}: the bots of {} are {}", G::ID, names.join(", ")))
        })
    }

    /// Whether a single choice takes so long that it is a task of its own.
    pub(crate) fn is_slow(self) -> bool {
        matches!(self, Self::Search { .. })
    }

    /// Picks one of the actions in `mask`, of which there is at least one. Once `interrupt` is raised the number
    /// returned has no meaning.
    pub(crate) fn choose(
        self,
        game: &Arc<G>,
        state: &G::State,
        mask: &[u64],
        chance: &mut SeededChance,
        interrupt: &Interrupt,
    ) -> u32 {
        match self {
            Self::Random => mask::at_random(mask, chance),
            Self::Greedy => greedy(&**game, state, mask, chance),
            Self::Pass => game
                .pass(state)
                .filter(|&a| mask::contains(mask, a))
                .unwrap_or_else(|| mask::at_random(mask, chance)),
            Self::Search { lookahead, playouts } => {
                // A position with a single legal action needs no search.
                let limits = Limits { lookahead, playouts, least_actions: 2 };
                search_by_playouts(game, state, limits, chance, interrupt).action()
            }
            Self::Named(bot) => (bot.act)(game, state, mask, chance),
        }
    }

    /// What a bot tries first that plays something else where that is refused.
    pub(crate) fn tries(self, game: &G, state: &G::State, chance: &mut SeededChance) -> Option<u32> {
        match self {
            Self::Named(bot) => bot.tries.map(|tries| tries(game, state, chance)),
            _ => None,
        }
    }

    /// The bot's analysis of a position, if it is one that searches. Once `interrupt` is raised the analysis says
    /// nothing.
    pub(crate) fn analyse(
        self,
        game: &Arc<G>,
        state: &G::State,
        chance: &mut SeededChance,
        interrupt: &Interrupt,
    ) -> Option<Analysis> {
        match self {
            Self::Search { lookahead, playouts } => {
                let limits = Limits { lookahead, playouts, least_actions: 1 };
                Some(search_by_playouts(game, state, limits, chance, interrupt).analysis())
            }
            _ => None,
        }
    }
}

/// Playouts that the bot called `name` makes for a choice; 0 of a bot that does not search.
///
/// # Errors
/// [`Error::InvalidConfig`] for a number that is none, or out of range.
pub fn playouts(name: &str) -> Result<u32> {
    let (word, number) = name.split_once(':').map_or((name, None), |(word, n)| (word, Some(n)));
    if !["flat", "search"].contains(&word) {
        return Ok(0);
    }
    let Some(number) = number else { return Ok(DEFAULT_PLAYOUTS) };
    number.parse().ok().filter(|n| (1..=MAX_PLAYOUTS).contains(n)).ok_or_else(|| {
        Error::config(format!("bot {name:?}: 1 to {MAX_PLAYOUTS} playouts are allowed, as in \"search:500\""))
    })
}

/// Names and descriptions of all bots of a game.
pub(crate) fn bot_list<G: Game>() -> Vec<(&'static str, &'static str)> {
    GENERIC_BOTS.into_iter().chain(G::bots().iter().map(|b| (b.name, b.help))).collect()
}

fn greedy<G: Game>(game: &G, state: &G::State, mask: &[u64], chance: &mut SeededChance) -> u32 {
    let mut best = (f32::NEG_INFINITY, 0);
    let mut ties = 0;
    for (action, value) in rate_actions(game, state, mask, G::estimate, chance) {
        if value > best.0 {
            best = (value, action);
            ties = 1;
        } else if value == best.0 {
            ties += 1;
            if chance.uniform(ties) == 0 {
                best.1 = action;
            }
        }
    }
    best.1
}
