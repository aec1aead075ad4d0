//! Checks for file systems mounted at or below an entry. Deleting such a folder, or moving it elsewhere by a copy,
//! would remove the mount from its place.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use rustix::fd::AsRawFd;
use rustix::fs::{Mode, OFlags, openat, readlinkat};
use rustix::io::Errno;

use super::{Entry, Jail};

impl Jail {
    /// Whether this entry is a mount point or contains one.
    pub(crate) fn holds_mounts(&self, entry: &Entry) -> Result<bool, Errno> {
        let handle = openat(
            &entry.folder,
            entry.name.as_os_str(),
            OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC,
            Mode::empty(),
        )?;
        let number = handle.as_raw_fd().to_string();
        let path = match readlinkat(&self.handles, number.as_str(), Vec::new()) {
            Ok(path) => OsString::from_vec(path.into_bytes()),
            // So deep that the mount table could not name it either.
            Err(Errno::NAMETOOLONG) => return Ok(false),
            Err(other) => return Err(other),
        };
        // Without the table no mounts are known, and the kernel still refuses changes of the mount points themselves.
        let table = std::fs::read("/proc/self/mountinfo").unwrap_or_default();
        Ok(mount_points(&table).any(|point| holds(&point, &path)))
    }
}

fn holds(point: &[u8], folder: &OsStr) -> bool {
    point.strip_prefix(folder.as_bytes()).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
}

/// The fifth field of each line (proc(5)).
fn mount_points(table: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let fields = |line| <[u8]>::split(line, |byte: &u8| *byte == b' ').nth(4);
    table.split(|byte| *byte == b'\n').filter_map(fields).map(unescaped)
}

/// Spaces, tabs, line feeds and backslashes are written as three octal digits.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..3).filter(|_| *first == b'\\').and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) => {
                out.push(byte);
                rest = &after[3..];
            }
            None => {
                out.push(*first);
                rest = after;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mount_points_with_awkward_names() {
        let table = b"29 1 254:0 / / rw - ext4 /dev/vda rw\n40 29 0:31 / /data/a\\040b/\\134n rw - tmpfs none rw\n";
        let points: Vec<Vec<u8>> = mount_points(table).collect();
        assert_eq!(points, [b"/".to_vec(), b"/data/a b/\\n".to_vec()]);
        assert!(holds(&points[1], OsStr::new("/data/a b")) && !holds(&points[1], OsStr::new("/data/a")));
        assert!(holds(&points[1], OsStr::new("/data/a b/\\n")));
    }
}
