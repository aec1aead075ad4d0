//! The container that an instance is to have.

use std::collections::BTreeMap;

use engine::{Card, ContainerSpec, Environment, Invalid, Mount, PortMapping, Protocol, Resources, port_number};

use crate::features::gpus::{GpuKind, GpuRow};
use crate::features::instances::model::{Instance, InstancePort, PortProtocol};
use crate::features::instances::name::container_name;

/// Everything that a container is made from but its network and its walls, which depend on more than the instance.
pub(super) fn container(
    one: &Instance,
    cards: &[GpuRow],
    ports: &[InstancePort],
    storage_path: &str,
) -> Result<ContainerSpec, Invalid> {
    let image = if one.root_image.is_empty() { &one.image } else { &one.root_image };
    let mut environment = Environment::default();
    for (name, value) in &one.env {
        environment.set(name, value)?;
    }
    let storage = storage_path.trim_end_matches('/');
    let mounts = one
        .mounts
        .iter()
        .map(|mount| Mount::new(&format!("{storage}/{}", mount.source), &mount.target, mount.read_only));
    Ok(ContainerSpec {
        name: container_name(&one.name).parse()?,
        instance: one.id.clone(),
        generation: one.generation.unsigned_abs(),
        image: image.parse()?,
        entrypoint: None,
        command: (!one.command.is_empty()).then(|| one.command.clone()),
        environment,
        resources: resources(one),
        shm: Some(one.shm_size.unsigned_abs()),
        root_quota: None,
        cards: cards.iter().map(card).collect::<Result<_, _>>()?,
        mounts: mounts.collect::<Result<_, _>>()?,
        ports: ports.iter().map(mapping).collect::<Result<_, _>>()?,
        network: None,
        no_new_privileges: false,
        labels: BTreeMap::new(),
    })
}

pub(super) fn resources(one: &Instance) -> Resources {
    Resources {
        cpu_quota: one.cpu_quota.unsigned_abs(),
        memory: one.memory.unsigned_abs(),
        pids: u32::try_from(one.pids_limit).unwrap_or(u32::MAX),
    }
}

fn card(card: &GpuRow) -> Result<Card, Invalid> {
    match card.kind {
        GpuKind::Nvidia => Card::nvidia(&card.uuid),
        GpuKind::Device => {
            let nodes = card.device_nodes.iter().map(|node| node.parse()).collect::<Result<_, _>>()?;
            Card::device(&card.uuid, nodes)
        }
    }
}

fn mapping(port: &InstancePort) -> Result<PortMapping, Invalid> {
    let protocol = match port.protocol {
        PortProtocol::Tcp => Protocol::Tcp,
        PortProtocol::Udp => Protocol::Udp,
    };
    Ok(PortMapping {
        container: port_number(port.container_port)?,
        host: port_number(port.host_port)?,
        protocol,
        address: None,
    })
}
