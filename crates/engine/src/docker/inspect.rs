//! Describes one container in full.

use std::collections::HashMap;
use std::net::IpAddr;
use std::num::NonZeroU16;
use std::time::Duration;

use bollard::models::{
    ContainerInspectResponse, ContainerState as RawState, ContainerStateStatusEnum as State, HostConfig, PortMap,
};
use bollard::query_parameters::{EventsOptions, InspectContainerOptions};
use futures_util::stream::TryStreamExt;
use kernel::Timestamp;

use super::error::within;
use super::list::{self, mark};
use super::networks::memberships;
use super::system::bytes;
use super::{DockerEngine, QUICK, WORK, held};
use crate::{
    CPU_PERIOD_MICROS, Container, ContainerRef, ContainerSize, Error, Exit, Inspection, MountedFolder, Owner,
    PortMapping, Protocol, Resources, Result,
};

/// The exit code of a program that SIGKILL ended: 128 and the signal's number.
const KILLED: i64 = 137;
/// How much later than the end the kernel's report of used-up memory may come.
const REPORTS_LAG: Duration = Duration::from_secs(1);

impl DockerEngine {
    pub(super) async fn inspect_container(&self, container: &ContainerRef) -> Result<Inspection> {
        let mut found = inspection(self.raw(container).await?)?;
        if let Some(exit) = &mut found.exit
            && exit.code == KILLED
            && !exit.out_of_memory
            && let (Some(started), Some(finished)) = (found.started, exit.finished)
        {
            let until = finished.plus(REPORTS_LAG);
            exit.out_of_memory = self.ran_out_of_memory(&found.container.id, started, until).await;
        }
        Ok(found)
    }

    /// Docker's flag only holds if the memory report came before the end; the two reports take different ways, and on a
    /// busy machine the memory report is often later. Its event is sent in either case. Waits for that event until
    /// `until`, by the engine's clock.
    async fn ran_out_of_memory(&self, container: &ContainerRef, since: Timestamp, until: Timestamp) -> bool {
        let one = |word: &str| vec![word.to_owned()];
        let filters = HashMap::from([
            ("type".to_owned(), one("container")),
            ("event".to_owned(), one("oom")),
            ("container".to_owned(), one(container.as_str())),
        ]);
        let options =
            EventsOptions { since: Some(seconds(since)), until: Some(seconds(until)), filters: Some(filters) };
        let mut events = self.docker.events(Some(options));
        within(QUICK, events.try_next()).await.is_ok_and(|event| event.is_some())
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
    let networks = memberships(network.networks);
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
        networks: networks.clone(),
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
            networks: networks.into_iter().map(|one| one.network).collect(),
        },
    })
}

/// Seconds since 1970 with a fraction, as the query for Docker's events takes them.
pub(super) fn seconds(moment: Timestamp) -> String {
    let millis = moment.as_millis();
    format!("{}.{:03}", millis.div_euclid(1000), millis.rem_euclid(1000))
}

fn exit(state: &RawState) -> Option<Exit> {
    let ended = matches!(state.status, Some(State::EXITED | State::DEAD));
    let error = state.error.clone().unwrap_or_default();
    // A container that could not be started stays `created`, with the reason.
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
