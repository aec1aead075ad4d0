//! Unmounting inside a container, whose programs may change folders and links concurrently.

use machine_helper::{Answer, ContainerId, InstancePath, Refusal, Unmounted};
use rustix::fs::{AtFlags, Mode, OFlags, ResolveFlags};
use rustix::mount::UnmountFlags;
use rustix::thread::{ThreadNameSpaceType, move_into_thread_name_spaces};
use std::os::fd::{AsFd, OwnedFd};

use super::process;

/// File systems through which the kernel is steered: `proc`, `sysfs`, both versions of control groups.
const KERNEL: [u64; 4] = [0x9fa0, 0x6265_6572, 0x0027_e0eb, 0x6367_7270];

pub(super) fn below(container: &ContainerId, target: &InstancePath) -> Result<Answer, Refusal> {
    let first = process::first_of(container)?;
    // The root and the working folder are the container's from here on.
    move_into_thread_name_spaces(first.as_fd(), ThreadNameSpaceType::MOUNT)?;
    let (parent, name) = target.parent_and_name();
    let parent = folder(parent)?;
    // The name is resolved in this open folder, even if its path changes meanwhile.
    rustix::process::fchdir(&parent)?;
    let found = rustix::fs::openat2(
        &parent,
        name,
        OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC,
        Mode::empty(),
        ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS,
    )?;
    refuse_kernel(&parent)?;
    refuse_kernel(&found)?;
    drop(found);
    let still_open = match rustix::mount::unmount(name, UnmountFlags::NOFOLLOW) {
        Ok(()) => false,
        // Detaches it: its path is gone, while programs keep their open files until they close them.
        Err(rustix::io::Errno::BUSY) => {
            rustix::mount::unmount(name, UnmountFlags::NOFOLLOW | UnmountFlags::DETACH)?;
            true
        }
        // Nothing is mounted there.
        Err(rustix::io::Errno::INVAL) => return Err(Refusal::NotFound),
        Err(error) => return Err(error.into()),
    };
    // Programs would write into the empty folder and take it for the one that is gone. Whatever else is there by now
    // stays.
    let _ = rustix::fs::unlinkat(&parent, name, AtFlags::REMOVEDIR);
    Ok(Answer::Unmounted(Unmounted { still_open }))
}

fn folder(path: &str) -> Result<OwnedFd, Refusal> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let root = rustix::fs::open("/", flags, Mode::empty())?;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    Ok(rustix::fs::openat2(root, path, flags, Mode::empty(), resolve)?)
}

/// Mounts of the engine hide parts of these file systems from containers.
fn refuse_kernel(file: &OwnedFd) -> Result<(), Refusal> {
    let kind = u64::try_from(rustix::fs::fstatfs(file)?.f_type).unwrap_or_default();
    if KERNEL.contains(&kind) { Err(Refusal::Denied) } else { Ok(()) }
}
