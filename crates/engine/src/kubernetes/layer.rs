//! What roots have beyond their images, to make images of them. It is read in a pod: the workload's own while it runs, and
//! one that only lends the root while it does not. No node is entered, and no registry is spoken to.

use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use bytes::{Bytes, BytesMut};
use futures_util::stream::{self, BoxStream, StreamExt};
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Status;
use kube::api::{AttachParams, DeleteParams, PostParams};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::runtime::Handle;
use tokio::time::{Instant, interval};

use super::anchor::Anchor;
use super::cluster::Cluster;
use super::error::within;
use super::names::{self, CONTAINER};
use super::pod::{architecture, kept_folder, rights};
use super::process::{Exit, exit_of};
use super::seen::{PodSeen, Progress};
use super::{KubernetesRuntime, QUICK, tools};
use crate::runtime::Layers;
use crate::{Error, Result, WorkloadId};

/// Its value of the label of parts, and a part of its pods' names.
pub(super) const PART: &str = "saving";
/// Time for a pod to start.
const STARTING: Duration = Duration::from_secs(300);
const PAUSE: Duration = Duration::from_millis(100);
/// Time to walk all files of a root.
const WALKING: Duration = Duration::from_secs(600);
/// Nothing takes longer; a pod whose portal was killed ends by itself.
const LONGEST: u32 = 6 * 3600;
/// Bytes of one piece at most, and of what the helper complains of.
const PIECE: usize = 64 << 10;
const WORDS: u64 = 64 << 10;

#[async_trait]
impl Layers for KubernetesRuntime {
    async fn size(&self, id: &WorkloadId) -> Result<u64> {
        let cluster = self.link.cluster().await?;
        let lent = cluster.lend(id).await?;
        let answer = cluster.ask_helper(&lent.pod, &["layer-size", &upper()], WALKING).await?;
        answer.text().trim().parse().map_err(|_| Error::Failed(format!("no size of a root: {}", answer.text())))
    }

    async fn read(&self, id: &WorkloadId) -> Result<BoxStream<'static, Result<Bytes>>> {
        let cluster = self.link.cluster().await?;
        let lent = cluster.lend(id).await?;
        let arguments = [tools::PROGRAM, "layer", &upper()].map(str::to_owned).to_vec();
        let params = AttachParams {
            container: Some(CONTAINER.to_owned()),
            max_stdout_buf_size: Some(PIECE),
            max_stderr_buf_size: Some(PIECE),
            ..AttachParams::default()
        };
        let mut attached = cluster.exec(&lent.pod, arguments, &params).await?;
        let lost = || Error::Failed("the API server gave no streams".to_owned());
        let status = attached.take_status().ok_or_else(lost)?;
        let reading = Reading {
            stdout: Box::new(attached.stdout().ok_or_else(lost)?),
            stderr: Box::new(attached.stderr().ok_or_else(lost)?),
            status: Box::pin(status),
            _lent: lent,
        };
        Ok(stream::unfold(Some(reading), next_piece).boxed())
    }
}

/// Where the helper finds what was written.
fn upper() -> String {
    format!("{}/upper", kept_folder())
}

/// A layer on its way.
struct Reading {
    stdout: Box<dyn AsyncRead + Send + Unpin>,
    stderr: Box<dyn AsyncRead + Send + Unpin>,
    status: Pin<Box<dyn Future<Output = Option<Status>> + Send>>,
    _lent: Lent,
}

async fn next_piece(reading: Option<Reading>) -> Option<(Result<Bytes>, Option<Reading>)> {
    let mut reading = reading?;
    let mut piece = BytesMut::with_capacity(PIECE);
    match reading.stdout.read_buf(&mut piece).await {
        // Only the exit says whether that is all.
        Ok(0) => reading.end().await.err().map(|error| (Err(error), None)),
        Ok(_) => Some((Ok(piece.freeze()), Some(reading))),
        Err(error) => Some((Err(Error::Unreachable(error.to_string())), None)),
    }
}

impl Reading {
    async fn end(mut self) -> Result<()> {
        let mut words = String::new();
        let read = (&mut self.stderr).take(WORDS).read_to_string(&mut words).await;
        read.map_err(|error| Error::Unreachable(error.to_string()))?;
        match self.status.await.as_ref().map(exit_of) {
            Some(Exit::Code(0)) => Ok(()),
            Some(Exit::Code(_)) => Err(Error::Failed(words.trim().to_owned())),
            Some(Exit::Unknown(error)) => Err(error),
            Some(Exit::NotYet) | None => Err(Error::Unreachable("the connection to the pod broke".to_owned())),
        }
    }
}

/// A pod that has a root. One that was made for that goes when this is dropped.
struct Lent {
    pod: String,
    made_by: Option<Arc<Cluster>>,
}

impl Drop for Lent {
    fn drop(&mut self) {
        let Some(cluster) = self.made_by.take() else { return };
        let pod = std::mem::take(&mut self.pod);
        // Without a runtime the program is ending, and the pod's time ends it.
        let Ok(runtime) = Handle::try_current() else { return };
        runtime.spawn(async move {
            let params = DeleteParams::default().grace_period(1);
            if let Err(error) = super::error::absent(within(QUICK, cluster.pods().delete(&pod, &params)).await) {
                tracing::warn!(pod, %error, "a pod that lends a root stays until its time is over");
            }
        });
    }
}

impl Cluster {
    /// A pod in which the helper can read a workload's root.
    async fn lend(self: &Arc<Self>, id: &WorkloadId) -> Result<Lent> {
        let anchor = self.anchor(id).await?;
        if !anchor.made.kept {
            return Err(Error::Conflict(format!("the root of workload {id} lies in its pod and can't be read")));
        }
        match self.running(id).await {
            Ok((_, pod)) => return Ok(Lent { pod: pod.name.clone(), made_by: None }),
            Err(Error::Conflict(_)) => {}
            Err(error) => return Err(error),
        }
        self.ensure_tools().await?;
        let name = format!("yunlab-{PART}-{}", names::short_digest(&format!("{id} {:?}", SystemTime::now())));
        let pod: Pod = serde_json::from_value(lending_pod(&name, &anchor))
            .map_err(|error| Error::Failed(error.to_string()))?;
        within(QUICK, self.pods().create(&PostParams::default(), &pod)).await?;
        let lent = Lent { pod: name, made_by: Some(Arc::clone(self)) };
        let (begun, mut looks) = (Instant::now(), interval(PAUSE));
        loop {
            looks.tick().await;
            let seen = PodSeen::of(&within(QUICK, self.pods().get(&lent.pod)).await?);
            match &seen.progress {
                Progress::Started(_) => return Ok(lent),
                Progress::Refused(failure) => return Err(failure.error.clone()),
                Progress::Unplaced | Progress::Placed if begun.elapsed() > STARTING => {
                    let words = self.sayings(&seen).await?.complaint.or(seen.waits.map(|waits| waits.words));
                    return Err(Error::Failed(words.unwrap_or_else(|| "no node starts a pod".to_owned())));
                }
                Progress::Unplaced | Progress::Placed => {}
            }
        }
    }

    /// Removes pods whose portal was killed, once their time is over.
    pub(super) async fn sweep_lent(&self) -> Result<()> {
        let seen = self.complete().await?;
        let begins = format!("yunlab-{PART}-");
        let is_over = |pod: &PodSeen| {
            pod.namespace == self.settings.namespace && pod.name.starts_with(&begins) && pod.end.is_some()
        };
        for pod in seen.pods.all().into_iter().filter(|pod| is_over(pod)) {
            let params = DeleteParams::default().grace_period(0);
            super::error::absent(within(QUICK, self.pods().delete(&pod.name, &params)).await)?;
        }
        Ok(())
    }
}

/// A pod with a workload's root and its image, which only waits. It goes with the workload.
fn lending_pod(name: &str, anchor: &Anchor) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "labels": {
                names::INSTANCE: anchor.id.as_str(),
                names::TENANT: anchor.tenant,
                names::PART: PART,
            },
            "ownerReferences": anchor.as_owner(),
        },
        "spec": {
            "restartPolicy": "Never",
            "automountServiceAccountToken": false,
            "enableServiceLinks": false,
            "terminationGracePeriodSeconds": 1,
            "activeDeadlineSeconds": LONGEST,
            "hostUsers": false,
            "nodeSelector": {"kubernetes.io/os": "linux", "kubernetes.io/arch": architecture()},
            "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
            // The credentials of the image, if it has some.
            "imagePullSecrets": [{"name": names::pull(&anchor.base)}],
            "volumes": [
                tools::volume(),
                {"name": "root", "persistentVolumeClaim": {"claimName": anchor.base, "readOnly": true}},
            ],
            "containers": [{
                "name": CONTAINER,
                "image": anchor.made.image,
                "imagePullPolicy": "IfNotPresent",
                "command": [tools::PROGRAM, "hold"],
                "securityContext": rights(false, true),
                "volumeMounts": [
                    tools::mount(),
                    {"name": "root", "mountPath": kept_folder(), "readOnly": true},
                ],
                "terminationMessagePolicy": "FallbackToLogsOnError",
            }],
        },
    })
}
