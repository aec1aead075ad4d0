//! The driver of a real cluster does what every cluster does.

use std::num::NonZeroU16;
use std::sync::Arc;

use async_trait::async_trait;
use engine::{ImageSource, Runtime, WorkloadId};
use serde_json::{Value, json};
use testkit::conformance::Trial;
use testkit::{TestCluster, free_ports};

use crate::lab::{Lab, busybox, words};

struct Kubernetes(Lab);

async fn kubernetes() -> Kubernetes {
    Kubernetes(Lab::new().await)
}

impl Kubernetes {
    /// Runs a script in a workload's container, whatever the driver thinks of it.
    fn sh(&self, id: &WorkloadId, script: &str) -> String {
        self.0.kubectl(&["exec", &self.0.pod(id), "--", "/bin/sh", "-c", script])
    }

    /// A pod past the driver; with a node, past the scheduler too.
    fn start(&self, name: &str, node: Option<&str>, ports: &Value) {
        self.0.cluster.apply(&[json!({
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, "namespace": self.0.namespace},
            "spec": {"nodeName": node, "terminationGracePeriodSeconds": 0, "containers": [{
                "name": "main", "image": TestCluster::IMAGE, "imagePullPolicy": "Never", "ports": ports,
                "command": ["/bin/sleep", "1000"]}]},
        })]);
        self.0
            .cluster
            .wait_until(&["-n", &self.0.namespace, "get", "pod", name, "-o", "jsonpath={.status.phase}"], "Running");
    }

    /// Limits the space that may be claimed in the namespace; that is the disk of a cluster.
    fn quota(&self, verb: &str) {
        let quota = ["quota", "space", "--hard=requests.storage=0"];
        let arguments = if verb == "create" { &quota[..] } else { &quota[..2] };
        self.0.kubectl(&[&[verb][..], arguments].concat());
    }
}

#[async_trait]
impl Trial for Kubernetes {
    fn connect(&self) -> Arc<dyn Runtime> {
        self.0.connect()
    }

    fn image(&self) -> ImageSource {
        busybox()
    }

    fn distant_image(&self) -> ImageSource {
        let name = format!("lab/{}:1", self.0.namespace);
        let name = self.0.cluster.push(&self.0.cluster.registry(), &name, None);
        ImageSource { name: name.parse().unwrap(), auth: None, in_registry: true }
    }

    fn sleep(&self) -> Option<Vec<String>> {
        Some(words(&["/bin/sh", "-c", "echo up; exec sleep 1000"]))
    }

    fn free_port(&self) -> NonZeroU16 {
        let [port] = free_ports();
        NonZeroU16::new(port).unwrap()
    }

    async fn occupy(&self, port: NonZeroU16) {
        let ports = json!([{"containerPort": 80, "hostPort": port}]);
        for node in ["node-1", "node-2"] {
            self.start(&format!("occupier-{node}"), Some(node), &ports);
        }
    }

    async fn go(&self) {
        self.0.gate.close();
    }

    async fn come_back(&self) {
        self.0.gate.open().await;
    }

    async fn add_foreign(&self, name: &str) {
        self.start(name, None, &json!([]));
    }

    async fn write_root(&self, id: &WorkloadId, text: &str) {
        self.sh(id, &format!("printf %s {text} > /root/written"));
    }

    async fn read_root(&self, id: &WorkloadId) -> Option<String> {
        Some(self.sh(id, "cat /root/written 2>/dev/null || true")).filter(|text| !text.is_empty())
    }

    async fn end(&self, id: &WorkloadId) {
        // All children of process 1, which is the helper.
        self.sh(id, "kill -9 $(cat /proc/1/task/1/children)");
    }

    async fn fill_disk(&self) -> bool {
        self.quota("create");
        true
    }

    async fn free_disk(&self) {
        self.quota("delete");
    }
}

testkit::conformance!(kubernetes);
