//! One container in full.

use std::net::IpAddr;
use std::num::NonZeroU16;

use bollard::models::{
    ContainerInspectResponse, ContainerState as RawState, ContainerStateStatusEnum as State, HostConfig, PortMap,
};
use bollard::query_parameters::InspectContainerOptions;
use kernel::Timestamp;

use super::error::within;
use super::list::{self, mark};
use super::system::bytes;
use super::{DockerEngine, QUICK, WORK, held};
use crate::{
    CPU_PERIOD_MICROS, Container, ContainerRef, ContainerSize, Error, Exit, Inspection, MountedFolder, Owner,
    PortMapping, Protocol, Resources, Result,
};

impl DockerEngine {
    pub(super) async fn inspect_container(&self, container: &ContainerRef) -> Result<Inspection> {
        inspection(self.raw(container).await?)
    }

    pub(super) async fn raw(&self, container: &ContainerRef) -> Result<ContainerInspectResponse> {
        within(QUICK, self.docker.inspect_container(container.as_str(), None::<InspectContainerOptions>)).await
    }

    pub(super) async fn container_size(&self, container: &ContainerRef) -> Result<ContainerSize> {
        let options = InspectContainerOptions { size: true };
        let raw = within(WORK, self.docker.inspect_container(container.as_str(), Some(options))).await?;
        let image = within(QUICK, self.docker.inspect_image(raw.image.as_deref().unwrap_or_default())).await?;
        Ok(ContainerSize {
            writable: bytes(raw.size_rw),
            root: bytes(raw.size_root_fs),
            layers: image.root_fs.and_then(|root| root.layers).map_or(0, |layers| layers.len()),
        })
    }
}

fn inspection(raw: ContainerInspectResponse) -> Result<Inspection> {
    let cards = held::cards(&raw);
    let id = raw.id.unwrap_or_default().parse().map_err(Error::Invalid)?;
    let state = raw.state.unwrap_or_default();
    let host = raw.host_config.unwrap_or_default();
    let config = raw.config.unwrap_or_default();
    let network = raw.network_settings.unwrap_or_default();
    let address =
        network.networks.iter().flatten().find_map(|(_, end)| end.ip_address.as_ref()?.parse::<IpAddr>().ok());
    let command = raw.path.into_iter().chain(raw.args.into_iter().flatten()).collect();
    let mounts = raw.mounts.into_iter().flatten().map(|mount| MountedFolder {
        source: mount.source.unwrap_or_default(),
        target: mount.destination.unwrap_or_default(),
        read_only: mount.rw == Some(false),
    });
    Ok(Inspection {
        started: state.started_at.as_deref().and_then(moment),
        exit: exit(&state),
        address,
        resources: resources(&host),
        shm: bytes(host.shm_size),
        nodes: cards.nodes.clone(),
        uuids: cards.uuids.clone(),
        mounts: mounts.collect(),
        environment: config.env.unwrap_or_default(),
        command,
        container: Container {
            id,
            name: raw.name.unwrap_or_default().trim_start_matches('/').to_owned(),
            image: config.image.unwrap_or_default(),
            image_id: raw.image.unwrap_or_default(),
            created: raw.created.as_deref().and_then(moment).unwrap_or(Timestamp::from_millis(0)),
            state: list::state(&state.status.map(|state| state.to_string()).unwrap_or_default()),
            owner: mark(&config.labels.unwrap_or_default()).map_or(Owner::Foreign(cards), Owner::Portal),
            ports: ports(&host.port_bindings.unwrap_or_default()),
        },
    })
}

fn exit(state: &RawState) -> Option<Exit> {
    let ended = matches!(state.status, Some(State::EXITED | State::DEAD));
    let error = state.error.clone().unwrap_or_default();
    // One that could not be started stays `created`, with the reason.
    (ended || !error.is_empty()).then(|| Exit {
        code: state.exit_code.unwrap_or_default(),
        out_of_memory: state.oom_killed.unwrap_or_default(),
        error,
        finished: state.finished_at.as_deref().and_then(moment),
    })
}

fn resources(host: &HostConfig) -> Resources {
    let quota = bytes(host.cpu_quota);
    // Others may have been started with --cpus.
    let cores = bytes(host.nano_cpus).saturating_mul(CPU_PERIOD_MICROS) / 1_000_000_000;
    let pids = host.pids_limit.and_then(|limit| u32::try_from(limit).ok()).unwrap_or_default();
    Resources { cpu_quota: if quota > 0 { quota } else { cores }, memory: bytes(host.memory), pids }
}

/// The ports that it has, or will have when it is started.
fn ports(map: &PortMap) -> Vec<PortMapping> {
    let mut all: Vec<PortMapping> = Vec::new();
    for (inner, bindings) in map {
        let (number, protocol) = inner.split_once('/').unwrap_or((inner, "tcp"));
        for binding in bindings.iter().flatten() {
            let host = binding.host_port.as_ref().and_then(|port| port.parse::<NonZeroU16>().ok());
            let (Some(host), Ok(container)) = (host, number.parse::<NonZeroU16>()) else { continue };
            let address = binding.host_ip.as_ref().and_then(|ip| ip.parse::<IpAddr>().ok());
            let protocol = if protocol == "udp" { Protocol::Udp } else { Protocol::Tcp };
            all.push(PortMapping { container, host, protocol, address: address.filter(|ip| !ip.is_unspecified()) });
        }
    }
    all.sort_unstable();
    all
}

/// Docker writes year 1 for never.
pub(super) fn moment(text: &str) -> Option<Timestamp> {
    text.parse::<Timestamp>().ok().filter(|at| at.as_millis() > 0)
}
