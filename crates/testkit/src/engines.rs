//! Real container engines and a real registry for tests: Debian's `docker.io`, `busybox-static` and `docker-registry`.
//!
//! Requires root, control groups mounted below `/sys/fs/cgroup` and a file system that overlays work on (else Docker
//! falls back to `vfs` by itself). Each engine has its own socket, data, processes, bridge and addresses. Packet
//! filters are not used (`--iptables=false`): starting an engine would clear the rules of the others, and published
//! ports work through its proxy processes.

mod engine;
mod network;
mod registry;
mod rubbish;

pub use engine::TestEngine;
pub use registry::TestRegistry;
