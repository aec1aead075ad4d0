//! Changes limits of what runs, in place. The API server only writes the wish down; the node says whether it can be.

use std::collections::BTreeMap;
use std::time::Duration;

use async_trait::async_trait;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use kube::api::{Patch, PatchParams};
use serde_json::{Value, json};
use tokio::time::{Instant, interval};

use super::cluster::Cluster;
use super::error::within;
use super::names::CONTAINER;
use super::{KubernetesRuntime, QUICK, quantity};
use crate::runtime::Resizing;
use crate::{Error, Resources, Result, WorkloadId};

/// Time for a node to set other limits.
const SETTING: Duration = Duration::from_secs(15);
const PAUSE: Duration = Duration::from_millis(100);

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
        let before = within(QUICK, cluster.pods().get(&pod.name)).await?;
        let before = limits_of(&before);
        cluster.write_limits(&pod.name, &super::pod::limits(resources)).await?;
        let set = cluster.limits_are_set(&pod.name).await;
        if set.is_err() {
            // Otherwise the node would try again whenever it can.
            cluster.write_limits(&pod.name, &json!(before)).await?;
        }
        set
    }
}

impl Cluster {
    async fn write_limits(&self, pod: &str, limits: &Value) -> Result<()> {
        let change = json!({"spec": {"containers": [
            {"name": CONTAINER, "resources": {"requests": limits, "limits": limits}},
        ]}});
        let change = Patch::Strategic(&change);
        within(QUICK, self.pods().patch_resize(pod, &PatchParams::default(), &change)).await.map(drop)
    }

    async fn limits_are_set(&self, pod: &str) -> Result<()> {
        let (begun, mut looks) = (Instant::now(), interval(PAUSE));
        loop {
            looks.tick().await;
            match progress(&within(QUICK, self.pods().get(pod)).await?) {
                Progress::Set => return Ok(()),
                Progress::Refused(words) => return Err(Error::Failed(words)),
                Progress::Waits(words) if begun.elapsed() > SETTING => return Err(Error::Failed(words)),
                Progress::Waits(_) => {}
            }
        }
    }
}

type Limits = BTreeMap<String, Quantity>;

/// The limits that a pod is to have.
fn limits_of(pod: &Pod) -> Limits {
    let mut containers = pod.spec.iter().flat_map(|spec| &spec.containers).filter(|one| one.name == CONTAINER);
    let limits = containers.find_map(|one| one.resources.as_ref()?.limits.as_ref());
    limits.cloned().unwrap_or_default()
}

/// A node writes the same amount with other units.
fn are_same(one: &Limits, other: &Limits) -> bool {
    let amount = |limits: &Limits, name: &str| limits.get(name).map(|limit| quantity::millicores(&limit.0));
    ["cpu", "memory"].iter().all(|name| amount(one, name) == amount(other, name))
}

/// How far a change of limits is.
#[derive(Debug, PartialEq, Eq)]
enum Progress {
    Set,
    /// With the node's words.
    Waits(String),
    Refused(String),
}

fn progress(pod: &Pod) -> Progress {
    let status = pod.status.as_ref();
    let conditions = status.into_iter().flat_map(|status| status.conditions.iter().flatten());
    let present = conditions.filter(|one| one.status == "True").find(|one| one.type_.starts_with("PodResize"));
    if let Some(condition) = present {
        let words = condition.message.clone().unwrap_or_else(|| "the node has not set the limits yet".to_owned());
        let is_refused = condition.reason.as_deref() == Some("Infeasible");
        return if is_refused { Progress::Refused(words) } else { Progress::Waits(words) };
    }
    // Before the node has looked at it, there is no condition either.
    let statuses = status.into_iter().flat_map(|status| status.container_statuses.iter().flatten());
    let mut statuses = statuses.filter(|one| one.name == CONTAINER);
    match statuses.find_map(|one| one.resources.as_ref()?.limits.as_ref()) {
        Some(limits) if !are_same(limits, &limits_of(pod)) => {
            Progress::Waits("the node has not looked at the limits yet".to_owned())
        }
        _ => Progress::Set,
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const WANTED: &str = "128Mi";

    #[rstest]
    #[case(json!([]), "64Mi", Progress::Waits("the node has not looked at the limits yet".to_owned()))]
    #[case(json!([]), "134217728", Progress::Set)]
    #[case(
        json!([{"type": "PodResizePending", "status": "True", "reason": "Infeasible", "message": "too much"}]),
        "64Mi",
        Progress::Refused("too much".to_owned())
    )]
    #[case(
        json!([{"type": "PodResizePending", "status": "True", "reason": "Deferred", "message": "later"}]),
        "64Mi",
        Progress::Waits("later".to_owned())
    )]
    #[case(json!([{"type": "PodResizeInProgress", "status": "False"}]), WANTED, Progress::Set)]
    fn a_node_says_how_far_it_is(#[case] conditions: Value, #[case] present: &str, #[case] wanted: Progress) {
        let pod: Pod = serde_json::from_value(json!({
            "metadata": {},
            "spec": {"containers": [{"name": CONTAINER, "resources": {"limits": {"memory": WANTED}}}]},
            "status": {"conditions": conditions, "containerStatuses": [{
                "name": CONTAINER, "image": "a", "imageID": "", "ready": true, "restartCount": 0,
                "resources": {"limits": {"memory": present}}}]},
        }))
        .unwrap();
        assert_eq!(progress(&pod), wanted);
    }
}
