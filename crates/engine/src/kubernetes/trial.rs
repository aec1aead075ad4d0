//! Whether a cluster keeps roots when pods go, tried by a pod: with a volume as a root's, and with the network disk, since a
//! user namespace needs that each volume of a pod can be mounted with other owners. What was found is written down in the
//! cluster, and tried again when the cluster or the settings have changed.

use std::time::{Duration, SystemTime};

use k8s_openapi::api::core::v1::Pod;
use kube::api::{DeleteParams, Patch, PostParams};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::time::{Instant, interval};

use super::anchor::Anchor;
use super::cluster::Cluster;
use super::error::{absent, within};
use super::names::{self, CONTAINER, FOLDER};
use super::pod::{architecture, kept_folder, rights};
use super::seen::{PodSeen, Progress};
use super::{QUICK, tools};
use crate::runtime::{Failure, Stage};
use crate::{End, Error, ImageSource, Obstacle, Result};

/// Its value of the label of parts, and a part of its objects' names.
pub(super) const PART: &str = "trial";
/// The object with what was found.
const RECORD: &str = "yunlab-cluster";
/// Time for the pod, with a volume to be made for it and an image to be fetched.
const LIMIT: Duration = Duration::from_secs(300);
/// Time for what a node or the scheduler complains about to pass.
const FAULTY: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(100);
/// The pod helper's code for what it could not do.
const HELPER_FAILED: i64 = 125;
/// A refusal may have been a fault that passed.
const REFUSED_FOR: Duration = Duration::from_secs(3600);

/// How roots live on a cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RootMode {
    /// Whether they outlive their pods.
    pub(super) kept: bool,
    /// Why not, in the cluster's words.
    pub(super) why: String,
    /// What it was tried with.
    with: String,
    /// Milliseconds since 1970.
    at: i64,
}

/// The image of a trial: any will do.
pub(super) struct TrialImage {
    name: String,
    policy: &'static str,
    /// The object with its registry's credentials.
    secret: Option<Value>,
    /// The node that has it.
    node: Option<String>,
}

impl TrialImage {
    /// Of a workload.
    pub(super) fn of(image: &ImageSource) -> Self {
        let secret = image.auth.as_ref().map(|auth| super::apply::pull_secret(image, auth));
        let policy = if image.in_registry { "IfNotPresent" } else { "Never" };
        Self { name: image.name.to_string(), policy, secret, node: None }
    }

    /// One that a node has.
    pub(super) fn on_node(name: &str, node: &str) -> Self {
        Self { name: name.to_owned(), policy: "IfNotPresent", secret: None, node: Some(node.to_owned()) }
    }
}

impl Cluster {
    /// How roots live here; tried if that is not known.
    ///
    /// # Errors
    /// When it could not be tried.
    pub(super) async fn root_mode(&self, image: &TrialImage) -> Result<RootMode, Failure> {
        let failed = Stage::Make.failed();
        if let Some(known) = self.known_root_mode().await.map_err(failed)? {
            return Ok(known);
        }
        self.try_root_mode(image).await
    }

    /// What was found, as long as it holds.
    pub(super) async fn known_root_mode(&self) -> Result<Option<RootMode>> {
        let remembered = self.root.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
        if let Some(known) = remembered.filter(|known| self.holds(known)) {
            return Ok(Some(known));
        }
        let record = absent(within(QUICK, self.config_maps().get(RECORD)).await)?;
        let known = record.and_then(|record| serde_json::from_str::<RootMode>(record.data?.get("root")?).ok());
        let present = self.conditions().await?;
        let known = known.filter(|known| known.with == present && self.holds(known));
        if let Some(known) = &known {
            self.remember(known);
        }
        Ok(known)
    }

    fn holds(&self, known: &RootMode) -> bool {
        known.kept
            || self.site.now().as_millis() - known.at < i64::try_from(REFUSED_FOR.as_millis()).unwrap_or(i64::MAX)
    }

    fn remember(&self, mode: &RootMode) {
        *self.root.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(mode.clone());
    }

    /// Tries it, whatever was found before.
    pub(super) async fn try_root_mode(&self, image: &TrialImage) -> Result<RootMode, Failure> {
        let refused = self.try_root(image).await?;
        let found = async {
            let mode = RootMode {
                kept: refused.is_none(),
                why: refused.unwrap_or_default(),
                with: self.conditions().await?,
                at: self.site.now().as_millis(),
            };
            tracing::info!(kept = mode.kept, why = mode.why, "it was tried whether roots are kept");
            let text = serde_json::to_string(&mode).map_err(|error| Error::Failed(error.to_string()))?;
            let record = json!({
                "apiVersion": "v1", "kind": "ConfigMap",
                "metadata": {"name": RECORD, "labels": {names::PART: "record"}},
                "data": {"root": text},
            });
            within(QUICK, self.config_maps().patch(RECORD, &self.ours(), &Patch::Apply(&record))).await?;
            self.remember(&mode);
            Ok::<_, Error>(mode)
        };
        found.await.map_err(Stage::Make.failed())
    }

    /// What the outcome depends on.
    async fn conditions(&self) -> Result<String> {
        let version = within(QUICK, self.client.apiserver_version()).await?.git_version;
        let storage = self.site.rules().await?.storage;
        Ok(names::short_digest(&format!("{version} {} {storage} {:?}", tools::name(), self.settings)))
    }

    /// Why roots are not kept here; `None` when they are.
    async fn try_root(&self, image: &TrialImage) -> Result<Option<String>, Failure> {
        self.ensure_tools().await.map_err(Stage::Make.failed())?;
        // Two portals may try at once.
        let name = format!("yunlab-{PART}-{}", names::short_digest(&format!("{:?}", SystemTime::now())));
        let outcome = self.tried(&name, image).await;
        if let Err(error) = self.remove_trial(&name).await {
            tracing::warn!(%error, "a trial stays for now");
        }
        outcome
    }

    async fn remove_trial(&self, name: &str) -> Result<()> {
        absent(within(QUICK, self.pods().delete(name, &DeleteParams::default().grace_period(0))).await)?;
        absent(within(QUICK, self.secrets().delete(name, &DeleteParams::default())).await)?;
        absent(within(QUICK, self.volumes().delete(name, &DeleteParams::default())).await).map(drop)
    }

    /// Removes what a killed portal's trials left. All else of a trial belongs to its pod.
    pub(super) async fn sweep_trials(&self) -> Result<()> {
        let seen = self.complete().await?;
        let (begins, now) = (format!("yunlab-{PART}-"), self.site.now().as_millis());
        let longest = i64::try_from((LIMIT * 2).as_millis()).unwrap_or(i64::MAX);
        let is_left = |pod: &PodSeen| {
            pod.namespace == self.settings.namespace
                && pod.name.starts_with(&begins)
                && now - pod.created.as_millis() > longest
        };
        for pod in seen.pods.all().into_iter().filter(|pod| is_left(pod)) {
            self.remove_trial(&pod.name).await?;
        }
        Ok(())
    }

    async fn tried(&self, name: &str, image: &TrialImage) -> Result<Option<String>, Failure> {
        if let Some(words) = self.make_trial(name, image).await.map_err(Stage::Make.failed())? {
            return Ok(Some(words));
        }
        let begun = Instant::now();
        let mut looks = interval(PAUSE);
        loop {
            looks.tick().await;
            let pod = within(QUICK, self.pods().get(name)).await.map_err(Stage::Make.failed())?;
            if let Some(outcome) = self.outcome_of_trial(&PodSeen::of(&pod), begun.elapsed()).await? {
                return Ok(outcome.err());
            }
            if begun.elapsed() > LIMIT {
                let words = format!("the trial of a kept root took longer than {} s", LIMIT.as_secs());
                return Err(Failure { stage: Stage::Make, error: Error::Failed(words) });
            }
        }
    }

    /// Makes the pod, and all that it waits for; the cluster's words if it refuses such a pod.
    async fn make_trial(&self, name: &str, image: &TrialImage) -> Result<Option<String>> {
        let malformed = |error: serde_json::Error| Error::Failed(error.to_string());
        let pod = self.trial_pod(name, image, &self.site.rules().await?.storage);
        let pod: Pod = serde_json::from_value(pod).map_err(malformed)?;
        let pod = match within(QUICK, self.pods().create(&PostParams::default(), &pod)).await {
            Ok(pod) => pod,
            // Neither a user namespace nor these rights are allowed here. A full quota says nothing about that.
            Err(Error::Rejected(words)) if !words.contains("exceeded quota") => return Ok(Some(words)),
            Err(error) => return Err(error),
        };
        // What is left goes with the pod. Without its volume the pod has no node yet.
        let uid = pod.metadata.uid.unwrap_or_default();
        let owner = json!([{"apiVersion": "v1", "kind": "Pod", "name": name, "uid": uid}]);
        if let Some(secret) = &image.secret {
            let mut secret = secret.clone();
            secret["metadata"] = json!({"name": name, "labels": {names::PART: PART}, "ownerReferences": owner});
            within(QUICK, self.secrets().patch(name, &self.ours(), &Patch::Apply(&secret))).await?;
        }
        let mut volume = self.root_volume(name, None);
        volume["metadata"]["ownerReferences"] = owner;
        let volume = serde_json::from_value(volume).map_err(malformed)?;
        within(QUICK, self.volumes().create(&PostParams::default(), &volume)).await?;
        Ok(None)
    }

    /// Whether roots are kept, or why not; `None` while that is not known.
    async fn outcome_of_trial(&self, pod: &PodSeen, since: Duration) -> Result<Option<Result<(), String>>, Failure> {
        let is_late = since > FAULTY;
        Ok(match &pod.progress {
            Progress::Started(_) => pod.end.as_ref().map(|end| match end.exit.code {
                0 => Ok(()),
                code => Err(format!("the trial ended with {code} {}", end.exit.error)),
            }),
            Progress::Refused(Failure { stage: Stage::Start, error: Error::Failed(words) })
                if is_an_answer(words, pod.end.as_ref()) =>
            {
                Some(Err(words.clone()))
            }
            Progress::Refused(failure) => return Err(failure.clone()),
            Progress::Unplaced if is_late => {
                let waits = pod.waits.as_ref().filter(|waits| waits.obstacles.contains(&Obstacle::Volume));
                waits.map(|waits| Err(waits.words.clone()))
            }
            Progress::Placed if is_late => {
                let said = self.sayings(pod).await.map_err(Stage::Make.failed())?;
                match said.complaint.filter(|_| !said.fetches) {
                    Some(words) if is_an_answer(&words, None) => Some(Err(words)),
                    Some(words) => return Err(Failure { stage: Stage::Make, error: Error::Failed(words) }),
                    None => None,
                }
            }
            Progress::Unplaced | Progress::Placed => None,
        })
    }

    /// As a workload's pod in all that matters here.
    fn trial_pod(&self, name: &str, image: &TrialImage, storage: &str) -> Value {
        let (mut volumes, mut mounts) = (vec![tools::volume()], vec![tools::mount()]);
        volumes.push(json!({"name": "root", "persistentVolumeClaim": {"claimName": name}}));
        mounts.push(json!({"name": "root", "mountPath": kept_folder()}));
        let disk = match &self.settings.disk_claim {
            Some(claim) => Some(json!({"name": "disk", "persistentVolumeClaim": {"claimName": claim}})),
            None if storage.is_empty() => None,
            None => Some(json!({"name": "disk", "hostPath": {"path": storage, "type": "Directory"}})),
        };
        if let Some(disk) = disk {
            volumes.push(disk);
            mounts.push(json!({"name": "disk", "mountPath": format!("{FOLDER}/disk"), "readOnly": true}));
        }
        let mut selector = json!({"kubernetes.io/os": "linux", "kubernetes.io/arch": architecture()});
        if let Some(node) = &image.node {
            selector["kubernetes.io/hostname"] = json!(node);
        }
        let mut spec = json!({
            "restartPolicy": "Never",
            "automountServiceAccountToken": false,
            "enableServiceLinks": false,
            "terminationGracePeriodSeconds": 1,
            "hostUsers": false,
            "nodeSelector": selector,
            "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
            "volumes": volumes,
            "containers": [{
                "name": CONTAINER,
                "image": image.name,
                "imagePullPolicy": image.policy,
                "command": [tools::PROGRAM, "try-root", kept_folder()],
                "securityContext": rights(true, false),
                "volumeMounts": mounts,
                "terminationMessagePolicy": "FallbackToLogsOnError",
            }],
        });
        if image.secret.is_some() {
            spec["imagePullSecrets"] = json!([{"name": name}]);
        }
        json!({
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, "labels": {names::PART: PART}},
            "spec": spec,
        })
    }

    /// The claim of a root's volume.
    pub(super) fn root_volume(&self, name: &str, owner: Option<&Anchor>) -> Value {
        let mut spec = json!({
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": self.settings.root_size.to_string()}},
        });
        if let Some(class) = &self.settings.root_class {
            spec["storageClassName"] = json!(class);
        }
        let mut metadata = json!({"name": name, "labels": {names::PART: PART}});
        if let Some(owner) = owner {
            metadata["labels"] = json!({names::INSTANCE: owner.id.as_str(), names::TENANT: owner.tenant});
            metadata["ownerReferences"] = owner.as_owner();
        }
        json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": spec})
    }
}

/// Whether a refusal says that roots can't be kept. Others, such as of a folder that is not mounted at present, say
/// nothing about that, and an instance must not lose its root for them.
fn is_an_answer(words: &str, end: Option<&End>) -> bool {
    let lower = words.to_lowercase();
    let is_about_it = ["user namespace", "userns", "idmap"].iter().any(|part| lower.contains(part));
    let is_the_helpers = end.is_some_and(|end| end.exit.code == HELPER_FAILED);
    is_about_it || (is_the_helpers && !lower.contains("no space left"))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::{EndCause, Exit};

    #[rstest]
    #[case("mounting an overlay: Invalid argument (os error 22)", Some(125), true)]
    #[case("writing: No space left on device (os error 28)", Some(125), false)]
    #[case("failed to set MOUNT_ATTR_IDMAP on /var/lib/kubelet: invalid argument", None, true)]
    #[case("Failed to create pod sandbox: runtime does not support user namespaces", None, true)]
    #[case("MountVolume.SetUp failed for volume \"disk\": hostPath type check failed: /srv is not a directory", None, false)]
    fn only_what_is_about_roots_decides_how_they_live(#[case] words: &str, #[case] code: Option<i64>, #[case] answers: bool) {
        let end = code.map(|code| {
            let exit = Exit { code, out_of_memory: false, error: String::new(), finished: None };
            End { exit, cause: EndCause::Own }
        });
        assert_eq!(is_an_answer(words, end.as_ref()), answers);
    }
}
