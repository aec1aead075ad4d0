//! The closed list of verbs.

use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};

use crate::{ContainerId, Folder, Guard, HostPath, InstancePath, ProjectId};

/// A request to a machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verb", rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    /// The machine's boot id and clocks.
    BootId {},
    /// The file system of this path.
    FileSystem { path: HostPath },
    /// The kernel's log since this many milliseconds after the boot.
    KernelLog { since_ms: u64 },
    /// Stops all programs of a container where they are.
    Freeze { container: ContainerId },
    /// Resumes them.
    Thaw { container: ContainerId },
    /// Unmounts the mount at this path inside a container, even while it is in use, and removes the empty folder that it
    /// was mounted on.
    Unmount { container: ContainerId, target: InstancePath },
    /// Assigns `folder`, below `root`, to the project, and limits the project to this many bytes.
    SetProjectQuota { root: HostPath, folder: Folder, project: ProjectId, limit_bytes: NonZeroU64 },
    /// The project's usage and limit on the file system of `root`.
    GetProjectQuota { root: HostPath, project: ProjectId },
    /// Limits the project to this many bytes on the file system of `root`; `None` lifts the limit.
    SetProjectLimit { root: HostPath, project: ProjectId, limit_bytes: Option<NonZeroU64> },
    /// Whether a program with the rights of an instance's may take a file of its own out of its project there.
    TryProjectChange { root: HostPath },
    /// Counts `folder` for no project any more and lifts the project's limit.
    ClearProjectQuota { root: HostPath, folder: Folder, project: ProjectId },
    /// Puts a table that keeps these bridges apart in the place of our network table.
    SetNetworkGuard { guard: Guard },
    /// The state of our network table.
    GetNetworkGuard {},
    /// Removes our network table.
    ClearNetworkGuard {},
}

impl Request {
    /// The verb in JSON.
    #[must_use]
    pub fn verb(&self) -> &'static str {
        match self {
            Self::BootId {} => "boot_id",
            Self::FileSystem { .. } => "file_system",
            Self::KernelLog { .. } => "kernel_log",
            Self::Freeze { .. } => "freeze",
            Self::Thaw { .. } => "thaw",
            Self::Unmount { .. } => "unmount",
            Self::SetProjectQuota { .. } => "set_project_quota",
            Self::GetProjectQuota { .. } => "get_project_quota",
            Self::SetProjectLimit { .. } => "set_project_limit",
            Self::TryProjectChange { .. } => "try_project_change",
            Self::ClearProjectQuota { .. } => "clear_project_quota",
            Self::SetNetworkGuard { .. } => "set_network_guard",
            Self::GetNetworkGuard {} => "get_network_guard",
            Self::ClearNetworkGuard {} => "clear_network_guard",
        }
    }

    /// The container that the request is about, which must be an instance of the portal's.
    #[must_use]
    pub fn container(&self) -> Option<&ContainerId> {
        match self {
            Self::Freeze { container } | Self::Thaw { container } | Self::Unmount { container, .. } => Some(container),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_the_closed_list_is_read() {
        let id = "0a".repeat(32);
        let freeze = format!(r#"{{"verb":"freeze","container":"{id}"}}"#);
        let request: Request = serde_json::from_str(&freeze).unwrap();
        assert_eq!((request.verb(), request.container().map(ContainerId::as_str)), ("freeze", Some(id.as_str())));
        for bad in [
            r#"{"verb":"run","command":"sh"}"#.to_owned(),
            r#"{"verb":"boot_id","more":1}"#.to_owned(),
            r#"{"verb":"freeze","container":"../x"}"#.to_owned(),
            format!(r#"{{"verb":"unmount","container":"{id}","target":"/"}}"#),
            r#"{"verb":"get_project_quota","root":"/srv","project":0}"#.to_owned(),
            format!(
                r#"{{"verb":"set_project_quota","root":"/srv","folder":"../x","project":{},"limit_bytes":1}}"#,
                1_500_000_000
            ),
            r#"{"verb":"kernel_log","since_ms":-1}"#.to_owned(),
        ] {
            assert!(serde_json::from_str::<Request>(&bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn each_verb_is_called_as_in_json() {
        let path: HostPath = "/srv".parse().unwrap();
        for request in [Request::BootId {}, Request::FileSystem { path }, Request::GetNetworkGuard {}] {
            let json = serde_json::to_value(&request).unwrap();
            assert_eq!(json["verb"], request.verb());
        }
    }
}
