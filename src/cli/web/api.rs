//! The requests of the page over HTTP: `ludovec::play::web_api` answers them.

use std::sync::{Arc, LazyLock, Mutex, OnceLock};
use std::time::{Duration, Instant};

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::ServerState;
use super::client::Client;
use super::listen_scope::ListenScope;
use super::live;
use super::reply::work_until_it_leaves;
use super::sessions::Sessions;
use ludovec::play::trust::Trust;
use ludovec::play::web_api::{Answer, Batch, Host, Refused, Reply, Request, Screen, Store, answer, methods};

/// The texts that the command line allows to pages.
static ALLOWED: OnceLock<Trust> = OnceLock::new();

/// Allows texts to all pages of this process; only the first call has an effect.
pub fn allow(texts: Trust) {
    let _ = ALLOWED.set(texts);
}

/// How many of `limit` sessions one client may have: all of them where only this machine reaches the server.
fn quota(scope: ListenScope, limit: usize) -> usize {
    if scope == ListenScope::Machine { limit } else { limit / 10 }
}

pub(super) fn games(scope: ListenScope) -> Sessions<Screen> {
    Sessions::new("game", [200, quota(scope, 200)], Duration::from_secs(2 * 60 * 60))
}

pub(super) fn batches(scope: ListenScope) -> Sessions<Batch> {
    Sessions::new("batch", [50, quota(scope, 50)], Duration::from_secs(30 * 60))
}

/// Answers every request below `/api/`.
pub(super) async fn api(
    State(state): State<ServerState>,
    client: Client,
    Path(path): Path<String>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let path = format!("/api/{path}");
    // hyper leaves the body of the answer out.
    let method = if method == Method::HEAD { Method::GET } else { method };
    let known = methods(&path);
    let request = HttpRequest { uri, headers, body };
    let replied = work_until_it_leaves(move |interrupt| {
        Ok(answer(&Visit { state, client }, method.as_str(), &path, &request, interrupt)?)
    })
    .await;
    let mut response = match replied {
        Ok(Reply::Shown(shown)) => Json(shown).into_response(),
        Ok(Reply::Begun(shown)) => (StatusCode::CREATED, Json(shown)).into_response(),
        Ok(Reply::Recorded(name, record)) => {
            let kept = format!("attachment; filename=\"{name}\"");
            ([(header::CONTENT_DISPOSITION, kept)], Json(record)).into_response()
        }
        Ok(Reply::Forgotten) => StatusCode::NO_CONTENT.into_response(),
        Err(error) => error.into_response(),
    };
    if response.status() == StatusCode::METHOD_NOT_ALLOWED {
        let allowed = known.replace("GET", "GET,HEAD");
        response
            .headers_mut()
            .extend(HeaderValue::try_from(allowed).ok().map(|known| (header::ALLOW, known)));
    }
    response
}

/// A request over HTTP.
struct HttpRequest {
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
}

impl HttpRequest {
    /// Whether the body is declared as JSON. Pages of other sites cannot send such a request without asking first.
    fn is_json(&self) -> bool {
        let kind =
            self.headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        kind.strip_prefix("application/").is_some_and(|kind| kind == "json" || kind.ends_with("+json"))
    }
}

impl Request for HttpRequest {
    fn query<T: DeserializeOwned>(&self) -> Answer<T> {
        Query::try_from_uri(&self.uri)
            .map(|Query(query)| query)
            .map_err(|refused| Refused::new(refused.status().as_u16(), refused.body_text()))
    }

    fn body<T: DeserializeOwned>(&self) -> Answer<T> {
        if !self.is_json() {
            return Err(Refused::new(415, "Expected request with `Content-Type: application/json`"));
        }
        Json::from_bytes(&self.body)
            .map(|Json(body)| body)
            .map_err(|refused| Refused::new(refused.status().as_u16(), refused.body_text()))
    }
}

/// The server, as a client meets it.
struct Visit {
    state: ServerState,
    client: Client,
}

/// The sessions of all clients, and the client of a new one.
struct Visited<'a, T>(&'a Sessions<T>, Client);

impl<T> Store<T> for Visited<'_, T> {
    fn insert(&self, _env: &str, value: T) -> String {
        self.0.insert(value, self.1)
    }

    fn get(&self, id: &str) -> Answer<Arc<Mutex<T>>> {
        self.0.get(id)
    }

    fn remove(&self, id: &str) -> Answer<()> {
        self.0.remove(id)
    }
}

impl Host for Visit {
    const LONGEST_REVIEW: f64 = 1000.0;
    const LONGEST_STEP: f64 = 2000.0;

    fn allowed(&self) -> &Trust {
        ALLOWED.get_or_init(Trust::default)
    }

    fn games(&self) -> impl Store<Screen> {
        Visited(&self.state.games, self.client)
    }

    fn batches(&self) -> impl Store<Batch> {
        Visited(&self.state.batches, self.client)
    }

    fn live(&self, request: &impl Request) -> Answer<Value> {
        live::show(self.state.live.as_deref(), &request.query()?)
    }

    fn clock(&self) -> f64 {
        static BEGUN: LazyLock<Instant> = LazyLock::new(Instant::now);
        BEGUN.elapsed().as_secs_f64() * 1000.0
    }
}
