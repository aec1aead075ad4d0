//! Ports of a container on its machine.

use std::net::IpAddr;
use std::num::NonZeroU16;

use crate::Invalid;

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

/// The number of a port.
///
/// # Errors
/// [`Invalid`] unless it is between 1 and 65535.
pub fn port_number(number: i64) -> Result<NonZeroU16, Invalid> {
    let port = u16::try_from(number).ok().and_then(NonZeroU16::new);
    port.ok_or_else(|| Invalid::new("port", &number.to_string(), "must be between 1 and 65535"))
}

/// A port of the machine that is forwarded to the container.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PortMapping {
    /// In the container.
    pub container: NonZeroU16,
    /// On the machine; chosen by the portal, never left to the engine.
    pub host: NonZeroU16,
    /// TCP or UDP.
    pub protocol: Protocol,
    /// The machine's address to listen on; by default all.
    pub address: Option<IpAddr>,
}

#[cfg(test)]
mod tests {
    use super::port_number;

    #[test]
    fn what_is_no_port_is_refused() {
        assert_eq!((port_number(1).unwrap().get(), port_number(65535).unwrap().get()), (1, 65535));
        for number in [i64::MIN, -1, 0, 65536, i64::MAX] {
            assert!(port_number(number).is_err(), "{number}");
        }
    }
}
