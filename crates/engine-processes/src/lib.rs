//! A cluster of plain processes on this machine, to see whether the documents of `engine` are enough to write a driver.
//! Never shipped.
//!
//! The cluster is a folder. A workload is a folder `objects/NAME` in it: `record.json` says what it is, `root` is its
//! root, and beside them are its log and the programs that were run in it. A keeper, which is a process of its own,
//! starts the program, forwards its ports, writes its log and notes its end; so the work goes on without any driver,
//! and the next one reads the folder. An image is a tar with `image.json` and `rootfs/`, a registry a folder of them.
//!
//! Programs have a root, mounts, a host name and a network of their own, but share the machine's processes, and nothing
//! limits them: [`ProcessRuntime`] says so in its diagnosis.

mod apply;
mod capabilities;
mod diagnosis;
mod images;
pub mod keeper;
mod logs;
mod process;
mod procfs;
mod record;
mod runtime;
mod store;
mod usage;
mod users;

pub use runtime::ProcessRuntime;
