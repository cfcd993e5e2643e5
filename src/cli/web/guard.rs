//! Protection against requests of other pages (DNS rebinding, cross-site requests): only the server's own page may
//! send requests.
//!
//! A page of another site, open in the same browser, can send requests to this server, directly or by resolving its
//! own name to this machine (DNS rebinding). Browsers send the host of a request and the page it comes from
//! (`Host`, `Origin`): both must be this server.

use std::net::IpAddr;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::listen_scope::ListenScope;
use super::reply::HttpError;

/// Content security policy: only the server's own files; inline styles are allowed because drawings contain them.
const POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; \
                      object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

/// Refuses requests from other pages; other pages may not read the answers either.
pub(crate) async fn check(State(scope): State<ListenScope>, request: Request, next: Next) -> Response {
    let mut response = match refusal(scope, request.headers()) {
        Some(why) => HttpError::new(StatusCode::FORBIDDEN, why).into_response(),
        None => next.run(request).await,
    };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

fn refusal(scope: ListenScope, headers: &HeaderMap) -> Option<String> {
    let text = |name| headers.get(name).map(|value: &HeaderValue| value.to_str().unwrap_or_default());
    let host = text(header::HOST).unwrap_or_default();
    if scope == ListenScope::Machine && !names_this_machine(host) {
        return Some(format!("host {host:?}: this server is called localhost or 127.0.0.1"));
    }
    match text(header::ORIGIN) {
        Some(origin) if origin.split_once("://").is_none_or(|(_, authority)| authority != host) => {
            Some(format!("origin {origin:?}: only the server's own page may call it"))
        }
        _ => None,
    }
}

/// Whether an authority, with or without a port, is a loopback address or `localhost`.
fn names_this_machine(authority: &str) -> bool {
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|b| b.is_ascii_digit()) => host,
        _ => authority,
    };
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost") || address.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_names_are_this_machine() {
        for yes in ["localhost", "LOCALHOST:80", "127.0.0.1:8088", "127.9.9.9", "[::1]:8088", "[::1]"] {
            assert!(names_this_machine(yes), "{yes}");
        }
        for no in
            ["", "example.org", "localhost.example.org:80", "127.0.0.1.example.org", "10.0.0.1:80", "::"]
        {
            assert!(!names_this_machine(no), "{no}");
        }
    }

    #[test]
    fn other_pages_are_refused() {
        let refused = |scope, pairs: &[(header::HeaderName, &'static str)]| {
            let headers = pairs.iter().map(|(k, v)| (k.clone(), HeaderValue::from_static(v))).collect();
            refusal(scope, &headers).is_some()
        };
        let (host, origin) = (header::HOST, header::ORIGIN);
        for scope in [ListenScope::Machine, ListenScope::Network] {
            assert!(!refused(scope, &[(host.clone(), "localhost:1")]));
            assert!(!refused(
                scope,
                &[(host.clone(), "localhost:1"), (origin.clone(), "http://localhost:1")]
            ));
            assert!(refused(scope, &[(host.clone(), "localhost:1"), (origin.clone(), "http://localhost:2")]));
            assert!(refused(scope, &[(host.clone(), "localhost:1"), (origin.clone(), "null")]));
        }
        assert!(refused(ListenScope::Machine, &[]));
        assert!(refused(ListenScope::Machine, &[(host.clone(), "evil.example")]));
        assert!(!refused(ListenScope::Network, &[(host.clone(), "games.example")]));
    }
}
