//! Networks of an in-memory engine: with the refusals of a real one, and with changes past the product.

use engine::{ContainerRef, DefaultBridge, Error, HostNetwork, Membership, Network, NetworkName, NetworkSpec, Result};

use super::{FakeEngine, Inner};

/// The network that is always there.
const DEFAULT: &str = "bridge";

impl FakeEngine {
    /// Its machine is networked like this from now on.
    pub fn set_host_network(&self, host: HostNetwork) {
        self.inner().host_network = host;
    }

    /// The networks that were created.
    #[must_use]
    pub fn networks_made(&self) -> Vec<Network> {
        self.inner().networks.clone()
    }

    /// The names of the networks that a container belongs to.
    #[must_use]
    pub fn networks_of(&self, container: &str) -> Vec<String> {
        let mut inner = self.inner();
        let kept = inner.find(container);
        kept.iter().flat_map(|kept| &kept.networks).map(|one| one.network.clone()).collect()
    }

    /// The networks that builds ran in, in order.
    #[must_use]
    pub fn built_in(&self) -> Vec<String> {
        self.inner().built.clone()
    }

    /// Creates a network with these addresses past the portal.
    ///
    /// # Panics
    /// When the addresses are invalid.
    pub fn add_network(&self, name: &str, subnet: &str) {
        let mut inner = self.inner();
        let id = inner.next_id();
        let subnets = vec![subnet.parse().expect("a subnet")];
        inner.networks.push(Network { id, name: name.to_owned(), bridge: None, owner: None, subnets, default: None });
    }

    /// Removes a network past the portal.
    pub fn lose_network(&self, name: &str) {
        self.inner().networks.retain(|network| network.name != name);
    }

    /// A container is as older versions made it: in the default network.
    pub fn put_into_default_network(&self, container: &str) {
        if let Some(kept) = self.inner().find(container) {
            kept.networks = vec![Membership { network: DEFAULT.to_owned(), id: DEFAULT.to_owned() }];
        }
    }
}

impl Inner {
    fn next_id(&mut self) -> String {
        self.made += 1;
        format!("{:064x}", self.made)
    }

    pub(super) fn all_networks(&self) -> Vec<Network> {
        let default = Network {
            id: DEFAULT.to_owned(),
            name: DEFAULT.to_owned(),
            bridge: Some("docker0".to_owned()),
            owner: None,
            subnets: vec!["172.17.0.0/16".parse().expect("a subnet")],
            default: Some(DefaultBridge::default()),
        };
        [vec![default], self.networks.clone()].concat()
    }

    pub(super) fn make_network(&mut self, spec: &NetworkSpec) -> Result<()> {
        let known = self.all_networks();
        let bridge = spec.bridge.to_string();
        if known.iter().any(|other| other.name == spec.name.as_str() || other.bridge.as_ref() == Some(&bridge)) {
            return Err(Error::Conflict(format!("network with name {} already exists", spec.name)));
        }
        let wanted: Vec<ipnet::IpNet> =
            [Some(spec.subnet.into()), spec.subnet6.map(Into::into)].into_iter().flatten().collect();
        let overlap = |one: &ipnet::IpNet| wanted.iter().any(|other| one.contains(other) || other.contains(one));
        if known.iter().flat_map(|other| &other.subnets).any(overlap) {
            return Err(Error::Conflict("Pool overlaps with other one on this address space".to_owned()));
        }
        let (id, name) = (self.next_id(), spec.name.to_string());
        let owner = Some(spec.owner.clone());
        self.networks.push(Network { id, name, bridge: Some(bridge), owner, subnets: wanted, default: None });
        Ok(())
    }

    pub(super) fn remove_network(&mut self, name: &NetworkName) -> Result<()> {
        let belongs = |one: &Membership| one.network == name.as_str();
        let used = self.containers.iter().filter(|kept| kept.container.state.is_active());
        if used.flat_map(|kept| &kept.networks).any(belongs) {
            return Err(Error::Conflict(format!("error while removing network: network {name} has active endpoints")));
        }
        let before = self.networks.len();
        self.networks.retain(|network| network.name != name.as_str());
        if self.networks.len() == before { Err(no_network(name.as_str())) } else { Ok(()) }
    }

    pub(super) fn join_network(&mut self, container: &ContainerRef, network: &NetworkName) -> Result<()> {
        if !self.all_networks().iter().any(|other| other.name == network.as_str()) {
            return Err(no_network(network.as_str()));
        }
        let kept = self.found(container)?;
        if kept.container.state.is_active() {
            return Err(Error::Conflict(format!("container {container} is running")));
        }
        kept.networks = vec![Membership { network: network.to_string(), id: String::new() }];
        Ok(())
    }

    /// The networks of a container that starts, with their ids; a recreated network has another id.
    pub(super) fn attached(&mut self, container: &ContainerRef) -> Result<Vec<Membership>> {
        let known = self.all_networks();
        let kept = self.found(container)?;
        let attach = |one: &Membership| {
            let is_it = |network: &&Network| {
                if one.id.is_empty() { network.name == one.network } else { network.id == one.id }
            };
            let found = known.iter().find(is_it).ok_or_else(|| no_network(&one.network))?;
            Ok(Membership { network: found.name.clone(), id: found.id.clone() })
        };
        kept.networks.iter().map(attach).collect()
    }
}

fn no_network(name: &str) -> Error {
    Error::NotFound(format!("network {name} not found"))
}
