//! Keeps tenants apart: a policy for each says that its pods are only reached by its own, and one for each workload with
//! ports of its node opens these. Whether that holds is up to the cluster's network.

use std::collections::BTreeSet;

use kube::api::{DeleteParams, ListParams, Patch};
use serde_json::{Value, json};

use super::anchor::Anchor;
use super::cluster::Cluster;
use super::error::{absent, within};
use super::{QUICK, names};
use crate::{Result, WantedPort, Workload};

/// Its value of the label of parts.
const PART: &str = "apart";

fn name(tenant: &str) -> String {
    format!("yunlab-apart-{tenant}")
}

fn policy(tenant: &str) -> Value {
    let theirs = json!({"matchLabels": {names::TENANT: tenant}});
    json!({
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {"name": name(tenant), "labels": {names::PART: PART, names::TENANT: tenant}},
        "spec": {
            "podSelector": theirs,
            "policyTypes": ["Ingress"],
            "ingress": [{"from": [{"podSelector": theirs}]}],
        },
    })
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
                "name": anchor.base,
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
        self.write_policy(&name(tenant), &policy(tenant)).await?;
        match opening(anchor, &workload.ports) {
            Some(opening) => self.write_policy(&anchor.base, &opening).await,
            None => {
                absent(within(QUICK, self.policies().delete(&anchor.base, &DeleteParams::default())).await).map(drop)
            }
        }
    }

    async fn write_policy(&self, name: &str, policy: &Value) -> Result<()> {
        within(QUICK, self.policies().patch(name, &self.ours(), &Patch::Apply(policy))).await.map(drop)
    }

    /// Removes the policies of tenants without a workload.
    pub(super) async fn sweep_policies(&self) -> Result<()> {
        let ours = ListParams::default().labels(&format!("{}={PART}", names::PART));
        let policies = within(QUICK, self.policies().list_metadata(&ours)).await?;
        // Looked at after the policies: one that is made for a new workload is then younger than the list.
        let seen = self.complete().await?;
        let tenants: BTreeSet<String> = seen
            .anchors
            .all()
            .iter()
            .filter_map(|anchor| anchor.as_ref().as_ref())
            .map(|one| one.tenant.clone())
            .collect();
        for policy in policies.items {
            let labels = policy.metadata.labels.unwrap_or_default();
            let Some(name) = policy.metadata.name else { continue };
            if !labels.get(names::TENANT).is_some_and(|tenant| tenants.contains(tenant)) {
                absent(within(QUICK, self.policies().delete(&name, &DeleteParams::default())).await)?;
            }
        }
        Ok(())
    }
}
