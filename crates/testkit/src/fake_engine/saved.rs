//! What an engine in memory hands over to the one that stands for it in the next process, as a real one keeps its
//! containers when only the portal starts again. What others made on it (foreign containers, its machine's answers) is
//! not part of it.

use engine::{
    Container, ContainerState, Mark, Membership, Network, Owner, PortMapping, Protocol, Resources, port_number,
};
use kernel::Timestamp;
use serde_json::{Value, json};

use super::{FakeEngine, Kept};

/// States as they are written down; one that is not among them ends as `exited`.
const STATES: [(ContainerState, &str); 3] =
    [(ContainerState::Created, "created"), (ContainerState::Running, "running"), (ContainerState::Paused, "paused")];

impl FakeEngine {
    /// Its portals' containers, networks and images.
    #[must_use]
    pub fn save(&self) -> Value {
        let inner = self.inner();
        json!({
            "made": inner.made,
            "images": inner.images,
            "networks": inner.networks.iter().map(saved_network).collect::<Vec<_>>(),
            "containers": inner.containers.iter().filter_map(saved_container).collect::<Vec<_>>(),
        })
    }

    /// Has what another one had when it was saved, instead of what it has; `None` when that can't be read.
    #[must_use]
    pub fn restore(&self, saved: &Value) -> Option<()> {
        let read = |name: &str| saved[name].as_array();
        let images = saved["images"].as_object()?.iter();
        let images = images.map(|(name, id)| Some((name.clone(), text(id)?))).collect::<Option<_>>()?;
        let networks = read("networks")?.iter().map(network).collect::<Option<_>>()?;
        let containers = read("containers")?.iter().map(container).collect::<Option<_>>()?;
        let mut inner = self.inner();
        inner.made = usize::try_from(saved["made"].as_u64()?).ok()?;
        (inner.images, inner.networks, inner.containers) = (images, networks, containers);
        Some(())
    }
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn texts(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(text).collect()
}

fn saved_network(network: &Network) -> Value {
    let subnets: Vec<String> = network.subnets.iter().map(ToString::to_string).collect();
    json!({
        "id": network.id, "name": network.name, "bridge": network.bridge, "owner": network.owner, "subnets": subnets,
    })
}

fn network(saved: &Value) -> Option<Network> {
    let subnets = texts(&saved["subnets"])?.iter().map(|subnet| subnet.parse().ok()).collect::<Option<_>>()?;
    let (bridge, owner) = (text(&saved["bridge"]), text(&saved["owner"]));
    Some(Network { id: text(&saved["id"])?, name: text(&saved["name"])?, bridge, owner, subnets, default: None })
}

fn saved_container(kept: &Kept) -> Option<Value> {
    let container = &kept.container;
    let Owner::Portal(mark) = &container.owner else { return None };
    let state = STATES.iter().find(|(state, _)| *state == container.state).map_or("exited", |(_, name)| name);
    let ports = container.ports.iter().map(|port| json!([port.container, port.host, port.protocol.as_str()]));
    Some(json!({
        "id": container.id.as_str(), "name": container.name, "image": container.image, "imageId": container.image_id,
        "created": container.created.as_millis(), "state": state, "instance": mark.instance,
        "generation": mark.generation, "cards": mark.cards, "ports": ports.collect::<Vec<_>>(),
        "networks": kept.networks.iter().map(|one| json!([one.network, one.id])).collect::<Vec<_>>(),
        "cpuQuota": kept.resources.cpu_quota, "memory": kept.resources.memory, "pids": kept.resources.pids,
        "root": kept.root,
    }))
}

fn container(saved: &Value) -> Option<Kept> {
    let mark = Mark {
        instance: text(&saved["instance"])?,
        generation: saved["generation"].as_u64()?,
        cards: texts(&saved["cards"])?,
    };
    let named = saved["state"].as_str()?;
    let state = STATES.iter().find(|(_, name)| *name == named).map_or(ContainerState::Exited, |(state, _)| *state);
    let container = Container {
        id: saved["id"].as_str()?.parse().ok()?,
        name: text(&saved["name"])?,
        image: text(&saved["image"])?,
        image_id: text(&saved["imageId"])?,
        created: Timestamp::from_millis(saved["created"].as_i64()?),
        state,
        owner: Owner::Portal(mark),
        ports: saved["ports"].as_array()?.iter().map(port).collect::<Option<_>>()?,
        networks: Vec::new(),
    };
    let member = |saved: &Value| Some(Membership { network: text(&saved[0])?, id: text(&saved[1])? });
    Some(Kept {
        container,
        spec: None,
        resources: Resources {
            cpu_quota: saved["cpuQuota"].as_u64()?,
            memory: saved["memory"].as_u64()?,
            pids: u32::try_from(saved["pids"].as_u64()?).ok()?,
        },
        exit: None,
        usage: None,
        root: saved["root"].as_u64()?,
        networks: saved["networks"].as_array()?.iter().map(member).collect::<Option<_>>()?,
    })
}

fn port(saved: &Value) -> Option<PortMapping> {
    let number = |value: &Value| port_number(value.as_i64()?).ok();
    let protocol = if saved[2] == Protocol::Udp.as_str() { Protocol::Udp } else { Protocol::Tcp };
    Some(PortMapping { container: number(&saved[0])?, host: number(&saved[1])?, protocol, address: None })
}
