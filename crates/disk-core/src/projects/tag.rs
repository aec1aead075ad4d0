//! Sets the project of files and folders, many in one call of `xfs_io`.
//!
//! A folder is tagged before its entries are read, so that entries made concurrently either inherit its project or are
//! found. Links, pipes and the like take no space and are left out.

use std::ffi::{OsStr, OsString};
use std::mem::take;
use std::path::Path;
use std::process::{Command, Stdio};
use std::rc::{Rc, Weak};
use std::time::{Duration, Instant};

use anyhow::anyhow;
use rustix::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use rustix::fs::{Mode, OFlags, openat};
use rustix::io::Errno;

use crate::error::{DiskError, DiskResult};
use crate::jail::{Kind, Meta, names_in};
use crate::reason::Reason;

/// Where xfsprogs is installed.
const PROGRAMS: [&str; 4] = ["/usr/sbin/xfs_io", "/sbin/xfs_io", "/usr/bin/xfs_io", "/usr/local/sbin/xfs_io"];
/// Entries that it is handed at once.
const AT_ONCE: usize = 128;
/// Maximum nesting of folders; each level costs an open file.
const MAX_LEVELS: usize = 400;
/// Above this number of open folders, one is finished before the next is opened: an instance can create any number of
/// them.
const MOST_OPEN: usize = 1024;

/// The program, where it is installed.
pub(super) fn program() -> Option<&'static str> {
    PROGRAMS.into_iter().find(|path| Path::new(path).is_file())
}

/// Called for each entry, and at the end, with the programs' running time since the last call: whether to continue.
pub(super) type GoOn<'a> = &'a mut dyn FnMut(Duration) -> bool;

/// Tags an entry and all in it that lies on the same mount; false when `go_on` ended that.
pub(super) fn tag(folder: impl AsFd, name: &OsStr, project: Option<u32>, go_on: GoOn<'_>) -> DiskResult<bool> {
    walk(folder, name, go_on, &mut |handles, are_folders| change(handles, project, are_folders))
}

/// An entry that waits for its turn.
struct Waiting {
    parent: Rc<OwnedFd>,
    name: OsString,
    /// Remaining levels below it.
    levels: usize,
    /// A folder whose entries are to be tagged.
    tagged: bool,
}

/// Which entries are left.
struct Tagging {
    mount: u64,
    /// Taken from the end.
    waiting: Vec<Waiting>,
    /// Folders that were opened for their entries.
    opened: Vec<Weak<OwnedFd>>,
}

/// Hands over handles, files and folders each by themselves.
fn walk(
    folder: impl AsFd,
    name: &OsStr,
    go_on: GoOn<'_>,
    tag: &mut dyn FnMut(&[RawFd], bool) -> DiskResult<()>,
) -> DiskResult<bool> {
    let mount = Meta::at(&folder, name)?.mount;
    let parent = Rc::new(folder.as_fd().try_clone_to_owned().map_err(DiskError::from)?);
    let start = Waiting { parent, name: name.to_owned(), levels: MAX_LEVELS, tagged: false };
    let mut ran = Duration::ZERO;
    let mut tagging = Tagging { mount, waiting: vec![start], opened: Vec::new() };
    loop {
        let some = tagging.next_entries()?;
        if some.is_empty() {
            go_on(ran);
            return Ok(true);
        }
        let (mut files, mut folders) = (Vec::new(), Vec::new());
        for one in some {
            if !go_on(take(&mut ran)) {
                return Ok(false);
            }
            match open(&one.parent, &one.name, mount)? {
                Some((file, Kind::Folder)) => folders.push((file, one)),
                Some((file, Kind::File)) => files.push(file),
                _ => {}
            }
        }
        let begun = Instant::now();
        tag(&files.iter().map(AsRawFd::as_raw_fd).collect::<Vec<_>>(), false)?;
        tag(&folders.iter().map(|(folder, _)| folder.as_raw_fd()).collect::<Vec<_>>(), true)?;
        ran += begun.elapsed();
        tagging.waiting.extend(folders.into_iter().map(|(_, one)| Waiting { tagged: true, ..one }));
    }
}

impl Tagging {
    /// The next entries to be tagged, from several folders where few are open.
    fn next_entries(&mut self) -> DiskResult<Vec<Waiting>> {
        let mut some = Vec::new();
        while some.len() < AT_ONCE {
            let Some(next) = self.waiting.pop() else { break };
            if !next.tagged {
                some.push(next);
            } else if some.is_empty() || !self.has_many_open() {
                self.look_into(&next)?;
            } else {
                self.waiting.push(next);
                break;
            }
        }
        Ok(some)
    }

    fn has_many_open(&mut self) -> bool {
        if self.opened.len() >= MOST_OPEN {
            self.opened.retain(|folder| folder.strong_count() > 0);
        }
        self.opened.len() >= MOST_OPEN
    }

    /// Opened again by its name: it accepts no entry of another project, so any folder with that name has the tag as
    /// well.
    fn look_into(&mut self, folder: &Waiting) -> DiskResult<()> {
        let Some(levels) = folder.levels.checked_sub(1) else { return Ok(()) };
        let Some((handle, Kind::Folder)) = open(&folder.parent, &folder.name, self.mount)? else { return Ok(()) };
        let names = match names_in(&handle) {
            Err(Errno::NOENT) => return Ok(()),
            names => names?,
        };
        let parent = Rc::new(handle);
        self.opened.push(Rc::downgrade(&parent));
        let below = |name| Waiting { parent: Rc::clone(&parent), name, levels, tagged: false };
        self.waiting.extend(names.into_iter().map(below));
        Ok(())
    }
}

/// `None` for an entry that vanished or lies on another mount.
fn open(parent: &OwnedFd, name: &OsStr, mount: u64) -> DiskResult<Option<(OwnedFd, Kind)>> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = match openat(parent, name, flags, Mode::empty()) {
        Err(Errno::NOENT) => return Ok(None),
        opened => opened?,
    };
    let meta = Meta::of(&file)?;
    Ok((meta.mount == mount).then_some((file, meta.kind)))
}

fn change(handles: &[RawFd], project: Option<u32>, folders: bool) -> DiskResult<()> {
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
    // `xfs_io` opens them again through this process, so that no handle is inherited by programs started concurrently.
    command.args(handles.iter().map(|handle| format!("/proc/{own}/fd/{handle}")));
    let output = command.output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.success() && said.is_empty() {
        return Ok(());
    }
    if said.contains("quota exceeded") || said.contains("No space left") {
        return Err(DiskError::InsufficientStorage(Reason::QuotaExceeded));
    }
    let said: String = said.chars().take(500).collect();
    Err(DiskError::internal(anyhow!("xfs_io could not set a project: {said}")))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::fs::{self, File};
    use std::iter::repeat_n;
    use std::path::PathBuf;

    use super::*;

    /// All that was tagged, by its path, in order.
    fn walked(root: &Path, most: usize) -> (bool, Vec<PathBuf>) {
        let (mut tagged, mut left) = (Vec::new(), most);
        let done = walk(
            File::open(root).unwrap(),
            OsStr::new("top"),
            &mut |_| {
                left = left.saturating_sub(1);
                left > 0
            },
            &mut |handles, are_folders| {
                for handle in handles {
                    let path = fs::read_link(format!("/proc/self/fd/{handle}")).unwrap();
                    assert_eq!(path.is_dir(), are_folders, "{}", path.display());
                    tagged.push(path);
                }
                Ok(())
            },
        );
        (done.unwrap(), tagged)
    }

    #[test]
    fn every_entry_is_tagged_once_and_after_its_folder() {
        let root = tempfile::tempdir().unwrap();
        let top = root.path().join("top");
        for number in 0..300 {
            let folder = top.join(format!("{number}/a/b"));
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("file"), "x").unwrap();
            fs::write(top.join(format!("file{number}")), "x").unwrap();
        }
        std::os::unix::fs::symlink("/", top.join("link")).unwrap();
        let (done, tagged) = walked(root.path(), usize::MAX);
        assert!(done);
        let mut seen = HashSet::from([root.path().canonicalize().unwrap()]);
        for path in &tagged {
            assert!(seen.contains(path.parent().unwrap()), "{}", path.display());
            assert!(seen.insert(path.clone()), "{}", path.display());
        }
        assert_eq!(tagged.len(), 1 + 300 * 5);
        let (done, tagged) = walked(root.path(), 200);
        assert!(!done && tagged.len() < 200);
    }

    #[test]
    fn how_long_programs_ran_is_told_to_whom_the_pace_belongs() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("top/a/b")).unwrap();
        let (mut told, mut ran) = (Duration::ZERO, Duration::ZERO);
        let mut program = |_: &[RawFd], _: bool| {
            let begun = Instant::now();
            while begun.elapsed() < Duration::from_millis(1) {}
            ran += begun.elapsed();
            Ok(())
        };
        let mut go_on = |time: Duration| {
            told += time;
            true
        };
        let done = walk(File::open(root.path()).unwrap(), OsStr::new("top"), &mut go_on, &mut program);
        assert!(done.unwrap() && told >= ran, "{told:?} of {ran:?}");
    }

    #[test]
    fn folders_in_folders_are_followed_to_a_depth() {
        let root = tempfile::tempdir().unwrap();
        let below: PathBuf = repeat_n("d", MAX_LEVELS + 9).collect();
        fs::create_dir_all(root.path().join("top").join(below)).unwrap();
        assert_eq!(walked(root.path(), usize::MAX).1.len(), 1 + MAX_LEVELS);
    }
}
