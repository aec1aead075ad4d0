//! The protocol of the machine helper, used by both of its sides: the portal's requests to a server's machine, and the
//! answers.
//!
//! The program beside this library (`main.rs`) runs in a short-lived container with the rights of its verb. It takes
//! exactly one [`Request`] as its argument and writes one [`Reply`]. Every argument has a closed type that rejects
//! invalid values when it is parsed, so neither side can hold one. Nothing here is text for people: the portal words
//! the codes.

mod answer;
mod argument;
mod refusal;
mod request;

pub use answer::{
    Answer, Boot, FileSystem, KernelLog, LogLine, ProjectChange, ProjectQuotaState, ProjectUsage, Reflink, Reply,
    Unmounted,
};
pub use argument::{
    BRIDGE_PREFIX, BootId, BridgeName, ContainerId, Fact, Folder, Guard, GuardState, HostPath, InstancePath,
    InterfaceName, Invalid, LogText, ProjectId, Span,
};
pub use refusal::Refusal;
pub use request::Request;

/// The longest request, in bytes of JSON. The kernel takes arguments of up to 128 KiB.
pub const MAX_REQUEST_BYTES: usize = 96 << 10;
/// The longest reply, in bytes of JSON.
pub const MAX_REPLY_BYTES: usize = 256 << 10;
/// The most lines of the kernel's log in one reply: the newest ones.
pub const MAX_LOG_LINES: usize = 512;
/// Bytes of text in these lines together.
pub const MAX_LOG_BYTES: usize = 128 << 10;
/// Where the machine's root is mounted for the verbs that need it.
pub const HOST_ROOT: &str = "/host";
/// Where the machine's control groups are mounted for the verbs that need them.
pub const CGROUP_ROOT: &str = "/cgroup";
/// The kernel's log for the verb that reads it.
pub const KERNEL_LOG: &str = "/dev/kmsg";
