//! Keeps tenants apart: a policy for each says that its pods are only reached by its own, and one for each workload with
//! ports of its node opens these. Whether that holds is up to the cluster's network.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::api::{DeleteParams, ListParams, Patch, Preconditions};
use serde_json::{Value, json};

use super::anchor::Anchor;
use super::cluster::Cluster;
use super::error::{absent, within};
use super::{QUICK, names};
use crate::{Error, Result, WantedPort, Workload};

/// Its value of the label of parts.
const PART: &str = "apart";
/// The annotation for the workload that last had it written.
const MAKER: &str = "yunlab/maker";

fn name(tenant: &str) -> String {
    format!("yunlab-apart-{tenant}")
}

/// `maker` changes with each workload that is made under it, and with it the policy's version.
fn policy(tenant: &str, maker: &str) -> Value {
    let theirs = json!({"matchLabels": {names::TENANT: tenant}});
    json!({
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {
            "name": name(tenant),
            "labels": {names::PART: PART, names::TENANT: tenant},
            "annotations": {MAKER: maker},
        },
        "spec": {
            "podSelector": theirs,
            "policyTypes": ["Ingress"],
            "ingress": [{"from": [{"podSelector": theirs}]}],
        },
    })
}

fn opening_name(anchor: &Anchor) -> String {
    format!("yunlab-open-{}", anchor.base)
}

/// Ports that anyone may reach, because the node's port leads there; `None` for none.
fn opening(anchor: &Anchor, ports: &[WantedPort]) -> Option<Value> {
    let open = ports.iter().filter(|port| port.node_port.is_some());
    let open: Vec<Value> =
        open.map(|port| json!({"port": port.port, "protocol": port.protocol.as_str().to_uppercase()})).collect();
    (!open.is_empty()).then(|| {
        json!({
            "apiVersion": "networking.k8s.io/v1",
            "kind": "NetworkPolicy",
            "metadata": {
                "name": opening_name(anchor),
                "labels": {names::INSTANCE: anchor.id.as_str()},
                "ownerReferences": anchor.as_owner(),
            },
            "spec": {
                "podSelector": {"matchLabels": {names::INSTANCE: anchor.id.as_str()}},
                "policyTypes": ["Ingress"],
                "ingress": [{"ports": open}],
            },
        })
    })
}

impl Cluster {
    /// Has a workload's tenant be apart from all others, except at the ports that are opened.
    pub(super) async fn isolate(&self, anchor: &Anchor, workload: &Workload) -> Result<()> {
        let tenant = workload.tenant.as_str();
        self.write_policy(&name(tenant), &policy(tenant, &anchor.object())).await?;
        let opened = opening_name(anchor);
        match opening(anchor, &workload.ports) {
            Some(opening) => self.write_policy(&opened, &opening).await,
            None => absent(within(QUICK, self.policies().delete(&opened, &DeleteParams::default())).await).map(drop),
        }
    }

    async fn write_policy(&self, name: &str, policy: &Value) -> Result<()> {
        within(QUICK, self.policies().patch(name, &self.ours(), &Patch::Apply(policy))).await.map(drop)
    }

    /// Writes the policies of tenants again that were deleted past the portal.
    pub(super) async fn keep_policies(&self) -> Result<()> {
        let seen = self.complete().await?;
        let anchors = seen.anchors.all();
        let anchors = anchors.iter().filter_map(|anchor| anchor.as_ref().as_ref());
        let tenants: BTreeMap<&str, String> = anchors.map(|one| (one.tenant.as_str(), one.object())).collect();
        if tenants.is_empty() {
            return Ok(());
        }
        let present: BTreeSet<String> =
            self.tenants_policies().await?.into_iter().filter_map(|policy| policy.name).collect();
        for (tenant, maker) in tenants.iter().filter(|(tenant, _)| !present.contains(&name(tenant))) {
            tracing::warn!(tenant, "the policy that keeps a tenant apart is gone, and is written again");
            self.write_policy(&name(tenant), &policy(tenant, maker)).await?;
        }
        Ok(())
    }

    /// Removes the policies of tenants without a workload.
    pub(super) async fn sweep_policies(&self) -> Result<()> {
        for policy in self.tenants_policies().await? {
            let Some(tenant) = policy.labels.as_ref().and_then(|labels| labels.get(names::TENANT)) else { continue };
            // What is followed may be behind.
            let theirs = format!("{},{}={tenant}", names::INSTANCE, names::TENANT);
            let anchors = self.config_maps().list_metadata(&ListParams::default().labels(&theirs).limit(1));
            if !within(QUICK, anchors).await?.items.is_empty() {
                continue;
            }
            // A workload that is being made meanwhile has written another version.
            let this = Preconditions { uid: policy.uid, resource_version: policy.resource_version };
            let params = DeleteParams { preconditions: Some(this), ..DeleteParams::default() };
            match within(QUICK, self.policies().delete(&name(tenant), &params)).await {
                Ok(_) | Err(Error::NotFound(_) | Error::Conflict(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    async fn tenants_policies(&self) -> Result<Vec<ObjectMeta>> {
        let ours = ListParams::default().labels(&format!("{}={PART}", names::PART));
        let policies = within(QUICK, self.policies().list_metadata(&ours)).await?;
        Ok(policies.items.into_iter().map(|policy| policy.metadata).collect())
    }
}
