//! What an engine is and can do.

use kernel::Timestamp;

/// How the kernel's control groups are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CgroupVersion {
    /// One tree a controller.
    V1,
    /// One tree.
    V2,
}

/// Whether the size of a container's root can be limited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RootQuota {
    /// By the engine itself.
    Native,
    /// Not at all.
    None {
        /// The file system that the engine's data lie on, as it calls that; empty where it doesn't say.
        backing: String,
    },
}

/// What an engine is and can do, and the machine it runs on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// The engine's own id: two addresses of one engine have the same.
    pub id: String,
    /// The machine's name.
    pub host_name: String,
    /// As in `20.10.24`.
    pub engine_version: String,
    /// What is spoken with it, as in `1.41`.
    pub api_version: String,
    /// As in `Debian GNU/Linux 12 (bookworm)`.
    pub operating_system: String,
    /// The kernel's version.
    pub kernel: String,
    /// As in `x86_64`.
    pub architecture: String,
    /// Cores.
    pub cpus: u32,
    /// Bytes.
    pub memory: u64,
    /// Where images and containers lie on the machine.
    pub data_root: String,
    /// As in `overlay2`.
    pub storage_driver: String,
    /// Whether roots can be limited.
    pub root_quota: RootQuota,
    /// The layout of control groups.
    pub cgroup_version: CgroupVersion,
    /// `systemd` or `cgroupfs`.
    pub cgroup_driver: String,
    /// Whether containers outlive a restart of the engine.
    pub live_restore: bool,
    /// Runtimes by name.
    pub runtimes: Vec<String>,
    /// The runtime of containers that name none; `nvidia` here opens cards to everybody.
    pub default_runtime: String,
    /// Whether CDI is on: cards by `nvidia.com/gpu=<uuid>`.
    pub cdi: bool,
    /// When the first of the certificates ends that the connection rests upon: the CA's, the engine's or ours.
    /// `None` on a socket of this machine.
    pub certificate_end: Option<Timestamp>,
    /// What the engine warns of, in its words.
    pub warnings: Vec<String>,
}

impl Capabilities {
    /// Whether containers can be given NVIDIA cards.
    #[must_use]
    pub fn has_nvidia(&self) -> bool {
        self.cdi || self.runtimes.iter().any(|name| name == "nvidia")
    }
}
