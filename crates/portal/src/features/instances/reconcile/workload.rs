//! The workload that an instance is.

use engine::{
    Card, Environment, Error, ImageRef, ImageSource, Invalid, Place, Protocol, Resources, WantedPort, Workload,
    WorkloadId, port_number,
};
use http_kit::{ApiError, ApiResult};

use crate::Portal;
use crate::features::gpus::{self, GpuKind, GpuRow};
use crate::features::instances::model::{Instance, InstancePort, PortProtocol};
use crate::features::instances::store_ports;
use crate::features::{images, settings};

/// An instance's id for its cluster.
///
/// # Errors
/// Never for an instance of ours.
pub(crate) fn id(one: &Instance) -> ApiResult<WorkloadId> {
    one.id.parse().map_err(ApiError::internal)
}

/// The image that an instance was created of.
pub(super) fn image(one: &Instance) -> Result<ImageRef, Invalid> {
    one.image.parse()
}

/// The workload that an instance is to be, with what is reserved for it. The inner error is a fault of the instance.
pub(super) async fn of(portal: &Portal, one: &Instance, image: &ImageRef) -> ApiResult<Result<Workload, Error>> {
    let db = portal.db();
    let known = gpus::of_server(db, &one.server).await?;
    let cards: Vec<GpuRow> = known.into_iter().filter(|card| one.gpus.contains(&card.id)).collect();
    if cards.len() != one.gpus.len() {
        return Ok(Err(Error::Failed("有显卡已从服务器上移除".to_owned())));
    }
    let ports = store_ports::of_instances(db, &[&one.id]).await?;
    let ports = ports.get(&one.id).map(Vec::as_slice).unwrap_or_default();
    let source = ImageSource {
        name: image.clone(),
        auth: images::auth_for(portal, image).await?,
        in_registry: !images::is_unpushed(image),
    };
    let closed = settings::read(db).await?.network.no_new_privileges;
    Ok(described(one, &cards, ports, source, closed).map_err(Error::from))
}

fn described(
    one: &Instance,
    cards: &[GpuRow],
    ports: &[InstancePort],
    image: ImageSource,
    no_new_privileges: bool,
) -> Result<Workload, Invalid> {
    let mut environment = Environment::default();
    for (name, value) in &one.env {
        environment.set(name, value)?;
    }
    let places = one.mounts.iter().map(|mount| Place::new(&mount.source, &mount.target, mount.read_only));
    Ok(Workload {
        id: one.id.parse()?,
        generation: one.generation.unsigned_abs(),
        name: one.name.clone(),
        tenant: one.user.to_string().parse()?,
        image,
        kept_root: (!one.root_image.is_empty()).then(|| one.root_image.clone()),
        command: (!one.command.is_empty()).then(|| one.command.clone()),
        environment,
        resources: resources(one),
        shm: Some(one.shm_size.unsigned_abs()),
        cards: cards.iter().map(card).collect::<Result<_, _>>()?,
        nodes: Default::default(),
        places: places.collect::<Result<_, _>>()?,
        ports: ports.iter().map(wanted).collect::<Result<_, _>>()?,
        no_new_privileges,
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

fn wanted(port: &InstancePort) -> Result<WantedPort, Invalid> {
    let protocol = match port.protocol {
        PortProtocol::Tcp => Protocol::Tcp,
        PortProtocol::Udp => Protocol::Udp,
    };
    Ok(WantedPort { port: port_number(port.container_port)?, protocol, node_port: Some(port_number(port.host_port)?) })
}
