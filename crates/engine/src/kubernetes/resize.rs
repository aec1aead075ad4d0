//! Changes limits of what runs, in place.

use async_trait::async_trait;
use kube::api::{Patch, PatchParams};
use serde_json::json;

use super::error::within;
use super::names::CONTAINER;
use super::{KubernetesRuntime, QUICK};
use crate::runtime::Resizing;
use crate::{Error, Resources, Result, WorkloadId};

#[async_trait]
impl Resizing for KubernetesRuntime {
    async fn resize(&self, id: &WorkloadId, resources: &Resources) -> Result<()> {
        let cluster = self.link.cluster().await?;
        let pod = match cluster.running(id).await {
            Ok((_, pod)) => pod,
            // Its next pod is made with the new limits.
            Err(Error::Conflict(_)) => return Ok(()),
            Err(error) => return Err(error),
        };
        let limits = super::pod::limits(resources);
        let change = json!({"spec": {"containers": [
            {"name": CONTAINER, "resources": {"requests": limits, "limits": limits}},
        ]}});
        let change = Patch::Strategic(&change);
        within(QUICK, cluster.pods().patch_resize(&pod.name, &PatchParams::default(), &change)).await.map(drop)
    }
}
