//! A namespace of the shared cluster for one test, and the driver as an account that has the rights it needs there.

use std::collections::BTreeSet;
use std::ops::ControlFlow::{self, Continue};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use engine::machine_helper::{Answer, Request};
use engine::{
    Command, Environment, ImageSettings, ImageSource, KubernetesAddress, KubernetesRuntime, KubernetesSettings,
    Machine, NotDone, Resources, Rules, Runtime, Site, Step, Watch, Workload, WorkloadId,
};
use kernel::{Secret, Timestamp};
use serde_json::{Value, json};
use testkit::{Gate, TestCluster};
use tokio::io::AsyncReadExt;

pub(crate) const GRACE: Duration = Duration::from_secs(2);

/// A namespace for a test.
pub(crate) struct Lab {
    pub(crate) cluster: &'static TestCluster,
    pub(crate) namespace: String,
    pub(crate) settings: KubernetesSettings,
    pub(crate) gate: Gate,
    /// Where the network disk is on each node; empty for none.
    pub(crate) storage: String,
}

impl Lab {
    pub(crate) async fn new() -> Self {
        Self::with(RIGHTS).await
    }

    /// With these rights in the namespace, and the reads of the whole cluster.
    pub(crate) async fn with(rights: &[(&str, &str, &[&str])]) -> Self {
        Self::on(TestCluster::shared, rights).await
    }

    /// On a cluster of its own with one node, for tests that others would notice. It goes with the process.
    pub(crate) async fn alone() -> Self {
        Self::on(|| Box::leak(Box::new(TestCluster::start(1))), RIGHTS).await
    }

    /// On one whose only node counts its cards.
    pub(crate) async fn counting() -> Self {
        Self::on(|| Box::leak(Box::new(TestCluster::start_counting())), RIGHTS).await
    }

    async fn on(cluster: fn() -> &'static TestCluster, rights: &[(&str, &str, &[&str])]) -> Self {
        // Its start and kubectl block.
        let (cluster, namespace) = tokio::task::spawn_blocking(move || {
            let cluster = cluster();
            (cluster, cluster.namespace())
        })
        .await
        .unwrap();
        let lab = Self {
            gate: Gate::to(&format!("{}:6443", cluster.address())).await,
            settings: KubernetesSettings { root_size: 1 << 30, ..KubernetesSettings::in_namespace(&namespace) },
            storage: String::new(),
            cluster,
            namespace,
        };
        lab.cluster.apply(&lab.rights(rights));
        lab
    }

    fn rights(&self, rights: &[(&str, &str, &[&str])]) -> Vec<Value> {
        let rule = |(group, kind, verbs): &(&str, &str, &[&str])| json!({"apiGroups": [group], "resources": [kind], "verbs": verbs});
        let group = "rbac.authorization.k8s.io";
        let account = json!([{"kind": "User", "name": "portal", "apiGroup": group}]);
        vec![
            json!({"apiVersion": format!("{group}/v1"), "kind": "Role", "metadata": {"name": "portal", "namespace": self.namespace},
                "rules": rights.iter().map(rule).collect::<Vec<_>>()}),
            json!({"apiVersion": format!("{group}/v1"), "kind": "RoleBinding", "metadata": {"name": "portal", "namespace": self.namespace},
                "subjects": account, "roleRef": {"kind": "Role", "name": "portal", "apiGroup": group}}),
            json!({"apiVersion": format!("{group}/v1"), "kind": "ClusterRole", "metadata": {"name": "portal-reads"},
                "rules": WIDE.iter().map(rule).collect::<Vec<_>>()}),
            json!({"apiVersion": format!("{group}/v1"), "kind": "ClusterRoleBinding", "metadata": {"name": "portal-reads"},
                "subjects": account, "roleRef": {"kind": "ClusterRole", "name": "portal-reads", "apiGroup": group}}),
        ]
    }

    pub(crate) fn connect(&self) -> Arc<dyn Runtime> {
        let kubeconfig = self.cluster.kubeconfig("portal");
        let direct = format!("{}:6443", self.cluster.address());
        let through = kubeconfig.replace(&direct, &format!("127.0.0.1:{}", self.gate.port()));
        self.connect_to(KubernetesAddress::Kubeconfig(Secret::new(through)))
    }

    pub(crate) fn connect_to(&self, address: KubernetesAddress) -> Arc<dyn Runtime> {
        let site = Arc::new(Alone { storage: self.storage.clone() });
        Arc::new(KubernetesRuntime::new(address, self.settings.clone(), site).unwrap())
    }

    /// The smallest workload that stays.
    pub(crate) fn workload(&self, id: &str) -> Workload {
        Workload {
            id: id.parse().unwrap(),
            generation: 1,
            name: format!("ins_ann@lab.test_{id}"),
            tenant: "7".parse().unwrap(),
            image: busybox(),
            kept_root: None,
            command: Some(words(&["/bin/sh", "-c", "echo up; exec sleep 1000"])),
            environment: Environment::default(),
            resources: Resources { cpu_quota: 10_000, memory: 64 << 20, pids: 100 },
            shm: None,
            cards: Vec::new(),
            nodes: Default::default(),
            places: Vec::new(),
            ports: Vec::new(),
            no_new_privileges: false,
        }
    }

    pub(crate) fn kubectl(&self, arguments: &[&str]) -> String {
        self.cluster.kubectl(&[&["-n", self.namespace.as_str()][..], arguments].concat())
    }

    /// The name of a workload's pod.
    pub(crate) fn pod(&self, id: &WorkloadId) -> String {
        let selected = format!("yunlab.instance={id}");
        self.kubectl(&["get", "pods", "-l", &selected, "-o", "jsonpath={.items[*].metadata.name}"])
    }

    /// Nothing of ours is left, once the driver has looked after what is no workload's.
    pub(crate) async fn is_clean(&self, runtime: &dyn Runtime) {
        runtime.tend(engine::Care::Leftovers).await;
        until("a clean namespace", async || self.leftovers().is_empty().then_some(())).await;
    }

    /// All that there is of ours in the namespace, as `kind/name`, besides the helper and what was tried.
    fn leftovers(&self) -> Vec<String> {
        let kinds = "pods,configmaps,secrets,persistentvolumeclaims,resourceclaims,networkpolicies";
        let all = self.kubectl(&["get", kinds, "-o", "name"]);
        let known =
            |line: &&str| !["root-ca.crt", "/yunlab-tools-", "/yunlab-cluster"].iter().any(|one| line.contains(one));
        all.lines().filter(known).map(str::to_owned).collect()
    }
}

pub(crate) const RIGHTS: &[(&str, &str, &[&str])] = &[
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

const WIDE: &[(&str, &str, &[&str])] = &[
    ("", "nodes", &["list", "watch"]),
    ("", "pods", &["list", "watch"]),
    ("resource.k8s.io", "resourceclaims", &["list", "watch"]),
    ("resource.k8s.io", "resourceslices", &["list", "watch"]),
];

pub(crate) fn busybox() -> ImageSource {
    ImageSource { name: TestCluster::IMAGE.parse().unwrap(), auth: None, in_registry: false }
}

pub(crate) fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

/// A program that keeps nothing.
#[derive(Debug)]
struct Alone {
    storage: String,
}

#[async_trait]
impl Machine for Alone {
    async fn carry_out(&self, _request: &Request) -> Result<Answer, NotDone> {
        Err(NotDone { code: "forbidden".to_owned(), words: "no".to_owned() })
    }
}

#[async_trait]
impl Site for Alone {
    fn cluster(&self) -> &str {
        "test"
    }

    fn now(&self) -> Timestamp {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap())
    }

    async fn rules(&self) -> engine::Result<Rules> {
        Ok(Rules {
            storage: self.storage.clone(),
            addresses: "10.87.0.0/16".parse().unwrap(),
            open_ports: BTreeSet::new(),
            no_helper: Some("no".to_owned()),
        })
    }

    async fn image_settings(&self, _image: &ImageSource) -> engine::Result<Option<ImageSettings>> {
        Ok(Some(ImageSettings {
            command: words(&["/bin/sh", "-c", "echo the image; exec sleep 1000"]),
            working_dir: "/root".to_owned(),
            ..ImageSettings::default()
        }))
    }
}

/// Wants everything, and notes it.
#[derive(Debug, Default)]
pub(crate) struct Patient {
    pub(crate) steps: Vec<Step>,
}

#[async_trait]
impl Watch for Patient {
    async fn step(&mut self, step: Step) -> ControlFlow<()> {
        self.steps.push(step);
        Continue(())
    }

    async fn cancelled(&self) {
        std::future::pending::<()>().await;
    }
}

/// Brings it to run.
pub(crate) async fn applied(runtime: &dyn Runtime, workload: &Workload) -> Vec<Step> {
    let mut notes = Patient::default();
    runtime.apply(workload, &mut notes).await.expect("it runs");
    notes.steps
}

/// Runs a program in a workload: its output, what it complained of, and its exit code.
pub(crate) async fn run(runtime: &dyn Runtime, id: &WorkloadId, command: &Command) -> (String, String, i64) {
    let mut process = runtime.run(id, command).await.expect("it starts");
    let (mut output, mut errors) = (String::new(), String::new());
    let mut stderr = process.stderr.take().expect("a pipe of its own");
    let (read, complained) =
        tokio::join!(process.stdout.read_to_string(&mut output), stderr.read_to_string(&mut errors));
    read.and(complained).expect("text");
    let code = until("its exit", async || process.control.exit().await.expect("it answers")).await;
    (output, errors, code)
}

/// Runs a script as root.
pub(crate) async fn sh(runtime: &dyn Runtime, id: &WorkloadId, script: &str) -> String {
    let argv = words(&["/bin/sh", "-c", script]);
    let (output, errors, code) =
        run(runtime, id, &Command { argv, working_dir: None, user: None, terminal: None }).await;
    assert_eq!(code, 0, "{script}: {errors}");
    output.trim().to_owned()
}

/// Looks until this holds, for a minute.
pub(crate) async fn until<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let looking = async {
        let mut ticks = tokio::time::interval(Duration::from_millis(50));
        loop {
            ticks.tick().await;
            if let Some(found) = look().await {
                return found;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(60), looking).await.unwrap_or_else(|_| panic!("{what} did not come"))
}
