//! Bots for every game, and the choice of a bot given by name.

use std::sync::Arc;

use crate::contract::chance::{Chance, SeededChance};
use crate::contract::support::error::{Error, Result};
use crate::contract::support::similar::did_you_mean;
use crate::contract::{Game, mask};
use crate::dynamic::analysis::Analysis;
use crate::dynamic::any_game::AnyGame;
use crate::dynamic::interrupt::Interrupt;
use crate::dynamic::tree_search::SearchSettings;
use crate::search::playout_bots::{Limits, Lookahead, Searched, search_by_playouts};
use crate::search::rating::rate_actions;

/// Bots that play any game.
pub const GENERIC_BOTS: [(&str, &str); 5] = [
    ("random", "plays uniformly at random"),
    ("greedy", "plays the action after which, with its turn finished at random, its lead is largest"),
    ("pass", "does nothing where the rules allow that, else plays at random: the move of a bot that fails"),
    ("flat", "Monte Carlo search one action deep; flat:500 makes 500 playouts, 200 by default"),
    ("search", "tree search by playouts; search:500 makes 500 playouts, 200 by default"),
];

/// Number of playouts if the bot's name gives none.
const DEFAULT_PLAYOUTS: u32 = 200;
/// Upper limit of the number in a bot's name.
const MAX_PLAYOUTS: u32 = 100_000_000;
/// The end of the name of a player that searches with the noise of self-play.
pub const EXPLORE: &str = "?explore";

/// A bot of the engine or of the game.
#[derive(Debug, Clone, Copy)]
pub enum NamedBot {
    Random,
    Greedy,
    Pass,
    Search(Limits),
    /// The game's bot with this index in [`Guide::bot_names`](crate::Guide::bot_names).
    Own(usize),
}

impl NamedBot {
    /// The bot of `game` called `name`.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] lists the bots of the game.
    pub(crate) fn find(game: &dyn AnyGame, name: &str) -> Result<Self> {
        if let Some(limits) = limits(name)? {
            return Ok(Self::Search(limits));
        }
        let (word, number) = name.split_once(':').map_or((name, None), |(word, n)| (word, Some(n)));
        let bot = match word {
            _ if number.is_some() => None,
            "random" => Some(Self::Random),
            "greedy" => Some(Self::Greedy),
            "pass" => Some(Self::Pass),
            _ => game.bots()[GENERIC_BOTS.len()..].iter().position(|bot| bot.0 == name).map(Self::Own),
        };
        bot.ok_or_else(|| {
            let names: Vec<_> = game.bots().into_iter().map(|(name, _)| name).collect();
            let (env, meant) = (game.spec().env, did_you_mean(name, &names));
            Error::config(format!("unknown bot {name:?}{meant}: the bots of {env} are {}", names.join(", ")))
        })
    }

    /// Whether a single choice is slow enough to be a task of its own.
    pub(crate) fn is_slow(self) -> bool {
        matches!(self, Self::Search(_))
    }

    /// Picks one of the actions in `mask`, which must not be empty. After `interrupt` is raised, the result is
    /// meaningless.
    pub(crate) fn choose<G: Game>(
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
            Self::Search(limits) => {
                // A position with a single legal action needs no search.
                let limits = Limits { least_actions: 2, ..limits };
                search_by_playouts(game, state, limits, chance, interrupt).action()
            }
            Self::Own(bot) => game.bot_action(bot, state, mask, chance),
        }
    }

    /// The first attempt of a bot that plays another action if its first attempt is refused.
    pub(crate) fn first_attempt<G: Game>(
        self,
        game: &G,
        state: &G::State,
        chance: &mut SeededChance,
    ) -> Option<u32> {
        match self {
            Self::Own(bot) => game.bot_attempt(bot, state, chance),
            _ => None,
        }
    }

    /// The bot's search of a position, or `None` if the bot does not search. After `interrupt` is raised, the result is
    /// meaningless.
    pub(crate) fn search<G: Game>(
        self,
        game: &Arc<G>,
        state: &G::State,
        chance: &mut SeededChance,
        interrupt: &Interrupt,
    ) -> Option<Searched<G>> {
        match self {
            Self::Search(limits) => Some(search_by_playouts(game, state, limits, chance, interrupt)),
            _ => None,
        }
    }

    /// The bot's analysis of a position; as [`NamedBot::search`].
    pub(crate) fn analyse<G: Game>(
        self,
        game: &Arc<G>,
        state: &G::State,
        chance: &mut SeededChance,
        interrupt: &Interrupt,
    ) -> Option<Analysis> {
        Some(self.search(game, state, chance, interrupt)?.analysis())
    }
}

/// Number of playouts per choice of the bot called `name`; 0 if the bot does not search.
///
/// # Errors
/// [`Error::InvalidConfig`] if the number is malformed or out of range.
pub fn playout_count(name: &str) -> Result<u32> {
    let name = name.strip_suffix(EXPLORE).unwrap_or(name);
    let (word, number) = name.split_once(':').map_or((name, None), |(word, n)| (word, Some(n)));
    if !["flat", "search"].contains(&word) {
        return Ok(0);
    }
    let Some(number) = number else { return Ok(DEFAULT_PLAYOUTS) };
    number.parse().ok().filter(|n| (1..=MAX_PLAYOUTS).contains(n)).ok_or_else(|| {
        Error::config(format!("bot {name:?}: 1 to {MAX_PLAYOUTS} playouts are allowed, as in \"search:500\""))
    })
}

/// The settings of the tree search that the bot called `name` runs, with leaves evaluated by
/// [`Evaluator::Playout`](crate::Evaluator); `None` if the bot does not search.
///
/// # Errors
/// As for [`playout_count`].
///
/// ```
/// use ludovec_engine::playout_settings;
/// assert_eq!(playout_settings("search:50")?.map(|settings| settings.simulations), Some(50));
/// assert_eq!(playout_settings("greedy")?, None);
/// # Ok::<(), ludovec_engine::Error>(())
/// ```
pub fn playout_settings(name: &str) -> Result<Option<SearchSettings>> {
    Ok(limits(name)?.map(Limits::settings))
}

/// The limits of the search of the bot called `name`; `None` if it does not search.
fn limits(name: &str) -> Result<Option<Limits>> {
    let lookahead = if name.starts_with("flat") { Lookahead::OneAction } else { Lookahead::Tree };
    let (playouts, explores) = (playout_count(name)?, name.ends_with(EXPLORE));
    Ok((playouts > 0).then_some(Limits { lookahead, playouts, explores, least_actions: 1 }))
}

/// Names and descriptions of all bots of a game.
pub(crate) fn bot_list<G: Game>(game: &G) -> Vec<(&'static str, &'static str)> {
    GENERIC_BOTS.into_iter().chain(game.bot_names()).collect()
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
