//! Listen scope: where the server can be reached from.

use std::net::IpAddr;

/// Where the server can be reached from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListenScope {
    /// This machine only: requests must name it as their host.
    Machine,
    /// The network: any host name, and quotas for each client.
    Network,
}

impl ListenScope {
    /// The scope when listening on `address`.
    #[must_use]
    pub fn of(address: IpAddr) -> Self {
        if address.is_loopback() { Self::Machine } else { Self::Network }
    }
}
