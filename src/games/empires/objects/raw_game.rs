//! One game for scripted bots, with a journal of every action they tried.

use std::fmt;

use serde_json::Value;

use crate::rules::refusal::{Deed, Refusal};
use crate::{Empires, LARGEST, State};
use ludovec_engine::chance::SeededChance;
use ludovec_engine::{Options, Result, Rules, Status, Words, with_caption};

/// Plays one game from raw actions, like the original: bots may submit any value.
///
/// ```
/// use ludovec_engine::{OptionValue, Options};
/// use ludovec_empires::{ENTRY, RawGame};
/// use serde_json::json;
///
/// let options = Options::parse(&ENTRY.options(), [("players", OptionValue::from(2i64))])?;
/// let mut game = RawGame::new(&options, 1)?;
/// let harvest = game.submit_raw(&json!(["harvest", null]))?;
/// assert!(harvest.outcome.is_ok());
/// let refused = game.submit_raw(&json!(["castle", [99, 0]]))?;
/// assert_eq!(refused.to_string().split(": ").last(), Some("[99,0] is not on the map"));
/// # Ok::<(), ludovec_engine::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct RawGame {
    game: Empires<LARGEST>,
    state: State<LARGEST>,
    chance: SeededChance,
    journal: Vec<JournalEntry>,
}

/// One submitted action and its result. Displays as a line of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalEntry {
    /// The turn, counted from 1.
    pub turn: u32,
    /// The acting seat.
    pub player: usize,
    /// The name of that player.
    pub name: String,
    /// The submitted value, as JSON text.
    pub requested: String,
    /// Its effect, or the reason for its refusal.
    pub outcome: Result<Deed, Refusal>,
    /// The player's resources afterwards.
    pub resources: u32,
}

impl fmt::Display for JournalEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { turn, name, requested, resources, .. } = self;
        write!(f, "turn {turn}, {name} with {resources}: {requested}: ")?;
        match &self.outcome {
            Ok(deed) => write!(f, "{deed}"),
            Err(refusal) => write!(f, "refused: {refusal}"),
        }
    }
}

impl RawGame {
    /// Starts a game; equal seeds give equal games.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`](ludovec_engine::Error::InvalidConfig) as for [`Empires::new`].
    pub fn new(options: &Options, seed: u64) -> Result<Self> {
        let game = Empires::new(options)?;
        let mut chance = SeededChance::from_seed(seed);
        let state = game.init(&mut chance);
        Ok(Self { game, state, chance, journal: Vec::new() })
    }

    /// The current player's seat; `None` if the game is over.
    #[must_use]
    pub fn current_player(&self) -> Option<usize> {
        (self.game.status(&self.state) == Status::Running).then(|| self.game.current_player(&self.state))
    }

    /// The observation of the current player: `map_size`, `my_resources` and `world` of the original's interface,
    /// see [`Words::observation_to_json`].
    #[must_use]
    pub fn observation(&self) -> Value {
        self.game.observation_to_json(&self.state, self.game.current_player(&self.state))
    }

    /// Plays `raw` for the current player, see [`Empires::submit_raw`].
    ///
    /// # Errors
    /// [`Error::Refused`](ludovec_engine::Error::Refused) if the game is over.
    pub fn submit_raw(&mut self, raw: &Value) -> Result<&JournalEntry> {
        let turn = self.state.ledger.turn;
        let player = self.game.current_player(&self.state);
        let outcome = self.game.submit_raw(&mut self.state, raw, &mut self.chance)?;
        let resources = self.state.ledger.resources[player];
        let (name, requested) = (self.game.rules.names[player].clone(), raw.to_string());
        self.journal.push(JournalEntry { turn, player, name, requested, outcome, resources });
        Ok(&self.journal[self.journal.len() - 1])
    }

    /// All actions submitted so far.
    #[must_use]
    pub fn journal(&self) -> &[JournalEntry] {
        &self.journal
    }

    /// The living seats: the winners if the game is over.
    #[must_use]
    pub fn alive(&self) -> Vec<usize> {
        self.state.with(&self.game.rules).alive().collect()
    }

    /// The position in the original's glyphs, with ANSI colours, and a status line per player.
    #[must_use]
    pub fn to_terminal(&self) -> String {
        let position = self.state.with(&self.game.rules);
        with_caption(&self.game, &self.state, |caption| position.to_terminal(false, caption))
    }
}
