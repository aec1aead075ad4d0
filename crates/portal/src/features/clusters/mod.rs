//! Clusters: where instances run. A cluster is an engine with its address and keys; the servers that people know are
//! its nodes (`servers`). A Docker engine is a cluster of one node.
//!
//! The row says how a cluster is reached (`address`), and which engine was found there. Here are also the connections,
//! with what the portal remembers of each server (`connections`, `worker`). What a driver answers in codes and facts is
//! put into words here, in one file for each kind of cluster.

mod ability;
mod address;
mod connections;
mod model;
mod refusal;
mod site;
mod store;
mod words_docker;
mod words_kubernetes;
mod worker;

use engine::Finding;
use serde::{Deserialize, Serialize};

pub(crate) use ability::{collect, needed};
pub(crate) use address::seal_keys;
pub use address::{ClusterAddress, ClusterTls, Runtimes};
pub(crate) use connections::{Clusters, connect, hear_peers};
pub(crate) use model::Cluster;
pub(crate) use refusal::{not_entered, refused, said};
pub(crate) use site::{AskedBy, ServerSite};
pub(crate) use store::{
    all, by_id, delete, has_address, id_by_identity, insert, note_identity, note_misdirected, update,
};
pub(crate) use words_docker::*;
pub(crate) use words_kubernetes::waiting;
pub(crate) use worker::{Moment, PullProgress, Report, Worker};

/// What runs a cluster, which decides its driver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClusterKind {
    /// A Docker engine.
    #[default]
    Docker,
}

/// Puts what a driver found into words. No two drivers have a subject in common.
pub(crate) fn words_of(finding: &Finding) -> FindingWords {
    words_kubernetes::words_of(finding).unwrap_or_else(|| words_docker::words_of(finding))
}
