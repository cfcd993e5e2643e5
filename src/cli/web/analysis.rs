//! Analysis of a game by a player: one position, or the whole game.

use std::time::{Duration, Instant};

use axum::Json;
use axum::extract::{Path, Query, State};
use serde::Deserialize;
use serde_json::{Value, json};

use super::listen_scope::ListenScope;
use super::play::{GameSession, Thinking};
use super::reply::{HttpError, Reply, work_until_it_leaves};
use super::requests::check_player;
use super::sessions::Target;
use ludovec::engine::{Analysis, Marks, SingleGame};
use ludovec::play::named_line::line_in_words;
use ludovec::play::player::{DEFAULT_TIME_LIMIT, Player};
use ludovec::play::review::{ReviewedPosition, judge, review_position, unit_of};
use ludovec::play::table::Table;

/// Maximum number of actions in an answer.
const TOLD: usize = 5;
/// Maximum length of a line of play in an answer.
const LONGEST_LINE: usize = 8;
/// A review is answered after this time, even if it is not complete.
const PATIENCE: Duration = Duration::from_secs(1);

/// The adviser, and the position.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Question {
    player: String,
    revision: u64,
}

/// Refuses positions whose analysis would reveal information that is hidden from the person at the screen.
fn check_position(table: &Table, at: usize) -> Reply<()> {
    if table.may_analyse(at)? {
        return Ok(());
    }
    Err(HttpError::conflict(
        "a bot is to move and others' information is hidden: ask at your turn, or at the end",
    ))
}

/// The player that analyses a game.
fn adviser(game: &dyn SingleGame, name: &str, scope: ListenScope) -> Reply<Player> {
    check_player(&*game.game(), name, scope)?;
    Ok(Player::parse(&*game.game(), name, DEFAULT_TIME_LIMIT)?)
}

/// The best actions of an analysis for the page.
fn best(game: &dyn SingleGame, analysis: &Analysis) -> Reply<Vec<Value>> {
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

/// Analyses the position of the query.
pub(super) async fn analysis(
    (State(games), Path(id), Query(query)): Target<GameSession>,
    State(scope): State<ListenScope>,
    Json(question): Json<Question>,
) -> Reply<Json<Value>> {
    work_until_it_leaves(move |interrupt| {
        let session = games.get(&id)?;
        let (table, _thinking) = Thinking::begin(&session, question.revision)?;
        let at = query.at.unwrap_or(table.steps());
        check_position(&table, at)?;
        let game = &*table.at(at)?;
        let analysis = adviser(game, &question.player, scope)?.analyse(game, interrupt)?;
        // The marks are those of the listed actions, with the same shares.
        let mut weights = vec![0.0; game.game().spec().num_actions as usize];
        analysis.best(TOLD).iter().for_each(|&(action, share)| weights[action as usize] = share);
        let marks = Marks { weights, ..Marks::default() };
        Ok(Json(json!({
            "player": question.player,
            "revision": question.revision,
            "at": at,
            "mover": game.current_player(),
            "best": best(game, &analysis)?,
            "line": line_in_words(game, &analysis.line, LONGEST_LINE)?,
            "simulations": analysis.visits.iter().sum::<u32>(),
            "values": analysis.values,
            "forecast": analysis.forecast.words(),
            "svg": game.to_marked_svg(query.view(table.observer())?, &marks)?,
        })))
    })
    .await
}

/// The adviser, the game and the first position.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReviewQuestion {
    player: String,
    revision: u64,
    from: usize,
}

/// Reviews positions from one on, as many as fit in a second and at least two: a price needs the next position.
pub(super) async fn review(
    (State(games), Path(id), _): Target<GameSession>,
    State(scope): State<ListenScope>,
    Json(question): Json<ReviewQuestion>,
) -> Reply<Json<Value>> {
    work_until_it_leaves(move |interrupt| {
        let session = games.get(&id)?;
        let (table, _thinking) = Thinking::begin(&session, question.revision)?;
        let player = adviser(table.game(), &question.player, scope)?;
        let unit = unit_of(&*table.at(0)?, &player, interrupt)?;
        let begun = Instant::now();
        let mut positions: Vec<ReviewedPosition> = Vec::new();
        for at in question.from..=table.steps() {
            if positions.len() > 1 && begun.elapsed() > PATIENCE {
                break;
            }
            check_position(&table, at)?;
            positions.push(review_position(&*table.at(at)?, table.played_at(at), &player, unit, interrupt)?);
        }
        let prices: Vec<Value> = positions.windows(2).map(|pair| price(&pair[0], &pair[1])).collect();
        Ok(Json(json!({
            "revision": question.revision,
            "from": question.from,
            "steps": table.steps(),
            "unit": unit,
            "unit_words": unit.words(),
            "positions": positions,
            "prices": prices,
        })))
    })
    .await
}

fn price(before: &ReviewedPosition, after: &ReviewedPosition) -> Value {
    judge(before, after).map_or(
        Value::Null,
        |price| json!({ "loss": price.loss, "grade": price.grade, "mark": price.grade.mark() }),
    )
}
