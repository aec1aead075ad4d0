//! Stops and removes.

use std::time::Duration;

use kube::Api;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, Preconditions};
use serde_json::json;
use tokio::time::{Instant, interval};

use super::anchor::Anchor;
use super::cluster::Cluster;
use super::error::{absent, within};
use super::seen::PodSeen;
use super::watched::Object;
use super::{QUICK, names};
use crate::{Error, Phase, Result, WorkloadId};

/// Time for a node to do what is asked of it.
const WORK: Duration = Duration::from_secs(40);
/// Between two looks at what is only asked for.
const PAUSE: Duration = Duration::from_millis(50);

impl Cluster {
    pub(super) async fn stop_workload(&self, id: &WorkloadId, grace: Duration) -> Result<()> {
        let anchor = self.anchor(id).await?;
        let pod = absent(within(QUICK, self.pods().get(&anchor.base)).await)?.map(|pod| PodSeen::of(&pod));
        let Some(pod) = pod.filter(|pod| pod.instance == id.as_str()) else { return Ok(()) };
        match pod.phase {
            Phase::Ended(_) => Ok(()),
            // It would start later.
            Phase::Waiting => self.remove_pod(&anchor, &pod).await,
            Phase::Running | Phase::Frozen => self.end_pod(&pod, grace).await,
        }
    }

    /// Ends the processes of a pod, which stays, and with it the log and how they ended. Its claim is free again.
    pub(super) async fn end_pod(&self, pod: &PodSeen, grace: Duration) -> Result<()> {
        // There is no call that stops a pod. Its deadline in the past does, with the signal and the time that it was made with.
        let over = json!({"spec": {"activeDeadlineSeconds": 1}});
        within(QUICK, self.pods().patch(&pod.name, &PatchParams::default(), &Patch::Merge(&over))).await?;
        // Kubelets look for deadlines once a second.
        match self.until(pod, grace + Duration::from_secs(2), is_ended).await {
            Err(Error::Failed(_)) => {}
            done => return done,
        }
        within(QUICK, self.pods().delete(&pod.name, &DeleteParams::default().grace_period(1))).await?;
        self.until(pod, WORK, is_ended).await
    }

    /// Removes a pod, after how it ended was noted.
    pub(super) async fn remove_pod(&self, anchor: &Anchor, pod: &PodSeen) -> Result<()> {
        let grace = DeleteParams::default().grace_period(u32::from(!is_ended(pod)));
        absent(within(QUICK, self.pods().delete(&pod.name, &grace)).await)?;
        self.until(pod, WORK, is_over).await?;
        let last = absent(within(QUICK, self.pods().get(&pod.name)).await)?.map(|last| PodSeen::of(&last));
        if let Some(end) = last.filter(|last| last.uid == pod.uid).and_then(|last| last.end) {
            self.note_end(anchor, &end).await?;
        }
        self.release_pod(pod).await?;
        self.until(pod, WORK, |_| false).await
    }

    /// Gives up the hold on a pod that is being deleted.
    pub(super) async fn release_pod(&self, pod: &PodSeen) -> Result<()> {
        let found = absent(within(QUICK, self.pods().get_metadata(&pod.name)).await)?;
        let Some(found) = found.filter(|found| found.metadata.uid.as_ref() == Some(&pod.uid)) else { return Ok(()) };
        let rest = others(found.metadata.finalizers);
        let released = json!({"metadata": {"uid": pod.uid, "finalizers": rest}});
        let done = within(QUICK, self.pods().patch(&pod.name, &PatchParams::default(), &Patch::Merge(&released))).await;
        absent(done).map(drop)
    }

    /// Removes all objects of a workload, whatever there is of it; a program that runs has `grace` to end.
    pub(super) async fn remove_all_of(&self, id: &WorkloadId, grace: Duration) -> Result<()> {
        let selected = ListParams::default().labels(&names::selector(id));
        let (anchors, pods) = tokio::try_join!(
            within(QUICK, self.config_maps().list(&selected)),
            within(QUICK, self.pods().list(&selected)),
        )?;
        for pod in pods.items.iter().map(PodSeen::of) {
            let seconds = if is_ended(&pod) { 0 } else { u32::try_from(grace.as_secs()).unwrap_or(u32::MAX).max(1) };
            let params = DeleteParams::default().grace_period(seconds);
            absent(within(QUICK, self.pods().delete(&pod.name, &params)).await)?;
            self.until(&pod, grace + WORK, is_over).await?;
            self.release_pod(&pod).await?;
            self.until(&pod, WORK, |_| false).await?;
        }
        for anchor in anchors.items.iter().filter_map(Anchor::of) {
            self.remove_claim(&anchor).await?;
            self.remove_volume(&anchor).await?;
            self.remove_anchor(&anchor).await?;
        }
        Ok(())
    }

    /// Removes a workload's claim, so that another can be made in its name.
    pub(super) async fn remove_claim(&self, anchor: &Anchor) -> Result<()> {
        remove_owned("claim", &self.claims(), anchor).await
    }

    /// Removes the root of a workload, for good. It stays as long as a pod has it mounted.
    async fn remove_volume(&self, anchor: &Anchor) -> Result<()> {
        remove_owned("volume claim", &self.volumes(), anchor).await
    }

    async fn remove_anchor(&self, anchor: &Anchor) -> Result<()> {
        let objects = self.config_maps();
        let Some(found) = absent(within(QUICK, objects.get_metadata(&anchor.base)).await)? else { return Ok(()) };
        let rest = others(found.metadata.finalizers);
        let released = json!({"metadata": {"uid": anchor.uid, "finalizers": rest}});
        let done = within(QUICK, objects.patch(&anchor.base, &PatchParams::default(), &Patch::Merge(&released))).await;
        absent(done)?;
        let this = Preconditions { uid: Some(anchor.uid.clone()), resource_version: None };
        let params = DeleteParams { preconditions: Some(this), ..DeleteParams::background() };
        absent(within(QUICK, objects.delete(&anchor.base, &params)).await)?;
        let unseen = || async { Ok::<_, Error>(self.seen().await?.anchors.get(&self.settings.namespace, &anchor.base).is_none()) };
        until_so(&format!("anchor {}", anchor.base), unseen).await
    }
}

/// Removes the object of a workload, and nothing that others have by its name.
async fn remove_owned<K: Object>(kind: &str, objects: &Api<K>, anchor: &Anchor) -> Result<()> {
    let gone = || async {
        let Some(found) = absent(within(QUICK, objects.get_metadata(&anchor.base)).await)? else { return Ok(true) };
        if !anchor.owns(&found.metadata) {
            return Ok(true);
        }
        let this = Preconditions { uid: found.metadata.uid, resource_version: None };
        let params = DeleteParams { preconditions: Some(this), ..DeleteParams::default() };
        match absent(within(QUICK, objects.delete(&anchor.base, &params)).await) {
            // Another has the name by now.
            Err(Error::Conflict(_)) => Ok(false),
            deleted => deleted.map(|found| found.is_none()),
        }
    };
    until_so(&format!("{kind} {}", anchor.base), gone).await
}

fn is_ended(pod: &PodSeen) -> bool {
    matches!(pod.phase, Phase::Ended(_))
}

/// Whether it can go. No node says of a pod without one that it ended.
fn is_over(pod: &PodSeen) -> bool {
    is_ended(pod) || (pod.leaving && pod.node.is_empty())
}

fn others(finalizers: Option<Vec<String>>) -> Vec<String> {
    finalizers.into_iter().flatten().filter(|one| one != names::FINALIZER).collect()
}

async fn until_so<F: Future<Output = Result<bool>>>(what: &str, mut look: impl FnMut() -> F) -> Result<()> {
    let end = Instant::now() + WORK;
    let mut looks = interval(PAUSE);
    loop {
        looks.tick().await;
        if look().await? {
            return Ok(());
        }
        if Instant::now() > end {
            return Err(Error::Failed(format!("{what} is still there after {} s", WORK.as_secs())));
        }
    }
}
