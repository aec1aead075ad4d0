//! How the driver uses a cluster.

use std::time::Duration;

/// How the driver uses a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KubernetesSettings {
    /// Where all that it makes lies. It must exist.
    pub namespace: String,
    /// The storage class of kept roots; by default the cluster's own default.
    pub root_class: Option<String>,
    /// Bytes of a kept root.
    pub root_size: u64,
    /// The volume claim that is the network disk; without one, the disk is mounted at the same folder of each node
    /// ([`crate::Rules::storage`]).
    pub disk_claim: Option<String>,
    /// How long a workload waits for a node before its start counts as failed.
    pub placing: Duration,
}

impl KubernetesSettings {
    /// The usual ones, in this namespace.
    #[must_use]
    pub fn in_namespace(namespace: &str) -> Self {
        Self {
            namespace: namespace.to_owned(),
            root_class: None,
            root_size: 50 << 30,
            disk_claim: None,
            placing: Duration::from_secs(600),
        }
    }
}
