//! A machine's facts and its kernel's log, as administrators see them.

use engine::machine_helper::{Boot, FileSystem, KernelLog, ProjectQuotaState, Reflink};
use kernel::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// A server's machine.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Machine {
    /// The kernel's random id of this boot: another one after a restart.
    boot_id: String,
    /// Milliseconds since the boot.
    uptime_ms: u64,
    /// What the machine's own clock shows.
    clock: Timestamp,
    /// The file system that the network disk lies on; absent when the server has none.
    storage: Option<MachineFileSystem>,
}

/// A file system of a machine.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct MachineFileSystem {
    /// As in `xfs`.
    kind: String,
    device: String,
    mounted_at: String,
    /// The mount's options with commas.
    options: String,
    /// Bytes.
    size: u64,
    /// Bytes that ordinary programs may still write.
    free: u64,
    /// 0 where the file system has no fixed number.
    inodes: u64,
    free_inodes: u64,
    project_quota: QuotaSupport,
    reflink: ReflinkSupport,
}

/// Whether folders can be limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum QuotaSupport {
    NotSupported,
    Off,
    On,
}

/// Whether copies can share blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ReflinkSupport {
    Yes,
    No,
    Unknown,
}

/// The newest lines of a kernel's log, oldest first.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct MachineLog {
    items: Vec<MachineLogLine>,
    /// Older lines that did not fit.
    left_out: u64,
}

/// One line.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct MachineLogLine {
    /// By the machine's clock as it is now.
    time: Timestamp,
    /// Milliseconds since the boot.
    since_boot_ms: u64,
    /// 0 (emergency) to 7 (debug); up to 4 are warnings and worse.
    #[schema(maximum = 7)]
    level: u8,
    text: String,
}

/// Which part of a kernel's log.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct MachineLogQuery {
    /// Milliseconds after the boot from which on; everything when left out.
    pub(super) since: Option<u64>,
}

impl Machine {
    pub(super) fn new(boot: &Boot, storage: Option<FileSystem>) -> Self {
        Self {
            boot_id: boot.boot_id.to_string(),
            uptime_ms: boot.uptime_ms,
            clock: Timestamp::from_millis(boot.wall_ms),
            storage: storage.map(MachineFileSystem::from),
        }
    }
}

impl From<FileSystem> for MachineFileSystem {
    fn from(found: FileSystem) -> Self {
        Self {
            kind: found.kind.into(),
            device: found.device.into(),
            mounted_at: found.mounted_at.into(),
            options: found.options.into(),
            size: found.size_bytes,
            free: found.free_bytes,
            inodes: found.inodes,
            free_inodes: found.free_inodes,
            project_quota: match found.project_quota {
                ProjectQuotaState::NotSupported => QuotaSupport::NotSupported,
                ProjectQuotaState::Off => QuotaSupport::Off,
                ProjectQuotaState::On => QuotaSupport::On,
            },
            reflink: match found.reflink {
                Reflink::Yes => ReflinkSupport::Yes,
                Reflink::No => ReflinkSupport::No,
                Reflink::Unknown => ReflinkSupport::Unknown,
            },
        }
    }
}

impl From<KernelLog> for MachineLog {
    fn from(log: KernelLog) -> Self {
        let (now, wall) = (log.now_ms, log.wall_ms);
        let moment = |at_ms: u64| {
            let ago = i64::try_from(now.saturating_sub(at_ms)).unwrap_or(i64::MAX);
            Timestamp::from_millis(wall.saturating_sub(ago))
        };
        let items = log.lines.into_iter().map(|line| MachineLogLine {
            time: moment(line.at_ms),
            since_boot_ms: line.at_ms,
            level: line.level,
            text: line.text.into(),
        });
        Self { items: items.collect(), left_out: log.left_out }
    }
}
