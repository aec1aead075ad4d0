//! A cluster that is only memory does what every cluster does.

use std::num::NonZeroU16;
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};

use async_trait::async_trait;
use engine::{ImageSource, Runtime, WorkloadId};
use testkit::FakeCluster;
use testkit::conformance::Trial;

struct Memory {
    cluster: FakeCluster,
    ports: AtomicU16,
}

async fn memory() -> Memory {
    let cluster = FakeCluster::default();
    cluster.add_image("lab/busybox:1");
    Memory { cluster, ports: AtomicU16::new(30000) }
}

impl Memory {
    fn name_of(&self, id: &WorkloadId) -> String {
        format!("ins_ann@lab.test_{id}")
    }
}

#[async_trait]
impl Trial for Memory {
    fn connect(&self) -> Arc<dyn Runtime> {
        Arc::new(self.cluster.clone())
    }

    fn image(&self) -> ImageSource {
        ImageSource { name: "lab/busybox:1".parse().expect("a name"), auth: None, in_registry: false }
    }

    fn distant_image(&self) -> ImageSource {
        ImageSource { name: "lab/distant:1".parse().expect("a name"), auth: None, in_registry: true }
    }

    fn sleep(&self) -> Option<Vec<String>> {
        None
    }

    fn free_port(&self) -> NonZeroU16 {
        NonZeroU16::new(self.ports.fetch_add(1, Ordering::Relaxed)).expect("not 0")
    }

    async fn occupy(&self, port: NonZeroU16) {
        self.cluster.occupy(port.get());
    }

    async fn go(&self) {
        self.cluster.go();
    }

    async fn come_back(&self) {
        self.cluster.come_back();
    }

    async fn add_foreign(&self, name: &str) {
        self.cluster.add_foreign(name, &[]);
    }

    async fn write_root(&self, id: &WorkloadId, text: &str) {
        self.cluster.write_root(id.as_str(), text);
    }

    async fn read_root(&self, id: &WorkloadId) -> Option<String> {
        self.cluster.read_root(id.as_str())
    }

    async fn end(&self, id: &WorkloadId) {
        self.cluster.end(&self.name_of(id), 137, false);
    }

    async fn fill_disk(&self) -> bool {
        self.cluster.set_full(true);
        true
    }

    async fn free_disk(&self) {
        self.cluster.set_full(false);
    }
}

testkit::conformance!(memory);
