//! The answers of an in-memory engine's machine to the machine helper.

use async_trait::async_trait;
use engine::machine_helper::{
    Answer, Boot, Fact, FileSystem, Guard, KernelLog, LogLine, LogText, ProjectChange, ProjectQuotaState, ProjectUsage,
    Reflink, Request, Unmounted,
};
use engine::{MachineHelper, MachineHelperError};

use super::FakeEngine;

/// The machine has been up so long, in milliseconds.
const UPTIME_MS: u64 = 86_400_000;
/// 2026-11-20T10:00:00Z, when every test begins.
const WALL_MS: i64 = 1_795_168_800_000;

#[async_trait]
impl MachineHelper for FakeEngine {
    async fn ask_machine(&self, request: &Request) -> Result<Answer, MachineHelperError> {
        let mut inner = self.ask()?;
        inner.asked.push(request.clone());
        match &inner.helper_fails {
            Some(error) => Err(error.clone()),
            None => Ok(match request {
                Request::SetNetworkGuard { guard } => {
                    inner.guard = Some(guard.clone());
                    Answer::Nothing
                }
                Request::ClearNetworkGuard {} => {
                    inner.guard = None;
                    Answer::Nothing
                }
                Request::GetNetworkGuard {} => {
                    Answer::NetworkGuard(inner.guard.as_ref().map(Guard::state).unwrap_or_default())
                }
                Request::Unmount { .. } => Answer::Unmounted(Unmounted { still_open: inner.files_open }),
                Request::FileSystem { .. } => Answer::FileSystem(file_system(inner.disk_options.as_deref())),
                Request::SetProjectLimit { project, limit_bytes, .. } => {
                    match limit_bytes {
                        Some(bytes) => inner.project_limits.insert(*project, *bytes),
                        None => inner.project_limits.remove(project),
                    };
                    Answer::Nothing
                }
                Request::GetProjectQuota { project, .. } => {
                    let limit_bytes = inner.project_limits.get(project).map(|bytes| bytes.get());
                    Answer::ProjectUsage(ProjectUsage { used_bytes: 0, limit_bytes })
                }
                other => answer(other),
            }),
        }
    }
}

impl FakeEngine {
    /// Every call of the machine helper fails like this from now on; `None`: none does.
    pub fn fail_machine_helper(&self, error: Option<MachineHelperError>) {
        self.inner().helper_fails = error;
    }

    /// Sets whether programs have files open on paths unmounted from now on.
    pub fn keep_files_open(&self, open: bool) {
        self.inner().files_open = open;
    }

    /// Its machine mounts the network disk with these options.
    pub fn mount_disk_with(&self, options: &str) {
        self.inner().disk_options = Some(options.to_owned());
    }

    /// As on a disk that was formatted: no project has a limit.
    pub fn lose_project_limits(&self) {
        self.inner().project_limits.clear();
    }

    /// Our network table, if it exists.
    #[must_use]
    pub fn guard(&self) -> Option<Guard> {
        self.inner().guard.clone()
    }

    /// As after a reboot, or a flush of all tables.
    pub fn lose_guard(&self) {
        self.inner().guard = None;
    }

    /// The requests to the machine helper, in order.
    #[must_use]
    pub fn machine_requests(&self) -> Vec<Request> {
        self.inner().asked.clone()
    }
}

fn file_system(options: Option<&str>) -> FileSystem {
    let options = options.unwrap_or("rw,prjquota");
    let is_on = options.split(',').any(|option| option == "prjquota");
    FileSystem {
        kind: Fact::escaped("xfs"),
        device: Fact::escaped("/dev/sdb1"),
        mounted_at: Fact::escaped("/srv"),
        options: Fact::escaped(options),
        size_bytes: 1 << 40,
        free_bytes: 1 << 39,
        inodes: 1000,
        free_inodes: 900,
        project_quota: if is_on { ProjectQuotaState::On } else { ProjectQuotaState::Off },
        reflink: Reflink::Unknown,
    }
}

fn answer(request: &Request) -> Answer {
    match request {
        Request::BootId {} => Answer::Boot(Boot {
            boot_id: "0a1b2c3d-0000-4000-8000-000000000001".parse().expect("an id"),
            uptime_ms: UPTIME_MS,
            wall_ms: WALL_MS,
        }),
        Request::KernelLog { since_ms } => Answer::KernelLog(KernelLog {
            lines: [(1000, 6, "Linux version 6.1.0"), (UPTIME_MS - 1000, 3, "NVRM: Xid (PCI:0000:01:00): 79")]
                .into_iter()
                .filter(|(at_ms, _, _)| at_ms >= since_ms)
                .map(|(at_ms, level, text)| LogLine { at_ms, level, text: LogText::escaped(text) })
                .collect(),
            left_out: 0,
            now_ms: UPTIME_MS,
            wall_ms: WALL_MS,
        }),
        // As in a container without a user namespace.
        Request::TryProjectChange { .. } => Answer::ProjectChange(ProjectChange { possible: true }),
        _ => Answer::Nothing,
    }
}
