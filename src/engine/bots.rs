//! Bots that every game has, and how a bot that is given by name chooses.

use super::chance::{Chance, SeededChance, StreamId};
use super::error::{Error, Result};
use super::game::{Bot, Game, Status};
use super::interrupt::Interrupt;
use super::mask;
use super::reward::outcome_from_ranks;
use super::search::{Method, search};
use super::spec::MAX_PLAYERS;

/// The bots that play any game.
pub const GENERIC_BOTS: [(&str, &str); 5] = [
    ("random", "plays uniformly at random"),
    ("greedy", "plays the action after which, with its turn finished at random, its lead is largest"),
    ("pass", "does nothing where the rules allow that, else plays at random: the move of a bot that fails"),
    ("flat", "flat Monte Carlo search; flat:500 makes 500 playouts, 200 by default"),
    ("search", "UCT search over determinisations; search:500 makes 500 playouts, 200 by default"),
];

/// Playouts of a search whose name gives no number.
const DEFAULT_PLAYOUTS: u32 = 200;
/// More than anybody waits for.
const MAX_PLAYOUTS: u32 = 100_000_000;

/// How often an unfinished turn is played to its end to see what an action leads to.
const FINISHES: u32 = 4;
/// A turn that is longer than this is judged where it stands.
const LONGEST_FINISH: u32 = 50;

/// Keeps the streams of bots apart from those of play and of action samples.
const BOT_SALT: u64 = 0x0000_0000_626f_7421;

/// What a bot draws from; `episode` counts what the bots of a game were asked.
pub(super) fn bot_chance(id: StreamId) -> SeededChance {
    SeededChance::new(StreamId { seed: id.mix(BOT_SALT), ..id })
}

/// What winning adds to a lead: more than any estimate.
pub(super) const DECIDED: f32 = 1e6;

/// Who decides for a seat.
pub(super) enum Policy<G: Game> {
    Random,
    Greedy,
    Pass,
    Search { method: Method, playouts: u32 },
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
    pub(super) fn find(name: &str) -> Result<Self> {
        let (word, number) = name.split_once(':').map_or((name, None), |(word, n)| (word, Some(n)));
        let policy = match word {
            "flat" => return Ok(Self::Search { method: Method::Flat, playouts: playouts(name)? }),
            "search" => return Ok(Self::Search { method: Method::Uct, playouts: playouts(name)? }),
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
    pub(super) fn is_slow(self) -> bool {
        matches!(self, Self::Search { .. })
    }

    /// Picks one of the actions in `mask`, of which there is at least one; any number once `interrupt` is raised.
    pub(super) fn choose(
        self,
        game: &G,
        state: &G::State,
        mask: &[u64],
        chance: &mut SeededChance,
        interrupt: &Interrupt,
    ) -> u32 {
        match self {
            Self::Random => at_random(mask, chance),
            Self::Greedy => greedy(game, state, mask, chance),
            Self::Pass => game
                .pass(state)
                .filter(|&a| mask::contains(mask, a))
                .unwrap_or_else(|| at_random(mask, chance)),
            Self::Search { method, playouts } => {
                search(method, playouts, game, state, mask, chance, interrupt)
            }
            Self::Named(bot) => (bot.act)(game, state, mask, chance),
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
pub(super) fn bot_list<G: Game>() -> Vec<(&'static str, &'static str)> {
    GENERIC_BOTS.into_iter().chain(G::bots().iter().map(|b| (b.name, b.help))).collect()
}

/// One of the actions in `mask`, of which there is at least one, each as likely.
pub(super) fn at_random(mask: &[u64], chance: &mut impl Chance) -> u32 {
    let rank = chance.uniform(mask::count(mask));
    mask::select(mask, rank).expect("the rank is below the count")
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

/// Every action in `mask` with the lead it gives the seat to move at the end of its turn.
pub(super) fn rate_actions<G: Game>(
    game: &G,
    state: &G::State,
    mask: &[u64],
    worth: Worth<G>,
    chance: &mut SeededChance,
) -> Vec<(u32, f32)> {
    let seat = game.current_player(state);
    // A bot that looks at the real state would see hidden cards.
    let state = game.determinize(state, seat, chance);
    let mut row = vec![0; mask.len()];
    let mut rate = |action| {
        let mut next = state;
        game.step(&mut next, action, chance);
        if !is_to_move(game, &next, seat) {
            return lead(game, &next, seat, worth);
        }
        let mut sum = 0.0;
        for _ in 0..FINISHES {
            let mut end = next;
            let mut decisions = 0;
            while is_to_move(game, &end, seat) && decisions < LONGEST_FINISH {
                game.legal(&end, &mut row);
                game.step(&mut end, at_random(&row, chance), chance);
                decisions += 1;
            }
            sum += lead(game, &end, seat, worth);
        }
        sum / FINISHES as f32
    };
    mask::iter(mask).map(|action| (action, rate(action))).collect()
}

/// Whether the game goes on with a decision of `seat`.
pub(super) fn is_to_move<G: Game>(game: &G, state: &G::State, seat: usize) -> bool {
    game.status(state) == Status::Running && game.current_player(state) == seat
}

/// What a position is worth to every seat: [`Game::estimate`] or [`Game::outlook`].
pub(super) type Worth<G> = fn(&G, &<G as Game>::State, &mut [f32]);

/// How far `seat` is ahead of the mean of the others; a finished game counts more than any estimate.
pub(super) fn lead<G: Game>(game: &G, state: &G::State, seat: usize, worth: Worth<G>) -> f32 {
    let players = game.spec().players;
    let mut values = [0.0; MAX_PLAYERS];
    let values = &mut values[..players];
    worth(game, state, values);
    let others = values.iter().sum::<f32>() - values[seat];
    let lead = values[seat] - others / (players - 1).max(1) as f32;
    if players == 1 || game.status(state) != Status::Terminated {
        return lead;
    }
    let mut ranks = [0; MAX_PLAYERS];
    game.ranks(state, &mut ranks[..players]);
    outcome_from_ranks(&ranks[..players], values);
    lead + DECIDED * values[seat]
}
