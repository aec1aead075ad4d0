//! How clusters are reached: address and kind, and the keys, which are sealed in the row and opened for a connection.

use std::fmt::Debug;
use std::sync::Arc;

use engine::{Runtime, Site};
use http_kit::{ApiError, ApiResult};
use kernel::Secret;
use serde::{Deserialize, Serialize};

use super::{Cluster, ClusterKind};
use crate::seal::Seal;

/// Where a cluster is reached.
#[derive(Clone, Debug)]
pub struct ClusterAddress {
    /// Which driver it takes.
    pub kind: ClusterKind,
    /// `unix:///path` or `tcp://host:port`.
    pub endpoint: String,
    /// Always there for `tcp`.
    pub tls: Option<ClusterTls>,
}

/// TLS credentials of cluster and portal for each other, PEM.
#[derive(Clone, Debug)]
pub struct ClusterTls {
    /// Who signed the cluster's certificate.
    pub ca: String,
    /// The portal's own certificate.
    pub certificate: String,
    /// Its key.
    pub key: Secret,
}

/// Connects to clusters.
pub trait Runtimes: Send + Sync + Debug {
    /// A connection that is made when it is first used. `site` is the portal's side of it.
    ///
    /// # Errors
    /// When the address or the certificates can't be read.
    fn connect(&self, address: &ClusterAddress, site: Arc<dyn Site>) -> engine::Result<Arc<dyn Runtime>>;
}

/// The text that is sealed.
#[derive(Serialize, Deserialize)]
struct Keys {
    ca: String,
    cert: String,
    key: String,
}

/// The address and credentials of a cluster, as configured.
///
/// # Errors
/// When the keys were sealed elsewhere.
pub(super) fn address_of(seal: &Seal, cluster: &Cluster) -> ApiResult<ClusterAddress> {
    let tls = cluster.tls.as_deref().map(|sealed| open(seal, &cluster.id, sealed)).transpose()?;
    Ok(ClusterAddress { kind: cluster.kind, endpoint: cluster.address.clone(), tls })
}

/// Seals credentials for a cluster's row; they can't be opened for another cluster.
///
/// # Errors
/// When sealing fails.
pub(crate) fn seal_keys(seal: &Seal, cluster: &str, tls: &ClusterTls) -> ApiResult<String> {
    let keys = Keys { ca: tls.ca.clone(), cert: tls.certificate.clone(), key: tls.key.expose().to_owned() };
    seal.close(&place(cluster), &serde_json::to_string(&keys).map_err(ApiError::internal)?)
}

fn open(seal: &Seal, cluster: &str, sealed: &str) -> ApiResult<ClusterTls> {
    let text = seal.open(&place(cluster), sealed)?;
    let keys: Keys = serde_json::from_str(text.expose()).map_err(ApiError::internal)?;
    Ok(ClusterTls { ca: keys.ca, certificate: keys.cert, key: Secret::new(keys.key) })
}

/// Keys were sealed for servers before clusters had rows of their own.
fn place(cluster: &str) -> String {
    format!("server:{cluster}")
}
