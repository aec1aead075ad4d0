//! A real Kubernetes cluster for tests, from `tests/cluster`: control plane, nodes with cards, registries, in namespaces of
//! its own. It takes seconds to start, so tests share one and have a namespace each.

mod gate;

use std::fs::{self, File, TryLockError};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

pub use gate::Gate;

/// A cluster. Its processes, network and files go when it is dropped, and when this process ends in whatever way: they
/// last until the pipe to them is closed.
pub struct TestCluster {
    process: Child,
    number: u8,
    folder: PathBuf,
    programs: PathBuf,
    /// Held while the number is in use; shared by all processes of tests.
    _lock: File,
}

impl TestCluster {
    /// An image with busybox and nothing else, on all nodes and in no registry.
    pub const IMAGE: &str = "localhost/lab/busybox:1";

    /// The one of this process, with two nodes of four cards each.
    ///
    /// # Panics
    /// When it does not start.
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<TestCluster> = OnceLock::new();
        SHARED.get_or_init(|| Self::start(2))
    }

    /// One with this many nodes, 3 at most.
    ///
    /// # Panics
    /// When it does not start.
    #[must_use]
    pub fn start(nodes: u8) -> Self {
        Self::start_with(nodes, "published")
    }

    /// One with one node, whose cards a device plugin counts.
    ///
    /// # Panics
    /// When it does not start.
    #[must_use]
    pub fn start_counting() -> Self {
        Self::start_with(1, "counted")
    }

    fn start_with(nodes: u8, cards: &str) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let programs = programs(&root);
        let (number, lock) = free_number();
        // Sockets have short paths, so not below a long TMPDIR.
        let folder = PathBuf::from(format!("/tmp/yl-cluster-{number}"));
        let mut command = Command::new(root.join("tests/cluster/start.sh"));
        command.args([&programs, &folder]).args([number.to_string(), nodes.to_string()]).env("CARDS", cards);
        let process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("start.sh");
        let mut cluster = Self { process, number, folder, programs, _lock: lock };
        let output = cluster.process.stdout.take().expect("its output");
        let said = BufReader::new(output).lines().map_while(Result::ok).any(|line| line == "ready");
        assert!(said, "the cluster did not start; it needs root and control groups below /sys/fs/cgroup");
        cluster
    }

    /// Where the machine reaches it: API server, ports of nodes, registries.
    #[must_use]
    pub fn address(&self) -> String {
        format!("172.31.{}.2", self.number)
    }

    /// A registry that its nodes and this machine reach, without TLS and accounts.
    #[must_use]
    pub fn registry(&self) -> String {
        format!("{}:5000", self.address())
    }

    /// The same with the account of [`crate::TestRegistry`].
    #[must_use]
    pub fn closed_registry(&self) -> String {
        format!("{}:5001", self.address())
    }

    /// Folders and files of the test on its machine, which its nodes see at the same place.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The kubeconfig of an account: `admin`, or `portal`, which has no rights until a test gives it some.
    ///
    /// # Panics
    /// When there is no such account.
    #[must_use]
    pub fn kubeconfig(&self, account: &str) -> String {
        fs::read_to_string(self.folder.join(format!("{account}.kubeconfig"))).expect("an account")
    }

    /// Its API server's URL.
    #[must_use]
    pub fn server(&self) -> String {
        format!("https://{}:6443", self.address())
    }

    /// The authority of its API server's certificate, PEM.
    ///
    /// # Panics
    /// When it can't be read.
    #[must_use]
    pub fn authority(&self) -> String {
        fs::read_to_string(self.folder.join("pki/ca.crt")).expect("an authority")
    }

    /// The token of an account, as in [`TestCluster::kubeconfig`].
    ///
    /// # Panics
    /// When there is no such account.
    #[must_use]
    pub fn token(&self, account: &str) -> String {
        let tokens = fs::read_to_string(self.folder.join("pki/tokens")).expect("accounts");
        let mut all = tokens.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let found = all.find(|fields| fields.get(2) == Some(&account)).expect("an account");
        found[0].to_owned()
    }

    /// Runs Kubernetes' own command line as `admin`.
    ///
    /// # Panics
    /// When the command fails, with its output.
    pub fn kubectl(&self, arguments: &[&str]) -> String {
        let output = self.try_kubectl(arguments);
        let words = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "kubectl {arguments:?}: {words}");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// The same, whether it succeeds or not.
    ///
    /// # Panics
    /// When it can't be run.
    #[must_use]
    pub fn try_kubectl(&self, arguments: &[&str]) -> Output {
        self.kubectl_command().args(arguments).stdin(Stdio::null()).output().expect("kubectl")
    }

    /// Applies objects.
    ///
    /// # Panics
    /// When they are refused.
    pub fn apply(&self, objects: &[Value]) {
        let list = json!({"apiVersion": "v1", "kind": "List", "items": objects}).to_string();
        let mut kubectl = self.kubectl_command();
        let kubectl =
            kubectl.args(["apply", "-f", "-"]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut kubectl = kubectl.spawn().expect("kubectl");
        kubectl.stdin.take().expect("a pipe").write_all(list.as_bytes()).expect("its input");
        let output = kubectl.wait_with_output().expect("kubectl");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    /// A namespace that no other test has.
    ///
    /// # Panics
    /// When it can't be made.
    #[must_use]
    pub fn namespace(&self) -> String {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let name = format!("test-{}", NEXT.fetch_add(1, Ordering::Relaxed));
        self.apply(&[
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}),
            // Otherwise no pod is allowed until the cluster has made it.
            json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default", "namespace": name}}),
        ]);
        name
    }

    /// Waits until kubectl answers this.
    ///
    /// # Panics
    /// When it has not within a minute.
    pub fn wait_until(&self, arguments: &[&str], answer: &str) {
        let begun = Instant::now();
        loop {
            let said = self.kubectl(arguments);
            if said == answer {
                return;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "kubectl {arguments:?}: {said}");
        }
    }

    /// Puts the busybox image into a registry under this name, and returns the whole name.
    ///
    /// # Panics
    /// When it can't be pushed.
    #[must_use]
    pub fn push(&self, registry: &str, name: &str, account: Option<&str>) -> String {
        let whole = format!("{registry}/{name}");
        let socket = self.folder.join("node-1/containerd.sock");
        let ctr = |arguments: &[&str]| {
            let mut command = Command::new(self.programs.join("ctr"));
            command.arg("-a").arg(&socket).args(["-n", "k8s.io", "images"]).args(arguments);
            let output = command.output().expect("ctr");
            assert!(output.status.success(), "ctr {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        };
        ctr(&["tag", Self::IMAGE, &whole]);
        let mut push = vec!["push", "--plain-http"];
        push.extend(account.iter().flat_map(|account| ["--user", account]));
        push.push(&whole);
        ctr(&push);
        ctr(&["rm", &whole]);
        whole
    }

    /// Sends a signal to one of its processes by the name of its log, such as `kubelet-1`.
    ///
    /// # Panics
    /// When there is no such process.
    pub fn signal(&self, process: &str, signal: &str) {
        let pid = fs::read_to_string(self.folder.join("pid").join(process)).expect("a process of this name");
        let inside = self.inside().args(["kill", "-s", signal, pid.trim()]).status();
        assert!(inside.is_ok_and(|status| status.success()), "kill {process}");
    }

    /// Starts its API server again, which a test ended. Returns at once.
    ///
    /// # Panics
    /// When it can't be started.
    pub fn start_api_server(&self) {
        let start = "bash apiserver.sh </dev/null >>log/apiserver.log 2>&1 & echo $! >pid/apiserver";
        let started = self.inside().args(["bash", "-c", start]).current_dir(&self.folder).status();
        assert!(started.is_ok_and(|status| status.success()), "apiserver.sh");
    }

    /// A command in its namespaces, of network, mounts and processes.
    fn inside(&self) -> Command {
        // The first child of `unshare`, whose parent is the script.
        let children = |pid: &str| fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
        let unshare = children(&self.process.id().to_string());
        let first = children(unshare.split_whitespace().next().unwrap_or_default());
        let mut command = Command::new("nsenter");
        command.args(["--net", "--mount", "--pid", "-t", first.split_whitespace().next().unwrap_or_default()]);
        command
    }

    fn kubectl_command(&self) -> Command {
        let mut command = Command::new(self.programs.join("kube"));
        command.arg("kubectl").arg("--kubeconfig").arg(self.folder.join("admin.kubeconfig"));
        // It keeps what it found about the API.
        command.env("HOME", &self.folder);
        command
    }
}

impl Drop for TestCluster {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        self.process.wait().ok();
    }
}

/// The folder of the cluster's programs, which are built if they are not there.
fn programs(root: &Path) -> PathBuf {
    if let Some(folder) = std::env::var_os("TEST_CLUSTER_PROGRAMS") {
        return folder.into();
    }
    let built =
        Command::new(root.join("scripts/cluster-tools")).stderr(Stdio::inherit()).output().expect("cluster-tools");
    assert!(built.status.success(), "scripts/cluster-tools");
    String::from_utf8(built.stdout).expect("a path").trim().into()
}

fn free_number() -> (u8, File) {
    let folder = std::env::temp_dir().join("yunlab-test-clusters");
    fs::create_dir_all(&folder).expect("a folder for locks");
    for number in 1..=200 {
        let lock = File::create(folder.join(number.to_string())).expect("a lock");
        match lock.try_lock() {
            Ok(()) => return (number, lock),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => panic!("locks: {error}"),
        }
    }
    panic!("200 clusters at once");
}
