//! The connections of a server, at most a number at once. At the maximum, the connection whose client has been
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

/// The open connections of a server.
pub(super) struct Connections {
    free: Arc<Semaphore>,
    open: Arc<Mutex<HashMap<u64, Connection>>>,
    /// Minimum time of silence before a connection is closed for a new one.
    grace: Duration,
    opened: u64,
}

impl Connections {
    pub(super) fn new(most: usize, grace: Duration) -> Self {
        Self { free: Arc::new(Semaphore::new(most)), open: Arc::default(), grace, opened: 0 }
    }

    /// A new connection, as soon as the number allows one.
    pub(super) async fn open(&mut self) -> OpenConnection {
        let permit = loop {
            if self.free.available_permits() == 0 {
                self.dismiss();
            }
            if let Ok(permit) = timeout(PAUSE, self.free.clone().acquire_owned()).await {
                break permit.expect("nobody closes it");
            }
        };
        self.opened += 1;
        let connection = Connection(Arc::new(ConnectionState {
            moved: Mutex::new(Instant::now()),
            answers: AtomicUsize::new(0),
            task: OnceLock::new(),
        }));
        let opened = OpenConnection {
            connection: connection.clone(),
            number: self.opened,
            all: self.open.clone(),
            _permit: permit,
        };
        lock(&self.open).insert(self.opened, connection);
        opened
    }

    /// Ends the connection that has been silent for longest, if that is long enough.
    fn dismiss(&self) {
        let now = Instant::now();
        let open = lock(&self.open);
        let silent = open.values().filter(|connection| connection.0.answers.load(Ordering::Relaxed) == 0);
        if let Some((since, connection)) =
            silent.map(|connection| (*lock(&connection.0.moved), connection)).min_by_key(|found| found.0)
            && now.saturating_duration_since(since) >= self.grace
            && let Some(task) = connection.0.task.get()
        {
            task.abort();
        }
    }
}

/// An open connection. It counts until this is dropped.
pub(super) struct OpenConnection {
    connection: Connection,
    number: u64,
    all: Arc<Mutex<HashMap<u64, Connection>>>,
    _permit: OwnedSemaphorePermit,
}

impl OpenConnection {
    /// The connection, for its requests.
    pub(super) fn connection(&self) -> Connection {
        self.connection.clone()
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        lock(&self.all).remove(&self.number);
    }
}

/// A connection: what its client does.
#[derive(Clone)]
pub(super) struct Connection(Arc<ConnectionState>);

struct ConnectionState {
    /// When the client last did something: connected, sent a whole request, or read.
    moved: Mutex<Instant>,
    /// Requests that the server works on.
    answers: AtomicUsize,
    /// The task that serves the connection.
    task: OnceLock<AbortHandle>,
}

impl Connection {
    /// The task that ends if the connection must give way.
    pub(super) fn is_served_by(&self, task: AbortHandle) {
        let _ = self.0.task.set(task);
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
pub(super) struct Answering(Connection);

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.moves();
        self.0.0.answers.fetch_sub(1, Ordering::Relaxed);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
