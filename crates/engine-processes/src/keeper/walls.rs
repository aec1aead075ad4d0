//! What is around a workload's programs.

use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::Command;

use rustix::fs::CWD;
use rustix::mount::{
    MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, mount, mount_change, mount_remount, move_mount,
    open_tree,
};
use rustix::thread::UnshareFlags;

use crate::record::Record;

/// What every program finds in `/dev`.
const DEVICES: [&str; 6] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/// Leaves the machine's mounts, host name, network and shared memory.
pub(super) fn leave(host_name: &str) -> io::Result<()> {
    let spaces = UnshareFlags::NEWNS | UnshareFlags::NEWUTS | UnshareFlags::NEWNET | UnshareFlags::NEWIPC;
    #[expect(deprecated, reason = "only for `FILES`, which is not among them")]
    rustix::thread::unshare(spaces)?;
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
    rustix::system::sethostname(host_name.as_bytes())?;
    let loopback = Command::new("ip").args(["link", "set", "lo", "up"]).status()?;
    if loopback.success() { Ok(()) } else { Err(io::Error::other("ip link set lo up has failed")) }
}

/// Goes into the root, with its devices and folders.
pub(super) fn enter(root: &Path, record: &Record) -> io::Result<()> {
    let nodes = DEVICES.into_iter().chain(record.nodes.iter().map(String::as_str));
    let devices = nodes.map(|node| Ok((node, tree(node)?))).collect::<io::Result<Vec<_>>>()?;
    let binds = record.mounts.iter().map(|bind| Ok((bind, tree(&bind.source)?))).collect::<io::Result<Vec<_>>>()?;
    rustix::process::chroot(root)?;
    std::env::set_current_dir("/")?;
    // From here on no link in the root leads out of it.
    fs::create_dir_all("/dev")?;
    mount("tmpfs", "/dev", "tmpfs", MountFlags::NOSUID, Some(c"mode=755,size=64k"))?;
    for (node, tree) in devices {
        fs::create_dir_all(Path::new(node).parent().unwrap_or(Path::new("/dev")))?;
        File::create(node)?;
        place(&tree, node)?;
    }
    fs::create_dir_all("/dev/shm")?;
    let size = std::ffi::CString::new(format!("mode=1777,size={}", record.shm))?;
    mount("tmpfs", "/dev/shm", "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, Some(size.as_c_str()))?;
    for (bind, tree) in binds {
        fs::create_dir_all(&bind.target)?;
        place(&tree, &bind.target)?;
        let read_only = if bind.read_only { MountFlags::RDONLY } else { MountFlags::empty() };
        let flags = MountFlags::BIND | MountFlags::NOSUID | MountFlags::NODEV | read_only;
        mount_remount(bind.target.as_str(), flags, "")?;
    }
    Ok(())
}

fn tree(path: &str) -> io::Result<OwnedFd> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC;
    open_tree(CWD, path, flags).map_err(|fault| io::Error::other(format!("{path}: {fault}")))
}

fn place(tree: &OwnedFd, target: &str) -> io::Result<()> {
    Ok(move_mount(tree, "", CWD, target, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?)
}
