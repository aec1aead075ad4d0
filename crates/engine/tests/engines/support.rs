//! An engine to try, and the smallest container to try it with.

use std::collections::BTreeMap;
use std::time::Duration;

use engine::{
    ContainerRef, ContainerSpec, DockerEngine, Engine, EngineAddress, Environment, ImageRef, Resources, TlsMaterial,
};
use kernel::Secret;
use testkit::TestEngine;

pub(crate) const GRACE: Duration = Duration::from_secs(5);
pub(crate) const LIMIT: Duration = Duration::from_secs(30);

/// A real engine and the product's way to it.
pub(crate) struct Lab {
    pub(crate) engine: DockerEngine,
    pub(crate) host: TestEngine,
}

impl Lab {
    pub(crate) fn new() -> Self {
        Self::over(TestEngine::start())
    }

    pub(crate) fn over(host: TestEngine) -> Self {
        Self { engine: connect(&host), host }
    }

    /// Makes and starts it.
    pub(crate) async fn started(&self, spec: &ContainerSpec) -> ContainerRef {
        let id = self.engine.create(spec).await.expect("created").id;
        self.engine.start(&id).await.expect("started");
        id
    }

    /// The output of a script in a container.
    pub(crate) async fn sh(&self, container: &ContainerRef, script: &str) -> String {
        let done = self.engine.exec(container, &["/bin/sh", "-c", script], LIMIT).await.expect("run");
        assert_eq!(done.code, 0, "{script}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).expect("text").trim().to_owned()
    }
}

pub(crate) fn connect(host: &TestEngine) -> DockerEngine {
    let tls = host.certificates().map(|all| TlsMaterial {
        ca: all.ca.clone(),
        certificate: all.certificate.clone(),
        key: Secret::new(all.key.clone()),
    });
    DockerEngine::new(EngineAddress::new(&host.address(), tls.as_ref()).expect("an address"))
}

/// Sleeps for ever in 64 MiB.
pub(crate) fn spec(name: &str) -> ContainerSpec {
    ContainerSpec {
        name: name.parse().expect("a name"),
        instance: format!("id-{name}"),
        generation: 1,
        image: image(TestEngine::IMAGE),
        entrypoint: None,
        command: Some(words(&["/bin/sleep", "1000"])),
        environment: Environment::default(),
        resources: Resources { cpu_quota: 50_000, memory: 64 << 20, pids: 100 },
        shm: None,
        root_quota: None,
        cards: Vec::new(),
        mounts: Vec::new(),
        tools: None,
        ports: Vec::new(),
        network: None,
        no_new_privileges: false,
        labels: BTreeMap::new(),
    }
}

pub(crate) fn image(name: &str) -> ImageRef {
    name.parse().expect("an image's name")
}

pub(crate) fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

/// Polls until the condition holds, for half a minute.
pub(crate) async fn until(what: &str, mut so: impl AsyncFnMut() -> bool) {
    let mut looks = tokio::time::interval(Duration::from_millis(50));
    // A poll may take longer than that; concurrent tasks must get their turn.
    looks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let waiting = async {
        while !so().await {
            looks.tick().await;
        }
    };
    tokio::time::timeout(LIMIT, waiting).await.unwrap_or_else(|_| panic!("{what} did not come"));
}
