//! The rights of each verb: exactly those that it needs.

use std::time::Duration;

use bollard::models::{DeviceMapping, HostConfig, HostConfigCgroupnsModeEnum, HostConfigLogConfig, Mount, MountType};
use machine_helper::{CGROUP_ROOT, HOST_ROOT, KERNEL_LOG, Request};

use crate::defaults::CAPABILITIES;

/// How a folder of the machine is mounted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    Read,
    Write,
}

/// The rights that a call has beyond an empty container without a network.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Profile {
    /// The machine's root at `/host`.
    host: Option<Access>,
    /// The machine's control groups at `/cgroup`.
    cgroups: bool,
    kernel_log: bool,
    host_pids: bool,
    host_network: bool,
    /// AppArmor's profile for containers forbids mounting and looking at other processes.
    unconfined: bool,
    /// The engine may use a user namespace, as for instances.
    own_users: bool,
    capabilities: &'static [&'static str],
    slow: bool,
}

impl Profile {
    pub(super) fn of(request: &Request) -> Self {
        let none = Self::default();
        match request {
            Request::BootId {} => none,
            Request::FileSystem { .. } => Self { host: Some(Access::Read), capabilities: &["DAC_READ_SEARCH"], ..none },
            Request::KernelLog { .. } => Self { kernel_log: true, capabilities: &["SYSLOG"], ..none },
            Request::Freeze { .. } | Request::Thaw { .. } => Self { cgroups: true, ..none },
            Request::Unmount { .. } => Self {
                host_pids: true,
                unconfined: true,
                capabilities: &["DAC_READ_SEARCH", "SYS_ADMIN", "SYS_CHROOT", "SYS_PTRACE"],
                ..none
            },
            Request::GetProjectQuota { .. } => {
                Self { host: Some(Access::Read), capabilities: &["DAC_READ_SEARCH", "SYS_ADMIN", "SYS_CHROOT"], ..none }
            }
            Request::SetProjectLimit { .. } => Self {
                host: Some(Access::Write),
                capabilities: &["DAC_READ_SEARCH", "SYS_ADMIN", "SYS_CHROOT"],
                ..none
            },
            // The same rights as an instance, since the test is about those.
            Request::TryProjectChange { .. } => {
                Self { host: Some(Access::Write), capabilities: &CAPABILITIES, own_users: true, ..none }
            }
            Request::SetProjectQuota { .. } | Request::ClearProjectQuota { .. } => Self {
                host: Some(Access::Write),
                // Files are passed to the machine's tools through its `/proc`, which shows only its own processes.
                host_pids: true,
                capabilities: &["DAC_OVERRIDE", "DAC_READ_SEARCH", "FOWNER", "SYS_ADMIN", "SYS_CHROOT"],
                slow: true,
                ..none
            },
            Request::GetNetworkGuard {} | Request::SetNetworkGuard { .. } | Request::ClearNetworkGuard {} => Self {
                host: Some(Access::Read),
                host_network: true,
                capabilities: &["DAC_READ_SEARCH", "NET_ADMIN", "SYS_CHROOT"],
                ..none
            },
        }
    }

    /// How long the program may take.
    pub(super) fn limit(self) -> Duration {
        Duration::from_secs(if self.slow { 30 } else { 10 })
    }

    fn needs_machine(self) -> bool {
        self.host.is_some() || self.cgroups || self.kernel_log || self.host_pids || self.host_network
    }

    pub(super) fn host_config(self) -> HostConfig {
        let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        let mode = |shared: bool, own: &str| Some(if shared { "host" } else { own }.to_owned());
        let mut security = vec!["no-new-privileges"];
        if self.needs_machine() {
            security.push("label=disable");
        }
        if self.unconfined {
            security.push("apparmor=unconfined");
        }
        HostConfig {
            auto_remove: Some(true),
            readonly_rootfs: Some(true),
            cap_drop: Some(words(&["ALL"])),
            cap_add: Some(words(self.capabilities)),
            security_opt: Some(words(&security)),
            mounts: Some(self.mounts()),
            devices: Some(self.devices()),
            network_mode: mode(self.host_network, "none"),
            pid_mode: self.host_pids.then(|| "host".to_owned()),
            // Where the engine uses user namespaces, the machine's own is required.
            userns_mode: (self.needs_machine() && !self.own_users).then(|| "host".to_owned()),
            cgroupns_mode: (self.host_pids || self.cgroups).then_some(HostConfigCgroupnsModeEnum::HOST),
            // The answer is read while the program runs, so nothing of it is kept.
            log_config: Some(HostConfigLogConfig { typ: Some("none".to_owned()), config: None }),
            memory: Some(256 << 20),
            pids_limit: Some(64),
            ..HostConfig::default()
        }
    }

    /// Private mounts: a machine whose root is not shared refuses others, and the container is removed before mounts
    /// made meanwhile could matter.
    fn mounts(self) -> Vec<Mount> {
        let bind = |source: &str, target: &str, access: Access| Mount {
            typ: Some(MountType::BIND),
            source: Some(source.to_owned()),
            target: Some(target.to_owned()),
            read_only: Some(access == Access::Read),
            ..Mount::default()
        };
        let host = self.host.map(|access| bind("/", HOST_ROOT, access));
        let cgroups = self.cgroups.then(|| bind("/sys/fs/cgroup", CGROUP_ROOT, Access::Write));
        host.into_iter().chain(cgroups).collect()
    }

    fn devices(self) -> Vec<DeviceMapping> {
        let log = DeviceMapping {
            path_on_host: Some(KERNEL_LOG.to_owned()),
            path_in_container: Some(KERNEL_LOG.to_owned()),
            cgroup_permissions: Some("r".to_owned()),
        };
        self.kernel_log.then_some(log).into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(json: &str) -> HostConfig {
        Profile::of(&serde_json::from_str(json).expect("a request")).host_config()
    }

    #[test]
    fn each_verb_gets_what_it_needs_and_nothing_else() {
        let id = "a".repeat(64);
        let boot = config(r#"{"verb":"boot_id"}"#);
        assert_eq!((boot.cap_add, boot.mounts, boot.devices), (Some(vec![]), Some(vec![]), Some(vec![])));
        assert_eq!((boot.network_mode.as_deref(), boot.pid_mode, boot.userns_mode), (Some("none"), None, None));

        let facts = config(r#"{"verb":"file_system","path":"/srv"}"#);
        assert!(facts.mounts.iter().flatten().all(|mount| mount.read_only == Some(true)));
        assert_eq!((facts.network_mode.as_deref(), facts.pid_mode), (Some("none"), None));

        let freeze = config(&format!(r#"{{"verb":"freeze","container":"{id}"}}"#));
        assert_eq!(freeze.cap_add, Some(vec![]));
        let sources: Vec<_> = freeze.mounts.iter().flatten().filter_map(|mount| mount.source.as_deref()).collect();
        assert_eq!(sources, ["/sys/fs/cgroup"]);

        let unmount = config(&format!(r#"{{"verb":"unmount","container":"{id}","target":"/share"}}"#));
        assert_eq!((unmount.mounts, unmount.network_mode.as_deref()), (Some(vec![]), Some("none")));

        let rules = config(r#"{"verb":"set_network_guard","guard":{"bridges":[],"others":[],"tcp":[],"udp":[]}}"#);
        assert!(rules.mounts.iter().flatten().all(|mount| mount.read_only == Some(true)));
        assert_eq!((rules.network_mode.as_deref(), rules.pid_mode), (Some("host"), None));
    }

    #[test]
    fn none_is_privileged_or_left_behind() {
        for json in [
            r#"{"verb":"boot_id"}"#,
            r#"{"verb":"kernel_log","since_ms":0}"#,
            r#"{"verb":"set_project_quota","root":"/srv","folder":"a","project":1500000000,"limit_bytes":1}"#,
            r#"{"verb":"clear_network_guard"}"#,
        ] {
            let config = config(json);
            assert_eq!((config.privileged, config.auto_remove), (None, Some(true)), "{json}");
            assert_eq!(config.cap_drop, Some(vec!["ALL".to_owned()]), "{json}");
            assert_eq!(config.readonly_rootfs, Some(true), "{json}");
        }
    }

    #[test]
    fn no_word_of_a_caller_is_an_option_or_a_mount() {
        let marked = config(r#"{"verb":"file_system","path":"/marked"}"#);
        assert!(!serde_json::to_string(&marked).expect("json").contains("marked"));
    }
}
