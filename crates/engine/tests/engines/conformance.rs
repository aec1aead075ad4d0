//! The driver of real Docker engines does what every cluster does.

use std::num::NonZeroU16;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use engine::machine_helper::{Answer, Request};
use engine::{DockerRuntime, Engine, ImageSource, Machine, NotDone, Rules, Runtime, Site, WorkloadId};
use kernel::Timestamp;
use testkit::conformance::Trial;
use testkit::{TestEngine, TestRegistry, free_ports};

use crate::support::{connect, image, words};

/// A program that keeps nothing and allows nothing on the machine.
#[derive(Debug)]
pub(crate) struct Alone;

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
        Timestamp::from_millis(0)
    }

    async fn rules(&self) -> engine::Result<Rules> {
        Ok(Rules {
            storage: String::new(),
            addresses: "10.87.0.0/16".parse().expect("addresses"),
            open_ports: Default::default(),
            no_helper: Some("no".to_owned()),
        })
    }
}

struct Docker {
    host: Mutex<TestEngine>,
    /// Started when an image is to come from it.
    registry: Mutex<Option<TestRegistry>>,
}

async fn docker() -> Docker {
    Docker { host: Mutex::new(TestEngine::start_small()), registry: Mutex::default() }
}

impl Docker {
    fn host(&self) -> std::sync::MutexGuard<'_, TestEngine> {
        self.host.lock().expect("no test panicked here")
    }

    /// Runs a script in a workload's container, whatever the driver thinks of it.
    async fn sh(&self, id: &WorkloadId, script: &str) -> String {
        let engine = connect(&self.host());
        let container = engine.find(id.as_str()).await.expect("it answers").expect("a container");
        let done = engine.exec(&container, &["/bin/sh", "-c", script], Duration::from_secs(30)).await.expect("run");
        String::from_utf8(done.stdout).expect("text").trim().to_owned()
    }
}

#[async_trait]
impl Trial for Docker {
    fn connect(&self) -> Arc<dyn Runtime> {
        Arc::new(DockerRuntime::new(Arc::new(connect(&self.host())), Arc::new(Alone)))
    }

    fn image(&self) -> ImageSource {
        ImageSource { name: image(TestEngine::IMAGE), auth: None, in_registry: false }
    }

    fn distant_image(&self) -> ImageSource {
        let registry = TestRegistry::start();
        let name = format!("{}/lab/distant:1", registry.address());
        let host = self.host();
        for command in [["tag", TestEngine::IMAGE, &name].as_slice(), &["push", &name], &["rmi", &name]] {
            let _ = host.docker(command);
        }
        *self.registry.lock().expect("no test panicked here") = Some(registry);
        ImageSource { name: image(&name), auth: None, in_registry: true }
    }

    fn sleep(&self) -> Option<Vec<String>> {
        Some(words(&["/bin/sh", "-c", "echo up; exec sleep 1000"]))
    }

    fn free_port(&self) -> NonZeroU16 {
        let [port] = free_ports();
        NonZeroU16::new(port).expect("not 0")
    }

    async fn occupy(&self, port: NonZeroU16) {
        let publish = format!("{port}:80");
        let host = self.host();
        let _ =
            host.docker(&["run", "-d", "-p", &publish, "--name", "occupier", TestEngine::IMAGE, "/bin/sleep", "1000"]);
    }

    async fn go(&self) {
        self.host().kill();
    }

    async fn come_back(&self) {
        self.host().run();
    }

    async fn add_foreign(&self, name: &str) {
        let _ = self.host().docker(&["run", "-d", "--name", name, TestEngine::IMAGE, "/bin/sleep", "1000"]);
    }

    async fn write_root(&self, id: &WorkloadId, text: &str) {
        self.sh(id, &format!("printf %s {text} > /root/written")).await;
    }

    async fn read_root(&self, id: &WorkloadId) -> Option<String> {
        Some(self.sh(id, "cat /root/written 2>/dev/null").await).filter(|text| !text.is_empty())
    }

    async fn end(&self, id: &WorkloadId) {
        let engine = connect(&self.host());
        let container = engine.find(id.as_str()).await.expect("it answers").expect("a container");
        let _ = self.host().docker(&["kill", container.as_str()]);
    }

    async fn fill_disk(&self) -> bool {
        self.host().fill_disk();
        true
    }

    async fn free_disk(&self) {
        self.host().free_disk();
    }
}

testkit::conformance!(docker);
