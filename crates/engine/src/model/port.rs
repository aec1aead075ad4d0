//! Ports of a container on its machine.

use std::net::IpAddr;
use std::num::NonZeroU16;

/// How a port speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Protocol {
    /// TCP.
    #[default]
    Tcp,
    /// UDP.
    Udp,
}

impl Protocol {
    /// As engines write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Tcp => "tcp",
            Self::Udp => "udp",
        }
    }
}

/// One port of the machine that leads into the container.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PortMapping {
    /// In the container.
    pub container: NonZeroU16,
    /// On the machine; chosen by the portal, never left to the engine.
    pub host: NonZeroU16,
    /// TCP or UDP.
    pub protocol: Protocol,
    /// The machine's address to listen at; all of them without one.
    pub address: Option<IpAddr>,
}
