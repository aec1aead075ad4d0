//! Whether workloads are kept apart: each in its tenant's network, and the networks by the machine's firewall.

use std::collections::HashMap;

use ipnet::Ipv4Net;
use machine_helper::{Answer, Guard, GuardState, Request};

use super::{guard, plan};
use crate::Verdict::{Failed, Passed, Warning};
use crate::docker::driver::{DockerRuntime, names};
use crate::{Container, Expected, Finding, HostNetwork, Machine, Network, NetworkName, NotDone, Result, Rules, Tenant};

const NETWORKS: &str = "instance_networks";
const GUARD: &str = "network_guard";

impl DockerRuntime {
    /// Checks the engine's networks and the machine's nft table, which it has written first.
    pub(in crate::docker::driver) async fn network_findings(
        &self,
        expected: &Expected<'_>,
        list: &[Container],
    ) -> Result<Vec<Finding>> {
        let (host, networks) = match (self.engine.host_network().await, self.engine.networks().await) {
            (Ok(host), Ok(networks)) => (host, networks),
            (Err(error), _) | (_, Err(error)) => return Ok(vec![Finding::unseen(NETWORKS, error)]),
        };
        let rules = self.site.rules().await?;
        let cluster = self.site.cluster();
        let found = Found { cluster, host: &host, networks: &networks, list, expected, range: rules.addresses };
        let mut findings = vec![found.judge()];
        if host.keeps_firewall != Some(false) {
            findings.push(guarded(expected.machine, &rules, &networks, list).await);
        }
        Ok(findings)
    }
}

struct Found<'a> {
    cluster: &'a str,
    host: &'a HostNetwork,
    networks: &'a [Network],
    list: &'a [Container],
    expected: &'a Expected<'a>,
    range: Ipv4Net,
}

impl Found<'_> {
    /// Names of this cluster's tenants' networks, with their tenants.
    fn own(&self) -> HashMap<&str, Tenant> {
        let own = |one: &Network| plan::owner_of(one.owner.as_deref()?, self.cluster);
        self.networks.iter().filter_map(|one| Some((one.name.as_str(), own(one)?))).collect()
    }

    /// Active containers of known workloads.
    fn ours(&self) -> impl Iterator<Item = (&Container, &Tenant)> {
        let active = self.list.iter().filter(|one| one.state.is_active());
        active.filter_map(|one| Some((one, self.expected.tenants.get(&names::workload(one)?)?)))
    }

    fn judge(&self) -> Finding {
        if self.host.keeps_firewall == Some(false) {
            return Finding::new(NETWORKS, "no_firewall", Warning);
        }
        let own = self.own();
        let is_strange = |one: &Container, tenant: &Tenant| {
            one.networks.iter().any(|name| own.get(name.as_str()).is_some_and(|owner| owner != tenant))
        };
        let strangers: Vec<&str> =
            self.ours().filter(|(one, tenant)| is_strange(one, tenant)).map(|(one, _)| one.name.as_str()).collect();
        if !strangers.is_empty() {
            return Finding::new(NETWORKS, "strangers", Failed).with("names", strangers);
        }
        let range = self.range.to_string();
        let taken: Vec<_> = self.networks.iter().flat_map(|one| one.subnets.iter().copied()).collect();
        if plan::free_subnet(self.range, &taken, &self.host.routes).is_none() {
            return Finding::new(NETWORKS, "no_addresses", Failed).with("range", range);
        }
        let of_default = NetworkName::of_default();
        let old = self.ours().filter(|(one, _)| one.networks.iter().any(|name| name == of_default.as_str())).count();
        let wider = plan::wider_routes(self.range, &self.host.routes);
        let (code, verdict) = match (old, wider.is_empty()) {
            (1.., _) => ("old", Warning),
            (0, false) => ("wider_routes", Warning),
            (0, true) => ("apart", Passed),
        };
        let wider: Vec<String> = wider.iter().map(ToString::to_string).collect();
        Finding::new(NETWORKS, code, verdict)
            .with("made", own.len())
            .with("range", range)
            .with("capacity", plan::capacity(self.range))
            .with("each", plan::WORKLOADS_EACH)
            .with("old", old)
            .with("routes", wider)
    }
}

async fn guarded(machine: &dyn Machine, rules: &Rules, networks: &[Network], list: &[Container]) -> Finding {
    let guard = match guard::wanted(networks, list, &rules.open_ports) {
        None => return Finding::new(GUARD, "not_needed", Passed),
        Some(Ok(guard)) => guard,
        Some(Err(error)) => return Finding::new(GUARD, "no_room", Failed).with("words", error.to_string()),
    };
    if let Some(why) = &rules.no_helper {
        return Finding::new(GUARD, "forbidden", Warning).with("words", why.as_str());
    }
    match proved(machine, &guard).await {
        Ok(Some(state)) if state == guard.state() => Finding::new(GUARD, "kept", Passed).with("rules", state.rules),
        Ok(_) => Finding::new(GUARD, "changed", Failed),
        Err(NotDone { code, words }) if code == "machine_tool_missing" => {
            Finding::new(GUARD, "tool_missing", Warning).with("words", words)
        }
        Err(NotDone { words, .. }) => Finding::new(GUARD, "not_set", Warning).with("words", words),
    }
}

/// The machine's table as read back after it was written.
async fn proved(machine: &dyn Machine, guard: &Guard) -> std::result::Result<Option<GuardState>, NotDone> {
    machine.carry_out(&Request::SetNetworkGuard { guard: guard.clone() }).await?;
    match machine.carry_out(&Request::GetNetworkGuard {}).await? {
        Answer::NetworkGuard(state) => Ok(Some(state)),
        _ => Ok(None),
    }
}
