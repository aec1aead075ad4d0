//! The kernel's table of mounts, and which of them a file lies on.

use std::fs;
use std::os::fd::{AsRawFd, OwnedFd};

use machine_helper::{HOST_ROOT, HostPath, ProjectQuotaState, Refusal};
use rustix::fs::{Mode, OFlags, ResolveFlags};

/// A line of `/proc/self/mountinfo`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mount {
    /// The mount point on the machine.
    pub(super) at: String,
    pub(super) kind: String,
    pub(super) device: String,
    /// Of the mount but whether it can be written, which this container changes.
    options: String,
    super_options: String,
}

impl Mount {
    /// As the kernel lists them.
    pub(super) fn options(&self) -> String {
        [self.super_options.as_str(), self.options.as_str()].join(",").trim_matches(',').to_owned()
    }

    pub(super) fn project_quota(&self) -> ProjectQuotaState {
        let is_on = self.super_options.split(',').any(|option| matches!(option, "prjquota" | "pquota"));
        match self.kind.as_str() {
            "xfs" | "ext4" | "f2fs" if is_on => ProjectQuotaState::On,
            "xfs" | "ext4" | "f2fs" => ProjectQuotaState::Off,
            _ => ProjectQuotaState::NotSupported,
        }
    }
}

/// Opens a path of the machine, without read access. Links are resolved within the machine's mounts that are visible
/// here.
pub(super) fn open_on_host(path: &HostPath) -> Result<OwnedFd, Refusal> {
    let root = rustix::fs::open(HOST_ROOT, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    let resolve = ResolveFlags::IN_ROOT | ResolveFlags::NO_MAGICLINKS;
    Ok(rustix::fs::openat2(root, path.below_root(), OFlags::PATH | OFlags::CLOEXEC, Mode::empty(), resolve)?)
}

/// The mount that an open file lies on.
pub(super) fn of(file: &OwnedFd) -> Result<Mount, Refusal> {
    let info = fs::read_to_string(format!("/proc/self/fdinfo/{}", file.as_raw_fd()))?;
    let id = info.lines().find_map(|line| line.strip_prefix("mnt_id:")).map(str::trim).ok_or(Refusal::NotSupported)?;
    find(&fs::read_to_string("/proc/self/mountinfo")?, id).ok_or(Refusal::NotFound)
}

fn find(table: &str, id: &str) -> Option<Mount> {
    table.lines().find(|line| line.split(' ').next() == Some(id)).and_then(parse)
}

/// `id parent major:minor root at options [tags…] - kind device super-options`.
fn parse(line: &str) -> Option<Mount> {
    let (before, after) = line.split_once(" - ")?;
    let mut before = before.split(' ').skip(4);
    let (at, options) = (unescaped(before.next()?), before.next()?);
    let mut after = after.split(' ');
    let (kind, device, super_options) = (after.next()?, after.next()?, after.next()?);
    let at = match at.strip_prefix(HOST_ROOT) {
        Some("") => "/".to_owned(),
        Some(rest) if rest.starts_with('/') => rest.to_owned(),
        _ => at,
    };
    let kept: Vec<&str> = options.split(',').filter(|option| !matches!(*option, "ro" | "rw")).collect();
    Some(Mount {
        at,
        kind: kind.to_owned(),
        device: unescaped(device),
        options: kept.join(","),
        super_options: super_options.to_owned(),
    })
}

/// Blanks, tabs, line ends and backslashes are written as three octal digits.
fn unescaped(word: &str) -> String {
    let (mut text, mut rest) = (Vec::with_capacity(word.len()), word.as_bytes());
    while let [first, more @ ..] = rest {
        let octal = (*first == b'\\')
            .then(|| more.get(..3))
            .flatten()
            .and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok());
        text.push(octal.unwrap_or(*first));
        rest = if octal.is_some() { &more[3..] } else { more };
    }
    String::from_utf8_lossy(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "22 1 8:1 / /host ro,relatime master:1 - ext4 /dev/sda1 rw,discard\n\
        31 22 8:17 / /host/srv/a\\040b ro,noatime - xfs /dev/sdb1 rw,attr2,prjquota\n\
        40 1 0:5 / /proc rw - proc proc rw\n";

    #[test]
    fn mounts_are_told_as_on_the_machine() {
        let data = find(TABLE, "31").unwrap();
        assert_eq!((data.at.as_str(), data.kind.as_str(), data.device.as_str()), ("/srv/a b", "xfs", "/dev/sdb1"));
        assert_eq!(data.options(), "rw,attr2,prjquota,noatime");
        assert_eq!(data.project_quota(), ProjectQuotaState::On);
        let root = find(TABLE, "22").unwrap();
        assert_eq!((root.at.as_str(), root.project_quota()), ("/", ProjectQuotaState::Off));
        assert_eq!(find(TABLE, "40").unwrap().project_quota(), ProjectQuotaState::NotSupported);
        assert_eq!(find(TABLE, "3"), None);
    }

    #[test]
    fn a_name_is_no_escape_by_chance() {
        assert_eq!(unescaped("a\\134040"), "a\\040");
        assert_eq!(unescaped("\\9z\\04"), "\\9z\\04");
    }
}
