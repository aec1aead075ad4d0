//! Removes networks without containers. A network may have been created just now for a workload that has no container
//! yet, so it is only removed when two looks in a row find no container of any state in it.

use std::collections::HashSet;

use super::plan;
use crate::docker::driver::DockerRuntime;
use crate::{Error, Network, NetworkName};

impl DockerRuntime {
    /// Without an answer nothing is removed.
    pub(in crate::docker::driver) async fn sweep_networks(&self) {
        let cluster = self.site.cluster();
        // No container is created in a network meanwhile.
        let _turn = self.networks.in_use.write().await;
        let (networks, list) = match (self.engine.networks().await, self.list().await) {
            (Ok(networks), Ok(list)) => (networks, list),
            (Err(error), _) | (_, Err(error)) => {
                tracing::debug!(cluster, %error, "its networks are not known");
                return;
            }
        };
        let used: HashSet<&str> =
            list.iter().flat_map(|container| container.networks.iter().map(String::as_str)).collect();
        let is_left = |network: &&Network| {
            let is_ours = network.owner.as_deref().is_some_and(|label| plan::owner_of(label, cluster).is_some());
            is_ours && !used.contains(network.name.as_str())
        };
        let left: HashSet<String> = networks.iter().filter(is_left).map(|network| network.name.clone()).collect();
        for name in self.networks.unused_twice(left) {
            let Ok(network) = name.parse::<NetworkName>() else { continue };
            match self.engine.remove_network(&network).await {
                Ok(()) => tracing::info!(cluster, %network, "no container uses it, so it is removed"),
                Err(Error::NotFound(_) | Error::Conflict(_)) => {}
                Err(error) => tracing::warn!(cluster, %network, %error, "it stays for now"),
            }
        }
    }
}
