//! Analysis of a game by a player: one position, or the whole game.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::refused::{Answer, Refused};
use super::requests::ViewQuery;
use crate::engine::{Analysis, Interrupt, Marks, Result, SingleGame};
use crate::named_line::line_in_words;
use crate::player::Player;
use crate::review::{ReviewedPosition, Unit, judge, review_position, unit_of, with_words};
use crate::seated_game::SeatedGame;
use crate::trust::Trust;

/// Maximum number of actions in an answer.
const TOLD: usize = 5;
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

/// The best actions of an analysis.
fn best(game: &dyn SingleGame, analysis: &Analysis) -> Result<Vec<Value>> {
    let one = |(action, share)| {
        let searched = analysis.searched(action);
        Ok(json!({
            "action": action,
            "label": game.action_to_string(action)?,
            "words": game.action_in_words(action)?,
            "share": share,
            "visits": searched.map(|(visits, _)| visits),
            "value": searched.and_then(|(_, value)| value),
        }))
    };
    analysis.best(TOLD).into_iter().map(one).collect()
}

impl AnalysisRequest {
    /// The analysis of the position of the query: the best actions, the best line, values, a drawing with a heat map.
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
        let game = &*seated.at(at)?;
        allowed.check_player(&*game.game(), &self.player)?;
        let player = Player::parse(&*game.game(), &self.player, None)?;
        let analysis = player.analyse(game, interrupt)?;
        let weights = analysis.weights(game.game().spec().num_actions);
        // The board shows the actions of the list, and no others.
        let marks = Marks { weights, largest: Some(TOLD), ..Marks::default() };
        Ok(json!({
            "player": self.player,
            "revision": self.revision,
            "at": at,
            "mover": game.current_player(),
            "best": best(game, &analysis)?,
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
        let unit = unit_of(&*seated.at(0)?, &player, interrupt)?;
        let mut positions: Vec<ReviewedPosition> = Vec::new();
        for at in self.from..=seated.steps() {
            if positions.len() > 1 && is_over() {
                break;
            }
            check(seated, at)?;
            positions.push(review_position(
                &*seated.at(at)?,
                seated.played_at(at),
                &player,
                unit,
                interrupt,
            )?);
        }
        let prices: Vec<Value> = positions.windows(2).map(|pair| price(&pair[0], &pair[1])).collect();
        let part = ReviewPart {
            revision: self.revision,
            from: self.from,
            steps: seated.steps(),
            unit,
            positions,
            prices,
        };
        Ok(serde_json::to_value(part).expect("a review is plain data"))
    }
}

/// Successive positions of a review.
#[derive(Debug, Serialize)]
struct ReviewPart {
    revision: u64,
    from: usize,
    steps: usize,
    #[serde(flatten, serialize_with = "with_words")]
    unit: Unit,
    positions: Vec<ReviewedPosition>,
    prices: Vec<Value>,
}

fn price(before: &ReviewedPosition, after: &ReviewedPosition) -> Value {
    judge(before, after).map_or(
        Value::Null,
        |price| json!({ "loss": price.loss, "grade": price.grade, "mark": price.grade.mark() }),
    )
}
