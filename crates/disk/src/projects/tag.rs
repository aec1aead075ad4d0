//! Setting the project of files and folders, many in one call of `xfs_io`.
//!
//! A folder is tagged before it is looked into, so that what others make in it meanwhile either inherits its project or
//! is found. Links, pipes and the like take no room and are left out.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use anyhow::anyhow;
use rustix::fd::{AsFd, AsRawFd, OwnedFd};
use rustix::fs::{Mode, OFlags, openat};
use rustix::io::Errno;

use crate::error::{DiskError, DiskResult};
use crate::jail::{Kind, Meta, names_in};

/// Where xfsprogs is installed.
const PROGRAMS: [&str; 4] = ["/usr/sbin/xfs_io", "/sbin/xfs_io", "/usr/bin/xfs_io", "/usr/local/sbin/xfs_io"];
/// Entries that it is handed at once.
const AT_ONCE: usize = 128;

/// The program, where it is installed.
pub(super) fn program() -> Option<&'static str> {
    PROGRAMS.into_iter().find(|path| Path::new(path).is_file())
}

/// Tags an entry and all in it that lies on the same mount. `go_on` is asked for each entry; false when it ended that.
pub(super) fn tag(
    folder: impl AsFd,
    name: &OsStr,
    project: Option<u32>,
    go_on: &mut dyn FnMut() -> bool,
) -> DiskResult<bool> {
    let mount = Meta::at(&folder, name)?.mount;
    let start = folder.as_fd().try_clone_to_owned().map_err(DiskError::from)?;
    let mut waiting: Vec<(Arc<OwnedFd>, OsString)> = vec![(Arc::new(start), name.to_owned())];
    while !waiting.is_empty() {
        let some = waiting.split_off(waiting.len().saturating_sub(AT_ONCE));
        let (mut files, mut folders) = (Vec::new(), Vec::new());
        for (parent, name) in some {
            if !go_on() {
                return Ok(false);
            }
            match open(&parent, &name, mount)? {
                Some((file, Kind::Folder)) => folders.push(Arc::new(file)),
                Some((file, Kind::File)) => files.push(file),
                _ => {}
            }
        }
        change(&files.iter().map(AsRawFd::as_raw_fd).collect::<Vec<_>>(), project, false)?;
        change(&folders.iter().map(|folder| folder.as_raw_fd()).collect::<Vec<_>>(), project, true)?;
        for folder in folders {
            let names = match names_in(&folder) {
                Err(Errno::NOENT) => continue,
                names => names?,
            };
            waiting.extend(names.into_iter().map(|name| (Arc::clone(&folder), name)));
        }
    }
    Ok(true)
}

/// `None` for what is gone or lies on another mount.
fn open(parent: &OwnedFd, name: &OsStr, mount: u64) -> DiskResult<Option<(OwnedFd, Kind)>> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = match openat(parent, name, flags, Mode::empty()) {
        Err(Errno::NOENT) => return Ok(None),
        opened => opened?,
    };
    let meta = Meta::of(&file)?;
    Ok((meta.mount == mount).then_some((file, meta.kind)))
}

fn change(handles: &[i32], project: Option<u32>, folders: bool) -> DiskResult<()> {
    if handles.is_empty() {
        return Ok(());
    }
    let program = program().ok_or_else(|| DiskError::internal(anyhow!("xfs_io of xfsprogs is not installed")))?;
    let own = std::process::id();
    let mut command = Command::new(program);
    command.env_clear().env("LC_ALL", "C").stdin(Stdio::null());
    command.arg("-r").arg("-c").arg(format!("chproj {}", project.unwrap_or_default()));
    if folders {
        command.arg("-c").arg(if project.is_some() { "chattr +P" } else { "chattr -P" });
    }
    // It opens them again through this process, so that none is left to programs that others start meanwhile.
    command.args(handles.iter().map(|handle| format!("/proc/{own}/fd/{handle}")));
    let output = command.output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.success() && said.is_empty() {
        return Ok(());
    }
    if said.contains("quota exceeded") || said.contains("No space left") {
        return Err(DiskError::InsufficientStorage("quota exceeded"));
    }
    let said: String = said.chars().take(500).collect();
    Err(DiskError::internal(anyhow!("xfs_io could not set a project: {said}")))
}
