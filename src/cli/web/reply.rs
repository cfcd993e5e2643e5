//! Answers: JSON, errors of one line, work off the server's threads.

use axum::Json;
use axum::body::to_bytes;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::client::UntilItLeaves;
use ludovec::engine::Interrupt;
use ludovec::play::web_api::Refused;

/// An answer with an error.
#[derive(Debug)]
pub(super) struct HttpError(Refused);

/// The answer of a handler.
pub(super) type Reply<T> = Result<T, HttpError>;

impl HttpError {
    pub(super) fn new(status: StatusCode, what: impl Into<String>) -> Self {
        Self(Refused::new(status.as_u16(), what))
    }
}

impl From<Refused> for HttpError {
    fn from(refused: Refused) -> Self {
        Self(refused)
    }
}

impl IntoResponse for HttpError {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.0.status).unwrap_or(StatusCode::BAD_REQUEST);
        (status, Json(self.0.to_json())).into_response()
    }
}

/// Gives errors from outside the handlers (an unknown path, a body that is not JSON) the form of all others.
pub(super) async fn errors_as_json(response: Response) -> Response {
    let status = response.status();
    let is_json = response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
    if is_json || !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    let body = to_bytes(response.into_body(), 4096).await.unwrap_or_default();
    let said = String::from_utf8_lossy(&body);
    let what = if said.is_empty() { status.canonical_reason().unwrap_or("error") } else { &said };
    HttpError::new(status, what).into_response()
}

/// Runs work that may take long or panic in a thread outside the server's own.
pub(super) async fn work<T: Send + 'static>(task: impl FnOnce() -> Reply<T> + Send + 'static) -> Reply<T> {
    tokio::task::spawn_blocking(task).await.unwrap_or_else(|_| {
        Err(HttpError::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "this request failed inside the server; others are not affected",
        ))
    })
}

/// The same for work that is worth nothing once the client has left, as bots' thinking is.
pub(super) async fn work_until_it_leaves<T: Send + 'static>(
    task: impl FnOnce(&Interrupt) -> Reply<T> + Send + 'static,
) -> Reply<T> {
    let (_guard, interrupt) = UntilItLeaves::new();
    work(move || task(&interrupt)).await
}
