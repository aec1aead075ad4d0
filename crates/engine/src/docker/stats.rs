//! Resources that a container uses.

use bollard::models::{ContainerBlkioStatEntry, ContainerStatsResponse};
use bollard::query_parameters::StatsOptions;
use futures_util::StreamExt;

use super::error::from_bollard;
use super::inspect::moment;
use super::{DockerEngine, QUICK};
use crate::{ContainerRef, Error, Result, Usage};

impl DockerEngine {
    pub(super) async fn container_usage(&self, container: &ContainerRef) -> Result<Usage> {
        let mut stats = self.docker.stats(container.as_str(), Some(StatsOptions { stream: false, one_shot: true }));
        let first = tokio::time::timeout(QUICK, stats.next()).await.map_err(|_| super::error::silent(QUICK))?;
        let raw = first.ok_or_else(|| Error::Unreachable("no measurement came".to_owned()))?.map_err(from_bollard)?;
        usage(&raw).ok_or_else(|| Error::Conflict(format!("container {container} does not run")))
    }
}

/// `None` for a container that does not run.
fn usage(raw: &ContainerStatsResponse) -> Option<Usage> {
    let at = moment(raw.read.as_deref()?)?;
    let cpu = raw.cpu_stats.as_ref().and_then(|cpu| cpu.cpu_usage.as_ref()).and_then(|cpu| cpu.total_usage);
    let memory = raw.memory_stats.as_ref();
    let details = memory.and_then(|memory| memory.stats.as_ref());
    // Version 2 of control groups, then version 1.
    let cached = details.and_then(|all| all.get("inactive_file").or_else(|| all.get("total_inactive_file")));
    let used = memory.and_then(|memory| memory.usage).unwrap_or_default();
    let networks = || raw.networks.iter().flat_map(|all| all.values());
    let disks = raw.blkio_stats.as_ref().and_then(|disks| disks.io_service_bytes_recursive.as_deref());
    Some(Usage {
        at,
        cpu_nanos: cpu.unwrap_or_default(),
        memory: used.saturating_sub(cached.copied().unwrap_or_default()),
        memory_limit: memory.and_then(|memory| memory.limit).unwrap_or_default(),
        pids: raw.pids_stats.as_ref().and_then(|pids| pids.current).unwrap_or_default(),
        received: networks().filter_map(|network| network.rx_bytes).sum(),
        sent: networks().filter_map(|network| network.tx_bytes).sum(),
        disk_read: moved(disks, "read"),
        disk_written: moved(disks, "write"),
    })
}

fn moved(disks: Option<&[ContainerBlkioStatEntry]>, way: &str) -> u64 {
    let entries = disks.into_iter().flatten();
    let those = entries.filter(|entry| entry.op.as_ref().is_some_and(|op| op.eq_ignore_ascii_case(way)));
    those.filter_map(|entry| entry.value).sum()
}
