//! A local page to play any game against any bot and to watch batches.
//!
//! | file | holds |
//! |---|---|
//! | `http` | connections, with time limits for clients that stop in the middle of a request or read no answer |
//! | `write_deadline` | the time limit of writes |
//! | `connections` | the number of connections, and which one is closed for a new one |
//! | `client` | where a request comes from, and whether its client still waits |
//! | `listen_scope` | whom the server listens to |
//! | `guard` | protection against requests of other pages |
//! | `reply` | answers: JSON, errors of one line, work off the server's threads |
//! | `api` | the requests below `/api/`, which `ludovec::play::web_api` answers; the texts that pages may use |
//! | `sessions` | games and batches in progress, by id, with a limit and an expiry |
//! | `live`, `fleet`, `tournament` | live views of a fleet (played by other programs), of a tournament |
//! | `page/` | the page itself |
//!
//! JSON in and out; an error is `{"error": "one line"}` with a 4xx status. The documentation of
//! [`ludovec::play::web_api`] has the table of requests.

mod api;
pub(crate) mod client;
mod connections;
#[cfg(target_os = "linux")]
mod fleet;
pub(crate) mod guard;
pub(crate) mod http;
mod listen_scope;
mod live;
mod reply;
mod sessions;
#[cfg(test)]
mod tests;
mod tournament;
mod write_deadline;

use std::io;
use std::net::TcpListener;
use std::sync::Arc;

use axum::extract::FromRef;
use axum::http::header;
use axum::routing::{any, get};
use axum::{Router, middleware};
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;

pub use api::allow;
#[cfg(target_os = "linux")]
pub use fleet::WatchedFleet;
pub use listen_scope::ListenScope;
pub use live::{Live, LiveGame, Scene};
use ludovec::play::web_api::{Batch, Screen};
use sessions::Sessions;
pub use tournament::WatchedTournament;

/// Largest request body in bytes, enough for a map as text.
const BODY_LIMIT: usize = 256 * 1024;

/// The state shared by all requests.
#[derive(Clone)]
struct ServerState {
    scope: ListenScope,
    games: Arc<Sessions<Screen>>,
    batches: Arc<Sessions<Batch>>,
    live: Option<Arc<dyn Live>>,
}

impl ServerState {
    fn new(scope: ListenScope, live: Option<Arc<dyn Live>>) -> Self {
        Self { scope, games: Arc::new(api::games(scope)), batches: Arc::new(api::batches(scope)), live }
    }
}

impl FromRef<ServerState> for ListenScope {
    fn from_ref(state: &ServerState) -> Self {
        state.scope
    }
}

/// The page and its web API, with a live view if there is one.
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
        .route("/editor.js", file(js, include_str!("page/editor.js")))
        .route("/home.js", file(js, include_str!("page/home.js")))
        .route("/panels.js", file(js, include_str!("page/panels.js")))
        .route("/review.js", file(js, include_str!("page/review.js")))
        .route("/standing.js", file(js, include_str!("page/standing.js")))
        .route("/play.js", file(js, include_str!("page/play.js")))
        .route("/watch.js", file(js, include_str!("page/watch.js")))
        .route("/live.js", file(js, include_str!("page/live.js")))
        .route("/api/{*path}", any(api::api));
    http::limited(router, BODY_LIMIT, http::TIME_LIMIT)
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
        match http::serve(listener, router(scope, live), http::TIME_LIMIT).await? {}
    })
}
