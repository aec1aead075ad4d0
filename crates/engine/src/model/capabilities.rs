//! An engine's facts and capabilities.

use kernel::Timestamp;

/// How the kernel's control groups are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CgroupVersion {
    /// One hierarchy per controller.
    V1,
    /// One hierarchy.
    V2,
}

/// Whether the size of a container's root can be limited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RootQuota {
    /// By the engine itself.
    Native,
    /// Not at all.
    None {
        /// The file system of the engine's data, in the engine's words; empty where it does not say.
        backing: String,
    },
}

/// An engine's facts and capabilities, and those of its machine. Most are only shown. The portal tells clusters apart by
/// `id`, `host_name` and `data_root` together, counts on `cpus` and `memory`, gives out NVIDIA cards by
/// [`Capabilities::has_nvidia`], and warns before `certificate_end`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// The engine's own id: the same at every address of the engine.
    pub id: String,
    /// The machine's name.
    pub host_name: String,
    /// As in `20.10.24`.
    pub engine_version: String,
    /// The negotiated API version, as in `1.41`; empty where there is none.
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
    /// The default runtime of containers; `nvidia` here would give cards to every container.
    pub default_runtime: String,
    /// Whether CDI is on: cards by `nvidia.com/gpu=<uuid>`.
    pub cdi: bool,
    /// The earliest end among the certificates of the connection: the CA's, the engine's or ours. `None` on a socket of
    /// this machine.
    pub certificate_end: Option<Timestamp>,
    /// The engine's warnings, in its words.
    pub warnings: Vec<String>,
}

impl Capabilities {
    /// Whether containers can use NVIDIA cards.
    #[must_use]
    pub fn has_nvidia(&self) -> bool {
        self.cdi || self.runtimes.iter().any(|name| name == "nvidia")
    }
}
