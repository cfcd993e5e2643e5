//! Sessions in progress, by id, and the requests common to games and batches.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::IntoResponse;
use serde_json::Value;

use super::reach::Reach;
use super::reply::{HttpError, Reply, work};
use super::requests::{BeginRequest, Look};
use ludovec::engine::Result;

/// A session that a page follows from request to request.
pub(super) trait Session: Send + Sized + 'static {
    /// Begins a new session.
    fn begin(request: &BeginRequest, reach: Reach) -> Reply<Self>;
    /// The whole content of its screen.
    fn describe(&self, look: &Look) -> Result<Value>;
    /// Locks the session for a change.
    fn hold(session: &Mutex<Self>) -> Reply<MutexGuard<'_, Self>> {
        Ok(lock(session))
    }
}

/// The session of a request, and the requested part of it.
pub(super) type Target<S> = (State<Arc<Sessions<S>>>, Path<String>, Query<Look>);

/// Begins a session and shows it.
pub(super) async fn begin<S: Session>(
    State(sessions): State<Arc<Sessions<S>>>,
    State(reach): State<Reach>,
    Query(look): Query<Look>,
    Json(request): Json<BeginRequest>,
) -> Reply<impl IntoResponse> {
    work(move || {
        let session = S::begin(&request, reach)?;
        let mut shown = session.describe(&look)?;
        shown["id"] = sessions.insert(session).into();
        Ok((StatusCode::CREATED, Json(shown)))
    })
    .await
}

/// Shows a session.
pub(super) async fn show<S: Session>(target: Target<S>) -> Reply<Json<Value>> {
    change(target, |_: &mut S| Ok(())).await
}

/// Changes a session and shows it.
pub(super) async fn change<S: Session>(
    (State(sessions), Path(id), Query(look)): Target<S>,
    task: impl FnOnce(&mut S) -> Reply<()> + Send + 'static,
) -> Reply<Json<Value>> {
    work(move || {
        let session = sessions.get(&id)?;
        let mut session = S::hold(&session)?;
        task(&mut session)?;
        Ok(Json(session.describe(&look)?))
    })
    .await
}

/// Deletes a session.
pub(super) async fn forget<S: Session>(
    State(sessions): State<Arc<Sessions<S>>>,
    Path(id): Path<String>,
) -> Reply<StatusCode> {
    sessions.remove(&id).map(|()| StatusCode::NO_CONTENT)
}

/// Values by unguessable ids.
pub(super) struct Sessions<T> {
    kept: Mutex<KeptById<T>>,
    /// Maximum number of values.
    limit: usize,
    /// Time after which an unused value is deleted.
    expiry: Duration,
    /// The noun for a value in messages.
    noun: &'static str,
    /// Generates ids; its keys come from the operating system.
    ids: RandomState,
}

struct KeptById<T> {
    by_id: HashMap<String, Kept<T>>,
    made: u64,
}

struct Kept<T> {
    value: Arc<Mutex<T>>,
    used: Instant,
}

impl<T> Sessions<T> {
    pub(super) fn new(noun: &'static str, limit: usize, expiry: Duration) -> Self {
        let kept = Mutex::new(KeptById { by_id: HashMap::new(), made: 0 });
        Self { kept, limit, expiry, noun, ids: RandomState::new() }
    }

    /// Stores a value and returns its id. Beyond the limit the least recently used value is deleted.
    pub(super) fn insert(&self, value: T) -> String {
        let mut all = lock(&self.kept);
        all.by_id.retain(|_, kept| kept.used.elapsed() < self.expiry);
        if all.by_id.len() >= self.limit {
            let oldest = all.by_id.iter().min_by_key(|(_, kept)| kept.used).map(|(id, _)| id.clone());
            oldest.and_then(|id| all.by_id.remove(&id));
        }
        all.made += 1;
        let id = format!("{:016x}", self.ids.hash_one(all.made));
        let kept = Kept { value: Arc::new(Mutex::new(value)), used: Instant::now() };
        all.by_id.insert(id.clone(), kept);
        id
    }

    /// The value with this `id`.
    pub(super) fn get(&self, id: &str) -> Reply<Arc<Mutex<T>>> {
        let mut all = lock(&self.kept);
        match all.by_id.get_mut(id) {
            Some(kept) if kept.used.elapsed() < self.expiry => {
                kept.used = Instant::now();
                Ok(kept.value.clone())
            }
            _ => Err(self.unknown(id)),
        }
    }

    /// Deletes the value with this `id`.
    pub(super) fn remove(&self, id: &str) -> Reply<()> {
        lock(&self.kept).by_id.remove(id).map(|_| ()).ok_or_else(|| self.unknown(id))
    }

    fn unknown(&self, id: &str) -> HttpError {
        HttpError::new(
            StatusCode::NOT_FOUND,
            format!("there is no {} {id:?}: it has ended or expired", self.noun),
        )
    }
}

/// Locks a mutex and ignores poisoning: the values behind these mutexes are changed as a whole or not at all.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_kept_up_to_the_limit_recently_used_ones_longest() {
        let sessions = Sessions::new("game", 2, Duration::from_secs(60));
        let (a, b) = (sessions.insert('a'), sessions.insert('b'));
        assert_ne!(a, b);
        assert_eq!(*lock(&sessions.get(&a).unwrap()), 'a');
        let c = sessions.insert('c');
        assert!(sessions.get(&b).is_err(), "it was not used");
        assert_eq!(*lock(&sessions.get(&a).unwrap()), 'a');
        sessions.remove(&c).unwrap();
        assert!(sessions.get(&c).is_err() && sessions.remove(&c).is_err());
    }

    #[test]
    fn values_expire() {
        let sessions = Sessions::new("game", 1, Duration::ZERO);
        let id = sessions.insert(1);
        assert!(sessions.get(&id).is_err());
    }

    #[test]
    fn a_panic_inside_a_lock_spoils_nothing() {
        let value = Mutex::new(7);
        let held = std::panic::catch_unwind(|| {
            let _held = value.lock();
            panic!("on purpose");
        });
        assert!(held.is_err());
        assert_eq!(*lock(&value), 7);
    }
}
