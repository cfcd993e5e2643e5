//! Sessions in progress, by id.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::client::Client;
use ludovec::play::web_api::{Answer, Refused, lock};

/// Values by unguessable ids.
pub(super) struct Sessions<T> {
    sessions: Mutex<SessionsById<T>>,
    /// Maximum number of values.
    limit: usize,
    /// Most of one client at a time, where the server is open to several.
    quota: usize,
    /// Time after which an unused value is deleted.
    expiry: Duration,
    /// The noun for a value in messages.
    noun: &'static str,
    /// Generates ids; its keys come from the operating system.
    ids: RandomState,
}

struct SessionsById<T> {
    by_id: HashMap<String, Session<T>>,
    made: u64,
}

struct Session<T> {
    value: Arc<Mutex<T>>,
    client: Client,
    used: Instant,
}

impl<T> SessionsById<T> {
    /// How many a client has.
    fn count(&self, client: Client) -> usize {
        self.by_id.values().filter(|session| session.client == client).count()
    }

    /// Drops the client's least recently used session.
    fn forget_oldest(&mut self, client: Client) {
        let of_client = self.by_id.iter().filter(|(_, session)| session.client == client);
        let oldest = of_client.min_by_key(|(_, session)| session.used).map(|(id, _)| id.clone());
        oldest.and_then(|id| self.by_id.remove(&id));
    }

    /// The client with the most sessions; among equals, the client with the least recently used one.
    fn busiest(&self) -> Option<Client> {
        let by_count = |session: &&Session<T>| (self.count(session.client), Reverse(session.used));
        self.by_id.values().max_by_key(by_count).map(|session| session.client)
    }
}

impl<T> Sessions<T> {
    pub(super) fn new(noun: &'static str, [limit, quota]: [usize; 2], expiry: Duration) -> Self {
        let sessions = Mutex::new(SessionsById { by_id: HashMap::new(), made: 0 });
        Self { sessions, limit, quota, expiry, noun, ids: RandomState::new() }
    }

    /// Keeps a value and returns its id. Beyond its quota a client loses the value that it has not used for longest;
    /// beyond the limit the client that has most does.
    pub(super) fn insert(&self, value: T, client: Client) -> String {
        let mut all = lock(&self.sessions);
        all.by_id.retain(|_, session| session.used.elapsed() < self.expiry);
        if all.count(client) >= self.quota {
            all.forget_oldest(client);
        }
        if all.by_id.len() >= self.limit
            && let Some(busiest) = all.busiest()
        {
            all.forget_oldest(busiest);
        }
        all.made += 1;
        let id = format!("{:016x}", self.ids.hash_one(all.made));
        let session = Session { value: Arc::new(Mutex::new(value)), client, used: Instant::now() };
        all.by_id.insert(id.clone(), session);
        id
    }

    /// The value with this `id`.
    pub(super) fn get(&self, id: &str) -> Answer<Arc<Mutex<T>>> {
        let mut all = lock(&self.sessions);
        match all.by_id.get_mut(id) {
            Some(session) if session.used.elapsed() < self.expiry => {
                session.used = Instant::now();
                Ok(session.value.clone())
            }
            _ => Err(self.unknown(id)),
        }
    }

    /// Deletes the value with this `id`.
    pub(super) fn remove(&self, id: &str) -> Answer<()> {
        lock(&self.sessions).by_id.remove(id).map(|_| ()).ok_or_else(|| self.unknown(id))
    }

    fn unknown(&self, id: &str) -> Refused {
        Refused::unknown(self.noun, id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(number: u8) -> Client {
        Client::at([10, 0, 0, number].into())
    }

    #[test]
    fn a_client_cannot_evict_sessions_of_others() {
        let sessions = Sessions::new("game", [6, 4], Duration::from_secs(60));
        let one = sessions.insert(0, client(1));
        // A client with too many loses its own.
        let many: Vec<String> = (0..50).map(|i| sessions.insert(i, client(2))).collect();
        assert!(sessions.get(&one).is_ok());
        assert!(many[..46].iter().all(|id| sessions.get(id).is_err()));
        assert!(many[46..].iter().all(|id| sessions.get(id).is_ok()));
        // Beyond the limit of all, the client with most loses one.
        let two = sessions.insert(1, client(1));
        let third = sessions.insert(2, client(3));
        assert!([&one, &two, &third].iter().all(|id| sessions.get(id).is_ok()));
        assert_eq!(many.iter().filter(|id| sessions.get(id).is_ok()).count(), 3);
    }

    #[test]
    fn a_network_of_ipv6_addresses_is_one_client() {
        let at = |text: &str| Client::at(text.parse().unwrap());
        assert_eq!(at("2001:db8::1"), at("2001:db8::ffff:1"));
        assert_ne!(at("2001:db8::1"), at("2001:db8:0:1::1"));
        assert_eq!(at("::ffff:10.0.0.1"), client(1));
    }

    #[test]
    fn values_are_kept_up_to_the_limit_recently_used_ones_longest() {
        let sessions = Sessions::new("game", [2, 2], Duration::from_secs(60));
        let client = client(1);
        let (a, b) = (sessions.insert('a', client), sessions.insert('b', client));
        assert_ne!(a, b);
        assert_eq!(*lock(&sessions.get(&a).unwrap()), 'a');
        let c = sessions.insert('c', client);
        assert!(sessions.get(&b).is_err(), "it was not used");
        assert_eq!(*lock(&sessions.get(&a).unwrap()), 'a');
        sessions.remove(&c).unwrap();
        assert!(sessions.get(&c).is_err() && sessions.remove(&c).is_err());
    }

    #[test]
    fn values_expire() {
        let sessions = Sessions::new("game", [1, 1], Duration::ZERO);
        let id = sessions.insert(1, client(1));
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
