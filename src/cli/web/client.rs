//! The client of a request: its address, and whether it is still connected.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv6Addr};

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use ludovec::engine::Interrupt;

/// The machine that a request comes from; unknown outside a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Client(Option<IpAddr>);

impl Client {
    /// The client at an address. A network of IPv6 addresses (/64) is one client: it has as many as it likes.
    pub(crate) fn at(address: IpAddr) -> Self {
        Self(Some(match address.to_canonical() {
            IpAddr::V6(address) => {
                let network = u128::from(address) >> 64 << 64;
                IpAddr::V6(Ipv6Addr::from(network))
            }
            address => address,
        }))
    }
}

impl<S: Sync> FromRequestParts<S> for Client {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(parts.extensions.get().copied().unwrap_or(Self(None)))
    }
}

/// A guard that raises an interrupt when it is dropped: if a client disconnects, the response is dropped, and the work
/// on its request stops.
pub(crate) struct UntilItLeaves(Interrupt);

impl UntilItLeaves {
    /// Makes a guard and the interrupt for the work.
    pub(crate) fn new() -> (Self, Interrupt) {
        let interrupt = Interrupt::default();
        (Self(interrupt.clone()), interrupt)
    }
}

impl Drop for UntilItLeaves {
    fn drop(&mut self) {
        self.0.raise();
    }
}
