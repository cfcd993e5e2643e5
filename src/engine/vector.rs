//! The dynamic face of a batch: one virtual call steps all games.

use std::sync::Arc;

use serde_json::Value;

use super::any_game::AnyGame;
use super::columns::Columns;
use super::error::Result;
use super::interrupt::Interrupt;
use super::single::SingleGame;

/// A setting whose values have names, the same on the command line, in Python and in shared memory.
pub trait Named: Copy + PartialEq + Send + Sync + 'static {
    /// All values with their names.
    const NAMES: &'static [(&'static str, Self)];

    /// The value called `name`.
    fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(n, _)| *n == name).map(|(_, value)| *value)
    }
    /// The value's name.
    fn name(self) -> &'static str {
        let (name, _) = Self::NAMES.iter().find(|(_, value)| *value == self).expect("every value has a name");
        name
    }
}

/// What happens when a game of a batch ends. The names are Gymnasium's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AutoReset {
    /// The step after the last one resets: it ignores the action and pays nothing.
    NextStep,
    /// The last step resets: the outputs show the new game, the `final_*` columns the finished one.
    #[default]
    SameStep,
    /// Finished games wait for a reset; to step one is an error.
    Disabled,
}

impl Named for AutoReset {
    const NAMES: &'static [(&'static str, Self)] =
        &[("next_step", Self::NextStep), ("same_step", Self::SameStep), ("disabled", Self::Disabled)];
}

/// Element type of observations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ObservationFormat {
    /// Bytes, as the game writes them.
    #[default]
    U8,
    /// Floats, each byte times its field's scale; written beside the bytes.
    F32,
    /// Not written.
    None,
}

impl Named for ObservationFormat {
    const NAMES: &'static [(&'static str, Self)] =
        &[("u8", Self::U8), ("f32", Self::F32), ("none", Self::None)];
}

/// How legality is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MaskFormat {
    /// Bit rows.
    #[default]
    Bits,
    /// Bit rows and beside them one byte an action.
    Bytes,
}

impl Named for MaskFormat {
    const NAMES: &'static [(&'static str, Self)] = &[("bits", Self::Bits), ("bytes", Self::Bytes)];
}

/// How a batch is run; what is played is in the rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchConfig {
    /// Number of games, at least 1.
    pub num_envs: usize,
    /// Index of the first game in a larger whole, so that a batch in blocks plays the same games.
    pub first_game: u64,
    /// Games of that whole, if the others are stepped beside these; `None` for these alone. Decides how memory
    /// is written, never what.
    pub total_games: Option<usize>,
    /// Seed of all streams.
    pub seed: u64,
    /// Threads that step; `None` uses all cores. Results never depend on it.
    pub threads: Option<usize>,
    /// What happens when a game ends.
    pub autoreset: AutoReset,
    /// Element type of observations.
    pub observation: ObservationFormat,
    /// How legality is shown.
    pub mask: MaskFormat,
}

impl Default for BatchConfig {
    fn default() -> Self {
        Self {
            num_envs: 1,
            first_game: 0,
            total_games: None,
            seed: 0,
            threads: None,
            autoreset: AutoReset::default(),
            observation: ObservationFormat::default(),
            mask: MaskFormat::default(),
        }
    }
}

/// A batch of games of some kind.
///
/// Games are numbered `0..num_envs` here, whatever `first_game` says. Lists of games (`ids`) are strictly
/// increasing. Methods that return an error have changed nothing.
pub trait VectorEnv: Send {
    /// The rules.
    fn game(&self) -> Arc<dyn AnyGame>;
    /// How the batch is run.
    fn config(&self) -> &BatchConfig;
    /// The output arrays, as the last call left them.
    fn columns(&self) -> &Columns;
    /// What ends [`bot_actions`](Self::bot_actions) early, and in a fleet's games every call.
    fn interrupt(&self) -> &Interrupt;
    /// Lets `interrupt` end such calls.
    fn interrupt_by(&mut self, interrupt: Interrupt);

    /// Starts a new episode in every game; with a seed, from the first episode of that seed.
    ///
    /// # Errors
    /// [`Error::Fleet`](super::Error::Fleet) when the games live in another process that is gone. Every
    /// method of such a batch may return it.
    fn reset(&mut self, seed: Option<u64>) -> Result<()>;
    /// Starts a new episode in some games.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](super::Error::InvalidConfig) for an id out of range or order.
    fn reset_games(&mut self, ids: &[u32], seed: Option<u64>) -> Result<()>;
    /// Plays `actions[i]` in game `i`.
    ///
    /// # Errors
    /// [`Error::IllegalAction`](super::Error::IllegalAction), `InvalidPhase` or `GameOver` names game,
    /// player and action; nothing has moved. `InvalidConfig` when the number of actions is wrong.
    fn step(&mut self, actions: &[i32]) -> Result<()>;
    /// Plays `actions[k]` in game `ids[k]`; the rows of other games stay as they are.
    ///
    /// # Errors
    /// As for [`VectorEnv::step`], and `InvalidConfig` for an id out of range or order.
    fn step_games(&mut self, ids: &[u32], actions: &[i32]) -> Result<()>;
    /// Draws one legal action a game, uniformly; 0 where nothing is legal.
    ///
    /// The draw depends on seed, game and how often that game was sampled, and on nothing else.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](super::Error::InvalidConfig) when `actions` is not one a game long.
    fn sample_actions(&mut self, actions: &mut [i32]) -> Result<()>;
    /// [`VectorEnv::sample_actions`] and [`VectorEnv::step`] in one pass.
    ///
    /// # Errors
    /// [`Error::GameOver`](super::Error::GameOver) when a game is finished and resets are disabled.
    fn step_sampled(&mut self) -> Result<()>;
    /// Chooses an action in every game, or in the games `ids`, by the bot of the seat to move.
    ///
    /// `seats[p]` is the name of seat `p`'s bot; `actions` has room for one a game that is asked about. Actions
    /// of finished games are 0.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](super::Error::InvalidConfig) for an unknown bot, the wrong number of seats, an
    /// id out of range or order; [`Error::Interrupted`](super::Error::Interrupted) when it was ended.
    fn bot_actions(&mut self, ids: Option<&[u32]>, seats: &[String], actions: &mut [i32]) -> Result<()>;

    /// Copies games out: see [`snapshot`](super::snapshot) for the format.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](super::Error::InvalidConfig) for an id out of range.
    fn save(&self, ids: &[u32]) -> Result<Vec<u8>>;
    /// Puts saved games into the games `ids`, which go on exactly as the saved ones would have.
    ///
    /// # Errors
    /// [`Error::InvalidState`](super::Error::InvalidState) for bytes that are no snapshot of this
    /// environment under these options, or hold another number of games.
    fn restore(&mut self, ids: &[u32], snapshot: &[u8]) -> Result<()>;
    /// Copies the position of game `src[k]` into game `dst[k]`, which keeps its own random stream: forks of
    /// one game see different futures. Sources are read before anything is written.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](super::Error::InvalidConfig) for ids out of range or unequal lengths.
    fn fork(&mut self, src: &[u32], dst: &[u32]) -> Result<()>;
    /// A copy of one game, to look at and play on alone.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](super::Error::InvalidConfig) for an id out of range.
    fn single(&self, id: u32) -> Result<Box<dyn SingleGame>>;
    /// Replaces the position of a game by one in JSON.
    ///
    /// # Errors
    /// [`Error::InvalidState`](super::Error::InvalidState) says what is wrong with it.
    fn set_position(&mut self, id: u32, json: &Value) -> Result<()>;
}
