//! Addresses of players: bots in other programs.

#[cfg(feature = "remote")]
use crate::engine::{Error, Result};

/// Whether a text is the address of a player, even if malformed, rather than the name of a bot of the engine.
///
/// ```
/// use ludovec_play::address::is_address;
/// assert!(is_address("http://127.0.0.1:8000") && !is_address("greedy"));
/// ```
#[must_use]
pub fn is_address(text: &str) -> bool {
    text.starts_with("http:") || text.starts_with("https:")
}

/// `HOST:PORT` of `http://HOST:PORT`.
///
/// # Errors
/// [`Error::InvalidConfig`] for any other form.
#[cfg(feature = "remote")]
pub(super) fn host(address: &str) -> Result<&str> {
    let refuse = |what: &str| Err(Error::config(format!("bot {address:?}: {what}")));
    let Some(host) = address.strip_prefix("http://") else {
        return refuse("only http:// is spoken");
    };
    let host = host.trim_end_matches('/');
    if host.is_empty() || host.contains(['/', '?', '#', ' ']) {
        return refuse("http://HOST:PORT is needed");
    }
    Ok(host)
}

#[cfg(all(test, feature = "remote"))]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_http_with_a_host_and_nothing_behind() {
        assert_eq!(host("http://127.0.0.1:8000/").unwrap(), "127.0.0.1:8000");
        for wrong in ["https://a", "http://", "http:a", "http://a/b", "http://a?b", "http://a b"] {
            assert!(is_address(wrong) && host(wrong).is_err(), "{wrong}");
        }
        assert!(!is_address("random") && !is_address("search:500"));
    }
}
