//! The machines of a cluster that places workloads itself.

use std::collections::BTreeMap;

/// A machine of a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterNode {
    /// Its name in the cluster.
    pub name: String,
    /// The cluster's id of it: another one after it was set up again.
    pub id: String,
    /// Whether it reports to the cluster.
    pub ready: bool,
    /// Whether the cluster puts new work there.
    pub open: bool,
    /// What keeps work off it that does not say otherwise.
    pub taints: Vec<Taint>,
    /// By which allocation rules may name it.
    pub labels: BTreeMap<String, String>,
    /// Addresses at which it is reached, the public ones first.
    pub addresses: Vec<String>,
    /// Thousandths of cores for workloads.
    pub millicores: u64,
    /// Bytes of memory for workloads.
    pub memory: u64,
    /// Workloads at most.
    pub pods: u64,
    /// As in `Debian GNU/Linux 12 (bookworm)`.
    pub operating_system: String,
    /// The kernel's version.
    pub kernel: String,
    /// As in `amd64`.
    pub architecture: String,
    /// The version of the cluster's program there, as in `v1.37.2`.
    pub version: String,
    /// What runs containers there, as in `containerd://2.4.2`.
    pub container_runtime: String,
    /// Its cards, as their driver publishes them.
    pub cards: Vec<NodeCard>,
    /// Cards of which only the number is known, because a device plugin offers them.
    pub counted_cards: u64,
    /// Their model as the node's label has it, as in `NVIDIA-H100-80GB-HBM3`; empty where it has none.
    pub counted_model: String,
}

/// Keeps work off a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taint {
    /// What it is about.
    pub key: String,
    /// Which of it, often empty.
    pub value: String,
    /// As in `NoSchedule`.
    pub effect: String,
}

/// A card of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeCard {
    /// As its driver identifies it, `GPU-…`.
    pub uuid: String,
    /// As in `NVIDIA H100 80GB HBM3`.
    pub model: String,
    /// Bytes.
    pub memory: u64,
    /// The version of its driver.
    pub driver_version: String,
    /// Its place in the machine.
    pub pci: String,
    /// Whether something has it, ours or not.
    pub taken: bool,
}
