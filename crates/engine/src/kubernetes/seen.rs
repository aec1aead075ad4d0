//! What a pod shows: what it does, why it waits, how it ended.

use std::collections::BTreeSet;
use std::num::NonZeroU16;

use k8s_openapi::api::core::v1::{ContainerStateTerminated, ContainerStatus, Pod};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kernel::Timestamp;

use super::claim::COUNTED;
use super::names::{self, CONTAINER};
use super::quantity;
use crate::runtime::Stage;
use crate::{End, EndCause, Endpoint, Error, Exit, Failure, Obstacle, Phase, Protocol, Waits};

/// What is kept of a pod.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PodSeen {
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) uid: String,
    /// Empty for a pod that is no workload's.
    pub(super) instance: String,
    /// Whether the driver made it for itself.
    pub(super) is_part: bool,
    pub(super) generation: Option<u64>,
    pub(super) created: Timestamp,
    /// Empty until it is placed.
    pub(super) node: String,
    pub(super) image: String,
    pub(super) phase: Phase,
    pub(super) waits: Option<Waits>,
    pub(super) endpoints: Vec<Endpoint>,
    /// The claims that it uses.
    pub(super) claims: Vec<String>,
    /// Cards that a device plugin counts.
    pub(super) counted: u64,
    /// It is being deleted.
    pub(super) leaving: bool,
    /// It stays until the driver has noted its end.
    pub(super) held: bool,
    /// How far its start is.
    pub(super) progress: Progress,
    /// How it ended, if it did.
    pub(super) end: Option<End>,
}

impl PodSeen {
    pub(super) fn of(pod: &Pod) -> Self {
        let meta = &pod.metadata;
        let label = |name: &str| meta.labels.as_ref().and_then(|all| all.get(name)).cloned().unwrap_or_default();
        let spec = pod.spec.as_ref();
        let containers = || spec.iter().flat_map(|spec| &spec.containers);
        let counted = containers().filter_map(|one| one.resources.as_ref()?.limits.as_ref()?.get(COUNTED));
        let claims = pod.status.iter().flat_map(|status| status.resource_claim_statuses.iter().flatten());
        let claims = claims.filter_map(|one| one.resource_claim_name.clone());
        let named = spec.iter().flat_map(|spec| spec.resource_claims.iter().flatten());
        let named = named.filter_map(|one| one.resource_claim_name.clone());
        let phase = phase(pod);
        Self {
            namespace: meta.namespace.clone().unwrap_or_default(),
            name: meta.name.clone().unwrap_or_default(),
            uid: meta.uid.clone().unwrap_or_default(),
            instance: label(names::INSTANCE),
            is_part: !label(names::PART).is_empty(),
            generation: label(names::GENERATION).parse().ok(),
            created: meta.creation_timestamp.as_ref().map_or(Timestamp::from_millis(0), time),
            node: spec.and_then(|spec| spec.node_name.clone()).unwrap_or_default(),
            image: containers().next().and_then(|one| one.image.clone()).unwrap_or_default(),
            waits: if phase == Phase::Waiting { waits(pod) } else { None },
            endpoints: if phase.is_active() { containers().flat_map(endpoints).collect() } else { Vec::new() },
            phase,
            claims: claims.chain(named).collect(),
            counted: counted.map(|count| quantity::bytes(&count.0)).sum(),
            leaving: meta.deletion_timestamp.is_some(),
            held: meta.finalizers.iter().flatten().any(|one| one == names::FINALIZER),
            progress: progress(pod),
            end: end(pod),
        }
    }
}

fn endpoints(container: &k8s_openapi::api::core::v1::Container) -> Vec<Endpoint> {
    let number = |port: i32| u16::try_from(port).ok().and_then(NonZeroU16::new);
    let ports = container.ports.iter().flatten();
    let endpoint = |port: &k8s_openapi::api::core::v1::ContainerPort| {
        let protocol = match port.protocol.as_deref() {
            None | Some("TCP") => Protocol::Tcp,
            Some("UDP") => Protocol::Udp,
            Some(_) => return None,
        };
        Some(Endpoint { port: number(port.container_port)?, protocol, node_port: number(port.host_port?)? })
    };
    ports.filter_map(endpoint).collect()
}

fn time(time: &Time) -> Timestamp {
    Timestamp::from_millis(time.0.as_millisecond())
}

/// The state of the workload's own container.
fn container(pod: &Pod) -> Option<&ContainerStatus> {
    pod.status.as_ref()?.container_statuses.as_ref()?.iter().find(|one| one.name == CONTAINER)
}

fn terminated(pod: &Pod) -> Option<&ContainerStateTerminated> {
    container(pod)?.state.as_ref()?.terminated.as_ref()
}

/// Whether no process of it runs or will ever run.
fn is_over(pod: &Pod) -> bool {
    let phase = pod.status.as_ref().and_then(|status| status.phase.as_deref()).unwrap_or_default();
    matches!(phase, "Succeeded" | "Failed") || terminated(pod).is_some()
}

fn phase(pod: &Pod) -> Phase {
    if is_over(pod) {
        return Phase::Ended(None);
    }
    let state = container(pod).and_then(|one| one.state.as_ref());
    // Foreign pods have containers of other names.
    let phase = pod.status.as_ref().and_then(|status| status.phase.as_deref());
    let is_running = match container(pod) {
        Some(_) => state.is_some_and(|state| state.running.is_some()),
        None => phase == Some("Running"),
    };
    if is_running { Phase::Running } else { Phase::Waiting }
}

/// How the workload's program ended; `None` while it runs, or before.
fn end(pod: &Pod) -> Option<End> {
    if !is_over(pod) {
        return None;
    }
    let status = pod.status.as_ref()?;
    let reason = status.reason.as_deref().unwrap_or_default();
    let of_container = terminated(pod);
    let is_unstarted =
        of_container.is_none_or(|one| matches!(one.reason.as_deref(), Some("StartError" | "ContainerCannotRun")));
    let mut error = of_container.filter(|_| is_unstarted).and_then(|one| one.message.clone()).unwrap_or_default();
    if error.is_empty() && !matches!(reason, "" | "DeadlineExceeded") {
        error = status.message.clone().unwrap_or_else(|| reason.to_owned());
    }
    let finished = of_container.and_then(|one| one.finished_at.as_ref());
    let exit = Exit {
        code: of_container.map_or(UNKNOWN, |one| i64::from(one.exit_code)),
        out_of_memory: of_container.is_some_and(|one| one.reason.as_deref() == Some("OOMKilled")),
        error,
        finished: finished.map(time),
    };
    let cause = if is_disrupted(pod) { EndCause::Restart } else { EndCause::Own };
    Some(End { exit, cause })
}

/// The exit code of what never ran, or whose node was lost; as Docker has it for what it finds dead.
const UNKNOWN: i64 = 255;

/// Whether the node or the cluster ended it, for reasons that have nothing to do with it.
fn is_disrupted(pod: &Pod) -> bool {
    let Some(status) = pod.status.as_ref() else { return false };
    let by_node = matches!(status.reason.as_deref(), Some("Terminated" | "NodeShutdown" | "NodeLost" | "Shutdown"));
    let is_lost = terminated(pod).is_some_and(|one| one.reason.as_deref() == Some("ContainerStatusUnknown"));
    let by_cluster = status.conditions.iter().flatten().any(|one| {
        one.type_ == "DisruptionTarget"
            && one.status == "True"
            && !matches!(one.reason.as_deref(), Some("TerminationByKubelet"))
    });
    by_node || is_lost || by_cluster
}

/// Why its cluster has no node for it.
fn waits(pod: &Pod) -> Option<Waits> {
    let conditions = pod.status.as_ref()?.conditions.as_ref()?;
    let unplaced = conditions.iter().find(|one| one.type_ == "PodScheduled" && one.status == "False")?;
    let words = unplaced.message.clone().unwrap_or_default();
    Some(Waits { obstacles: obstacles(&words), words })
}

/// From the scheduler's words, which are of the form `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had …`.
fn obstacles(words: &str) -> BTreeSet<Obstacle> {
    const KNOWN: [(&str, Obstacle); 16] = [
        ("Insufficient cpu", Obstacle::Cpu),
        ("Insufficient memory", Obstacle::Memory),
        ("Insufficient nvidia.com/", Obstacle::Cards),
        ("cannot allocate all claims", Obstacle::Cards),
        ("resourceclaim", Obstacle::Cards),
        ("free ports", Obstacle::Ports),
        ("persistentvolumeclaim", Obstacle::Volume),
        ("PersistentVolumeClaims", Obstacle::Volume),
        ("volume node affinity conflict", Obstacle::Volume),
        ("persistent volumes", Obstacle::Volume),
        ("volume limits", Obstacle::Volume),
        ("taint", Obstacle::Taint),
        ("were unschedulable", Obstacle::Taint),
        ("node affinity/selector", Obstacle::Kind),
        ("node selector", Obstacle::Kind),
        ("Too many pods", Obstacle::Full),
    ];
    // What follows is about evicting other pods, which ours never do.
    let words = words.split(" preemption:").next().unwrap_or_default();
    KNOWN.iter().filter(|(part, _)| words.contains(part)).map(|(_, obstacle)| *obstacle).collect()
}

/// How far the start of a pod is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Progress {
    /// It has no node yet.
    Unplaced,
    /// Its node prepares it.
    Placed,
    /// Its program runs, or ran. The digest of its image, if the node says it.
    Started(Option<String>),
    /// It will not run.
    Refused(Failure),
}

fn progress(pod: &Pod) -> Progress {
    let status = pod.status.as_ref();
    let main = container(pod);
    let digest = main.and_then(|one| digest(&one.image_id));
    if let Some(ended) = terminated(pod) {
        return match refusal(ended) {
            Some(words) => refused(Stage::Start, Error::Failed(words)),
            None => Progress::Started(digest),
        };
    }
    let phase = status.and_then(|status| status.phase.as_deref()).unwrap_or_default();
    if phase == "Failed" {
        let reason = status.and_then(|status| status.reason.clone()).unwrap_or_default();
        let words = status.and_then(|status| status.message.clone()).unwrap_or_else(|| reason.clone());
        return refused(
            Stage::Start,
            if reason == "NodePorts" { Error::PortTaken(words) } else { Error::Failed(words) },
        );
    }
    let state = main.and_then(|one| one.state.as_ref());
    if state.is_some_and(|state| state.running.is_some()) {
        return Progress::Started(digest);
    }
    if let Some(waiting) = state.and_then(|state| state.waiting.as_ref()) {
        let words = waiting.message.clone().unwrap_or_default();
        match waiting.reason.as_deref().unwrap_or_default() {
            "ErrImageNeverPull" => return refused(Stage::FindImage, Error::ImageMissing(words)),
            "InvalidImageName" => return refused(Stage::FindImage, Error::Rejected(words)),
            "ErrImagePull"
            | "ImagePullBackOff"
            | "RegistryUnavailable"
            | "ImageInspectError"
            | "SignatureValidationFailed" => return refused(Stage::FetchImage, not_pulled(words)),
            "CreateContainerConfigError" | "CreateContainerError" | "RunContainerError" => {
                return refused(Stage::Start, Error::Failed(words));
            }
            _ => {}
        }
    }
    let is_placed = pod.spec.as_ref().and_then(|spec| spec.node_name.as_deref()).is_some_and(|node| !node.is_empty());
    if is_placed { Progress::Placed } else { Progress::Unplaced }
}

fn refused(stage: Stage, error: Error) -> Progress {
    Progress::Refused(Failure { stage, error })
}

/// Why a container that ended at once never ran its program: the words of its runtime, or of the pod helper, whose last
/// lines a node reports.
fn refusal(ended: &ContainerStateTerminated) -> Option<String> {
    let words = || ended.message.clone().unwrap_or_default().trim().to_owned();
    match (ended.reason.as_deref(), ended.exit_code) {
        (Some("StartError" | "ContainerCannotRun"), _) => Some(words()),
        // The helper's codes for what could not be started.
        (_, 125..=127) => Some(words()),
        _ => None,
    }
}

/// What is between a node and an image.
fn not_pulled(words: String) -> Error {
    let lower = words.to_lowercase();
    let says = |any: &[&str]| any.iter().any(|part| lower.contains(part));
    if says(&["authorization failed", "unauthorized", "forbidden", "no basic auth", "insufficient_scope"]) {
        Error::Unauthorized(words)
    } else if says(&["not found", "manifest unknown", "name unknown", "does not exist"]) {
        Error::ImageMissing(words)
    } else {
        Error::Failed(words)
    }
}

/// `sha256:` and 64 digits at the end of an image's id, as nodes report it.
fn digest(image_id: &str) -> Option<String> {
    let at = image_id.rfind("sha256:")?;
    let digest = &image_id[at..];
    (digest.len() == 71).then(|| digest.to_owned())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::{Value, json};

    use super::*;

    fn pod(status: Value) -> Pod {
        serde_json::from_value(json!({
            "metadata": {"name": "i", "namespace": "lab", "labels": {"yunlab.instance": "1", "yunlab.generation": "2"}},
            "spec": {"nodeName": "n", "containers": [{"name": "main", "image": "lab:1", "ports": [
                {"containerPort": 22, "hostPort": 30022}, {"containerPort": 53, "hostPort": 30053, "protocol": "UDP"},
                {"containerPort": 80}]}]},
            "status": status,
        }))
        .unwrap()
    }

    fn with_state(state: Value) -> Pod {
        pod(json!({"phase": "Pending", "containerStatuses": [{"name": "main", "image": "lab:1", "imageID":
            "lab.test/a@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
            "ready": false, "restartCount": 0, "state": state}]}))
    }

    #[test]
    fn a_running_pod_shows_its_ports() {
        let seen = PodSeen::of(&with_state(json!({"running": {}})));
        assert_eq!((seen.instance.as_str(), seen.generation, seen.phase), ("1", Some(2), Phase::Running));
        let ports: Vec<_> =
            seen.endpoints.iter().map(|one| (one.port.get(), one.node_port.get(), one.protocol)).collect();
        assert_eq!(ports, [(22, 30022, Protocol::Tcp), (53, 30053, Protocol::Udp)]);
        let Progress::Started(Some(digest)) = progress(&with_state(json!({"running": {}}))) else { panic!("it runs") };
        assert!(digest.starts_with("sha256:0123"));
    }

    #[rstest]
    #[case(
        "ErrImageNeverPull",
        "Container image \"x\" is not present with pull policy of Never",
        Stage::FindImage,
        "missing"
    )]
    #[case("ErrImagePull", "failed to resolve reference \"x\": x: not found", Stage::FetchImage, "missing")]
    #[case(
        "ErrImagePull",
        "pull access denied, repository does not exist or may require authorization: authorization failed: no basic auth credentials",
        Stage::FetchImage,
        "unauthorized"
    )]
    #[case(
        "ImagePullBackOff",
        "Back-off pulling image \"x\": ErrImagePull: dial tcp: connection refused",
        Stage::FetchImage,
        "failed"
    )]
    #[case("ErrImagePull", "no match for platform in manifest: x", Stage::FetchImage, "failed")]
    #[case("CreateContainerError", "no such device", Stage::Start, "failed")]
    fn refusals_are_told_apart(#[case] reason: &str, #[case] words: &str, #[case] stage: Stage, #[case] kind: &str) {
        let pod = with_state(json!({"waiting": {"reason": reason, "message": words}}));
        let Progress::Refused(failure) = progress(&pod) else { panic!("it is refused") };
        let found = match &failure.error {
            Error::ImageMissing(_) => "missing",
            Error::Unauthorized(_) => "unauthorized",
            Error::Failed(_) => "failed",
            _ => "other",
        };
        assert_eq!((failure.stage, found), (stage, kind));
    }

    #[rstest]
    #[case(json!({"exitCode": 137, "reason": "OOMKilled"}), Value::Null, 137, true, EndCause::Own)]
    #[case(json!({"exitCode": 143, "reason": "Error"}), json!("DeadlineExceeded"), 143, false, EndCause::Own)]
    #[case(json!({"exitCode": 137, "reason": "ContainerStatusUnknown"}), Value::Null, 137, false, EndCause::Restart)]
    #[case(json!({"exitCode": 0, "reason": "Completed"}), json!("Terminated"), 0, false, EndCause::Restart)]
    fn ends_are_read(
        #[case] state: Value,
        #[case] reason: Value,
        #[case] code: i64,
        #[case] oom: bool,
        #[case] cause: EndCause,
    ) {
        let mut status = serde_json::to_value(with_state(json!({"terminated": state})).status).unwrap();
        status["phase"] = json!("Failed");
        status["reason"] = reason;
        let end = end(&pod(status)).unwrap();
        assert_eq!((end.exit.code, end.exit.out_of_memory, end.cause), (code, oom, cause));
    }

    #[test]
    fn an_eviction_is_an_error_and_no_restart() {
        let status = json!({"phase": "Failed", "reason": "Evicted", "message": "The node was low on resource: ephemeral-storage.",
            "conditions": [{"type": "DisruptionTarget", "status": "True", "reason": "TerminationByKubelet"}]});
        let end = end(&pod(status)).unwrap();
        assert_eq!((end.exit.code, end.cause), (UNKNOWN, EndCause::Own));
        assert!(end.exit.error.contains("ephemeral-storage"));
    }

    #[test]
    fn what_the_helper_could_not_start_did_not_start() {
        let pod = with_state(
            json!({"terminated": {"exitCode": 127, "reason": "Error", "message": "sleeep: No such file\n"}}),
        );
        let Progress::Refused(failure) = progress(&pod) else { panic!("it is refused") };
        assert_eq!(failure, Failure { stage: Stage::Start, error: Error::Failed("sleeep: No such file".to_owned()) });
        let pod = with_state(json!({"terminated": {"exitCode": 3, "reason": "Error"}}));
        assert!(matches!(progress(&pod), Progress::Started(Some(_))), "it ran, if not for long");
    }

    #[test]
    fn the_schedulers_words_become_obstacles() {
        let words = "0/4 nodes are available: 1 Insufficient cpu, 1 Insufficient memory, 1 node(s) had untolerated taint(s), \
            1 cannot allocate all claims. preemption: 0/4 nodes are available: 4 No preemption victims found; no free ports.";
        let found: Vec<_> = obstacles(words).into_iter().collect();
        assert_eq!(found, [Obstacle::Cpu, Obstacle::Memory, Obstacle::Cards, Obstacle::Taint]);
        assert!(obstacles("something new").is_empty());
    }
}
