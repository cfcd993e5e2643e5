//! Bots that every game has, and how a named bot chooses.

use super::chance::Chance;
use super::error::{Error, Result};
use super::game::{Bot, Game, Status};
use super::mask;
use super::reward::outcome_from_ranks;
use super::spec::MAX_PLAYERS;

/// The bots that play any game.
pub const GENERIC_BOTS: [(&str, &str); 2] = [
    ("random", "plays uniformly at random"),
    ("greedy", "plays the action after which its score lead is largest, ties at random"),
];

/// Who decides for a seat.
pub(super) enum Policy<G: Game> {
    Random,
    Greedy,
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
        match name {
            "random" => Ok(Self::Random),
            "greedy" => Ok(Self::Greedy),
            _ => G::bots().iter().find(|b| b.name == name).map(Self::Named).ok_or_else(|| {
                let names: Vec<_> = bot_list::<G>().into_iter().map(|(name, _)| name).collect();
                Error::config(format!("unknown bot {name:?}: the bots of {} are {}", G::ID, names.join(", ")))
            }),
        }
    }

    /// Picks one of the actions in `mask`, of which there is at least one.
    pub(super) fn choose(self, game: &G, state: &G::State, mask: &[u64], chance: &mut dyn Chance) -> u32 {
        match self {
            Self::Random => {
                let rank = chance.uniform(mask::count(mask));
                mask::select(mask, rank).expect("the rank is below the count")
            }
            Self::Greedy => greedy(game, state, mask, chance),
            Self::Named(bot) => (bot.act)(game, state, mask, chance),
        }
    }
}

/// Names and descriptions of all bots of a game.
pub(super) fn bot_list<G: Game>() -> Vec<(&'static str, &'static str)> {
    GENERIC_BOTS.into_iter().chain(G::bots().iter().map(|b| (b.name, b.help))).collect()
}

fn greedy<G: Game>(game: &G, state: &G::State, mask: &[u64], chance: &mut dyn Chance) -> u32 {
    let seat = game.current_player(state);
    // A bot that looks at the real state would see hidden cards.
    let state = game.determinize(state, seat, chance);
    let mut best = (f32::NEG_INFINITY, 0);
    let mut ties = 0;
    for action in mask::iter(mask) {
        let mut next = state;
        game.step(&mut next, action, chance);
        let value = lead(game, &next, seat);
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

/// How far `seat` is ahead of the best other seat; a finished game counts more than any score.
fn lead<G: Game>(game: &G, state: &G::State, seat: usize) -> f32 {
    let players = game.spec().players;
    let mut scores = [0.0; MAX_PLAYERS];
    game.scores(state, &mut scores[..players]);
    let rival = (0..players).filter(|&p| p != seat).map(|p| scores[p]).fold(f32::NEG_INFINITY, f32::max);
    let score = if players == 1 { scores[0] } else { scores[seat] - rival };
    if players == 1 || game.status(state) != Status::Terminated {
        return score;
    }
    let mut ranks = [0; MAX_PLAYERS];
    let mut returns = [0.0; MAX_PLAYERS];
    game.ranks(state, &mut ranks[..players]);
    outcome_from_ranks(&ranks[..players], &mut returns[..players]);
    score + 1e6 * returns[seat]
}
