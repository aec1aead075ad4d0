//! Networks of an engine, and how its machine is networked.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use machine_helper::BridgeName;

use crate::Invalid;

/// A network's name, of the characters that a container's may have.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NetworkName(String);

impl NetworkName {
    /// As text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The default network of containers.
    #[must_use]
    pub fn of_default() -> Self {
        Self("bridge".to_owned())
    }
}

impl FromStr for NetworkName {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
        let fine = (2..=128).contains(&text.len())
            && text.starts_with(|c: char| c.is_ascii_alphanumeric())
            && text.chars().all(inner);
        // Words by which an engine means no network of its own.
        if !fine || matches!(text, "default" | "host" | "none") {
            return Err(Invalid::new("network name", text, "is no network's name"));
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for NetworkName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A person's network to be created: a bridge of its own, with naming, MTU and masquerading as in the default one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkSpec {
    /// The same for every try.
    pub name: NetworkName,
    /// The bridge on the machine. No two networks of an engine have the same.
    pub bridge: BridgeName,
    /// The owner, for the label `yunlab.network`.
    pub owner: String,
    /// Its addresses, which no other network of the engine has.
    pub subnet: Ipv4Net,
    /// The IPv6 subnet, where the default bridge has one.
    pub subnet6: Option<Ipv6Net>,
    /// As [`DefaultBridge::options`].
    pub options: Vec<(String, String)>,
}

/// A network as an engine reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    /// The engine's id.
    pub id: String,
    /// Its name; engines may have several networks with one name.
    pub name: String,
    /// The interface on the machine, where the network is a bridge and names one.
    pub bridge: Option<String>,
    /// Value of the label `yunlab.network`; `None` for a network that no portal created.
    pub owner: Option<String>,
    /// Its addresses.
    pub subnets: Vec<IpNet>,
    /// Set for the default network of containers.
    pub default: Option<DefaultBridge>,
}

/// Options that other networks copy from the default one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DefaultBridge {
    /// Whether its containers have addresses of IPv6.
    pub ipv6: bool,
    /// MTU, masquerading, and the address that ports are published at, as far as they are set.
    pub options: Vec<(String, String)>,
}

/// A network that a container belongs to, whether it runs or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Membership {
    /// The network's name.
    pub network: String,
    /// The id by which the engine finds the network at the start; empty before the first start.
    pub id: String,
}

/// How an engine's machine is networked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostNetwork {
    /// Whether the engine manages the machine's firewall: without it its networks lead nowhere. `None` if unknown, as
    /// when its process cannot be seen.
    pub keeps_firewall: Option<bool>,
    /// Where the machine sends packets.
    pub routes: Vec<Route>,
}

/// A route of the machine, except its default one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// Through this interface.
    pub interface: String,
    /// To these addresses.
    pub to: Ipv4Net,
    /// Another machine that the route leads through.
    pub gateway: Option<IpAddr>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_networks() {
        for good in ["bridge", "yunlab-0a1b2c3d-7"] {
            assert_eq!(good.parse::<NetworkName>().unwrap().as_str(), good);
        }
        for bad in ["", "a", "host", "none", "default", "container:x", "a/b", "-ab", "a b", "网络"] {
            assert!(bad.parse::<NetworkName>().is_err(), "{bad:?}");
        }
    }
}
