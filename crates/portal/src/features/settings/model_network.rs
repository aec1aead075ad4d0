//! The isolation of instances from each other and from their servers.

use std::collections::BTreeSet;

use http_kit::FieldProblem;
use ipnet::Ipv4Net;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::check::Check;

/// Ranges in this size have room for 500 people and more, and leave something of the private addresses.
const PREFIXES: std::ops::RangeInclusive<u8> = 8..=17;
/// Private addresses, which are not on the Internet.
const PRIVATE: [&str; 4] = ["10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16"];
const MOST_PORTS: usize = 100;

/// The networks of instances.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct NetworkSettings {
    /// The private addresses of IPv4 that the networks of people are cut from on each server, 64 for each person.
    #[schema(example = "10.87.0.0/16")]
    pub(crate) subnets: String,
    /// TCP ports of servers that instances may reach by the server's own address, beside those for DNS, the portal, the
    /// network disk and instances.
    #[schema(value_type = Vec<u16>)]
    pub(crate) open_ports: BTreeSet<u16>,
    /// Whether programs in instances that are made from now on can get no more rights than they were started with:
    /// `sudo` and `su` do not work then.
    pub(crate) no_new_privileges: bool,
}

impl Default for NetworkSettings {
    fn default() -> Self {
        Self { subnets: "10.87.0.0/16".to_owned(), open_ports: BTreeSet::new(), no_new_privileges: false }
    }
}

impl NetworkSettings {
    /// The addresses, unless they are none that networks can be cut from.
    pub(crate) fn range(&self) -> Option<Ipv4Net> {
        let range: Ipv4Net = self.subnets.parse().ok()?;
        let is_private = PRIVATE.iter().any(|net| net.parse::<Ipv4Net>().is_ok_and(|net| net.contains(&range)));
        (range == range.trunc() && PREFIXES.contains(&range.prefix_len()) && is_private).then_some(range)
    }

    pub(super) fn faults(&self) -> Vec<FieldProblem> {
        let mut check = Check::default();
        check
            .that(
                self.range().is_some(),
                "network.subnets",
                "应为私有地址的网段，例如 10.87.0.0/16；/17 或更大，才够 500 人使用",
            )
            .that(self.open_ports.len() <= MOST_PORTS, "network.openPorts", "最多 100 个端口")
            .that(!self.open_ports.contains(&0), "network.openPorts", "端口应为 1 到 65535 之间的整数");
        check.faults()
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("10.87.0.0/16", true)]
    #[case("10.0.0.0/8", true)]
    #[case("172.16.0.0/12", true)]
    #[case("100.64.0.0/10", true)]
    #[case("192.168.128.0/17", true)]
    #[case("10.87.0.0/18", false)]
    #[case("10.87.0.1/16", false)]
    #[case("8.8.0.0/16", false)]
    #[case("0.0.0.0/0", false)]
    #[case("169.254.0.0/16", false)]
    #[case("fd00::/16", false)]
    #[case("10.87.0.0", false)]
    #[case(" 10.87.0.0/16", false)]
    #[case("", false)]
    fn only_whole_private_networks_that_are_large_enough(#[case] subnets: &str, #[case] fine: bool) {
        let settings = NetworkSettings { subnets: subnets.to_owned(), ..NetworkSettings::default() };
        assert_eq!(settings.range().is_some(), fine);
        assert_eq!(settings.faults().is_empty(), fine);
    }
}
