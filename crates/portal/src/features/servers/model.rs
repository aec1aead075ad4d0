//! Servers: their row, and their representation in the API.

use db_kit::Record;
use http_kit::{ListFilter, ListParams};
use kernel::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::drain::Drain;
use crate::features::clusters::Cluster;
use crate::features::gpus::Gpu;
use crate::features::settings::PortRange;

/// Whether instances can be had there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ServerState {
    Online,
    /// Its engine does not answer. Instances may still run there.
    Unreachable,
    /// Switched off by an administrator.
    Disabled,
}

/// How an engine is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Endpoint {
    /// A socket of the portal's machine.
    Unix,
    /// Always with TLS, since access to an engine gives root on its machine.
    Tcp,
}

impl Endpoint {
    /// Parses `unix:///path` or `tcp://host:port`; `None` for anything else.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if let Some(path) = text.strip_prefix("unix://") {
            let plain = path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/-._".contains(&byte));
            return (path.len() > 1 && path.len() <= 100 && path.starts_with('/') && plain).then_some(Self::Unix);
        }
        let (host, port) = text.strip_prefix("tcp://")?.rsplit_once(':')?;
        let port_fine = port.parse::<u16>().is_ok_and(|port| port > 0);
        (is_host(host) && port_fine).then_some(Self::Tcp)
    }
}

/// Whether the text is a host name or address as written in a URL.
pub(crate) fn is_host(text: &str) -> bool {
    // Plain characters only: it becomes part of commands that people copy.
    let plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte));
    plain && (1..=253).contains(&text.len()) && url::Host::parse(text).is_ok()
}

/// A server: its row, and that of its cluster.
#[derive(Clone, Debug, Record)]
#[record(table = "servers")]
pub(crate) struct Server {
    pub(crate) id: String,
    pub(crate) name: String,
    /// Where its engine is reached, and which engine that is.
    #[record(
        columns(
            "cluster_id",
            "cluster_kind",
            "cluster_address",
            "cluster_tls",
            "cluster_identity",
            "cluster_misdirected"
        ),
        computed
    )]
    pub(crate) cluster: Cluster,
    /// Used in the addresses that people connect to.
    pub(crate) public_host: String,
    pub(crate) port_from: i64,
    pub(crate) port_to: i64,
    /// Where the disk's root is mounted on that machine; empty: instances see no files.
    pub(crate) storage_path: String,
    pub(crate) enabled: bool,
    pub(crate) schedulable: bool,
    pub(crate) maintenance_note: String,
    /// Microseconds per 100 000 µs, kept for the machine itself.
    pub(crate) reserved_cpu: i64,
    /// Bytes, kept for the machine itself.
    pub(crate) reserved_memory: i64,
    #[record(insert_only)]
    pub(crate) local: bool,
    #[record(insert_only)]
    pub(crate) reachable: bool,
    #[record(json, read_only)]
    pub(crate) facts: Option<ServerFacts>,
    #[record(json, default, read_only)]
    pub(crate) checks: Vec<Check>,
    #[record(read_only)]
    pub(crate) last_seen: Option<Timestamp>,
    #[record(insert_only)]
    pub(crate) created: Timestamp,
    /// Whether the portal may act on its machine through the machine helper.
    pub(crate) machine_helper: bool,
    /// A restart that administrators were not notified of yet.
    #[record(columns, read_only)]
    pub(crate) restart: Option<Restart>,
    /// While it is being emptied, and afterwards until that is lifted.
    #[record(columns, read_only)]
    pub(crate) drain: Option<Drain>,
}

/// A restart of a server, and the outcome for the instances that ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Record)]
pub(crate) struct Restart {
    /// When it was noticed.
    #[record(column = "restarted")]
    pub(crate) since: Timestamp,
    /// Instances that run again.
    #[record(column = "restart_revived")]
    pub(crate) revived: i64,
    /// Instances that were left as they were.
    #[record(column = "restart_left")]
    pub(crate) left: i64,
}

impl Server {
    /// The host and port at which its engine is reached over the network, if it is.
    pub(crate) fn address(&self) -> Option<&str> {
        self.cluster.address.strip_prefix("tcp://")
    }

    /// A new server, to be filled in.
    pub(crate) fn blank(ports: PortRange, now: Timestamp) -> Self {
        let id = uuid::Uuid::now_v7().to_string();
        Self {
            cluster: Cluster::of_one(&id),
            id,
            name: String::new(),
            public_host: String::new(),
            port_from: ports.from,
            port_to: ports.to,
            storage_path: String::new(),
            enabled: true,
            schedulable: true,
            maintenance_note: String::new(),
            reserved_cpu: 0,
            reserved_memory: 0,
            local: false,
            reachable: false,
            facts: None,
            checks: Vec::new(),
            last_seen: None,
            created: now,
            machine_helper: true,
            restart: None,
            drain: None,
        }
    }

    pub(crate) fn state(&self) -> ServerState {
        match (self.enabled, self.reachable) {
            (false, _) => ServerState::Disabled,
            (true, true) => ServerState::Online,
            (true, false) => ServerState::Unreachable,
        }
    }

    /// CPU available to instances, in microseconds per 100 000 µs; `None` before the engine has reported its total.
    pub(crate) fn cpu_for_instances(&self) -> Option<i64> {
        self.facts.as_ref().map(|facts| (facts.cpu_total - self.reserved_cpu).max(0))
    }

    /// Bytes of memory that instances may have.
    pub(crate) fn memory_for_instances(&self) -> Option<i64> {
        self.facts.as_ref().map(|facts| (facts.memory_total - self.reserved_memory).max(0))
    }
}

/// What an engine says of itself and its machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ServerFacts {
    pub(crate) engine_version: String,
    pub(crate) api_version: String,
    pub(crate) os: String,
    pub(crate) kernel: String,
    pub(crate) architecture: String,
    /// Microseconds per 100 000 µs.
    pub(crate) cpu_total: i64,
    /// Bytes.
    pub(crate) memory_total: i64,
    pub(crate) storage_driver: String,
    pub(crate) cgroup_version: String,
    /// Empty without NVIDIA cards.
    pub(crate) driver_version: String,
    pub(crate) cuda_version: String,
    /// When the first of the certificates ends that the connection rests upon; null on a socket of this machine.
    pub(crate) certificate_end: Option<Timestamp>,
}

/// One thing that was proved or not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub(crate) struct Check {
    /// Stable word, such as `cgroup`.
    pub(crate) name: String,
    /// What is checked, in Chinese.
    pub(crate) title: String,
    pub(crate) outcome: CheckOutcome,
    /// What was found.
    pub(crate) detail: String,
    /// What to do when it failed; empty when it did not.
    pub(crate) advice: String,
}

/// How a check went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CheckOutcome {
    Passed,
    /// Works, but something is missing or unwise.
    Warning,
    Failed,
}

/// A server as its users see it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ServerView {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) public_host: String,
    pub(super) state: ServerState,
    /// Takes new instances.
    pub(super) schedulable: bool,
    pub(super) maintenance_note: String,
    /// While it is being emptied, and afterwards until that is lifted: nothing starts there.
    pub(super) drain: Option<Drain>,
    /// Runs on the portal's own machine.
    pub(super) local: bool,
    /// Absent before its engine answered for the first time.
    pub(super) facts: Option<ServerFacts>,
    /// Microseconds per 100 000 µs that instances may have; absent as long as unknown.
    pub(super) cpu_available: Option<i64>,
    /// Bytes.
    pub(super) memory_available: Option<i64>,
    pub(super) gpus: Vec<Gpu>,
    /// Instances that run or are about to.
    pub(super) running_instances: i64,
    /// How busy the machine is; absent if unknown.
    pub(super) usage: Option<ServerUsage>,
    pub(super) last_seen: Option<Timestamp>,
    /// For administrators only.
    pub(super) manage: Option<ServerManagement>,
}

/// How busy a machine is, whatever keeps it busy.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ServerUsage {
    pub(crate) time: Timestamp,
    /// Microseconds per 100 000 µs; absent until it was measured twice.
    pub(crate) cpu: Option<i64>,
    /// Bytes.
    pub(crate) memory: i64,
    /// The disk on which images and the roots of instances lie.
    pub(crate) disk: Option<DiskRoom>,
    /// The disk on which the network disk lies, as this machine sees it.
    pub(crate) storage: Option<DiskRoom>,
}

/// How full a disk is, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub(crate) struct DiskRoom {
    pub(crate) total: i64,
    pub(crate) used: i64,
}

/// What administrators see and change besides.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ServerManagement {
    pub(super) endpoint: String,
    /// Whether certificates are kept. They are never shown.
    pub(super) tls: bool,
    pub(super) port_range: PortRange,
    pub(super) storage_path: String,
    pub(super) enabled: bool,
    /// Why it counts as unreachable though its address answers: that is the engine of another server. Empty: it
    /// does not.
    pub(super) misdirected: String,
    pub(super) reserved_cpu: i64,
    pub(super) reserved_memory: i64,
    /// Whether the portal may act on its machine through the machine helper.
    pub(super) machine_helper: bool,
    /// Containers there that are not ours.
    pub(super) external_containers: Vec<ExternalContainer>,
    /// What the last check found; empty before the first.
    pub(super) checks: Vec<Check>,
    pub(super) created: Timestamp,
}

/// A container that is not ours. It is shown, and nothing is done to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExternalContainer {
    pub(crate) engine_id: String,
    pub(crate) name: String,
    pub(crate) image: String,
    pub(crate) running: bool,
    /// UUIDs of the cards that it has.
    pub(crate) gpus: Vec<String>,
}

/// Filters of the server list.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct ServerFilter {
    #[param(inline)]
    pub(super) state: Option<ServerState>,
}

impl ListFilter for ServerFilter {
    const SORTS: &'static str = "`name`, `created` or `state`.";
    const WORDS: &'static str = "In the name, the address or the cards' models.";
}

/// The query of the list.
pub(crate) type ServerQuery = ListParams<ServerFilter>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_are_sockets_or_tcp_and_nothing_else() {
        assert_eq!(Endpoint::parse("unix:///run/docker.sock"), Some(Endpoint::Unix));
        assert_eq!(Endpoint::parse("tcp://gpu01.lab:2376"), Some(Endpoint::Tcp));
        assert!(Endpoint::parse("tcp://[fd00::1]:2376").is_some());
        for bad in [
            "",
            "unix://",
            "unix:///",
            "unix://relative",
            "unix:///a b",
            "http://gpu01:2375",
            "tcp://gpu01",
            "tcp://:1",
            "tcp://a@b:1",
            "tcp://gpu01:0",
            "tcp://gpu01:99999",
            "tcp://gpu01:2376/x",
            "tcp://a/b:1",
            "file:///etc/passwd",
        ] {
            assert_eq!(Endpoint::parse(bad), None, "{bad}");
        }
    }
}
