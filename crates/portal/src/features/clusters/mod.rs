//! Clusters: where instances run. A cluster is an engine with its address and keys; the servers that people know are
//! its nodes (`servers`). A Docker engine is a cluster of one node.
//!
//! The row says how a cluster is reached (`address`), and which engine was found there. What its driver answers in
//! codes and facts is put into words here, in one file for each kind of cluster.

mod ability;
mod address;
mod model;
mod refusal;
mod site;
mod store;
mod words_docker;

use serde::{Deserialize, Serialize};

pub(crate) use ability::{collect, needed};
pub use address::{ClusterAddress, ClusterTls, Runtimes};
pub(crate) use address::{address_of, seal_keys};
pub(crate) use model::Cluster;
pub(crate) use refusal::{not_entered, refused, said};
pub(crate) use site::{AskedBy, ServerSite};
pub(crate) use store::{
    all, by_id, delete, has_address, id_by_identity, insert, note_identity, note_misdirected, update,
};
pub(crate) use words_docker::*;

/// What runs a cluster, which decides its driver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClusterKind {
    /// A Docker engine.
    #[default]
    Docker,
}
