//! Looks for what keeps workloads from running on a cluster, in codes and facts.

use futures_util::future::join_all;
use k8s_openapi::api::core::v1::{Namespace, Node};
use kube::Api;
use kube::api::{DeleteParams, ListParams, PostParams};
use serde_json::{Value, json};
use tokio::time::{Duration, Instant, interval};

use super::cluster::Cluster;
use super::error::{absent, within};
use super::names::{self, CONTAINER, FOLDER};
use super::pod::architecture;
use super::seen::{PodSeen, Progress};
use super::trial::{self, TrialImage};
use super::{QUICK, tools};
use crate::{ClusterNode, Error, Expected, Finding, Proof, Result, Verdict};

/// The oldest minor version that is worth a try, and the oldest whose scheduler gives cards by claims; before, they can
/// only be counted.
const OLDEST: u64 = 30;
const OLDEST_WITH_CLAIMS: u64 = 34;
/// Time for a pod that only reads a file.
const READING: Duration = Duration::from_secs(60);

/// What the driver does in its namespace: group, kind, verbs.
const NEEDED: &[(&str, &str, &[&str])] = &[
    ("", "configmaps", &["get", "list", "watch", "create", "patch", "delete"]),
    ("", "pods", &["get", "list", "watch", "create", "patch", "delete"]),
    ("", "pods/exec", &["get", "create"]),
    ("", "pods/log", &["get"]),
    ("", "pods/resize", &["patch"]),
    ("", "events", &["list"]),
    ("", "namespaces", &["get"]),
    ("", "persistentvolumeclaims", &["get", "create", "delete"]),
    ("", "secrets", &["create", "patch", "delete"]),
    ("networking.k8s.io", "networkpolicies", &["list", "create", "patch", "delete"]),
    ("resource.k8s.io", "resourceclaims", &["get", "list", "watch", "create", "delete"]),
];

/// Reads of the whole cluster, and what is missed without them.
const WIDE: &[(&str, &str, &[&str])] = &[
    ("", "nodes", &["list", "watch"]),
    ("resource.k8s.io", "resourceslices", &["list", "watch"]),
    ("", "pods", &["list", "watch"]),
    ("resource.k8s.io", "resourceclaims", &["list", "watch"]),
];

impl Cluster {
    pub(super) async fn findings(&self, expected: &Expected<'_>) -> Result<Vec<Finding>> {
        let version = within(QUICK, self.client.apiserver_version()).await?;
        let mut all = vec![of_version(&version.git_version, &version.minor)];
        all.extend(self.rights().await?);
        let namespaces: Api<Namespace> = Api::all(self.client.clone());
        match within(QUICK, namespaces.get(&self.settings.namespace)).await {
            Ok(namespace) => all.push(of_namespace(&namespace)),
            Err(error @ Error::NotFound(_)) => {
                // Nothing else can be looked at.
                all.push(Finding { error: Some(error), ..Finding::new("namespace", "missing", Verdict::Failed) });
                return Ok(all);
            }
            Err(error) => all.push(Finding::unseen("namespace", error)),
        }
        let nodes = match self.list_nodes().await {
            Ok(nodes) => nodes,
            Err(error) => {
                all.push(Finding::unseen("nodes", error));
                Vec::new()
            }
        };
        if !nodes.is_empty() {
            all.extend(of_nodes(&nodes));
            all.push(of_cards(&nodes, expected.nvidia));
        }
        let image = self.image_of_a_node().await;
        all.push(self.root_finding(image.as_ref().ok().and_then(Option::as_ref)).await);
        if let Some(proof) = &expected.proof {
            all.push(self.disk_finding(image.ok().flatten().as_ref(), proof).await);
        }
        Ok(all)
    }

    async fn rights(&self) -> Result<Vec<Finding>> {
        let missing = self.lacking(NEEDED, false).await?;
        let needed = match missing.is_empty() {
            true => Finding::new("rights", "complete", Verdict::Passed),
            false => Finding::new("rights", "missing", Verdict::Failed).with("rights", missing),
        };
        let missing = self.lacking(WIDE, true).await?;
        let wide = match missing.is_empty() {
            true => Finding::new("reads", "complete", Verdict::Passed),
            false => Finding::new("reads", "missing", Verdict::Warning).with("rights", missing),
        };
        Ok(vec![needed, wide])
    }

    /// As `verb kind`.
    async fn lacking(&self, rights: &[(&str, &str, &[&str])], everywhere: bool) -> Result<Vec<String>> {
        let each = rights.iter().flat_map(|(group, kind, verbs)| verbs.iter().map(move |verb| (*group, *kind, *verb)));
        let asked = each.map(|(group, kind, verb)| async move {
            let may = self.may(verb, group, kind, everywhere).await?;
            Ok::<_, Error>((!may).then(|| format!("{verb} {kind}")))
        });
        let answers: Result<Vec<_>> = join_all(asked).await.into_iter().collect();
        Ok(answers?.into_iter().flatten().collect())
    }

    /// An image for pods that only run the helper: any that a node has.
    async fn image_of_a_node(&self) -> Result<Option<(String, String)>> {
        let nodes = within(QUICK, self.nodes().list(&ListParams::default())).await?.items;
        let usable = |node: &&Node| {
            let labels = node.metadata.labels.as_ref();
            labels.and_then(|all| all.get("kubernetes.io/arch")).is_some_and(|name| name == architecture())
        };
        let image = |node: &Node| {
            let host = node.metadata.labels.as_ref()?.get("kubernetes.io/hostname")?.clone();
            let images = node.status.as_ref()?.images.as_ref()?;
            let name = images.iter().find_map(|image| image.names.as_ref()?.last().cloned())?;
            Some((name, host))
        };
        Ok(nodes.iter().filter(usable).find_map(image))
    }

    async fn root_finding(&self, image: Option<&(String, String)>) -> Finding {
        let mode = match image {
            Some((name, node)) => self.try_root_mode(&TrialImage::on_node(name, node)).await,
            None => match self.known_root_mode().await {
                Ok(Some(mode)) => Ok(mode),
                Ok(None) => return Finding::new("root", "untried", Verdict::Warning),
                Err(error) => return Finding::unseen("root", error),
            },
        };
        match mode {
            Ok(mode) if mode.kept => Finding::new("root", "kept", Verdict::Passed),
            Ok(mode) => Finding::new("root", "lost_at_stop", Verdict::Warning).with("why", mode.why),
            Err(failure) => Finding::unseen("root", failure.error),
        }
    }

    async fn disk_finding(&self, image: Option<&(String, String)>, proof: &Proof<'_>) -> Finding {
        let Some((name, node)) = image else { return Finding::new("disk", "unproved", Verdict::Warning) };
        match self.read_proof(name, node, proof).await {
            Ok(content) if content == hex(proof.content) => Finding::new("disk", "same", Verdict::Passed),
            Ok(_) => Finding::new("disk", "other", Verdict::Failed),
            Err(Error::Failed(why)) => Finding::new("disk", "not_mounted", Verdict::Failed).with("why", why),
            Err(error) => Finding::unseen("disk", error),
        }
    }

    /// What a pod reads of a file on the network disk, in hexadecimal digits.
    async fn read_proof(&self, image: &str, node: &str, proof: &Proof<'_>) -> Result<String> {
        self.ensure_tools().await?;
        let name = format!("yunlab-{}-{}", trial::PART, names::short_digest(proof.path));
        let storage = self.site.rules().await?.storage;
        let pod = self.proof_pod(&name, image, node, &storage, proof.path);
        let pod = serde_json::from_value(pod).map_err(|error| Error::Failed(error.to_string()))?;
        within(QUICK, self.pods().create(&PostParams::default(), &pod)).await?;
        let read = self.outcome(&name).await;
        absent(within(QUICK, self.pods().delete(&name, &DeleteParams::default().grace_period(0))).await)?;
        read
    }

    async fn outcome(&self, name: &str) -> Result<String> {
        let begun = Instant::now();
        let mut looks = interval(Duration::from_millis(100));
        loop {
            looks.tick().await;
            let pod = within(QUICK, self.pods().get(name)).await?;
            let status = pod.status.iter().flat_map(|status| status.container_statuses.iter().flatten());
            let ended = status.filter_map(|one| one.state.as_ref()?.terminated.as_ref()).next();
            if let Some(ended) = ended {
                let words = ended.message.clone().unwrap_or_default().trim().to_owned();
                return if ended.exit_code == 0 { Ok(words) } else { Err(Error::Failed(words)) };
            }
            let seen = PodSeen::of(&pod);
            if let Progress::Refused(failure) = &seen.progress {
                return Err(failure.error.clone());
            }
            if begun.elapsed() > READING {
                let words = self.sayings(&seen).await?.complaint.or(seen.waits.map(|waits| waits.words));
                return Err(Error::Failed(words.unwrap_or_else(|| "no node starts a pod".to_owned())));
            }
        }
    }

    fn proof_pod(&self, name: &str, image: &str, node: &str, storage: &str, path: &str) -> Value {
        let disk = match &self.settings.disk_claim {
            Some(claim) => json!({"name": "disk", "persistentVolumeClaim": {"claimName": claim}}),
            None => json!({"name": "disk", "hostPath": {"path": storage, "type": "Directory"}}),
        };
        let folder = format!("{FOLDER}/disk");
        json!({
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, "labels": {names::PART: trial::PART}},
            "spec": {
                "restartPolicy": "Never",
                "automountServiceAccountToken": false,
                "enableServiceLinks": false,
                "terminationGracePeriodSeconds": 1,
                "nodeSelector": {"kubernetes.io/hostname": node},
                "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
                "volumes": [tools::volume(), disk],
                "containers": [{
                    "name": CONTAINER,
                    "image": image,
                    "imagePullPolicy": "IfNotPresent",
                    "command": [tools::PROGRAM, "show", format!("{folder}/{path}")],
                    "securityContext": super::pod::rights(false, true),
                    "volumeMounts": [tools::mount(), {"name": "disk", "mountPath": folder, "readOnly": true}],
                    "terminationMessagePolicy": "FallbackToLogsOnError",
                }],
            },
        })
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn of_version(version: &str, minor: &str) -> Finding {
    let minor: u64 = minor.trim_end_matches('+').parse().unwrap_or_default();
    let (code, verdict) = match minor {
        ..OLDEST => ("old", Verdict::Failed),
        OLDEST..OLDEST_WITH_CLAIMS => ("counts_only", Verdict::Warning),
        OLDEST_WITH_CLAIMS.. => ("supported", Verdict::Passed),
    };
    Finding::new("version", code, verdict).with("version", version).with("oldest", format!("1.{OLDEST}"))
}

fn of_namespace(namespace: &Namespace) -> Finding {
    let labels = namespace.metadata.labels.as_ref();
    let level = labels.and_then(|all| all.get("pod-security.kubernetes.io/enforce")).cloned().unwrap_or_default();
    // A kept root and folders of nodes are above the level `baseline`; `restricted` takes no image as people use them.
    let (code, verdict) = match level.as_str() {
        "restricted" => ("restricted", Verdict::Failed),
        "baseline" => ("baseline", Verdict::Warning),
        _ => ("found", Verdict::Passed),
    };
    Finding::new("namespace", code, verdict).with("level", level)
}

fn of_nodes(nodes: &[ClusterNode]) -> Vec<Finding> {
    let named = |which: fn(&ClusterNode) -> bool| -> Vec<String> {
        nodes.iter().filter(|node| which(node)).map(|node| node.name.clone()).collect()
    };
    let away = named(|node| !node.ready);
    let closed =
        named(|node| node.ready && (!node.open || node.taints.iter().any(|taint| taint.effect != "PreferNoSchedule")));
    let foreign = named(|node| node.architecture != architecture());
    let usable = named(|node| node.ready && node.open && node.architecture == architecture());
    let mut all = vec![match usable.is_empty() {
        true => Finding::new("nodes", "none", Verdict::Failed),
        false => Finding::new("nodes", "found", Verdict::Passed).with("nodes", usable),
    }];
    for (code, nodes) in [("away", away), ("closed", closed), ("other_architecture", foreign)] {
        if !nodes.is_empty() {
            all.push(Finding::new("nodes", code, Verdict::Warning).with("nodes", nodes));
        }
    }
    all
}

fn of_cards(nodes: &[ClusterNode], declared: bool) -> Finding {
    let named = |which: fn(&ClusterNode) -> bool| -> Vec<String> {
        nodes.iter().filter(|node| which(node)).map(|node| node.name.clone()).collect()
    };
    // The same card would be given twice.
    let twice = named(|node| !node.cards.is_empty() && node.counted_cards > 0);
    if !twice.is_empty() {
        return Finding::new("cards", "offered_twice", Verdict::Failed).with("nodes", twice);
    }
    let cards: usize = nodes.iter().map(|node| node.cards.len()).sum();
    let counted: u64 = nodes.iter().map(|node| node.counted_cards).sum();
    match (cards, counted) {
        (0, 0) if declared => Finding::new("cards", "none", Verdict::Failed),
        (0, 0) => Finding::new("cards", "none", Verdict::Passed),
        (0, counted) => Finding::new("cards", "only_counted", Verdict::Warning).with("count", counted),
        (cards, _) => Finding::new("cards", "found", Verdict::Passed).with("count", cards),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::NodeCard;

    fn node(name: &str, cards: usize, counted: u64) -> ClusterNode {
        let card = NodeCard {
            uuid: "GPU-1".to_owned(),
            model: "NVIDIA H100".to_owned(),
            memory: 80 << 30,
            driver_version: "580.95.5".to_owned(),
            pci: "0000:01:00.0".to_owned(),
            taken: false,
        };
        ClusterNode {
            name: name.to_owned(),
            id: String::new(),
            ready: true,
            open: true,
            taints: Vec::new(),
            labels: Default::default(),
            addresses: Vec::new(),
            millicores: 2000,
            memory: 1 << 30,
            pods: 110,
            operating_system: String::new(),
            kernel: String::new(),
            architecture: architecture().to_owned(),
            version: "v1.37.2".to_owned(),
            container_runtime: String::new(),
            cards: vec![card; cards],
            counted_cards: counted,
            counted_model: String::new(),
        }
    }

    #[rstest]
    #[case(&[(4, 0), (0, 0)], true, "found", Verdict::Passed)]
    #[case(&[(4, 4)], true, "offered_twice", Verdict::Failed)]
    #[case(&[(4, 0), (0, 4)], true, "found", Verdict::Passed)]
    #[case(&[(0, 4)], true, "only_counted", Verdict::Warning)]
    #[case(&[(0, 0)], true, "none", Verdict::Failed)]
    #[case(&[(0, 0)], false, "none", Verdict::Passed)]
    fn cards_are_offered_in_one_way(
        #[case] nodes: &[(usize, u64)],
        #[case] declared: bool,
        #[case] code: &str,
        #[case] verdict: Verdict,
    ) {
        let nodes: Vec<ClusterNode> = nodes.iter().map(|(cards, counted)| node("n", *cards, *counted)).collect();
        let found = of_cards(&nodes, declared);
        assert_eq!((found.code, found.verdict), (code, verdict));
    }

    #[test]
    fn nodes_that_take_nothing_are_named() {
        let (mut away, mut closed, mut other) = (node("away", 0, 0), node("closed", 0, 0), node("other", 0, 0));
        (away.ready, closed.open, other.architecture) = (false, false, "riscv64".to_owned());
        let found: Vec<_> = of_nodes(&[away, closed, other]).into_iter().map(|one| (one.code, one.verdict)).collect();
        assert_eq!(
            found,
            [
                ("none", Verdict::Failed),
                ("away", Verdict::Warning),
                ("closed", Verdict::Warning),
                ("other_architecture", Verdict::Warning)
            ]
        );
        assert_eq!(["29", "33+", "34", "37"].map(|minor| of_version("v", minor).code), ["old", "counts_only", "supported", "supported"]);
    }
}
