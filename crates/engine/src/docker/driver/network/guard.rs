//! Computes and applies the network guard of the engine's machine: the rules that isolate tenants' networks. Without it
//! the networks still work, but workloads reach the machine itself; the diagnosis reports that.

use std::collections::BTreeSet;
use std::num::NonZeroU16;
use std::time::Duration;

use machine_helper::{BRIDGE_PREFIX, BridgeName, Guard, Invalid, Request, Span};

use crate::docker::driver::DockerRuntime;
use crate::{Container, Network, Protocol};

/// Restores the rules within this time after a flush of all tables or an unnoticed reboot.
const EVERY: Duration = Duration::from_secs(60);

impl DockerRuntime {
    /// Applies the guard periodically and whenever it changed. A failure is reported by the diagnosis and changes
    /// nothing here.
    pub(in crate::docker::driver) async fn assert_guard(&self, list: &[Container]) {
        let cluster = self.site.cluster();
        let rules = match self.site.rules().await {
            Ok(rules) if rules.no_helper.is_none() => rules,
            Ok(_) => return,
            Err(error) => {
                tracing::debug!(cluster, %error, "its rules are not known");
                return;
            }
        };
        let _turn = self.networks.guarding.lock().await;
        let networks = match self.engine.networks().await {
            Ok(networks) => networks,
            Err(error) => {
                tracing::debug!(cluster, %error, "its networks are not known");
                return;
            }
        };
        let guard = match wanted(&networks, list, &rules.open_ports) {
            None => return,
            Some(Ok(guard)) => guard,
            Some(Err(error)) => {
                tracing::error!(cluster, %error, "the network table has no room");
                return;
            }
        };
        let now = self.site.now();
        if self.networks.guarded(&guard, now.minus(EVERY)) {
            return;
        }
        // Noted first, so that a failure is retried in the next period and not at every look.
        self.networks.note_guard(guard.clone(), now);
        if let Err(error) = self.site.carry_out(&Request::SetNetworkGuard { guard }).await {
            tracing::debug!(cluster, %error, "the machine does not keep networks apart");
        }
    }

    /// Applies the guard before the first workload in a network starts, so that it never runs without isolation.
    pub(in crate::docker::driver) async fn assert_guard_for(&self, bridge: &BridgeName) {
        if self.networks.guards(bridge) {
            return;
        }
        match self.list().await {
            Ok(list) => self.assert_guard(&list).await,
            Err(error) => tracing::debug!(cluster = self.site.cluster(), %error, "its containers are not known"),
        }
    }
}

/// The guard that the machine needs with these ports open to workloads; `None` while it has no tenant's network.
pub(super) fn wanted(networks: &[Network], list: &[Container], open: &BTreeSet<u16>) -> Option<Result<Guard, Invalid>> {
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
    use kernel::Timestamp;

    use super::*;
    use crate::{ContainerState, HeldCards, Owner, PortMapping};

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
        let script = wanted(&networks, &list, &BTreeSet::from([8080])).unwrap().unwrap().script();
        assert!(script.contains("tcp dport { 8080, 30000 } accept\n"), "{script}");
        assert!(script.contains("udp dport { 30001 } accept\n"), "{script}");
        assert!(script.contains("iifname \"ylp-*\" oifname \"br-0a1b2c3d4e5f\" drop\n"), "{script}");
        assert!(wanted(&[network("docker0")], &list, &BTreeSet::new()).is_none());
    }
}
