//! Analysis of a game in progress by a player.

use serde::Deserialize;
use serde_json::{Value, json};

use super::refused::{Answer, Refused};
use super::requests::ViewQuery;
use crate::engine::{Interrupt, Marks, Result};
use crate::play::player::{DEFAULT_TIME_LIMIT, Player};
use crate::play::table::Table;

/// Maximum number of actions in an answer.
const TOLD: usize = 5;

/// The adviser, and the position.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnalysisRequest {
    /// The adviser.
    pub player: String,
    /// The revision of the game.
    pub revision: u64,
}

impl AnalysisRequest {
    /// Refuses an analysis for anybody but the current player, unless only bots play: for any other viewer it would
    /// reveal hidden information.
    ///
    /// # Errors
    /// [`Refused`] while a bot is to move.
    pub fn check(table: &Table) -> Answer<()> {
        if table.is_running() && table.viewer().is_some() && !table.awaits_person() {
            return Err(Refused::conflict("a bot is to move: ask when it is your turn"));
        }
        Ok(())
    }

    /// The analysis of a game: the best actions, values, a drawing with a heat map.
    ///
    /// # Errors
    /// [`Refused`] for a player that cannot analyse, or if `interrupt` is raised.
    pub fn answer(&self, table: &Table, query: &ViewQuery, interrupt: &Interrupt) -> Answer<Value> {
        Self::check(table)?;
        let game = table.game();
        let player = Player::parse(&*game.game(), &self.player, DEFAULT_TIME_LIMIT)?;
        let analysis = player.analyse(game, interrupt)?;
        let best = analysis.best(TOLD).into_iter().map(|(action, share)| {
            Ok(json!({
                "action": action,
                "label": game.action_to_string(action)?,
                "words": game.action_in_words(action)?,
                "share": share,
            }))
        });
        let weights = analysis.weights(game.game().spec().num_actions);
        let marks = Marks { weights, ..Marks::default() };
        Ok(json!({
            "player": self.player,
            "revision": self.revision,
            "best": best.collect::<Result<Vec<Value>>>()?,
            "values": analysis.values,
            "forecast": analysis.forecast.words(),
            "svg": game.to_marked_svg(query.view(table.viewer())?, &marks)?,
        }))
    }
}
