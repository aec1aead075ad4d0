//! The cluster's machines with their cards, and the cluster as one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use async_trait::async_trait;
use k8s_openapi::api::core::v1::{Namespace, Node};
use kube::Api;

use super::claim::{COUNTED, COUNTED_MODEL, Device, SliceCard};
use super::cluster::Cluster;
use super::error::within;
use super::{KubernetesRuntime, QUICK, quantity};
use crate::runtime::ClusterNodes;
use crate::{Capabilities, Card, CardChoice, CgroupVersion, ClusterNode, Error, NodeCard, Result, RootQuota, Taint};

#[async_trait]
impl ClusterNodes for KubernetesRuntime {
    async fn list(&self) -> Result<Vec<ClusterNode>> {
        self.link.cluster().await?.list_nodes().await
    }
}

impl Cluster {
    pub(super) async fn list_nodes(&self) -> Result<Vec<ClusterNode>> {
        let seen = self.complete().await?;
        let Some(nodes) = &seen.nodes else {
            return Err(Error::Rejected("the account may not read the cluster's nodes".to_owned()));
        };
        let claims = seen.claims.iter().flat_map(|claims| claims.all());
        let taken: BTreeSet<Device> = claims.flat_map(|claim| claim.given.clone()).collect();
        let mut cards: BTreeMap<String, Vec<NodeCard>> = BTreeMap::new();
        for slice in seen.slices.iter().flat_map(|slices| slices.all()) {
            let of_node = slice.cards.iter().map(|card| shown(card, &taken));
            cards.entry(slice.node.clone()).or_default().extend(of_node);
        }
        let with_cards = |node: &Arc<ClusterNode>| {
            let cards = cards.get(&node.name).cloned().unwrap_or_default();
            ClusterNode { cards, ..ClusterNode::clone(node) }
        };
        let mut all: Vec<ClusterNode> = nodes.all().iter().map(with_cards).collect();
        all.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(all)
    }

    /// The model of a workload's cards, if this cluster has cards of it that a device plugin counts and no driver
    /// publishes. Which cards they are is then up to the node.
    pub(super) async fn counted_model(&self, cards: &[Card]) -> Result<Option<String>> {
        let models: BTreeSet<Option<&str>> = cards.iter().map(any_of).collect();
        let (1, Some(Some(model))) = (models.len(), models.first().copied()) else { return Ok(None) };
        let mut slices = self.seen().await?.slices.iter().flat_map(|slices| slices.all());
        if slices.any(|slice| slice.cards.iter().any(|card| card.model == model)) {
            return Ok(None);
        }
        let nodes = allowed(self.list_nodes().await)?.unwrap_or_default();
        let is_counted = nodes.iter().any(|node| node.counted_cards > 0 && node.counted_model == model);
        Ok(is_counted.then(|| model.to_owned()))
    }

    /// The cluster as one. What only a machine has is empty.
    pub(super) async fn capabilities(&self) -> Result<Capabilities> {
        let version = within(QUICK, self.client.apiserver_version()).await?;
        let namespaces: Api<Namespace> = Api::all(self.client.clone());
        let namespace = within(QUICK, namespaces.get(&self.settings.namespace)).await?;
        let nodes = allowed(self.list_nodes().await)?.unwrap_or_default();
        let first = nodes.first();
        let text = |of: fn(&ClusterNode) -> &String| first.map(|node| of(node).clone()).unwrap_or_default();
        let cores = nodes.iter().map(|node| node.millicores).sum::<u64>() / 1000;
        Ok(Capabilities {
            id: namespace.metadata.uid.unwrap_or_default(),
            host_name: self.settings.namespace.clone(),
            engine_version: version.git_version.trim_start_matches('v').to_owned(),
            api_version: format!("{}.{}", version.major, version.minor),
            operating_system: text(|node| &node.operating_system),
            kernel: text(|node| &node.kernel),
            architecture: text(|node| &node.architecture),
            cpus: u32::try_from(cores).unwrap_or(u32::MAX),
            memory: nodes.iter().map(|node| node.memory).sum(),
            data_root: String::new(),
            storage_driver: String::new(),
            root_quota: RootQuota::Native,
            // Which one a node has is its own affair.
            cgroup_version: CgroupVersion::V2,
            cgroup_driver: String::new(),
            live_restore: true,
            runtimes: Vec::new(),
            default_runtime: text(|node| &node.container_runtime),
            cdi: nodes.iter().any(|node| !node.cards.is_empty()),
            certificate_end: None,
            warnings: Vec::new(),
        })
    }
}

/// The model of which the cluster chooses a card.
fn any_of(card: &Card) -> Option<&str> {
    match card.choice() {
        CardChoice::AnyOf { model, .. } => Some(model),
        CardChoice::This => None,
    }
}

/// `None` where the account has no right to it.
fn allowed<T>(answer: Result<T>) -> Result<Option<T>> {
    match answer {
        Ok(found) => Ok(Some(found)),
        Err(Error::Rejected(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

fn shown(card: &SliceCard, taken: &BTreeSet<Device>) -> NodeCard {
    NodeCard {
        taken: taken.contains(&card.device),
        uuid: card.uuid.clone(),
        model: card.model.clone(),
        memory: card.memory,
        driver_version: card.driver_version.clone(),
        pci: card.pci.clone(),
    }
}

/// A node without its cards, which are objects of their own.
pub(super) fn described(node: &Node) -> ClusterNode {
    let (meta, spec, status) =
        (&node.metadata, node.spec.clone().unwrap_or_default(), node.status.clone().unwrap_or_default());
    let info = status.node_info.unwrap_or_default();
    let room = status.allocatable.unwrap_or_default();
    let amount = |name: &str| room.get(name).map(|quantity| quantity.0.as_str()).unwrap_or_default();
    let is_ready = status.conditions.iter().flatten().any(|one| one.type_ == "Ready" && one.status == "True");
    let mut addresses = status.addresses.unwrap_or_default();
    addresses.retain(|one| one.type_ != "Hostname");
    addresses.sort_by_key(|one| !one.type_.starts_with("External"));
    let taint = |taint: k8s_openapi::api::core::v1::Taint| Taint {
        key: taint.key,
        value: taint.value.unwrap_or_default(),
        effect: taint.effect,
    };
    ClusterNode {
        name: meta.name.clone().unwrap_or_default(),
        id: meta.uid.clone().unwrap_or_default(),
        ready: is_ready,
        open: !spec.unschedulable.unwrap_or_default(),
        taints: spec.taints.unwrap_or_default().into_iter().map(taint).collect(),
        labels: meta.labels.clone().unwrap_or_default(),
        addresses: addresses.into_iter().map(|one| one.address).collect(),
        millicores: quantity::millicores(amount("cpu")),
        memory: quantity::bytes(amount("memory")),
        pods: quantity::bytes(amount("pods")),
        operating_system: info.os_image,
        kernel: info.kernel_version,
        architecture: info.architecture,
        version: info.kubelet_version,
        container_runtime: info.container_runtime_version,
        cards: Vec::new(),
        counted_cards: quantity::bytes(amount(COUNTED)),
        counted_model: meta.labels.as_ref().and_then(|all| all.get(COUNTED_MODEL)).cloned().unwrap_or_default(),
    }
}
