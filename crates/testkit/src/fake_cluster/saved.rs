//! What a cluster in memory hands over to the one that stands for it in the next process, as a real one keeps its
//! workloads when only the portal starts again. What others made on it (foreign work, its node's answers) is not part of
//! it.

use engine::{Card, Environment, ImageSource, Phase, Protocol, Resources, WantedPort, Workload, port_number};
use serde_json::{Value, json};

use super::{FakeCluster, Kept};

impl FakeCluster {
    /// Its workloads and images.
    #[must_use]
    pub fn save(&self) -> Value {
        let inner = self.inner();
        json!({
            "made": inner.made,
            "images": inner.images,
            "workloads": inner.workloads.iter().map(saved).collect::<Vec<_>>(),
        })
    }

    /// Has what another one had when it was saved, instead of what it has; `None` when that can't be read.
    #[must_use]
    pub fn restore(&self, saved: &Value) -> Option<()> {
        let images = saved["images"].as_object()?.iter();
        let images = images.map(|(name, id)| Some((name.clone(), text(id)?))).collect::<Option<_>>()?;
        let workloads = saved["workloads"].as_array()?.iter().map(restored).collect::<Option<_>>()?;
        let mut inner = self.inner();
        inner.made = usize::try_from(saved["made"].as_u64()?).ok()?;
        (inner.images, inner.workloads) = (images, workloads);
        Some(())
    }
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn saved(kept: &Kept) -> Value {
    let Kept { workload, .. } = kept;
    let phase = match kept.phase {
        Phase::Waiting => "waiting",
        Phase::Running => "running",
        Phase::Frozen => "frozen",
        Phase::Ended(_) => "ended",
    };
    let ports = workload.ports.iter().map(|one| json!([one.port, one.protocol.as_str(), one.node_port]));
    let card = |card: &Card| json!([card.id(), card.nodes().iter().map(|node| node.as_str()).collect::<Vec<_>>()]);
    json!({
        "id": workload.id.as_str(), "generation": workload.generation, "name": workload.name,
        "tenant": workload.tenant.as_str(), "image": workload.image.name.to_string(), "object": kept.object,
        "phase": phase, "started": kept.started, "ports": ports.collect::<Vec<_>>(),
        "cards": workload.cards.iter().map(card).collect::<Vec<_>>(), "cpuQuota": kept.resources.cpu_quota,
        "memory": kept.resources.memory, "pids": kept.resources.pids, "root": kept.root,
    })
}

fn restored(saved: &Value) -> Option<Kept> {
    let phase = match saved["phase"].as_str()? {
        "waiting" => Phase::Waiting,
        "running" => Phase::Running,
        "frozen" => Phase::Frozen,
        _ => Phase::Ended(None),
    };
    let resources = Resources {
        cpu_quota: saved["cpuQuota"].as_u64()?,
        memory: saved["memory"].as_u64()?,
        pids: u32::try_from(saved["pids"].as_u64()?).ok()?,
    };
    Some(Kept {
        workload: Workload {
            id: saved["id"].as_str()?.parse().ok()?,
            generation: saved["generation"].as_u64()?,
            name: text(&saved["name"])?,
            tenant: saved["tenant"].as_str()?.parse().ok()?,
            image: ImageSource { name: saved["image"].as_str()?.parse().ok()?, auth: None, in_registry: true },
            kept_root: None,
            command: None,
            environment: Environment::default(),
            resources,
            shm: None,
            cards: saved["cards"].as_array()?.iter().map(card).collect::<Option<_>>()?,
            nodes: Default::default(),
            places: Vec::new(),
            ports: saved["ports"].as_array()?.iter().map(port).collect::<Option<_>>()?,
            no_new_privileges: false,
        },
        object: text(&saved["object"])?,
        phase,
        started: saved["started"].as_bool()?,
        exit: None,
        resources,
        usage: None,
        root: saved["root"].as_u64()?,
        written: None,
    })
}

fn card(saved: &Value) -> Option<Card> {
    let nodes = saved[1].as_array()?.iter().map(|node| node.as_str()?.parse().ok()).collect::<Option<Vec<_>>>()?;
    let id = saved[0].as_str()?;
    if nodes.is_empty() { Card::nvidia(id).ok() } else { Card::device(id, nodes).ok() }
}

fn port(saved: &Value) -> Option<WantedPort> {
    let protocol = if saved[1] == Protocol::Udp.as_str() { Protocol::Udp } else { Protocol::Tcp };
    let node_port = match saved[2].as_i64() {
        Some(number) => Some(port_number(number).ok()?),
        None => None,
    };
    Some(WantedPort { port: port_number(saved[0].as_i64()?).ok()?, protocol, node_port })
}
