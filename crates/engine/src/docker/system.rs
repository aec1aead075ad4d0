//! The engine itself: reachability, capabilities, disk usage, events.

use std::collections::HashMap;
use std::time::Duration;

use bollard::models::{EventMessage, SystemInfo, SystemInfoCgroupDriverEnum, SystemInfoCgroupVersionEnum};
use bollard::query_parameters::EventsOptions;
use futures_util::stream::{BoxStream, StreamExt};
use kernel::Timestamp;
use serde::Deserialize;

use super::create::INSTANCE;
use super::error::{from_bollard, silent, within};
use super::{DockerEngine, QUICK, WORK, link, machine_helper};
use crate::{Capabilities, CgroupVersion, DiskUsage, EngineEvent, Error, Happening, ImageUse, Result, RootQuota};

const PING: Duration = Duration::from_secs(3);

/// Events that matter; `exec_…` come with every terminal and every measurement.
const EVENTS: [&str; 10] =
    ["create", "start", "die", "oom", "destroy", "pause", "unpause", "rename", "update", "restart"];

impl DockerEngine {
    pub(super) async fn answers(&self) -> Result<()> {
        within(PING, self.docker.ping()).await.map(drop)
    }

    pub(super) async fn read_time(&self) -> Result<Timestamp> {
        let told = within(QUICK, self.docker.info()).await?.system_time.unwrap_or_default();
        told.parse().map_err(|error| Error::Failed(format!("the engine's time {told:?} can't be read: {error}")))
    }

    pub(super) async fn read_capabilities(&self) -> Result<Capabilities> {
        self.link.forget_version();
        let version = tokio::time::timeout(QUICK, self.link.api_version()).await.map_err(|_| silent(QUICK))?;
        let api_version = version.map_err(|error| link::unreachable(&error))?;
        let told = within(QUICK, self.docker.info()).await?;
        Ok(Capabilities { certificate_end: self.link.certificate_end(), ..capabilities(api_version, told) })
    }

    /// Where its data lie on the machine.
    pub(super) async fn data_root(&self) -> Result<String> {
        Ok(within(QUICK, self.docker.info()).await?.docker_root_dir.unwrap_or_default())
    }

    pub(super) async fn read_disk_usage(&self) -> Result<DiskUsage> {
        Ok(self.link.get::<Usage>("/system/df", WORK).await?.into())
    }

    pub(super) fn container_events(&self) -> BoxStream<'static, Result<EngineEvent>> {
        let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
        let filters = HashMap::from([("type".to_owned(), words(&["container"])), ("event".to_owned(), words(&EVENTS))]);
        let options = EventsOptions { filters: Some(filters), ..EventsOptions::default() };
        let events = self.docker.events(Some(options));
        events.filter_map(async |event| event.map_err(from_bollard).map(seen).transpose()).boxed()
    }
}

fn seen(event: EventMessage) -> Option<EngineEvent> {
    let actor = event.actor?;
    let attributes = actor.attributes.unwrap_or_default();
    // Events of the portal's own helper containers would cause further looks.
    if machine_helper::made_by_us(&attributes) {
        return None;
    }
    let what = match event.action?.as_str() {
        "create" => Happening::Created,
        "start" => Happening::Started,
        "die" => Happening::Ended(attributes.get("exitCode").and_then(|code| code.parse().ok())),
        "oom" => Happening::OutOfMemory,
        "destroy" => Happening::Removed,
        other => Happening::Other(other.to_owned()),
    };
    Some(EngineEvent {
        at: Timestamp::from_millis(event.time_nano.unwrap_or_default() / 1_000_000),
        container: actor.id?,
        instance: attributes.get(INSTANCE).filter(|instance| !instance.is_empty()).cloned(),
        what,
    })
}

fn capabilities(api_version: String, info: SystemInfo) -> Capabilities {
    let storage_driver = info.driver.unwrap_or_default();
    let status: HashMap<String, String> = info.driver_status.unwrap_or_default().into_iter().filter_map(pair).collect();
    Capabilities {
        id: info.id.unwrap_or_default(),
        host_name: info.name.unwrap_or_default(),
        engine_version: info.server_version.unwrap_or_default(),
        api_version,
        operating_system: info.operating_system.unwrap_or_default(),
        kernel: info.kernel_version.unwrap_or_default(),
        architecture: info.architecture.unwrap_or_default(),
        cpus: info.ncpu.and_then(|count| count.try_into().ok()).unwrap_or_default(),
        memory: bytes(info.mem_total),
        data_root: info.docker_root_dir.unwrap_or_default(),
        root_quota: root_quota(&storage_driver, &status),
        storage_driver,
        cgroup_version: match info.cgroup_version {
            Some(SystemInfoCgroupVersionEnum::_2) => CgroupVersion::V2,
            _ => CgroupVersion::V1,
        },
        cgroup_driver: info.cgroup_driver.unwrap_or(SystemInfoCgroupDriverEnum::NONE).to_string(),
        live_restore: info.live_restore_enabled.unwrap_or_default(),
        runtimes: sorted(info.runtimes.unwrap_or_default().into_keys()),
        default_runtime: info.default_runtime.unwrap_or_default(),
        cdi: info.cdi_spec_dirs.is_some_and(|folders| !folders.is_empty()),
        certificate_end: None,
        warnings: info.warnings.unwrap_or_default(),
    }
}

/// Stock Docker limits roots only on `overlay2` over XFS. It does not report whether XFS is mounted with `pquota`;
/// without it the engine refuses to create the container, in its own words.
fn root_quota(driver: &str, status: &HashMap<String, String>) -> RootQuota {
    let backing = status.get("Backing Filesystem").map_or("", String::as_str);
    match (driver, backing) {
        ("overlay2", "xfs") | ("btrfs" | "zfs", _) => RootQuota::Native,
        _ => RootQuota::None { backing: backing.to_owned() },
    }
}

fn pair(row: Vec<String>) -> Option<(String, String)> {
    let [name, value] = <[String; 2]>::try_from(row).ok()?;
    Some((name, value))
}

fn sorted(words: impl Iterator<Item = String>) -> Vec<String> {
    let mut words: Vec<String> = words.collect();
    words.sort();
    words
}

/// Docker reports -1 for uncounted sizes.
pub(super) fn bytes(count: Option<i64>) -> u64 {
    count.and_then(|count| count.try_into().ok()).unwrap_or_default()
}

/// `/system/df` as all engines up to API 1.51 write it; bollard 0.21 only supports the later shape.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", default)]
#[derive(Default)]
struct Usage {
    layers_size: i64,
    images: Option<Vec<UsedImage>>,
    containers: Option<Vec<UsedContainer>>,
    volumes: Option<Vec<UsedVolume>>,
    build_cache: Option<Vec<UsedCache>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct UsedImage {
    id: String,
    size: i64,
    shared_size: i64,
    containers: i64,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct UsedContainer {
    size_rw: Option<i64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct UsedVolume {
    usage_data: Option<VolumeSize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct VolumeSize {
    size: i64,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct UsedCache {
    size: i64,
}

impl From<Usage> for DiskUsage {
    fn from(usage: Usage) -> Self {
        let image = |image: UsedImage| ImageUse {
            id: image.id,
            size: bytes(Some(image.size)),
            shared: bytes(Some(image.shared_size)),
            containers: bytes(Some(image.containers)),
        };
        let volume = |volume: &UsedVolume| bytes(volume.usage_data.as_ref().map(|data| data.size));
        Self {
            layers: bytes(Some(usage.layers_size)),
            containers: usage.containers.iter().flatten().map(|container| bytes(container.size_rw)).sum(),
            volumes: usage.volumes.iter().flatten().map(volume).sum(),
            build_cache: usage.build_cache.iter().flatten().map(|cache| bytes(Some(cache.size))).sum(),
            images: usage.images.into_iter().flatten().map(image).collect(),
        }
    }
}
