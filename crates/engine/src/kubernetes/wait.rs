//! Waits for pods: to start, to end, to be gone.

use std::ops::ControlFlow::{self, Break, Continue};
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::Event;
use kube::api::ListParams;
use tokio::time::{Instant, sleep_until, timeout_at};

use super::QUICK;
use super::anchor::Anchor;
use super::cluster::Cluster;
use super::error::{absent, within};
use super::seen::{PodSeen, Progress};
use crate::runtime::{Failure, Stage, Step, Watch};
use crate::{Error, Obstacle, Result};

/// A pod is asked for this often besides being followed.
const ASK_EVERY: Duration = Duration::from_secs(2);
/// Time for a node to prepare a pod whose image it has.
const PREPARING: Duration = Duration::from_secs(120);
/// The same after the node said what keeps it from that, such as a volume that another node still has.
const FAULTY: Duration = Duration::from_secs(60);
/// The same where that does not pass by itself, as with a folder that is not there.
const HOPELESS: Duration = Duration::from_secs(10);
/// Warnings that keep no pod from starting; why it has no node is in its status.
const PASSED_OVER: [&str; 4] =
    ["DNSConfigForming", "FailedScheduling", "FailedToRetrieveImagePullSecret", "MissingClusterDNS"];
/// Time for an image to come.
const FETCHING: Duration = Duration::from_secs(45 * 60);

/// The digest of a pod's image, and whether it was fetched just now.
pub(super) type Fetched = Option<(String, bool)>;

/// What a node said about a pod that it prepares.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Sayings {
    /// It fetches the image.
    pub(super) fetches: bool,
    /// Its last complaint.
    pub(super) complaint: Option<String>,
}

impl Cluster {
    /// Waits until the pod of an anchor runs its program; `Break` when its image is not wanted any more.
    pub(super) async fn started(
        &self,
        anchor: &Anchor,
        watch: &mut dyn Watch,
    ) -> Result<ControlFlow<(), Fetched>, Failure> {
        let begun = Instant::now();
        let mut changes = self.seen().await.map_err(Stage::Start.failed())?.changes();
        let (mut placed, mut faulty, mut fetched, mut told) = (None, None, false, None);
        let mut next_question = begun + ASK_EVERY;
        loop {
            changes.borrow_and_update();
            let pod = self.pod_of(anchor).await.map_err(Stage::Start.failed())?;
            let Some(pod) = pod else { return Err(removed()) };
            match &pod.progress {
                Progress::Started(digest) => return Ok(Continue(digest.clone().map(|digest| (digest, fetched)))),
                Progress::Refused(failure) => return Err(failure.clone()),
                _ if pod.leaving => return Err(removed()),
                Progress::Unplaced => {
                    // At first it may only wait for what is made for it.
                    let is_slow = begun.elapsed() >= ASK_EVERY;
                    if is_slow && let Some(waits) = &pod.waits && told.as_ref() != Some(waits) {
                        told = Some(waits.clone());
                        if watch.step(Step::Waiting(waits.clone())).await.is_break() {
                            return Ok(Break(()));
                        }
                    }
                    check_place(&pod, begun.elapsed() > self.settings.placing)?;
                }
                Progress::Placed => {
                    let since = *placed.get_or_insert_with(Instant::now);
                    if Instant::now() >= next_question {
                        let said = self.sayings(&pod).await.map_err(Stage::Start.failed())?;
                        if said.fetches && !fetched {
                            fetched = true;
                            if watch.step(Step::Fetching { current: 0, total: 0 }).await.is_break() {
                                return Ok(Break(()));
                            }
                        }
                        check_preparation(said, since.elapsed(), &mut faulty)?;
                    }
                }
            }
            if Instant::now() >= next_question {
                if self.ask_for(anchor).await.map_err(Stage::Start.failed())?.is_none() {
                    return Err(removed());
                }
                next_question = Instant::now() + ASK_EVERY;
            }
            tokio::select! {
                _ = changes.changed() => {}
                () = sleep_until(next_question) => {}
                () = watch.cancelled() => return Ok(Break(())),
            }
        }
    }

    /// As it is followed, or as it is where it was not seen yet.
    pub(super) async fn pod_of(&self, anchor: &Anchor) -> Result<Option<Arc<PodSeen>>> {
        match self.seen().await?.pods.get(&self.settings.namespace, &anchor.base) {
            Some(seen) => Ok(Some(seen)),
            None => self.ask_for(anchor).await,
        }
    }

    async fn ask_for(&self, anchor: &Anchor) -> Result<Option<Arc<PodSeen>>> {
        let pod = absent(within(QUICK, self.pods().get(&anchor.base)).await)?;
        Ok(pod.map(|pod| {
            self.saw_pod(&pod);
            Arc::new(PodSeen::of(&pod))
        }))
    }

    /// What its node said about it.
    pub(super) async fn sayings(&self, pod: &PodSeen) -> Result<Sayings> {
        let about_it = ListParams::default().fields(&format!("involvedObject.uid={}", pod.uid));
        let events = within(QUICK, self.events().list(&about_it)).await?.items;
        Ok(sayings(&events))
    }

    /// Waits until this holds for a pod or it is gone.
    ///
    /// # Errors
    /// `Failed` when that takes longer than `limit`.
    pub(super) async fn until(&self, pod: &PodSeen, limit: Duration, holds: fn(&PodSeen) -> bool) -> Result<()> {
        let end = Instant::now() + limit;
        let mut changes = self.seen().await?.changes();
        loop {
            changes.borrow_and_update();
            let seen = self.seen().await?.pods.get(&pod.namespace, &pod.name);
            if seen.is_none_or(|seen| seen.uid != pod.uid || holds(&seen)) {
                // What was followed may be behind; what is said here must be so.
                let now = absent(within(QUICK, self.pods().get(&pod.name)).await)?.map(|now| {
                    self.saw_pod(&now);
                    PodSeen::of(&now)
                });
                if now.is_none_or(|now| now.uid != pod.uid || holds(&now)) {
                    return Ok(());
                }
            }
            let next = end.min(Instant::now() + ASK_EVERY);
            if timeout_at(next, changes.changed()).await.is_err() {
                if next == end {
                    return Err(Error::Failed(format!("pod {}: not within {} s", pod.name, limit.as_secs())));
                }
                let now = absent(within(QUICK, self.pods().get(&pod.name)).await)?;
                if now.as_ref().is_none_or(|now| now.metadata.uid.as_ref() != Some(&pod.uid)) {
                    return Ok(());
                }
                now.iter().for_each(|now| self.saw_pod(now));
            }
        }
    }
}

/// A port is asked for on the very node that the portal chose for it; waiting for it would not help.
fn check_place(pod: &PodSeen, late: bool) -> Result<(), Failure> {
    let words = || pod.waits.as_ref().map(|waits| waits.words.clone());
    if pod.waits.as_ref().is_some_and(|waits| waits.obstacles.contains(&Obstacle::Ports)) {
        return Err(Failure { stage: Stage::Start, error: Error::PortTaken(words().unwrap_or_default()) });
    }
    if late {
        let words = words().unwrap_or_else(|| "no scheduler has looked at its pod".to_owned());
        return Err(failed(Stage::Start, words));
    }
    Ok(())
}

fn check_preparation(said: Sayings, since: Duration, faulty: &mut Option<Instant>) -> Result<(), Failure> {
    if said.fetches {
        let late = since > FETCHING;
        return if late { Err(failed(Stage::FetchImage, "the image takes too long".to_owned())) } else { Ok(()) };
    }
    let patience = |words: &str| if words.contains("hostPath type check failed") { HOPELESS } else { FAULTY };
    match said.complaint {
        Some(words) if faulty.get_or_insert_with(Instant::now).elapsed() > patience(&words) => {
            Err(failed(Stage::Start, words))
        }
        Some(words) if since > PREPARING => Err(failed(Stage::Start, words)),
        None if since > PREPARING => Err(failed(Stage::Start, "its node does not start it".to_owned())),
        _ => Ok(()),
    }
}

fn sayings(events: &[Event]) -> Sayings {
    let time = |event: &&Event| {
        let time = event.last_timestamp.as_ref().map(|time| time.0);
        time.or_else(|| event.event_time.as_ref().map(|time| time.0))
    };
    let mut in_order: Vec<&Event> = events.iter().collect();
    in_order.sort_by_key(time);
    let mut said = Sayings::default();
    for event in in_order {
        match (event.reason.as_deref().unwrap_or_default(), event.type_.as_deref()) {
            ("Pulling", _) => said.fetches = true,
            ("Pulled", _) => said.fetches = false,
            (reason, _) if PASSED_OVER.contains(&reason) => {}
            (_, Some("Warning")) => said.complaint = event.message.clone(),
            _ => {}
        }
    }
    said
}

fn removed() -> Failure {
    failed(Stage::Start, "its pod was removed".to_owned())
}

fn failed(stage: Stage, words: String) -> Failure {
    Failure { stage, error: Error::Failed(words) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn event(reason: &str, kind: &str, message: &str, second: u32) -> Event {
        serde_json::from_value(json!({
            "metadata": {}, "involvedObject": {}, "reason": reason, "type": kind, "message": message,
            "lastTimestamp": format!("2026-11-29T00:00:{second:02}Z"),
        }))
        .unwrap()
    }

    #[test]
    fn what_a_node_said_last_counts() {
        let scheduled = event("FailedScheduling", "Warning", "0/1 nodes", 1);
        let pulling = event("Pulling", "Normal", "Pulling image", 3);
        let mount = event("FailedMount", "Warning", "hostPath type check failed", 2);
        let dns = event("MissingClusterDNS", "Warning", "pod: kubelet does not have ClusterDNS", 8);
        assert_eq!(sayings(&[mount.clone(), dns]).complaint.as_deref(), Some("hostPath type check failed"));
        let pulled = event("Pulled", "Normal", "Successfully pulled", 9);
        assert_eq!(sayings(&[scheduled.clone()]), Sayings::default());
        assert!(sayings(&[pulling.clone(), scheduled]).fetches);
        let said = sayings(&[pulled, pulling, mount]);
        assert_eq!((said.fetches, said.complaint.as_deref()), (false, Some("hostPath type check failed")));
    }
}
