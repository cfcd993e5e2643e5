//! A local page to play any game against any bot and to watch batches.
//!
//! | file | holds |
//! |---|---|
//! | `http` | connections, with time limits for clients that stop in the middle of a request or read no answer |
//! | `patient` | the time limit of writes |
//! | `places` | the number of connections, and which one gives way to a new one |
//! | `client` | where a request comes from, and whether its client still waits |
//! | `listen_scope` | whom the server listens to |
//! | `guard` | protection against requests of other pages |
//! | `reply` | answers: JSON, errors of one line, work off the server's threads |
//! | `requests` | requests about environments and rules, the texts that pages may use |
//! | `sessions` | games and batches in progress, by id, with a limit and an expiry; the requests common to both |
//! | `play`, `load`, `analysis`, `watch` | games with people, games from texts, analysis, and batches of bots, over HTTP |
//! | `live`, `fleet`, `tournament` | live views of a fleet (played by other programs), of a tournament |
//! | `page/` | the page itself |
//!
//! The interface, JSON in and out (`ludovec::play::interface` without HTTP); an error is `{"error": "one line"}` with a 4xx status:
//!
//! | request | does |
//! |---|---|
//! | `GET /api/environments` | every environment with its options, levels and its rules in short |
//! | `GET /api/cards?theme=dark` | a picture of every environment |
//! | `POST /api/rules` | checks `{env, options}`: number of seats and the bots |
//! | `POST /api/games` | begins a game: `{env, options, seats, names, seed, actions}`, a seat is `"human"` or a bot |
//! | `POST /api/load` | begins a game from a text: `{text}`, a record or a game of another program |
//! | `GET /api/games/ID?from=N&at=N&flipped=true&theme=dark` | the position (after step `at`), and the log from step N on |
//! | `POST /api/games/ID/action` | plays `{action, revision}`, an index or a text |
//! | `POST /api/games/ID/bot` | lets the bot of the current player move: `{revision}` |
//! | `POST /api/games/ID/analysis?at=N` | a player's analysis: `{player, revision}`; the best actions, values, a heat map |
//! | `POST /api/games/ID/review` | values of positions, and prices of actions: `{player, revision, from}` |
//! | `POST /api/games/ID/why` | the reason why chosen places make no action: `{places}` |
//! | `POST /api/games/ID/undo` | back to the last decision of a person: `{revision}` |
//! | `GET /api/games/ID/record` | the recorded game, to keep and replay |
//! | `POST /api/batches` | begins a batch of bots: `{env, options, seats, seed, games}` |
//! | `GET /api/batches/ID?theme=dark` | every board of it |
//! | `POST /api/batches/ID/step` | plays `{count}` decisions in every game |
//! | `GET /api/live?first=N&count=N&large=N` | the live view: table, boards; game `large` in full; or `null` |
//! | `DELETE /api/games/ID`, `DELETE /api/batches/ID` | forgets it |

mod analysis;
pub(crate) mod client;
#[cfg(target_os = "linux")]
mod fleet;
pub(crate) mod guard;
pub(crate) mod http;
mod listen_scope;
mod live;
mod load;
mod patient;
mod places;
mod play;
mod reply;
mod requests;
mod sessions;
#[cfg(test)]
mod tests;
mod tournament;
mod watch;

use std::io;
use std::net::TcpListener;
use std::sync::Arc;

use axum::extract::FromRef;
use axum::http::header;
use axum::routing::{get, post};
use axum::{Router, middleware};
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;

#[cfg(target_os = "linux")]
pub use fleet::WatchedFleet;
pub use listen_scope::ListenScope;
pub use live::{Live, LiveGame, Scene};
use ludovec::play::interface::Batch;
use play::GameSession;
pub use requests::allow;
use sessions::Sessions;
pub use tournament::WatchedTournament;

/// Largest request body in bytes, enough for a map as text.
const BODY_LIMIT: usize = 256 * 1024;

/// The state shared by all requests.
#[derive(Clone)]
struct ServerState {
    scope: ListenScope,
    games: Arc<Sessions<GameSession>>,
    batches: Arc<Sessions<Batch>>,
    live: Option<Arc<dyn Live>>,
}

impl ServerState {
    fn new(scope: ListenScope, live: Option<Arc<dyn Live>>) -> Self {
        Self {
            scope,
            games: Arc::new(play::sessions(scope)),
            batches: Arc::new(watch::sessions(scope)),
            live,
        }
    }
}

// `FromRef`: a handler gets only the part of the state that it needs.

impl FromRef<ServerState> for ListenScope {
    fn from_ref(state: &ServerState) -> Self {
        state.scope
    }
}

impl FromRef<ServerState> for Arc<Sessions<GameSession>> {
    fn from_ref(state: &ServerState) -> Self {
        state.games.clone()
    }
}

impl FromRef<ServerState> for Arc<Sessions<Batch>> {
    fn from_ref(state: &ServerState) -> Self {
        state.batches.clone()
    }
}

impl FromRef<ServerState> for Option<Arc<dyn Live>> {
    fn from_ref(state: &ServerState) -> Self {
        state.live.clone()
    }
}

/// The page and its interface, with a live view if there is one.
pub fn router(scope: ListenScope, live: Option<Arc<dyn Live>>) -> Router {
    routes(ServerState::new(scope, live))
}

fn routes(state: ServerState) -> Router {
    let file =
        |kind, content: &'static str| get(move || async move { ([(header::CONTENT_TYPE, kind)], content) });
    let (css, js) = ("text/css; charset=utf-8", "text/javascript; charset=utf-8");
    let router = Router::new()
        .route("/", file("text/html; charset=utf-8", include_str!("page/index.html")))
        .route("/icon.svg", file("image/svg+xml", include_str!("page/icon.svg")))
        .route("/style.css", file(css, include_str!("page/style.css")))
        .route("/common.js", file(js, include_str!("page/common.js")))
        .route("/server.js", file(js, include_str!("page/server.js")))
        .route("/address.js", file(js, include_str!("page/address.js")))
        .route("/board.js", file(js, include_str!("page/board.js")))
        .route("/curtain.js", file(js, include_str!("page/curtain.js")))
        .route("/home.js", file(js, include_str!("page/home.js")))
        .route("/panels.js", file(js, include_str!("page/panels.js")))
        .route("/review.js", file(js, include_str!("page/review.js")))
        .route("/standing.js", file(js, include_str!("page/standing.js")))
        .route("/play.js", file(js, include_str!("page/play.js")))
        .route("/watch.js", file(js, include_str!("page/watch.js")))
        .route("/live.js", file(js, include_str!("page/live.js")))
        .route("/api/environments", get(requests::environments))
        .route("/api/cards", get(requests::cards))
        .route("/api/rules", post(requests::rules))
        .route("/api/load", post(load::load))
        .route("/api/games", post(sessions::begin::<GameSession>))
        .route("/api/games/{id}", get(sessions::show::<GameSession>).delete(sessions::forget::<GameSession>))
        .route("/api/games/{id}/action", post(play::action))
        .route("/api/games/{id}/bot", post(play::bot))
        .route("/api/games/{id}/analysis", post(analysis::analysis))
        .route("/api/games/{id}/review", post(analysis::review))
        .route("/api/games/{id}/why", post(play::why))
        .route("/api/games/{id}/record/text", get(play::record_text))
        .route("/api/games/{id}/undo", post(play::undo))
        .route("/api/games/{id}/record", get(play::record))
        .route("/api/batches", post(sessions::begin::<Batch>))
        .route("/api/batches/{id}", get(sessions::show::<Batch>).delete(sessions::forget::<Batch>))
        .route("/api/batches/{id}/step", post(watch::step))
        .route("/api/live", get(live::show));
    http::limited(router, BODY_LIMIT, http::PATIENCE)
        .layer(middleware::map_response(reply::errors_as_json))
        .layer(CompressionLayer::new().quality(CompressionLevel::Fastest))
        .layer(middleware::from_fn_with_state(state.clone(), guard::check))
        .with_state(state)
}

/// Serves the page on `listener` until the process ends, with a live view if there is one.
///
/// # Errors
/// The operating system's error if serving fails.
pub fn serve(listener: TcpListener, live: Option<Arc<dyn Live>>) -> io::Result<()> {
    let scope = ListenScope::of(listener.local_addr()?.ip());
    listener.set_nonblocking(true)?;
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        match http::serve(listener, router(scope, live), http::PATIENCE).await? {}
    })
}
