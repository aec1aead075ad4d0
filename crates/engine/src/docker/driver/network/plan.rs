//! Name and addresses of a tenant's network on an engine; pure.

use std::net::Ipv6Addr;

use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use machine_helper::{BRIDGE_PREFIX, BridgeName};
use sha2::{Digest, Sha256};

use crate::{Invalid, NetworkName, Route, Tenant};

/// Of each network: 64 addresses.
const PREFIX: u8 = 26;
/// Workloads of one tenant on one engine: all addresses but the network's, the machine's and the broadcast address.
pub(super) const WORKLOADS_EACH: u32 = (1 << (32 - PREFIX)) - 3;
const ALPHABET: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";
/// As many characters as the kernel allows after the prefix.
const BRIDGE_CHARACTERS: usize = 11;
/// A direct route with at least this prefix length is the machine's own link; wider ones are a tunnel's way to say
/// "all".
const WIDEST_LINK: u8 = 8;
const NAME_PREFIX: &str = "yunlab-";

/// Identifiers of a network. Each contains the cluster's id, because several portals may share an engine and each has
/// its own id for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Identity {
    pub(super) name: NetworkName,
    pub(super) bridge: BridgeName,
    pub(super) owner: String,
}

impl Identity {
    pub(super) fn new(cluster: &str, tenant: &Tenant) -> Result<Self, Invalid> {
        let owner = format!("{cluster}/{tenant}");
        let of_cluster: String = Sha256::digest(cluster).iter().take(4).map(|byte| format!("{byte:02x}")).collect();
        let digest = Sha256::digest(&owner);
        let word: String = digest.iter().take(BRIDGE_CHARACTERS).map(|byte| letter(*byte)).collect();
        let bridge = format!("{BRIDGE_PREFIX}{word}");
        let name = format!("{NAME_PREFIX}{of_cluster}-{tenant}").parse()?;
        let bridge = bridge.parse().map_err(|_| "".parse::<NetworkName>().expect_err("no name is empty"))?;
        Ok(Self { name, bridge, owner })
    }
}

/// The small bias of taking bytes modulo 36 harms nothing.
fn letter(byte: u8) -> char {
    char::from(ALPHABET[usize::from(byte) % ALPHABET.len()])
}

/// The tenant in a network's label, if the network is of this cluster.
pub(super) fn owner_of(label: &str, cluster: &str) -> Option<Tenant> {
    label.strip_prefix(cluster)?.strip_prefix('/')?.parse().ok()
}

/// Whether a network of this name is some portal's.
pub(super) fn is_of_portal(name: &str) -> bool {
    name.starts_with(NAME_PREFIX)
}

/// How many networks a range has.
pub(super) fn capacity(range: Ipv4Net) -> u32 {
    1 << PREFIX.saturating_sub(range.prefix_len())
}

/// The first subnet of the range that neither the engine's networks nor the machine's routes use, with the IPv6 subnet
/// that belongs to it.
pub(super) fn free_subnet(range: Ipv4Net, taken: &[IpNet], routes: &[Route]) -> Option<(Ipv4Net, Ipv6Net)> {
    let routes: Vec<IpNet> =
        routes.iter().filter(|route| blocks(route, range)).map(|route| IpNet::V4(route.to)).collect();
    let overlap = |one: IpNet, other: &IpNet| one.contains(other) || other.contains(&one);
    if routes.iter().chain(taken).any(|one| one.contains(&IpNet::V4(range))) {
        return None;
    }
    let subnets = range.subnets(PREFIX).ok()?.zip(0_u32..).map(|(subnet, index)| (subnet, six(index)));
    let near: Vec<&IpNet> = taken
        .iter()
        .chain(&routes)
        .filter(|one| match one {
            IpNet::V4(_) => overlap(**one, &IpNet::V4(range)),
            IpNet::V6(_) => true,
        })
        .collect();
    subnets
        .into_iter()
        .find(|(four, six)| !near.iter().any(|one| overlap(IpNet::V4(*four), one) || overlap(IpNet::V6(*six), one)))
}

/// Routes that the range is a part of. Their far ends would be out of reach for as many addresses as networks have.
pub(super) fn wider_routes(range: Ipv4Net, routes: &[Route]) -> Vec<Ipv4Net> {
    let wider =
        |route: &&Route| route.to.contains(&range) && !blocks(route, range) && route.to.prefix_len() >= WIDEST_LINK;
    routes.iter().filter(wider).map(|route| route.to).collect()
}

/// Whether a network in the range would cut off existing hosts: on the machine's own link, or behind a gateway whose
/// route is for just these addresses. A wide route over a gateway, such as 10.0.0.0/8, is only the way to everything
/// else.
fn blocks(route: &Route, range: Ipv4Net) -> bool {
    let touches = route.to.contains(&range) || range.contains(&route.to);
    let is_near = route.gateway.is_none() && route.to.prefix_len() >= WIDEST_LINK;
    let is_ours = route.interface.starts_with(BRIDGE_PREFIX);
    touches && !is_ours && (is_near || route.to.prefix_len() >= range.prefix_len())
}

/// Unique local addresses of ours, a /64 for each network.
fn six(index: u32) -> Ipv6Net {
    let low = |number: u32| u16::try_from(number & 0xffff).unwrap_or_default();
    let address = Ipv6Addr::new(0xfd79, 0x756e, 0x6c00 | low(index >> 16), low(index), 0, 0, 0, 0);
    Ipv6Net::new_assert(address, 64)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use rstest::rstest;

    use super::*;

    const SERVER: &str = "019ab0de-0000-7000-8000-000000000001";

    fn tenant(number: u32) -> Tenant {
        number.to_string().parse().unwrap()
    }

    fn net(text: &str) -> IpNet {
        text.parse().unwrap()
    }

    fn range(text: &str) -> Ipv4Net {
        text.parse().unwrap()
    }

    fn route(to: &str, gateway: bool) -> Route {
        let gateway = gateway.then(|| "10.0.0.1".parse().unwrap());
        Route { interface: "eth0".to_owned(), to: range(to), gateway }
    }

    #[test]
    fn people_servers_and_portals_have_networks_of_their_own() {
        let ann = Identity::new(SERVER, &tenant(7)).unwrap();
        assert_eq!(ann, Identity::new(SERVER, &tenant(7)).unwrap(), "the same at every start");
        assert_eq!(owner_of(&ann.owner, SERVER), Some(tenant(7)));
        assert_eq!(owner_of(&ann.owner, "019ab0de"), None);
        assert!(is_of_portal(ann.name.as_str()) && ann.bridge.as_str().len() == 15);
        let mut seen = HashSet::new();
        for user in 1..=2000 {
            for server in [SERVER, "019ab0de-0000-7000-8000-000000000002"] {
                let one = Identity::new(server, &tenant(user)).unwrap();
                assert!(seen.insert(one.name.to_string()) && seen.insert(one.bridge.to_string()), "{one:?}");
            }
        }
    }

    #[test]
    fn five_hundred_people_fit_into_the_smallest_range_and_no_two_share_an_address() {
        let range = range("10.87.128.0/17");
        assert_eq!((capacity(range), WORKLOADS_EACH), (512, 61));
        let mut taken = Vec::new();
        while let Some((four, six)) = free_subnet(range, &taken, &[]) {
            assert!(range.contains(&four) && !taken.contains(&IpNet::V4(four)));
            taken.extend([IpNet::V4(four), IpNet::V6(six)]);
        }
        assert_eq!(taken.len(), 2 * 512);
        // A removed network makes room again.
        taken.retain(|one| *one != net("10.87.200.64/26"));
        let found = free_subnet(range, &taken, &[]).map(|(four, _)| four.to_string());
        assert_eq!(found, None, "its addresses of IPv6 are still taken");
        taken.retain(|one| matches!(one, IpNet::V4(_)));
        assert_eq!(free_subnet(range, &taken, &[]).unwrap().0.to_string(), "10.87.200.64/26");
    }

    #[rstest]
    #[case::nothing(&[], &[], Some("10.87.0.0/26"))]
    #[case::a_network_of_somebody(&["10.87.0.0/25"], &[], Some("10.87.0.128/26"))]
    #[case::a_smaller_network(&["10.87.0.16/28"], &[], Some("10.87.0.64/26"))]
    #[case::a_network_around_all(&["10.0.0.0/8"], &[], None)]
    #[case::somewhere_else(&["172.17.0.0/16", "fd00::/8"], &[], None)]
    #[case::only_v4_elsewhere(&["172.17.0.0/16", "fd79::/64"], &[], Some("10.87.0.0/26"))]
    #[case::the_machines_link(&[], &[("10.87.0.0/24", false)], Some("10.87.1.0/26"))]
    #[case::a_named_gateway(&[], &[("10.87.0.0/24", true)], Some("10.87.1.0/26"))]
    #[case::the_range_is_the_link(&[], &[("10.87.0.0/16", false)], None)]
    #[case::a_wide_link(&[], &[("10.0.0.0/8", false)], None)]
    #[case::a_wide_gateway(&[], &[("10.0.0.0/8", true)], Some("10.87.0.0/26"))]
    #[case::a_tunnel_for_all(&[], &[("0.0.0.0/1", false)], Some("10.87.0.0/26"))]
    fn addresses_that_somebody_has_are_passed_over(
        #[case] taken: &[&str],
        #[case] routes: &[(&str, bool)],
        #[case] wanted: Option<&str>,
    ) {
        let taken: Vec<IpNet> = taken.iter().map(|one| net(one)).collect();
        let routes: Vec<Route> = routes.iter().map(|(to, gateway)| route(to, *gateway)).collect();
        let found = free_subnet(range("10.87.0.0/16"), &taken, &routes).map(|(four, _)| four.to_string());
        assert_eq!(found.as_deref(), wanted);
    }

    #[test]
    fn a_wide_route_over_a_gateway_is_told() {
        let routes = [route("10.0.0.0/8", true), route("0.0.0.0/1", true), route("172.16.0.0/12", true)];
        assert_eq!(wider_routes(range("10.87.0.0/16"), &routes), [range("10.0.0.0/8")]);
        assert!(wider_routes(range("10.87.0.0/16"), &[route("10.0.0.0/8", false)]).is_empty(), "that one blocks");
    }

    #[test]
    fn the_largest_range_has_its_own_addresses_of_ipv6_to_the_end() {
        let last = six(capacity(range("10.0.0.0/8")) - 1);
        assert_eq!(last.to_string(), "fd79:756e:6c03:ffff::/64");
        assert_ne!(six(1), six(0x1_0001));
    }
}
