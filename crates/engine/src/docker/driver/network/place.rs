//! The network that a workload's container belongs to: its tenant's, made when it is missing.

use ipnet::{IpNet, Ipv4Net};
use machine_helper::BridgeName;

use super::plan::{self, Identity};
use crate::docker::driver::DockerRuntime;
use crate::{
    ContainerRef, DefaultBridge, Error, HostNetwork, Inspection, Membership, Network, NetworkName, NetworkSpec, Result,
    Tenant,
};

/// Subnets tried before giving up: a free one may be taken concurrently.
const TRIES: usize = 8;

/// The network that a container is to belong to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::docker::driver) enum Home {
    /// The engine's default network: the engine does not manage the firewall, so other networks would lead nowhere.
    Default,
    /// Its tenant's.
    Own { name: NetworkName, id: String, bridge: BridgeName },
}

impl Home {
    /// The network of a new container; `None` is the engine's default.
    pub(in crate::docker::driver) fn network(&self) -> Option<NetworkName> {
        match self {
            Self::Default => None,
            Self::Own { name, .. } => Some(name.clone()),
        }
    }
}

impl DockerRuntime {
    /// Returns a tenant's network, and creates it if it is missing. A network that an interrupted try left is found by
    /// the next.
    pub(in crate::docker::driver) async fn home(&self, tenant: &Tenant) -> Result<Home> {
        let range = self.site.rules().await?.addresses;
        let host = self.engine.host_network().await?;
        if host.keeps_firewall == Some(false) {
            return Ok(Home::Default);
        }
        let _turn = self.networks.addresses.lock().await;
        self.own_network(tenant, range, &host).await
    }

    async fn own_network(&self, tenant: &Tenant, range: Ipv4Net, host: &HostNetwork) -> Result<Home> {
        let Identity { name, bridge, owner } = Identity::new(self.site.cluster(), tenant)?;
        let mut refused: Vec<IpNet> = Vec::new();
        for _ in 0..TRIES {
            let known = self.engine.networks().await?;
            if let Some(found) = known.iter().find(|network| network.name == name.as_str()) {
                return taken_for_own(found, name, bridge, &owner);
            }
            let mut taken: Vec<IpNet> = known.iter().flat_map(|network| network.subnets.iter().copied()).collect();
            taken.append(&mut refused.clone());
            let Some((subnet, six)) = plan::free_subnet(range, &taken, &host.routes) else {
                return Err(Error::NoAddresses(range));
            };
            let default = known.iter().find_map(|network| network.default.clone()).unwrap_or_default();
            let DefaultBridge { ipv6, options } = default;
            let spec = NetworkSpec {
                name: name.clone(),
                bridge: bridge.clone(),
                owner: owner.clone(),
                subnet,
                subnet6: ipv6.then_some(six),
                options,
            };
            match self.engine.create_network(&spec).await {
                Ok(()) => tracing::info!(network = %name, %subnet, "a tenant's network is made"),
                // Created concurrently: either this network, or another with an overlapping subnet that the list may
                // not show.
                Err(Error::Conflict(words)) => {
                    tracing::info!(network = %name, %subnet, words, "other addresses are tried");
                    refused.push(IpNet::V4(subnet));
                }
                Err(error) => return Err(error),
            }
        }
        Err(Error::NoAddresses(range))
    }

    /// The network for containers that run on a tenant's behalf beside its workloads; `None` for the engine's default
    /// one.
    pub(in crate::docker::driver) async fn network_beside(&self, tenant: &Tenant) -> Result<Option<NetworkName>> {
        let home = self.home(tenant).await?;
        if let Home::Own { bridge, .. } = &home {
            self.assert_guard_for(bridge).await;
        }
        Ok(home.network())
    }

    /// Moves a stopped container to its network, effective at its next start. A running one stays where it is.
    pub(in crate::docker::driver) async fn join(&self, container: &ContainerRef, home: &Home) -> Result<()> {
        let found = self.engine.inspect(container).await?;
        if fits(&found, home) || found.container.state.is_active() {
            return Ok(());
        }
        self.engine.join_network(container, &home.network().unwrap_or_else(NetworkName::of_default)).await
    }
}

/// Accepts a network only if its label and bridge are ours; the name alone proves nothing.
fn taken_for_own(found: &Network, name: NetworkName, bridge: BridgeName, owner: &str) -> Result<Home> {
    let is_ours = found.owner.as_deref() == Some(owner) && found.bridge.as_deref() == Some(bridge.as_str());
    if is_ours { Ok(Home::Own { name, id: found.id.clone(), bridge }) } else { Err(Error::NameTaken(name.to_string())) }
}

/// Whether a container is in its network, and in no other network that others share.
fn fits(found: &Inspection, home: &Home) -> bool {
    let default = NetworkName::of_default();
    match home {
        Home::Default => !found.networks.iter().any(|one| plan::is_of_portal(&one.network)),
        Home::Own { name, id, .. } => {
            let is_it = |one: &Membership| one.network == name.as_str() && (one.id.is_empty() || one.id == *id);
            let strange = |one: &Membership| {
                one.network == default.as_str() || (plan::is_of_portal(&one.network) && one.network != name.as_str())
            };
            found.networks.iter().any(is_it) && !found.networks.iter().any(strange)
        }
    }
}
