//! Computes and applies the network guard of a server's machine: the rules that isolate people's networks. Without it
//! the networks still work, but instances reach the machine itself; the server's check reports that.

use std::collections::BTreeSet;
use std::num::NonZeroU16;
use std::time::Duration;

use engine::machine_helper::{BRIDGE_PREFIX, BridgeName, Guard, Invalid, Request, Span};
use engine::{Container, Engine, Network, Protocol};
use http_kit::ApiResult;

use crate::Portal;
use crate::features::instances::reconcile::Worker;
use crate::features::machine_helper::{self, Caller};
use crate::features::servers::Server;
use crate::features::settings::{self, Settings};

/// Restores the rules within this time after a flush of all tables or an unnoticed reboot.
const EVERY: Duration = Duration::from_secs(60);
/// Caller of the machine helper, as the operate log names it.
const DUTY: &str = "实例网络隔离";

/// Applies the guard periodically and whenever it changed. A failure is reported by the server's check and changes
/// nothing here.
pub(in crate::features::instances) async fn assert(
    portal: &Portal,
    worker: &Worker,
    server: &Server,
    engine: &dyn Engine,
    list: &[Container],
) -> ApiResult<()> {
    if machine_helper::forbidden(portal, server).is_some() {
        return Ok(());
    }
    let _turn = worker.guarding.lock().await;
    let networks = match engine.networks().await {
        Ok(networks) => networks,
        Err(error) => {
            tracing::debug!(server.id = server.id, %error, "its networks are not known");
            return Ok(());
        }
    };
    let guard = match wanted(portal, server, &networks, list).await? {
        None => return Ok(()),
        Some(Ok(guard)) => guard,
        Some(Err(error)) => {
            tracing::error!(server.id = server.id, %error, "the network table has no room");
            return Ok(());
        }
    };
    let now = portal.now();
    if worker.guarded(&guard, now.minus(EVERY)) {
        return Ok(());
    }
    // Noted first, so that a failure is retried in the next period and not at every look.
    worker.note_guard(guard.clone(), now);
    let request = Request::SetNetworkGuard { guard };
    if let Err(error) = machine_helper::call(portal, server, Caller::Duty(DUTY), &request).await {
        tracing::debug!(server.id = server.id, %error, "the machine does not keep networks apart");
    }
    Ok(())
}

/// Applies the guard before the first instance in a network starts, so that it never runs without isolation.
pub(in crate::features::instances) async fn assert_for(
    portal: &Portal,
    worker: &Worker,
    server: &Server,
    engine: &dyn Engine,
    bridge: &BridgeName,
) -> ApiResult<()> {
    if worker.guards(bridge) {
        return Ok(());
    }
    match engine.list().await {
        Ok(list) => assert(portal, worker, server, engine, &list).await,
        Err(error) => {
            tracing::debug!(server.id = server.id, %error, "its containers are not known");
            Ok(())
        }
    }
}

/// The guard that a server's machine needs; `None` while it has no person's network.
pub(in crate::features::instances) async fn wanted(
    portal: &Portal,
    server: &Server,
    networks: &[Network],
    list: &[Container],
) -> ApiResult<Option<Result<Guard, Invalid>>> {
    let settings = settings::read(portal.db()).await?;
    Ok(guard(networks, list, &open_ports(&settings, server, portal.own_ports())))
}

/// TCP ports of the machine that are open to instances: those of the settings, of the portal and the disk in it, and
/// of other addresses at which people reach them on this machine.
fn open_ports(settings: &Settings, server: &Server, own: &[u16]) -> BTreeSet<u16> {
    let basic = &settings.basic;
    let addresses = [&basic.base_url, &basic.internal_base_url, &basic.storage_host];
    let at_server = addresses.into_iter().filter_map(|address| {
        let url = url::Url::parse(address).ok()?;
        let is_here = server.local || url.host_str() == Some(server.public_host.as_str());
        if is_here { url.port_or_known_default() } else { None }
    });
    let own = own.iter().copied().filter(|_| server.local);
    settings.network.open_ports.iter().copied().chain(at_server).chain(own).collect()
}

fn guard(networks: &[Network], list: &[Container], open: &BTreeSet<u16>) -> Option<Result<Guard, Invalid>> {
    let bridges = networks.iter().filter_map(|network| network.bridge.as_deref());
    let (ours, others): (Vec<&str>, Vec<&str>) = bridges.partition(|name| name.starts_with(BRIDGE_PREFIX));
    let ours: Vec<BridgeName> = ours.into_iter().filter_map(|name| name.parse().ok()).collect();
    if ours.is_empty() {
        return None;
    }
    let others = others.into_iter().filter_map(|name| name.parse().ok()).collect();
    let published = |protocol: Protocol| {
        let active = list.iter().filter(|container| container.state.is_active());
        let ports = active.flat_map(|container| &container.ports);
        ports
            .filter(move |port| port.protocol == protocol && !port.address.is_some_and(|address| address.is_loopback()))
            .map(|port| port.host)
    };
    let open = open.iter().copied().filter_map(NonZeroU16::new);
    Some(Guard::new(ours, others, Span::of(published(Protocol::Tcp).chain(open)), Span::of(published(Protocol::Udp))))
}

#[cfg(test)]
mod tests {
    use engine::{ContainerState, HeldCards, Owner, PortMapping};
    use kernel::Timestamp;

    use super::*;
    use crate::features::settings::PortRange;

    fn network(bridge: &str) -> Network {
        Network {
            id: String::new(),
            name: String::new(),
            bridge: Some(bridge.to_owned()),
            owner: None,
            subnets: Vec::new(),
            default: None,
        }
    }

    fn container(state: ContainerState, port: u16, protocol: Protocol, address: Option<&str>) -> Container {
        let port = NonZeroU16::new(port).unwrap();
        let address = address.map(|text| text.parse().unwrap());
        Container {
            id: "0a".repeat(32).parse().unwrap(),
            name: String::new(),
            image: String::new(),
            image_id: String::new(),
            created: Timestamp::from_millis(0),
            state,
            owner: Owner::Foreign(HeldCards::default()),
            ports: vec![PortMapping { container: port, host: port, protocol, address }],
            networks: Vec::new(),
        }
    }

    #[test]
    fn only_what_is_published_and_named_is_open() {
        let list = [
            container(ContainerState::Running, 30000, Protocol::Tcp, None),
            container(ContainerState::Paused, 30001, Protocol::Udp, Some("10.0.0.5")),
            container(ContainerState::Exited, 30002, Protocol::Tcp, None),
            container(ContainerState::Running, 5432, Protocol::Tcp, Some("127.0.0.1")),
        ];
        let networks = [network("ylp-a"), network("docker0"), network("br-0a1b2c3d4e5f")];
        let script = guard(&networks, &list, &BTreeSet::from([8080])).unwrap().unwrap().script();
        assert!(script.contains("tcp dport { 8080, 30000 } accept\n"), "{script}");
        assert!(script.contains("udp dport { 30001 } accept\n"), "{script}");
        assert!(script.contains("iifname \"ylp-*\" oifname \"br-0a1b2c3d4e5f\" drop\n"), "{script}");
        assert!(guard(&[network("docker0")], &list, &BTreeSet::new()).is_none());
    }

    #[test]
    fn the_portals_ports_are_open_where_the_portal_is() {
        let mut settings = Settings::default();
        settings.basic.base_url = "https://lab.example.com".to_owned();
        settings.basic.storage_host = "http://gpu02.lab:9000/disk".to_owned();
        settings.network.open_ports = BTreeSet::from([7890]);
        let mut server = Server::blank(PortRange { from: 30000, to: 39999 }, Timestamp::from_millis(0));
        server.public_host = "gpu02.lab".to_owned();
        let open = |server: &Server| open_ports(&settings, server, &[8080]).into_iter().collect::<Vec<_>>();
        assert_eq!(open(&server), [7890, 9000]);
        server.local = true;
        assert_eq!(open(&server), [443, 7890, 8080, 9000]);
        server.local = false;
        server.public_host = "gpu03.lab".to_owned();
        assert_eq!(open(&server), [7890]);
    }
}
