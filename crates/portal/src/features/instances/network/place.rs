//! Where an instance belongs: its owner's network on that server, made when it is missing.

use engine::machine_helper::BridgeName;
use engine::{
    ContainerRef, DefaultBridge, Engine, Error, HostNetwork, Inspection, Membership, Network, NetworkName, NetworkSpec,
};
use http_kit::{ApiError, ApiResult};
use ipnet::{IpNet, Ipv4Net};
use kernel::UserId;

use super::guard;
use super::plan::{self, Identity};
use crate::Portal;
use crate::features::instances::reconcile::Worker;
use crate::features::{servers, settings};

/// Subnets tried before giving up: a free one may be taken concurrently.
const TRIES: usize = 8;

/// The network that an instance is to belong to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::features::instances) enum Place {
    /// The engine's default network: the engine does not manage the firewall, so other networks would lead nowhere.
    Default,
    /// Its owner's.
    Own { name: NetworkName, id: String, bridge: BridgeName },
}

impl Place {
    /// The network of a new container; `None` is the engine's default.
    pub(in crate::features::instances) fn network(&self) -> Option<NetworkName> {
        match self {
            Self::Default => None,
            Self::Own { name, .. } => Some(name.clone()),
        }
    }
}

/// Returns a person's network on a server, and creates it if it is missing. A network that an interrupted try left is
/// found by the next.
pub(in crate::features::instances) async fn ensure(
    portal: &Portal,
    worker: &Worker,
    engine: &dyn Engine,
    user: UserId,
) -> ApiResult<engine::Result<Place>> {
    let range = settings::read(portal.db()).await?.network.range();
    let range = range.ok_or_else(|| ApiError::internal("the settings' addresses are no network"))?;
    let host = match engine.host_network().await {
        Ok(host) if host.keeps_firewall == Some(false) => return Ok(Ok(Place::Default)),
        Ok(host) => host,
        Err(error) => return Ok(Err(error)),
    };
    let _turn = worker.addresses.lock().await;
    Ok(own(engine, &worker.server, user, range, &host).await)
}

async fn own(
    engine: &dyn Engine,
    server: &str,
    user: UserId,
    range: Ipv4Net,
    host: &HostNetwork,
) -> engine::Result<Place> {
    let Identity { name, bridge, owner } = Identity::new(server, user)?;
    let mut refused: Vec<IpNet> = Vec::new();
    for _ in 0..TRIES {
        let known = engine.networks().await?;
        if let Some(found) = known.iter().find(|network| network.name == name.as_str()) {
            return taken_for_own(found, name, bridge, &owner);
        }
        let mut taken: Vec<IpNet> = known.iter().flat_map(|network| network.subnets.iter().copied()).collect();
        taken.append(&mut refused.clone());
        let Some((subnet, six)) = plan::free_subnet(range, &taken, &host.routes) else {
            return Err(Error::Failed(format!(
                "网段 {range} 已用完，或与服务器的网络冲突，请联系管理员在基本设置中更换"
            )));
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
        match engine.create_network(&spec).await {
            Ok(()) => tracing::info!(network = %name, %subnet, "a person's network is made"),
            // Created concurrently: either this network, or another with an overlapping subnet that the list may not
            // show.
            Err(Error::Conflict(words)) => {
                tracing::info!(network = %name, %subnet, words, "other addresses are tried");
                refused.push(IpNet::V4(subnet));
            }
            Err(error) => return Err(error),
        }
    }
    Err(Error::Failed(format!("网段 {range} 中的地址都被占用，请联系管理员在基本设置中更换")))
}

/// The network for containers that run on a person's behalf beside their instances; `None` for the engine's default
/// one.
pub(crate) async fn network_of(
    portal: &Portal,
    server: &str,
    engine: &dyn Engine,
    user: UserId,
) -> ApiResult<engine::Result<Option<NetworkName>>> {
    let worker = portal.compute().of(server);
    let place = match ensure(portal, &worker, engine, user).await? {
        Ok(place) => place,
        Err(error) => return Ok(Err(error)),
    };
    if let Place::Own { bridge, .. } = &place {
        let server = servers::by_id(portal.db(), server).await?;
        guard::assert_for(portal, &worker, &server, engine, bridge).await?;
    }
    Ok(Ok(place.network()))
}

/// Accepts a network only if its label and bridge are ours; the name alone proves nothing.
fn taken_for_own(found: &Network, name: NetworkName, bridge: BridgeName, owner: &str) -> engine::Result<Place> {
    let is_ours = found.owner.as_deref() == Some(owner) && found.bridge.as_deref() == Some(bridge.as_str());
    if is_ours {
        Ok(Place::Own { name, id: found.id.clone(), bridge })
    } else {
        Err(Error::NameTaken(name.to_string()))
    }
}

/// Whether a container is in its network, and in no other network that others share.
pub(in crate::features::instances) fn fits(found: &Inspection, place: &Place) -> bool {
    let default = NetworkName::of_default();
    match place {
        Place::Default => !found.networks.iter().any(|one| plan::is_of_portal(&one.network)),
        Place::Own { name, id, .. } => {
            let is_it = |one: &Membership| one.network == name.as_str() && (one.id.is_empty() || one.id == *id);
            let strange = |one: &Membership| {
                one.network == default.as_str() || (plan::is_of_portal(&one.network) && one.network != name.as_str())
            };
            found.networks.iter().any(is_it) && !found.networks.iter().any(strange)
        }
    }
}

/// Moves a stopped container to its network, effective at its next start. A running one stays where it is.
pub(in crate::features::instances) async fn join(
    engine: &dyn Engine,
    container: &ContainerRef,
    place: &Place,
) -> engine::Result<()> {
    let found = engine.inspect(container).await?;
    if fits(&found, place) || found.container.state.is_active() {
        return Ok(());
    }
    engine.join_network(container, &place.network().unwrap_or_else(NetworkName::of_default)).await
}
