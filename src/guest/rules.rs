//! The trait of a guest.

use ludovec_engine::chance::Chance;
use ludovec_engine::{Result, Spec};
use serde_json::Value;

use crate::description::Features;

/// The current player of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Player {
    /// The game is running, and this player is next.
    At(usize),
    /// The game is over.
    None,
    /// The game has stopped without a result.
    Truncated,
}

impl From<Option<usize>> for Player {
    fn from(player: Option<usize>) -> Self {
        player.map_or(Self::None, Self::At)
    }
}

/// The rules of a game over a record of plain bytes, under one set of options.
///
/// Unlike [`Rules`](ludovec_engine::Rules), every method may fail: the error then ends the call of the engine. The
/// crate checks what the methods return, so that an implementation cannot break the engine.
///
/// A record arrives in its initial state, all bytes 0, in [`GuestRules::init`].
///
/// ```
/// use std::sync::Arc;
///
/// use ludovec_engine::chance::Chance;
/// use ludovec_engine::{ActionLayout, ObservationLayout, Options, Result, Spec};
/// use ludovec_guest::{GuestRules, Player, game};
///
/// /// Two players count to ten in turn, by one or two; who says ten wins. The record is the count and the player.
/// struct Count(Spec);
///
/// impl GuestRules for Count {
///     fn spec(&self) -> &Spec {
///         &self.0
///     }
///     fn is_serial(&self) -> bool {
///         false
///     }
///     fn init(&self, _: &mut [u8], _: &mut dyn Chance) -> Result<()> {
///         Ok(())
///     }
///     fn current_player(&self, record: &[u8]) -> Result<Player> {
///         Ok(if record[0] < 10 { Player::At(record[1].into()) } else { Player::None })
///     }
///     fn legal(&self, record: &[u8], mask: &mut [u64]) -> Result<()> {
///         mask[0] = if record[0] == 9 { 0b01 } else { 0b11 };
///         Ok(())
///     }
///     fn step(&self, record: &mut [u8], action: u32, _: &mut dyn Chance) -> Result<()> {
///         record[0] += action as u8 + 1;
///         record[1] ^= 1;
///         Ok(())
///     }
///     fn observe(&self, record: &[u8], _: usize, out: &mut [u8]) -> Result<()> {
///         out[0] = record[0];
///         Ok(())
///     }
///     fn returns(&self, record: &[u8], out: &mut [f32]) -> Result<()> {
///         // After ten the other player is next.
///         out.copy_from_slice(if record[1] == 1 { &[1.0, -1.0] } else { &[-1.0, 1.0] });
///         Ok(())
///     }
/// }
///
/// let options = Options::parse(&[], [("reward", "outcome".into())])?;
/// let mut actions = ActionLayout::default();
/// actions.push("add", 2, "add i + 1");
/// let mut observation = ObservationLayout::default();
/// observation.push("count", &[1], 10, "the count");
/// let spec = Spec::of::<[u8; 2]>("count", 1, "who says ten wins", &options, 2, actions, observation);
/// let count = game(Arc::new(Count(Spec { max_episode_steps: 10, ..spec })))?;
///
/// let mut play = count.single(0);
/// play.step_all(&[0, 1, 1, 1, 1, 0])?;
/// assert_eq!(play.returns(), [-1.0, 1.0]);
/// # Ok::<(), ludovec_engine::Error>(())
/// ```
pub trait GuestRules: Send + Sync + 'static {
    /// The description of the environment. `state_bytes` is the length of a record, at most
    /// [`LARGEST_RECORD`](crate::LARGEST_RECORD), and the columns of `state` count from its beginning.
    fn spec(&self) -> &Spec;
    /// The special features of the game; none by default.
    fn features(&self) -> &Features {
        const { &Features::NONE }
    }
    /// Whether calls exclude one another; see [`Rules::is_serial`](ludovec_engine::Rules::is_serial).
    fn is_serial(&self) -> bool;

    /// Sets up a new game.
    ///
    /// # Errors
    /// Every method returns [`Error::Rules`](ludovec_engine::Error::Rules) if the rules fail.
    fn init(&self, record: &mut [u8], chance: &mut dyn Chance) -> Result<()>;
    /// The current player, or how the game has ended.
    ///
    /// # Errors
    /// As for [`GuestRules::init`].
    fn current_player(&self, record: &[u8]) -> Result<Player>;
    /// Sets the bits of the legal actions in `mask`, whose bits are 0.
    ///
    /// # Errors
    /// As for [`GuestRules::init`].
    fn legal(&self, record: &[u8], mask: &mut [u64]) -> Result<()>;
    /// Plays a legal action.
    ///
    /// # Errors
    /// As for [`GuestRules::init`]. The record may then have any contents.
    fn step(&self, record: &mut [u8], action: u32, chance: &mut dyn Chance) -> Result<()>;
    /// Writes the observation of `seat` to `out`, whose elements are 0.
    ///
    /// # Errors
    /// As for [`GuestRules::init`].
    fn observe(&self, record: &[u8], seat: usize, out: &mut [u8]) -> Result<()>;
    /// Writes the observation of `seat` in packed form, or returns none for the default.
    fn observe_packed(&self, record: &[u8], seat: usize, row: &mut [u8]) -> Option<Result<()>> {
        let _ = (record, seat, row);
        None
    }
    /// Writes the result of a finished game for each player: larger is better.
    ///
    /// # Errors
    /// As for [`GuestRules::init`].
    fn returns(&self, record: &[u8], out: &mut [f32]) -> Result<()>;
    /// Writes each player's score, if the game keeps scores.
    ///
    /// # Errors
    /// As for [`GuestRules::init`].
    fn scores(&self, record: &[u8], out: &mut [f32]) -> Result<()> {
        let _ = record;
        out.fill(0.0);
        Ok(())
    }
    /// Redraws everything in the record that `seat` does not know.
    ///
    /// # Errors
    /// As for [`GuestRules::init`].
    fn determinize(&self, record: &mut [u8], seat: usize, chance: &mut dyn Chance) -> Result<()> {
        let _ = (record, seat, chance);
        Ok(())
    }
    /// Checks that play could go on from a record of arbitrary contents.
    ///
    /// # Errors
    /// [`Error::InvalidState`](ludovec_engine::Error::InvalidState).
    fn validate(&self, record: &[u8]) -> Result<()> {
        let _ = record;
        Ok(())
    }

    /// Answers a request in words, or returns none for the default: an object with the name of a method of the contract
    /// as `ask`, and its arguments. `records` has the position, and the positions before the steps of the request.
    ///
    /// # Errors
    /// As for [`GuestRules::init`]; other kinds of errors if the request is wrong.
    fn words(&self, records: &[&[u8]], chance: &mut dyn Chance, request: &Value) -> Result<Option<Value>> {
        let _ = (records, chance, request);
        Ok(None)
    }
    /// Writes a guess at each player's result in a running game, if the game has an estimate.
    ///
    /// # Errors
    /// As for [`GuestRules::init`].
    fn estimate(&self, record: &[u8], out: &mut [f32]) -> Result<()> {
        let _ = record;
        out.fill(0.0);
        Ok(())
    }
    /// Writes an estimate beyond the next few turns, if the game has an estimate.
    ///
    /// # Errors
    /// As for [`GuestRules::init`].
    fn outlook(&self, record: &[u8], out: &mut [f32]) -> Result<()> {
        self.estimate(record, out)
    }
    /// The action of bot `bot`, an index in [`Features::bots`], or none if [`GuestRules::words`] answers it.
    ///
    /// # Errors
    /// As for [`GuestRules::init`].
    fn bot_action(
        &self,
        bot: usize,
        record: &[u8],
        mask: &[u64],
        chance: &mut dyn Chance,
    ) -> Result<Option<u32>> {
        let _ = (bot, record, mask, chance);
        Ok(None)
    }
}
