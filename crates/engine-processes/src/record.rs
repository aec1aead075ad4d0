//! What is written down beside a root, for the driver and the keeper alike.

use std::fs;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

use rustix::fs::{Mode, OFlags};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::procfs;

/// An object, outside its root.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Record {
    /// The workload that it is; `None` for what was started past every portal.
    pub(crate) workload: Option<String>,
    pub(crate) generation: u64,
    pub(crate) object: String,
    pub(crate) image: String,
    pub(crate) digest: String,
    pub(crate) config: Config,
    pub(crate) argv: Vec<String>,
    pub(crate) environment: Vec<(String, String)>,
    pub(crate) host_name: String,
    pub(crate) cards: Vec<String>,
    pub(crate) nodes: Vec<String>,
    pub(crate) mounts: Vec<Bind>,
    pub(crate) ports: Vec<Forward>,
    /// Bytes.
    pub(crate) memory: u64,
    /// Bytes.
    pub(crate) shm: u64,
    pub(crate) no_new_privileges: bool,
}

/// What an image says of its program.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Config {
    pub(crate) command: Vec<String>,
    pub(crate) environment: Vec<(String, String)>,
    pub(crate) working_dir: String,
    pub(crate) user: String,
}

/// A folder of the machine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Bind {
    pub(crate) source: String,
    pub(crate) target: String,
    pub(crate) read_only: bool,
}

/// A TCP port.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Forward {
    pub(crate) port: u16,
    pub(crate) node_port: u16,
}

/// A program to be run beside the workload's own.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Errand {
    pub(crate) argv: Vec<String>,
    pub(crate) environment: Vec<(String, String)>,
    pub(crate) working_dir: String,
    pub(crate) user: String,
    /// The path of its terminal on the machine.
    pub(crate) terminal: Option<String>,
}

/// That something was started. It stays after the end.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Life {
    /// The machine's boot.
    pub(crate) boot: String,
    pub(crate) keeper: u32,
    /// When the keeper was started, in ticks since the boot, so that its number can't be that of a later process.
    pub(crate) born: u64,
    pub(crate) program: u32,
    /// The network that its processes are in.
    pub(crate) space: String,
    /// Milliseconds since 1970.
    pub(crate) started: i64,
}

impl Life {
    /// Whether the keeper is there, and so the program.
    pub(crate) fn lasts(&self) -> bool {
        self.boot == procfs::boot() && procfs::stat(self.keeper).is_some_and(|stat| stat.born == self.born)
    }
}

/// How something ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Ending {
    pub(crate) code: i64,
    /// Milliseconds since 1970.
    pub(crate) at: i64,
    pub(crate) error: String,
}

/// What a keeper tells its driver, on one line.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Start {
    Running,
    /// Another keeper was first.
    Already,
    PortTaken(String),
    Failed(String),
}

/// A file of a folder, replaced as a whole.
pub(crate) fn put<T: Serialize>(folder: BorrowedFd<'_>, name: &str, value: &T) -> io::Result<()> {
    let new = format!(".{name}");
    let flags = OFlags::CREATE | OFlags::TRUNC | OFlags::WRONLY | OFlags::CLOEXEC;
    let mut file = fs::File::from(rustix::fs::openat(folder, &new, flags, Mode::from_raw_mode(0o600))?);
    file.write_all(&serde_json::to_vec(value)?)?;
    file.sync_all()?;
    Ok(rustix::fs::renameat(folder, &new, folder, name)?)
}

/// The same, by path.
pub(crate) fn put_in<T: Serialize>(folder: &Path, name: &str, value: &T) -> io::Result<()> {
    put(fs::File::open(folder)?.as_fd(), name, value)
}

/// `None` when it is not there.
pub(crate) fn get<T: DeserializeOwned>(path: &Path) -> io::Result<Option<T>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes)?)),
        Err(fault) if fault.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(fault) => Err(fault),
    }
}
