//! Analysis of a game in progress by a player.

use axum::Json;
use axum::extract::{Path, Query, State};
use serde::Deserialize;
use serde_json::{Value, json};

use super::listen_scope::ListenScope;
use super::play::{GameSession, Thinking};
use super::reply::{HttpError, Reply, work_until_it_leaves};
use super::requests::check_player;
use super::sessions::Target;
use ludovec::engine::Marks;
use ludovec::play::player::Player;

/// Maximum number of actions in an answer.
const TOLD: usize = 5;

/// The adviser, and the position.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Question {
    player: String,
    revision: u64,
}

/// Allowed only for the current player, or if only bots play: for any other viewer the analysis would reveal hidden
/// information.
pub(super) async fn analysis(
    (State(games), Path(id), Query(query)): Target<GameSession>,
    State(scope): State<ListenScope>,
    Json(question): Json<Question>,
) -> Reply<Json<Value>> {
    work_until_it_leaves(move |interrupt| {
        let session = games.get(&id)?;
        let (table, _thinking) = Thinking::begin(&session, question.revision)?;
        let game = table.game();
        if table.is_running() && table.viewer().is_some() && !table.awaits_person() {
            return Err(HttpError::conflict("a bot is to move: ask when it is your turn"));
        }
        check_player(&*game.game(), &question.player, scope)?;
        let player = Player::parse(&*game.game(), &question.player, None)?;
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
        Ok(Json(json!({
            "player": question.player,
            "revision": question.revision,
            "best": best.collect::<ludovec::engine::Result<Vec<Value>>>()?,
            "values": analysis.values,
            "forecast": analysis.forecast.words(),
            "svg": game.to_marked_svg(query.view(table.viewer())?, &marks)?,
        })))
    })
    .await
}
