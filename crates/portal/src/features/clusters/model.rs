//! Clusters: their row.

use db_kit::Record;

use super::ClusterKind;

/// A cluster's row.
#[derive(Clone, Debug, Record)]
#[record(table = "clusters")]
pub(crate) struct Cluster {
    /// That of a cluster of one node is its node's.
    pub(crate) id: String,
    #[record(word, insert_only)]
    pub(crate) kind: ClusterKind,
    /// `unix:///path` or `tcp://host:port`.
    pub(crate) address: String,
    /// Sealed.
    pub(crate) tls: Option<String>,
    /// Identity of its engine (`servers::identity`); `None` until it has answered.
    pub(crate) identity: Option<String>,
    /// Why it counts as unreachable though its address answers; empty: it does not.
    #[record(insert_only)]
    pub(crate) misdirected: String,
}

impl Cluster {
    /// A new cluster of one node, to be filled in.
    pub(crate) fn of_one(node: &str) -> Self {
        Self {
            id: node.to_owned(),
            kind: ClusterKind::default(),
            address: String::new(),
            tls: None,
            identity: None,
            misdirected: String::new(),
        }
    }
}
