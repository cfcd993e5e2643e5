//! Analysis of a game by a player: one position, or the whole game.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::refused::{Answer, Refused};
use super::requests::ViewQuery;
use crate::engine::{Interrupt, Marks, Result};
use crate::named_line::line_in_words;
use crate::player::Player;
use crate::review::{GameReview, ReviewedAction};
use crate::seated_game::SeatedGame;
use crate::trust::Trust;

/// Maximum number of actions that the drawing of an answer marks.
const MARKED: usize = 5;
/// Maximum length of a line of play in an answer.
const LONGEST_LINE: usize = 8;

/// The adviser, and the position.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnalysisRequest {
    /// The adviser.
    pub player: String,
    /// The revision of the game.
    pub revision: u64,
}

/// Refuses positions whose analysis would reveal information that is hidden from the person at the screen.
fn check(seated: &SeatedGame, at: usize) -> Answer<()> {
    if seated.may_analyse(at)? {
        return Ok(());
    }
    let what = "a bot is to move and others' information is hidden: ask at your turn, or at the end";
    Err(Refused::conflict(what))
}

impl AnalysisRequest {
    /// The analysis of the position of the query: all legal actions, the choice first, then by share; the best line,
    /// values, a drawing with a heat map.
    ///
    /// # Errors
    /// [`Refused`] for a player that is not allowed or cannot analyse, or if `interrupt` is raised.
    pub fn answer(
        &self,
        seated: &SeatedGame,
        query: &ViewQuery,
        allowed: &Trust,
        interrupt: &Interrupt,
    ) -> Answer<Value> {
        let at = query.at.unwrap_or(seated.steps());
        check(seated, at)?;
        let game = &seated.at(at)?;
        allowed.check_player(&*game.game(), &self.player)?;
        let player = Player::parse(&*game.game(), &self.player, None)?;
        let analysis = player.advise(game, 1, interrupt)?;
        let weights = analysis.weights(game.game().spec().num_actions);
        let marks = Marks { weights, largest: Some(MARKED), ..Marks::default() };
        let best = analysis.best(usize::MAX).into_iter();
        let best: Vec<ReviewedAction> = best
            .map(|(action, _)| ReviewedAction::new(game, &analysis, action, 0.0))
            .collect::<Result<_>>()?;
        Ok(json!({
            "player": self.player,
            "revision": self.revision,
            "at": at,
            "mover": game.current_player(),
            "best": best,
            "line": line_in_words(game, &analysis.line, LONGEST_LINE)?,
            "simulations": analysis.visits.iter().sum::<u32>(),
            "values": analysis.values,
            "forecast": analysis.forecast.words(),
            "svg": game.to_marked_svg(query.view(seated.observer())?, &marks)?,
        }))
    }
}

/// The adviser, the game and the first position.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReviewRequest {
    /// The adviser.
    pub player: String,
    /// The revision of the game.
    pub revision: u64,
    from: usize,
}

impl ReviewRequest {
    /// Reviews positions from one on, until `is_over` says so, and at least two: a price needs the next position.
    ///
    /// # Errors
    /// As for [`AnalysisRequest::answer`].
    pub fn answer(
        &self,
        seated: &SeatedGame,
        allowed: &Trust,
        interrupt: &Interrupt,
        mut is_over: impl FnMut() -> bool,
    ) -> Answer<Value> {
        allowed.check_player(&*seated.game().game(), &self.player)?;
        let player = Player::parse(&*seated.game().game(), &self.player, None)?;
        let mut review = GameReview::new(&seated.at(0)?, &player, interrupt)?;
        for at in self.from..=seated.steps() {
            if review.positions.len() > 1 && is_over() {
                break;
            }
            check(seated, at)?;
            review.push(&seated.at(at)?, seated.played_at(at), &player, interrupt)?;
        }
        let part = ReviewPart { revision: self.revision, from: self.from, steps: seated.steps(), review };
        Ok(serde_json::to_value(part).expect("a review is plain data"))
    }
}

/// Successive positions of a review.
#[derive(Debug, Serialize)]
struct ReviewPart {
    revision: u64,
    from: usize,
    steps: usize,
    #[serde(flatten)]
    review: GameReview,
}
