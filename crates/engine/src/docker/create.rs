//! From a [`ContainerSpec`] to a container.

use std::collections::HashMap;

use bollard::models::{
    ContainerCreateBody, DeviceMapping, DeviceRequest, HostConfig, HostConfigLogConfig, Mount as RawMount, MountType,
    PortBinding, PortMap, ResourcesUlimits, RestartPolicy, RestartPolicyNameEnum,
};
use bollard::query_parameters::CreateContainerOptions;

use super::error::within;
use super::{DockerEngine, WORK};
use crate::defaults::{CAPABILITIES, LOG_FILE_SIZE, LOG_FILES, environment};
use crate::{
    CPU_PERIOD_MICROS, ContainerRef, ContainerSpec, Created, DeviceNode, Error, Mount, Owner, PortMapping, Resources,
    Result, default_shm,
};

/// The label with the instance's id.
pub(super) const INSTANCE: &str = "yunlab.instance";
/// The label with the instance's generation.
pub(super) const GENERATION: &str = "yunlab.generation";
/// The label with the ids of the container's cards, with commas between them.
pub(super) const CARDS: &str = "yunlab.gpus";
/// The label with the volume of our program.
pub(super) const TOOLS: &str = "yunlab.tools";

impl DockerEngine {
    pub(super) async fn create_or_adopt(&self, spec: &ContainerSpec) -> Result<Created> {
        spec.check()?;
        let options = CreateContainerOptions { name: Some(spec.name.to_string()), ..CreateContainerOptions::default() };
        match within(WORK, self.docker.create_container(Some(options), body(spec))).await {
            Ok(made) => Ok(Created { id: id(&made.id)?, adopted: false, warnings: made.warnings }),
            Err(Error::NameTaken(words)) => self.adopt(spec, words).await,
            Err(error) => Err(error),
        }
    }

    /// The container of this name, if an earlier try made it.
    async fn adopt(&self, spec: &ContainerSpec, words: String) -> Result<Created> {
        let found = match self.inspect_container(&spec.name).await {
            Ok(found) => found.container,
            // The name is reserved, but the container isn't there: being made or being removed.
            Err(Error::NotFound(_)) => return Err(Error::NameTaken(words)),
            Err(error) => return Err(error),
        };
        match &found.owner {
            Owner::Portal(mark) if mark.instance == spec.instance && mark.generation == spec.generation => {
                Ok(Created { id: found.id, adopted: true, warnings: Vec::new() })
            }
            _ => Err(Error::NameTaken(words)),
        }
    }
}

pub(super) fn id(text: &str) -> Result<ContainerRef> {
    Ok(text.parse()?)
}

fn body(spec: &ContainerSpec) -> ContainerCreateBody {
    ContainerCreateBody {
        hostname: Some(hostname(spec.name.as_str())),
        image: Some(spec.image.to_string()),
        entrypoint: spec.entrypoint.clone(),
        cmd: spec.command.clone(),
        // The command of most images is a shell, which ends at once when its input does. The input stays empty.
        open_stdin: spec.command.is_none().then_some(true),
        env: Some(environment(spec)),
        exposed_ports: Some(spec.ports.iter().map(port_name).collect()),
        labels: Some(labels(spec)),
        host_config: Some(host_config(spec)),
        ..ContainerCreateBody::default()
    }
}

fn host_config(spec: &ContainerSpec) -> HostConfig {
    let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
    let Resources { cpu_quota, memory, pids } = spec.resources;
    HostConfig {
        cpu_period: Some(signed(CPU_PERIOD_MICROS)),
        cpu_quota: Some(signed(cpu_quota)),
        memory: Some(signed(memory)),
        // Memory and swap together, so this is no swap.
        memory_swap: Some(signed(memory)),
        pids_limit: Some(i64::from(pids)),
        shm_size: Some(signed(spec.shm.unwrap_or_else(|| default_shm(memory)))),
        storage_opt: spec.root_quota.map(|size| HashMap::from([("size".to_owned(), size.to_string())])),
        init: Some(true),
        cap_drop: Some(words(&["ALL"])),
        cap_add: Some(words(&CAPABILITIES)),
        ipc_mode: Some("private".to_owned()),
        // Core files in a shared folder are of no use.
        ulimits: Some(vec![ResourcesUlimits { name: Some("core".to_owned()), soft: Some(0), hard: Some(0) }]),
        devices: Some(spec.cards.iter().flat_map(crate::Card::nodes).map(device).collect()),
        device_requests: nvidia(spec).map(|request| vec![request]),
        mounts: Some(spec.mounts.iter().map(mount).chain(tools(spec)).collect()),
        port_bindings: Some(bindings(&spec.ports)),
        network_mode: spec.network.as_ref().map(ToString::to_string),
        security_opt: spec.no_new_privileges.then(|| words(&["no-new-privileges"])),
        log_config: Some(HostConfigLogConfig {
            typ: Some("json-file".to_owned()),
            config: Some(HashMap::from([
                ("max-size".to_owned(), LOG_FILE_SIZE.to_owned()),
                ("max-file".to_owned(), LOG_FILES.to_owned()),
            ])),
        }),
        // The portal alone decides what runs, also after a restart of the machine.
        restart_policy: Some(RestartPolicy { name: Some(RestartPolicyNameEnum::NO), maximum_retry_count: None }),
        ..HostConfig::default()
    }
}

/// By UUID, never by count. The image's choice of driver features (`graphics`, `video`) is kept.
fn nvidia(spec: &ContainerSpec) -> Option<DeviceRequest> {
    let uuids: Vec<String> =
        spec.cards.iter().filter(|card| card.is_nvidia()).map(|card| card.id().to_owned()).collect();
    (!uuids.is_empty()).then(|| DeviceRequest {
        driver: Some("nvidia".to_owned()),
        device_ids: Some(uuids),
        capabilities: Some(vec![vec!["gpu".to_owned()]]),
        ..DeviceRequest::default()
    })
}

/// Read and write, without creating nodes.
fn device(node: &DeviceNode) -> DeviceMapping {
    DeviceMapping {
        path_on_host: Some(node.to_string()),
        path_in_container: Some(node.to_string()),
        cgroup_permissions: Some("rw".to_owned()),
    }
}

/// A "mount" fails if its source is missing; a "bind" would create a folder as root.
fn mount(mount: &Mount) -> RawMount {
    RawMount {
        typ: Some(MountType::BIND),
        source: Some(mount.source().to_owned()),
        target: Some(mount.target().to_owned()),
        read_only: Some(mount.read_only()),
        ..RawMount::default()
    }
}

fn tools(spec: &ContainerSpec) -> Option<RawMount> {
    spec.tools.as_ref().map(|volume| super::tools::mount(volume.as_str(), true))
}

fn port_name(port: &PortMapping) -> String {
    format!("{}/{}", port.container, port.protocol.as_str())
}

fn bindings(ports: &[PortMapping]) -> PortMap {
    let mut map = PortMap::new();
    for port in ports {
        let binding = PortBinding {
            host_ip: port.address.map(|address| address.to_string()),
            host_port: Some(port.host.to_string()),
        };
        map.entry(port_name(port)).or_default().get_or_insert_default().push(binding);
    }
    map
}

/// Our labels last, so that no other label replaces them.
fn labels(spec: &ContainerSpec) -> HashMap<String, String> {
    let mut labels: HashMap<String, String> = spec.labels.clone().into_iter().collect();
    let cards: Vec<&str> = spec.cards.iter().map(crate::Card::id).collect();
    labels.insert(INSTANCE.to_owned(), spec.instance.clone());
    labels.insert(GENERATION.to_owned(), spec.generation.to_string());
    labels.insert(CARDS.to_owned(), cards.join(","));
    labels.insert(TOOLS.to_owned(), spec.tools.as_ref().map_or_else(String::new, ToString::to_string));
    labels
}

/// The container's name as a host is called: no `_` nor `.`, at most 63 characters.
fn hostname(name: &str) -> String {
    let word = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let host: String = name.chars().take(63).map(word).collect();
    host.trim_end_matches('-').to_owned()
}

pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::{Card, Environment};

    fn spec() -> ContainerSpec {
        ContainerSpec {
            name: "ins_Ann.Lee_GPUa1b2c".parse().unwrap(),
            instance: "i-1".to_owned(),
            generation: 2,
            image: "lab:1".parse().unwrap(),
            entrypoint: None,
            command: None,
            environment: Environment::default(),
            resources: Resources { cpu_quota: 150_000, memory: 16 << 30, pids: 100 },
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

    #[test]
    fn without_cards_the_nvidia_runtime_is_told_so() {
        let body = body(&spec());
        let environment = body.env.unwrap();
        assert!(environment.contains(&"NVIDIA_VISIBLE_DEVICES=void".to_owned()), "{environment:?}");
        assert!(environment.contains(&"OMP_NUM_THREADS=2".to_owned()), "{environment:?}");
        let host = body.host_config.unwrap();
        assert_eq!((host.device_requests, host.devices), (None, Some(Vec::new())));
        assert_eq!((host.memory, host.memory_swap, host.shm_size), (Some(16 << 30), Some(16 << 30), Some(8 << 30)));
        assert_eq!(body.hostname.as_deref(), Some("ins-ann-lee-gpua1b2c"));
    }

    #[test]
    fn cards_are_asked_for_by_uuid_or_node_never_by_count() {
        let mut spec = spec();
        spec.cards = vec![
            Card::nvidia("GPU-a").unwrap(),
            Card::nvidia("GPU-b").unwrap(),
            Card::device("npu:0", vec!["/dev/davinci0".parse().unwrap()]).unwrap(),
        ];
        let body = body(&spec);
        assert!(body.env.unwrap().contains(&"NVIDIA_VISIBLE_DEVICES=GPU-a,GPU-b".to_owned()));
        assert_eq!(body.labels.unwrap()[CARDS], "GPU-a,GPU-b,npu:0");
        let host = body.host_config.unwrap();
        let [request] = host.device_requests.unwrap().try_into().unwrap();
        assert_eq!((request.count, request.device_ids.unwrap().len()), (None, 2));
        assert_eq!(host.devices.unwrap().len(), 1);
    }

    #[test]
    fn only_the_command_of_the_image_has_an_open_input() {
        assert_eq!(body(&spec()).open_stdin, Some(true));
        let mut own = spec();
        own.command = Some(vec!["/bin/sleep".to_owned(), "infinity".to_owned()]);
        assert_eq!(body(&own).open_stdin, None);
    }

    #[test]
    fn a_network_and_no_further_rights_only_where_they_are_asked_for() {
        let host = body(&spec()).host_config.unwrap();
        assert_eq!((host.network_mode, host.security_opt), (None, None));
        let mut closed = spec();
        (closed.network, closed.no_new_privileges) = (Some("yunlab-s-7".parse().unwrap()), true);
        let host = body(&closed).host_config.unwrap();
        assert_eq!(host.network_mode.as_deref(), Some("yunlab-s-7"));
        assert_eq!(host.security_opt, Some(vec!["no-new-privileges".to_owned()]));
    }

    #[test]
    fn what_users_set_can_not_stand_for_ours() {
        let mut with_label = spec();
        with_label.labels.insert(INSTANCE.to_owned(), "i-2".to_owned());
        assert!(with_label.check().is_err());
        let mut with_threads = spec();
        with_threads.environment.set("OMP_NUM_THREADS", "7").unwrap();
        let environment = body(&with_threads).env.unwrap();
        assert_eq!(environment.iter().filter(|line| line.starts_with("OMP_NUM_THREADS=")).count(), 1);
    }
}
