//! From where the server can be reached, which decides what requests may ask for.

use std::net::IpAddr;

/// From where the server can be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// This machine only: requests must name it as their host, options may name files of it, and bots may
    /// live elsewhere.
    Machine,
    /// The network: any host name, but no files, and the listed bots only.
    Network,
}

impl Reach {
    /// What listening on `address` reaches.
    pub fn of(address: IpAddr) -> Self {
        if address.is_loopback() { Self::Machine } else { Self::Network }
    }
}
