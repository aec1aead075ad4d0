//! A folder with everything below it, walked without following a link, leaving the mount or opening anything that an
//! open changes. The folder's owner may move things about meanwhile.

use std::os::fd::{AsFd, OwnedFd};

use machine_helper::Refusal;
use rustix::fs::{Dir, FileType, Mode, OFlags, ResolveFlags};

/// The most files in one call.
const MOST_FILES: usize = 2_000_000;

/// Calls `each` for the folder, every folder below it and every plain file, each opened without read access and
/// inheritable by started programs. Files that vanish are skipped.
pub(super) fn walk(
    folder: OwnedFd,
    each: &mut dyn FnMut(OwnedFd, FileType) -> Result<(), Refusal>,
) -> Result<(), Refusal> {
    // Two open files for each level, independent of the number of folders in it.
    let first = Dir::new(reopened(&folder)?)?;
    let (mut levels, mut seen) = (vec![(folder, first)], 0);
    while let Some((folder, entries)) = levels.last_mut() {
        let Some(entry) = entries.next() else {
            if let Some((folder, _)) = levels.pop() {
                each(folder, FileType::Directory)?;
            }
            continue;
        };
        let entry = entry?;
        if matches!(entry.file_name().to_bytes(), b"." | b"..") {
            continue;
        }
        seen += 1;
        if seen > MOST_FILES {
            return Err(Refusal::NotSupported);
        }
        let Some(file) = below(folder, entry.file_name())? else { continue };
        match FileType::from_raw_mode(rustix::fs::fstat(&file)?.st_mode) {
            FileType::Directory => {
                let entries = Dir::new(reopened(&file)?)?;
                levels.push((file, entries));
            }
            FileType::RegularFile => each(file, FileType::RegularFile)?,
            _ => {}
        }
    }
    Ok(())
}

fn below(folder: &OwnedFd, name: &std::ffi::CStr) -> Result<Option<OwnedFd>, Refusal> {
    use rustix::io::Errno;
    match rustix::fs::openat2(folder, name, OFlags::PATH | OFlags::NOFOLLOW, Mode::empty(), inside()) {
        Ok(file) => Ok(Some(file)),
        // A link, another mount, or deleted.
        Err(Errno::LOOP | Errno::XDEV | Errno::NOENT | Errno::NOTDIR) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Never leaves the folder.
pub(super) fn inside() -> ResolveFlags {
    ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_XDEV
}

fn reopened(folder: &OwnedFd) -> Result<OwnedFd, Refusal> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(folder.as_fd(), ".", flags, Mode::empty())?)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{MetadataExt, symlink};

    use super::*;

    #[test]
    fn links_and_special_files_are_not_touched() {
        let root = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("secret"), "x").unwrap();
        fs::create_dir_all(root.path().join("a/b")).unwrap();
        fs::write(root.path().join("a/b/file"), "x").unwrap();
        symlink(outside.path(), root.path().join("a/folder")).unwrap();
        symlink(outside.path().join("secret"), root.path().join("a/link")).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, root.path().join("pipe"), FileType::Fifo, Mode::RUSR, 0).unwrap();
        let start = rustix::fs::open(root.path(), OFlags::PATH, Mode::empty()).unwrap();
        let mut seen = Vec::new();
        let mut note = |file: OwnedFd, kind: FileType| {
            seen.push((rustix::fs::fstat(&file).unwrap().st_ino, kind));
            Ok(())
        };
        walk(start, &mut note).unwrap();
        let number = |path: &str| fs::metadata(root.path().join(path)).unwrap().ino();
        let mut wanted = vec![
            (number(""), FileType::Directory),
            (number("a"), FileType::Directory),
            (number("a/b"), FileType::Directory),
            (number("a/b/file"), FileType::RegularFile),
        ];
        wanted.sort_by_key(|(inode, _)| *inode);
        seen.sort_by_key(|(inode, _)| *inode);
        assert_eq!(seen, wanted);
    }
}
