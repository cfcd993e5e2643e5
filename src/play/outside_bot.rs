//! The trait of bots outside the engine: code of the caller, or another program.

use std::path::Path;

use super::language_model::Usage;
use crate::engine::{ActionId, Analysis, Found, Interrupt, Result, SingleGame, VectorEnv};

/// An action or an error message, and the findings of the bot if it tells.
pub type Answer = Result<(u32, Option<Found>), String>;

/// A bot outside the engine. [`Player::outside`](crate::player::Player::outside) makes a player of it.
///
/// ```
/// use ludovec_engine::{Interrupt, SingleGame};
/// use ludovec_play::{outside_bot::OutsideBot, player::Player};
///
/// /// Plays the action whose text comes first in the alphabet.
/// struct Alphabetic;
///
/// impl OutsideBot for Alphabetic {
///     fn choose(&mut self, games: &[&SingleGame], _: &Interrupt) -> Vec<Result<u32, String>> {
///         let first = |game: &&SingleGame| {
///             let legal = game.legal_actions().into_iter();
///             legal.min_by_key(|&action| game.action_to_string(action).ok()).ok_or("no action".to_string())
///         };
///         games.iter().map(first).collect()
///     }
/// }
///
/// let game = ludovec_games::find("chess")?.make([])?.single(0);
/// let decision = Player::outside("alphabetic", Alphabetic).act(&game, &Interrupt::default())?;
/// assert_eq!(game.action_to_string(decision.action)?, "a2a3");
/// # Ok::<(), ludovec_engine::Error>(())
/// ```
pub trait OutsideBot: Send {
    /// Chooses an action in every one of `games`, or returns an error message. The bot is the current player in each
    /// of them.
    ///
    /// An illegal action counts as a fault; the bot need not check for it. After `interrupt` is raised the answers
    /// are not used: a slow bot should then skip the remaining games.
    fn choose(&mut self, games: &[&SingleGame], interrupt: &Interrupt) -> Vec<Result<u32, String>>;

    /// The same in the games `ids` of a batch, interruptible by the batch's [interrupt](VectorEnv::interrupt). A bot
    /// that reads rows of observations and masks overrides this and [`OutsideBot::rows`].
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](crate::engine::Error::InvalidConfig) for an id out of range.
    fn choose_in(&mut self, env: &dyn VectorEnv, ids: &[u32]) -> Result<Vec<Result<u32, String>>> {
        let games = ids.iter().map(|&id| env.single(id)).collect::<Result<Vec<_>>>()?;
        let games: Vec<&SingleGame> = games.iter().collect();
        Ok(self.choose(&games, env.interrupt()))
    }

    /// [`OutsideBot::choose_in`] with the findings of the bot in each game.
    ///
    /// # Errors
    /// As for [`OutsideBot::choose_in`].
    fn answer_in(&mut self, env: &dyn VectorEnv, ids: &[u32]) -> Result<Vec<Answer>> {
        let alone = |answer: Result<u32, String>| answer.map(|action| (action, None));
        Ok(self.choose_in(env, ids)?.into_iter().map(alone).collect())
    }

    /// The bot's analysis of a running game; `None` if it only chooses actions.
    fn analyse(&mut self, game: &SingleGame, interrupt: &Interrupt) -> Option<Result<Analysis>> {
        let _ = (game, interrupt);
        None
    }

    /// [`OutsideBot::analyse`] with a value for every legal action, by `effort` times its usual simulations.
    fn advise(&mut self, game: &SingleGame, effort: u32, interrupt: &Interrupt) -> Option<Result<Analysis>> {
        let _ = effort;
        self.analyse(game, interrupt)
    }

    /// Whether the bot reads the moves of games in batches, and not only their positions. If so, it hears of all moves
    /// by [`OutsideBot::note_moves`].
    fn reads_moves(&self) -> bool {
        false
    }

    /// Tells the bot of the moves that a batch is about to make: `actions[k]` in game `ids[k]`, of any player.
    ///
    /// # Errors
    /// As for [`VectorEnv::single`].
    fn note_moves(&mut self, env: &dyn VectorEnv, ids: &[u32], actions: &[ActionId]) -> Result<()> {
        let _ = (env, ids, actions);
        Ok(())
    }

    /// The maximum number of games per request, if the bot reads the rows of a batch.
    fn rows(&self) -> Option<usize> {
        None
    }

    /// Whether the bot pays for requests of [`OutsideBot::rows`] games, however few there are. Other bots that read rows
    /// get fewer games in a request, powers of two.
    fn pays_for_all_rows(&self) -> bool {
        true
    }

    /// The requests and tokens used so far, if the bot counts them.
    fn usage(&self) -> Option<Usage> {
        None
    }

    /// Appends every exchange with the bot to a file from now on, if the bot has a transcript.
    fn write_transcript(&mut self, file: &Path) {
        let _ = file;
    }
}
