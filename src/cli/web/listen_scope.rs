//! Listen scope: where the server can be reached from, which determines the allowed requests.

use std::net::IpAddr;

/// Where the server can be reached from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListenScope {
    /// This machine only: requests must name it as their host, options may name its files, and bots may be
    /// external. Programs start only if the command line names them.
    Machine,
    /// The network: any host name, but no files, and the listed bots only.
    Network,
}

impl ListenScope {
    /// The scope when listening on `address`.
    #[must_use]
    pub fn of(address: IpAddr) -> Self {
        if address.is_loopback() { Self::Machine } else { Self::Network }
    }
}
