//! The connections of a server, at most a number at once. If all places are taken, the connection whose client has been
//! silent for longest is closed for a new one.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::AbortHandle;
use tokio::time::timeout;

/// How long a full server waits before it looks again for a silent connection.
const PAUSE: Duration = Duration::from_millis(50);

/// The places of a server.
pub(super) struct Places {
    free: Arc<Semaphore>,
    taken: Arc<Mutex<HashMap<u64, Place>>>,
    /// Minimum time of silence before a connection is closed for a new one.
    grace: Duration,
    given: u64,
}

impl Places {
    pub(super) fn new(most: usize, grace: Duration) -> Self {
        Self { free: Arc::new(Semaphore::new(most)), taken: Arc::default(), grace, given: 0 }
    }

    /// A place for a new connection, as soon as there is one.
    pub(super) async fn take(&mut self) -> Taken {
        let permit = loop {
            if self.free.available_permits() == 0 {
                self.dismiss();
            }
            if let Ok(permit) = timeout(PAUSE, self.free.clone().acquire_owned()).await {
                break permit.expect("nobody closes it");
            }
        };
        self.given += 1;
        let place = Place(Arc::new(State {
            moved: Mutex::new(Instant::now()),
            answers: AtomicUsize::new(0),
            connection: OnceLock::new(),
        }));
        let taken =
            Taken { place: place.clone(), number: self.given, all: self.taken.clone(), _permit: permit };
        lock(&self.taken).insert(self.given, place);
        taken
    }

    /// Ends the connection that has been silent for longest, if that is long enough.
    fn dismiss(&self) {
        let now = Instant::now();
        let taken = lock(&self.taken);
        let silent = taken.values().filter(|place| place.0.answers.load(Ordering::Relaxed) == 0);
        if let Some((since, place)) =
            silent.map(|place| (*lock(&place.0.moved), place)).min_by_key(|found| found.0)
            && now.saturating_duration_since(since) >= self.grace
            && let Some(connection) = place.0.connection.get()
        {
            connection.abort();
        }
    }
}

/// A place in use. It is free again when this is dropped.
pub(super) struct Taken {
    place: Place,
    number: u64,
    all: Arc<Mutex<HashMap<u64, Place>>>,
    _permit: OwnedSemaphorePermit,
}

impl Taken {
    /// The place, for the requests of the connection.
    pub(super) fn place(&self) -> Place {
        self.place.clone()
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        lock(&self.all).remove(&self.number);
    }
}

/// The place of a connection: what its client does.
#[derive(Clone)]
pub(super) struct Place(Arc<State>);

struct State {
    /// When the client last did something: connected, sent a whole request, or read.
    moved: Mutex<Instant>,
    /// Requests that the server works on.
    answers: AtomicUsize,
    /// The task that serves the connection.
    connection: OnceLock<AbortHandle>,
}

impl Place {
    /// The task that ends if the connection must give way.
    pub(super) fn is_served_by(&self, connection: AbortHandle) {
        let _ = self.0.connection.set(connection);
    }

    /// Notes that the client reads.
    pub(super) fn moves(&self) {
        *lock(&self.0.moved) = Instant::now();
    }

    /// The server works on a request of this client until the guard is dropped: the connection does not give way.
    pub(super) fn answers(&self) -> Answering {
        self.0.answers.fetch_add(1, Ordering::Relaxed);
        Answering(self.clone())
    }
}

/// A guard while the server works on a request.
pub(super) struct Answering(Place);

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.moves();
        self.0.0.answers.fetch_sub(1, Ordering::Relaxed);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
