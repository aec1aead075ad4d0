//! The pod in which a workload runs, from one start to the next stop.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::anchor::Anchor;
use super::claim::{COUNTED, COUNTED_MODEL};
use super::names::{self, CONTAINER, FOLDER};
use super::settings::KubernetesSettings;
use super::tools;
use crate::defaults::{CAPABILITIES, CARDS, threads};
use crate::{CPU_PERIOD_MICROS, ImageRef, Invalid, Mount, Place, Resources, WantedPort, Workload, default_shm};

/// Time for a workload's processes to end where a node ends them past the portal: at most what the portal itself gives.
const GRACE_SECONDS: u32 = 30;

/// What a pod is made of besides its workload.
pub(super) struct Parts<'a> {
    pub(super) anchor: &'a Anchor,
    pub(super) settings: &'a KubernetesSettings,
    /// The program and its arguments, the image's own where the workload has no other.
    pub(super) command: &'a [String],
    /// Of the image, in its registry; empty where it is not known.
    pub(super) digest: &'a str,
    /// The folder of the nodes where the network disk is mounted; empty for no network disk.
    pub(super) storage: &'a str,
    /// The object that has the credentials of the image's registry.
    pub(super) pull_secret: Option<String>,
}

/// The pod of a workload.
///
/// # Errors
/// A value that is never sent to a cluster.
pub(super) fn pod(workload: &Workload, parts: &Parts<'_>) -> Result<Value, Invalid> {
    let Parts { anchor, .. } = parts;
    let (volumes, mounts) = volumes(workload, parts)?;
    let is_counted = anchor.made.counted_model.is_some();
    let claims: Vec<Value> =
        if workload.cards.is_empty() || is_counted { Vec::new() } else { vec![json!({"name": "cards"})] };
    let mut spec = json!({
        "restartPolicy": "Never",
        "hostname": anchor.base,
        "automountServiceAccountToken": false,
        "enableServiceLinks": false,
        "terminationGracePeriodSeconds": GRACE_SECONDS,
        "nodeSelector": selector(anchor),
        // A node that is away for a while evicts nothing of ours.
        "tolerations": [
            {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute"},
            {"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute"},
        ],
        "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
        "volumes": volumes,
        "containers": [{
            "name": CONTAINER,
            "image": image(&workload.image.name, parts.digest),
            // One that is in no registry is where it is.
            "imagePullPolicy": if workload.image.in_registry { "IfNotPresent" } else { "Never" },
            "command": command(workload, parts),
            "workingDir": "/",
            "env": environment(workload, is_counted),
            "ports": ports(&workload.ports),
            "resources": resources(workload, &claims, is_counted),
            "securityContext": rights(anchor.made.kept, workload.no_new_privileges),
            "volumeMounts": mounts,
            "terminationMessagePolicy": "FallbackToLogsOnError",
        }],
    });
    if anchor.made.kept {
        spec["hostUsers"] = json!(false);
    }
    if !workload.nodes.is_empty() {
        spec["affinity"] = on_one_of(&workload.nodes);
    }
    if !claims.is_empty() {
        spec["resourceClaims"] = json!([{"name": "cards", "resourceClaimName": anchor.base}]);
    }
    if let Some(secret) = &parts.pull_secret {
        spec["imagePullSecrets"] = json!([{"name": secret}]);
    }
    Ok(json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": anchor.base,
            "labels": {
                names::INSTANCE: workload.id.as_str(),
                names::GENERATION: workload.generation.to_string(),
                names::TENANT: workload.tenant.as_str(),
            },
            "ownerReferences": anchor.as_owner(),
            "finalizers": [names::FINALIZER],
        },
        "spec": spec,
    }))
}

fn selector(anchor: &Anchor) -> Value {
    let mut selector = json!({"kubernetes.io/os": "linux", "kubernetes.io/arch": architecture()});
    if let Some(model) = &anchor.made.counted_model {
        selector[COUNTED_MODEL] = json!(model);
    }
    selector
}

/// By affinity, since a pod that names its node goes past the scheduler and gets no card.
fn on_one_of(nodes: &BTreeSet<String>) -> Value {
    let is_it = |node: &String| json!({"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]});
    let terms: Vec<Value> = nodes.iter().map(is_it).collect();
    json!({"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}})
}

/// The very image of a digest, where that is known. Its tag stays for people to read.
fn image(name: &ImageRef, digest: &str) -> String {
    let name = name.to_string();
    if digest.is_empty() || name.contains('@') { name } else { format!("{name}@{digest}") }
}

/// Whose programs the pod helper can be: those of the machine that this program was built for.
pub(super) fn architecture() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    }
}

/// Process 1, which starts the workload's own program.
fn command(workload: &Workload, parts: &Parts<'_>) -> Vec<String> {
    let made = &parts.anchor.made;
    let mut all = vec![tools::PROGRAM.to_owned(), "init".to_owned()];
    if made.kept {
        all.extend(["--keep".to_owned(), kept_folder()]);
    }
    all.extend(tools::identity(made));
    if workload.no_new_privileges {
        all.push("--closed".to_owned());
    }
    all.push("--".to_owned());
    all.extend(parts.command.iter().cloned());
    all.iter().map(|word| literal(word)).collect()
}

pub(super) fn kept_folder() -> String {
    format!("{FOLDER}/root")
}

/// A cluster would replace `$(NAME)` in commands and values.
fn literal(text: &str) -> String {
    text.replace('$', "$$")
}

fn environment(workload: &Workload, is_counted: bool) -> Vec<Value> {
    let users = workload.environment.iter().map(|(name, value)| json!({"name": name, "value": literal(value)}));
    let cores = threads(&workload.environment, &workload.resources)
        .map(|(name, cores)| json!({"name": name, "value": cores.to_string()}));
    // Which cards it has is up to its claim; many images would ask the runtime for all of them. A device plugin sets this
    // itself, and a pod's own value would replace it.
    let cards = (!is_counted).then(|| json!({"name": CARDS, "value": "void"}));
    users.chain(cores).chain(cards).collect()
}

fn ports(ports: &[WantedPort]) -> Vec<Value> {
    let port = |port: &WantedPort| {
        let mut one = json!({"containerPort": port.port, "protocol": port.protocol.as_str().to_uppercase()});
        if let Some(node_port) = port.node_port {
            one["hostPort"] = json!(node_port);
        }
        one
    };
    ports.iter().map(port).collect()
}

/// What it may use is also what is set aside for it.
fn resources(workload: &Workload, claims: &[Value], is_counted: bool) -> Value {
    let mut limits = limits(&workload.resources);
    if is_counted {
        limits[COUNTED] = json!(workload.cards.len().to_string());
    }
    json!({"requests": limits, "limits": limits, "claims": claims})
}

/// Cores and memory, as far as they are limited. Processes can't be: that is up to each node.
pub(super) fn limits(resources: &Resources) -> Value {
    let mut limits = serde_json::Map::new();
    if resources.cpu_quota > 0 {
        // In thousandths of a core.
        let cores = resources.cpu_quota * 1000 / CPU_PERIOD_MICROS;
        limits.insert("cpu".to_owned(), json!(format!("{cores}m")));
    }
    if resources.memory > 0 {
        limits.insert("memory".to_owned(), json!(resources.memory.to_string()));
    }
    limits.into()
}

/// Root of the container, with the capabilities that package managers and sshd need. To keep a root takes more, which then
/// only counts in the pod's user namespace, and which process 1 gives up.
pub(super) fn rights(kept: bool, closed: bool) -> Value {
    let mut added = CAPABILITIES.to_vec();
    if kept {
        added.push("SYS_ADMIN");
    }
    let mut rights = json!({
        "runAsUser": 0,
        "runAsGroup": 0,
        "runAsNonRoot": false,
        "capabilities": {"drop": ["ALL"], "add": added},
    });
    if kept {
        // The usual profile forbids to mount anything. Rights can't be closed here, so the helper does that.
        rights["appArmorProfile"] = json!({"type": "Unconfined"});
    } else {
        rights["allowPrivilegeEscalation"] = json!(!closed);
    }
    rights
}

fn volumes(workload: &Workload, parts: &Parts<'_>) -> Result<(Vec<Value>, Vec<Value>), Invalid> {
    let shm = workload.shm.unwrap_or_else(|| default_shm(workload.resources.memory));
    let mut volumes =
        vec![tools::volume(), json!({"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": shm.to_string()}})];
    let mut mounts = vec![tools::mount(), json!({"name": "shm", "mountPath": "/dev/shm"})];
    if parts.anchor.made.kept {
        volumes.push(json!({"name": "root", "persistentVolumeClaim": {"claimName": parts.anchor.base}}));
        mounts.push(json!({"name": "root", "mountPath": kept_folder()}));
    }
    let (disks, places) = disk(&workload.places, parts.settings, parts.storage)?;
    volumes.extend(disks);
    mounts.extend(places);
    Ok((volumes, mounts))
}

/// Folders of the network disk: parts of one claim, or folders of the node, which must be there.
pub(super) fn disk(
    places: &[Place],
    settings: &KubernetesSettings,
    storage: &str,
) -> Result<(Vec<Value>, Vec<Value>), Invalid> {
    let (mut volumes, mut mounts) = (Vec::new(), Vec::new());
    let storage = storage.trim_end_matches('/');
    let of_claim = settings.disk_claim.as_deref();
    if let Some(claim) = of_claim.filter(|_| !places.is_empty()) {
        volumes.push(json!({"name": "disk", "persistentVolumeClaim": {"claimName": claim}}));
    }
    for (at, place) in places.iter().enumerate() {
        let root = if of_claim.is_some() { "/disk" } else { storage };
        let mount = Mount::new(&format!("{root}/{}", place.folder()), place.target(), place.read_only())?;
        let target = json!({"mountPath": mount.target(), "readOnly": mount.read_only()});
        let mut target = target;
        match of_claim {
            Some(_) => {
                target["name"] = json!("disk");
                target["subPath"] = json!(place.folder());
            }
            None => {
                let name = format!("place-{at}");
                volumes.push(json!({"name": name, "hostPath": {"path": mount.source(), "type": "Directory"}}));
                target["name"] = json!(name);
            }
        }
        mounts.push(target);
    }
    Ok((volumes, mounts))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kubernetes::anchor::Made;
    use crate::{Card, Environment, ImageSource};

    fn workload() -> Workload {
        Workload {
            id: "i-1".parse().unwrap(),
            generation: 2,
            name: "ins-ann".to_owned(),
            tenant: "7".parse().unwrap(),
            image: ImageSource { name: "lab.test/a:1".parse().unwrap(), auth: None, in_registry: true },
            kept_root: None,
            command: None,
            environment: Environment::default(),
            resources: Resources { cpu_quota: 150_000, memory: 16 << 30, pids: 100 },
            shm: None,
            cards: Vec::new(),
            nodes: Default::default(),
            places: Vec::new(),
            ports: Vec::new(),
            no_new_privileges: false,
        }
    }

    const DIGEST: &str = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    fn anchor(workload: &Workload, kept: bool) -> Anchor {
        Anchor {
            id: workload.id.clone(),
            generation: workload.generation,
            tenant: "7".to_owned(),
            base: "ins-ann".to_owned(),
            uid: "u".to_owned(),
            made: Made { kept, ..Made::default() },
            picked: None,
            end: None,
        }
    }

    fn described(workload: &Workload, kept: bool, settings: &KubernetesSettings) -> Value {
        described_as(workload, &anchor(workload, kept), settings)
    }

    fn described_as(workload: &Workload, anchor: &Anchor, settings: &KubernetesSettings) -> Value {
        let command = ["sh".to_owned(), "-c".to_owned(), "echo $(HOME) $$".to_owned()];
        let parts =
            Parts { anchor, settings, command: &command, digest: DIGEST, storage: "/srv/disk/", pull_secret: None };
        pod(workload, &parts).unwrap()
    }

    #[test]
    fn more_rights_only_for_a_kept_root_and_only_in_a_user_namespace() {
        let settings = KubernetesSettings::in_namespace("lab");
        let mut one = workload();
        one.no_new_privileges = true;
        let plain = described(&one, false, &settings);
        let rights = &plain["spec"]["containers"][0]["securityContext"];
        assert_eq!((&rights["allowPrivilegeEscalation"], &plain["spec"]["hostUsers"]), (&json!(false), &Value::Null));
        assert!(!rights["capabilities"]["add"].as_array().unwrap().contains(&json!("SYS_ADMIN")));
        let kept = described(&one, true, &settings);
        let rights = &kept["spec"]["containers"][0]["securityContext"];
        assert_eq!(kept["spec"]["hostUsers"], json!(false));
        assert!(rights["capabilities"]["add"].as_array().unwrap().contains(&json!("SYS_ADMIN")));
        assert!(kept["spec"]["containers"][0]["command"].as_array().unwrap().contains(&json!("--closed")));
        for pod in [plain, kept] {
            assert_eq!(pod["spec"]["automountServiceAccountToken"], json!(false));
            assert_eq!(pod["spec"]["securityContext"]["seccompProfile"]["type"], json!("RuntimeDefault"));
        }
    }

    #[test]
    fn words_and_numbers_arrive_as_they_are() {
        let mut one = workload();
        one.environment.set("PRICE", "$(PATH) $5").unwrap();
        one.cards = vec![Card::nvidia("GPU-1").unwrap()];
        let pod = described(&one, false, &KubernetesSettings::in_namespace("lab"));
        let container = &pod["spec"]["containers"][0];
        assert_eq!(container["image"], format!("lab.test/a:1@{DIGEST}"), "the very image that was looked at");
        assert_eq!(container["command"].as_array().unwrap().last().unwrap(), "echo $$(HOME) $$$$");
        assert!(container["env"].as_array().unwrap().contains(&json!({"name": "PRICE", "value": "$$(PATH) $$5"})));
        assert_eq!(container["resources"]["limits"], json!({"cpu": "1500m", "memory": "17179869184"}));
        assert_eq!(container["resources"]["claims"], json!([{"name": "cards"}]));
        assert_eq!(pod["spec"]["volumes"][1]["emptyDir"]["sizeLimit"], json!("8589934592"));
    }

    #[test]
    fn counted_cards_are_asked_for_by_number_and_named_nodes_by_affinity() {
        let mut one = workload();
        one.cards = vec![Card::of_model("NVIDIA-A100", BTreeSet::new()).unwrap(); 2];
        one.nodes = ["b", "a"].map(str::to_owned).into();
        let mut anchor = anchor(&one, false);
        anchor.made.counted_model = Some("NVIDIA-A100".to_owned());
        let pod = described_as(&one, &anchor, &KubernetesSettings::in_namespace("lab"));
        let container = &pod["spec"]["containers"][0];
        assert_eq!((&container["resources"]["limits"][COUNTED], &container["resources"]["claims"]), (&json!("2"), &json!([])));
        assert!(!container["env"].as_array().unwrap().iter().any(|one| one["name"] == CARDS), "it is the plugin's");
        assert_eq!((&pod["spec"]["nodeSelector"][COUNTED_MODEL], &pod["spec"]["resourceClaims"]), (&json!("NVIDIA-A100"), &Value::Null));
        let terms = &pod["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"];
        let names: Vec<&Value> = terms.as_array().unwrap().iter().map(|one| &one["matchFields"][0]["values"]).collect();
        assert_eq!(names, [&json!(["a"]), &json!(["b"])], "a term each: a field has one value");
    }

    #[test]
    fn places_are_folders_of_nodes_or_parts_of_a_claim() {
        let mut one = workload();
        one.places =
            vec![Place::new("home/7", "/home/ann", false).unwrap(), Place::new("数据/a", "/data", true).unwrap()];
        let mut settings = KubernetesSettings::in_namespace("lab");
        let pod = described(&one, false, &settings);
        let volumes = pod["spec"]["volumes"].as_array().unwrap();
        assert!(
            volumes
                .contains(&json!({"name": "place-0", "hostPath": {"path": "/srv/disk/home/7", "type": "Directory"}}))
        );
        settings.disk_claim = Some("disk".to_owned());
        let pod = described(&one, false, &settings);
        let mounts = pod["spec"]["containers"][0]["volumeMounts"].as_array().unwrap();
        let wanted = json!({"name": "disk", "mountPath": "/data", "readOnly": true, "subPath": "数据/a"});
        assert!(mounts.contains(&wanted), "{mounts:?}");
        assert_eq!(pod["spec"]["volumes"].as_array().unwrap().len(), 3);
    }
}
