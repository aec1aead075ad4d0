//! The machine of an in-memory engine or cluster, as the machine helper finds it.

use std::collections::HashMap;
use std::num::NonZeroU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use engine::MachineHelperError;
use engine::machine_helper::{
    Answer, Boot, Fact, FileSystem, Guard, KernelLog, LogLine, LogText, ProjectChange, ProjectId, ProjectQuotaState,
    ProjectUsage, Reflink, Request, Unmounted,
};

/// The machine has been up so long, in milliseconds.
const UPTIME_MS: u64 = 86_400_000;
/// 2026-11-20T10:00:00Z, when every test begins.
const WALL_MS: i64 = 1_795_168_800_000;

/// A machine in memory.
#[derive(Clone, Debug, Default)]
pub struct FakeMachine(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    /// The requests, and their failure, if set.
    asked: Vec<Request>,
    fails: Option<MachineHelperError>,
    /// Whether programs have files open on unmounted paths.
    files_open: bool,
    /// How the network disk is mounted, if not as usual.
    disk_options: Option<String>,
    /// Whether root in an instance can't change a file's project.
    keeps_projects: bool,
    /// Limits of projects on the network disk.
    project_limits: HashMap<ProjectId, NonZeroU64>,
    /// Our network table.
    guard: Option<Guard>,
}

impl FakeMachine {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Every request fails like this from now on; `None`: none does.
    pub fn fail(&self, error: Option<MachineHelperError>) {
        self.inner().fails = error;
    }

    /// Sets whether programs have files open on paths unmounted from now on.
    pub fn keep_files_open(&self, open: bool) {
        self.inner().files_open = open;
    }

    /// It mounts the network disk with these options.
    pub fn mount_disk_with(&self, options: &str) {
        self.inner().disk_options = Some(options.to_owned());
    }

    /// As with user namespaces: root in an instance can't change a file's project.
    pub fn keep_projects(&self) {
        self.inner().keeps_projects = true;
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

    /// The requests, in order.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.inner().asked.clone()
    }

    pub(crate) fn carry_out(&self, request: &Request) -> Result<Answer, MachineHelperError> {
        let mut inner = self.inner();
        inner.asked.push(request.clone());
        match &inner.fails {
            Some(error) => Err(error.clone()),
            None => Ok(inner.answer(request)),
        }
    }
}

impl Inner {
    fn answer(&mut self, request: &Request) -> Answer {
        match request {
            Request::SetNetworkGuard { guard } => {
                self.guard = Some(guard.clone());
                Answer::Nothing
            }
            Request::ClearNetworkGuard {} => {
                self.guard = None;
                Answer::Nothing
            }
            Request::GetNetworkGuard {} => {
                Answer::NetworkGuard(self.guard.as_ref().map(Guard::state).unwrap_or_default())
            }
            Request::Unmount { .. } => Answer::Unmounted(Unmounted { still_open: self.files_open }),
            Request::FileSystem { .. } => Answer::FileSystem(file_system(self.disk_options.as_deref())),
            Request::SetProjectLimit { project, limit_bytes, .. } => {
                match limit_bytes {
                    Some(bytes) => self.project_limits.insert(*project, *bytes),
                    None => self.project_limits.remove(project),
                };
                Answer::Nothing
            }
            Request::GetProjectQuota { project, .. } => {
                let limit_bytes = self.project_limits.get(project).map(|bytes| bytes.get());
                Answer::ProjectUsage(ProjectUsage { used_bytes: 0, limit_bytes })
            }
            Request::TryProjectChange { .. } => Answer::ProjectChange(ProjectChange { possible: !self.keeps_projects }),
            other => answer(other),
        }
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
        _ => Answer::Nothing,
    }
}
