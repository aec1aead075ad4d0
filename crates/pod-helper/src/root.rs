//! A root that outlives its pod: what is written lies in a folder that is kept, over the container's own root. Needs
//! CAP_SYS_ADMIN, and refuses it outside of a user namespace, where it would be a right over the node.
//!
//! The lower layer is the container's root as its runtime left it, with the files that the runtime put there (mount
//! points, links to libraries of cards). All that is mounted in it is carried over, whatever it is.
//!
//! The new root is moved over the old one: container runtimes' usual filter of system calls has no `pivot_root`. A
//! process that enters the mount namespace later arrives in what is on top.

use std::ffi::CString;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{StatVfsMountFlags, statvfs};
use rustix::mount::{
    MountFlags, UnmountFlags, mount, mount_bind, mount_bind_recursive, mount_move, mount_remount, unmount,
};
use rustix::process::{chdir, chroot};

/// Where the new root is put together.
const PLACE: &str = "/.yunlab/new";

/// Moves this process, and with it the container, into the kept root.
///
/// # Errors
/// The step that failed, and why.
pub(crate) fn make(keep: &Path) -> Result<(), String> {
    let map = fs::read_to_string("/proc/self/uid_map").map_err(|error| format!("uid_map: {error}"))?;
    if is_everyone(&map) {
        return Err("the pod has no user namespace of its own".to_owned());
    }
    let place = Path::new(PLACE);
    let upper = keep.join("upper");
    let work = keep.join("work");
    for folder in [upper.as_path(), work.as_path(), place] {
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    overlay(&upper, &work, place)?;
    let mounts = fs::read_to_string("/proc/self/mountinfo").map_err(|error| format!("mountinfo: {error}"))?;
    for mounted in carried(&mounts, &[keep, place]) {
        let target = place.join(mounted.strip_prefix("/").unwrap_or(&mounted));
        provide(&mounted, &target)?;
        mount_bind_recursive(&mounted, &target).map_err(|error| format!("carrying {}: {error}", mounted.display()))?;
    }
    show(keep, place);
    chdir(place).map_err(|error| format!("chdir: {error}"))?;
    mount_move(".", "/").map_err(|error| format!("moving the root: {error}"))?;
    chroot(".").map_err(|error| format!("chroot: {error}"))?;
    chdir("/").map_err(|error| format!("chdir: {error}"))
}

/// Has the kept folder be seen in the new root, for reading only, so that an image can be made of it while the workload
/// runs. Nothing else needs it.
fn show(keep: &Path, place: &Path) {
    let shown = place.join(keep.strip_prefix("/").unwrap_or(keep));
    if provide(keep, &shown).is_err() || mount_bind(keep, &shown).is_err() {
        return;
    }
    // Flags that the mount came with can't be taken away here.
    let flags = statvfs(keep).map(|found| found.f_flag).unwrap_or(StatVfsMountFlags::empty());
    let mut wanted = MountFlags::BIND | MountFlags::RDONLY;
    for (present, flag) in [
        (StatVfsMountFlags::NOSUID, MountFlags::NOSUID),
        (StatVfsMountFlags::NODEV, MountFlags::NODEV),
        (StatVfsMountFlags::NOEXEC, MountFlags::NOEXEC),
    ] {
        wanted.set(flag, flags.contains(present));
    }
    if mount_remount(&shown, wanted, "").is_err() {
        // Written past its overlay, a root would be broken.
        let _ = unmount(&shown, UnmountFlags::DETACH);
    }
}

/// Whether a user namespace has all users of the machine, as its first one does: `0 0 4294967295`.
fn is_everyone(uid_map: &str) -> bool {
    uid_map.split_whitespace().eq(["0", "0", "4294967295"])
}

fn overlay(upper: &Path, work: &Path, place: &Path) -> Result<(), String> {
    // Within a user namespace overlays keep their marks in `user.` attributes. Without it, a folder that was removed can't be
    // created again.
    let mut options = b"lowerdir=/,userxattr,upperdir=".to_vec();
    options.extend_from_slice(upper.as_os_str().as_bytes());
    options.extend_from_slice(b",workdir=");
    options.extend_from_slice(work.as_os_str().as_bytes());
    let options = CString::new(options).map_err(|error| error.to_string())?;
    mount("root", place, "overlay", MountFlags::empty(), options.as_c_str())
        .map_err(|error| format!("mounting an overlay: {error}"))
}

/// Mount points directly in the root, except these; those below them come along.
fn carried(mounts: &str, except: &[&Path]) -> Vec<PathBuf> {
    let mut points: Vec<PathBuf> = mounts.lines().filter_map(|line| line.split(' ').nth(4)).map(unescaped).collect();
    points.retain(|point| point != Path::new("/") && !except.contains(&point.as_path()));
    points.sort();
    let mut top: Vec<PathBuf> = Vec::new();
    for point in points {
        if !top.iter().any(|above| point.starts_with(above)) {
            top.push(point);
        }
    }
    top
}

/// As the kernel writes blanks and the like in paths: `\040`.
fn unescaped(path: &str) -> PathBuf {
    let bytes = path.as_bytes();
    let (mut plain, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while at < bytes.len() {
        let octal = bytes.get(at + 1..at + 4).filter(|_| bytes[at] == b'\\');
        let octal = octal.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok());
        plain.push(octal.unwrap_or(bytes[at]));
        at += if octal.is_some() { 4 } else { 1 };
    }
    PathBuf::from(std::ffi::OsStr::from_bytes(&plain))
}

/// Something to mount upon, of the same kind. The lower root has it, unless it was deleted.
fn provide(mounted: &Path, target: &Path) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", target.display());
    let is_folder = fs::metadata(mounted).map_err(failed)?.is_dir();
    match fs::symlink_metadata(target) {
        Ok(found) if found.is_dir() == is_folder && !found.is_symlink() => return Ok(()),
        Ok(found) if found.is_dir() => fs::remove_dir_all(target).map_err(failed)?,
        Ok(_) => fs::remove_file(target).map_err(failed)?,
        Err(_) => {}
    }
    if is_folder {
        return fs::create_dir_all(target).map_err(failed);
    }
    if let Some(folder) = target.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    fs::File::create(target).map(drop).map_err(failed)
}

/// Tries all that a kept root does, and leaves its folder empty.
///
/// # Errors
/// What is not possible here.
pub(crate) fn attempt(keep: &Path) -> Result<u8, String> {
    make(keep)?;
    let failed = |what: &'static str| move |error: std::io::Error| format!("{what}: {error}");
    let folder = Path::new("/.yunlab-attempt");
    fs::create_dir_all(folder.join("in")).map_err(failed("creating a folder"))?;
    fs::remove_dir_all(folder).map_err(failed("removing a folder"))?;
    // Refused by an overlay that can't mark a folder as new.
    fs::create_dir(folder).map_err(failed("creating a removed folder again"))?;
    let file = folder.join("file");
    fs::write(&file, "text").map_err(failed("writing"))?;
    fs::hard_link(&file, folder.join("link")).map_err(failed("linking"))?;
    std::os::unix::fs::chown(&file, Some(1000), Some(1000)).map_err(failed("changing an owner"))?;
    fs::remove_dir_all(folder).map_err(failed("removing"))?;
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_user_namespace_of_the_pod_gets_a_root() {
        assert!(is_everyone("         0          0 4294967295\n"));
        assert!(!is_everyone("         0  131072000      65536\n"));
        assert!(!is_everyone("0 0 1\n1 100000 65536\n"));
    }

    #[test]
    fn what_is_mounted_in_the_root_is_carried_over_once() {
        let mounts = "1 0 0:1 / / rw - overlay overlay rw\n2 1 0:2 / /proc rw - proc proc rw\n\
            3 2 0:2 /sys /proc/sys ro - proc proc rw\n4 1 0:3 / /dev rw - tmpfs tmpfs rw\n5 1 8:1 /x /etc/hosts rw - ext4 x rw\n\
            6 1 8:1 /y /.yunlab/root rw - ext4 x rw\n7 1 8:1 /z /home/a\\040b rw - ext4 x rw\n8 1 0:4 / /devices rw - t t rw\n";
        let carried = carried(mounts, &[Path::new("/.yunlab/root")]);
        assert_eq!(carried, ["/dev", "/devices", "/etc/hosts", "/home/a b", "/proc"].map(PathBuf::from));
    }
}
