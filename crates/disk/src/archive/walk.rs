//! Going through everything that is to be packed, each folder by a handle on it.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use disk_core::error::{DiskError, DiskResult};
use disk_core::jail::{FOLDER, Jail, Kind, Location, Meta, entries, is_reserved};
use disk_core::reason::Reason;
use disk_core::rules::Access;
use disk_core::transfer::MAX_LEVELS;
use rustix::fd::OwnedFd;
use rustix::fs::{FileType, Mode, openat};
use rustix::io::Errno;

use super::format::Format;
use super::names::{Taken, cleaned};

/// Something to be packed.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) at: Location,
    /// Its path in the archive, `a/b`, clean; empty for a folder whose content is at the top level.
    pub(crate) path: String,
}

/// Packs the sources one after the other. Entries that vanish meanwhile are left out; any other read error ends it,
/// because an archive with gaps looks complete.
pub(super) fn walk(jail: &Jail, sources: &[Source], to: &mut impl Format) -> DiskResult<()> {
    for source in sources {
        let found = jail.find(&source.at)?;
        match found.meta.kind {
            Kind::File => to.file(&source.path, &found.meta, &jail.read_file(&found)?)?,
            Kind::Folder => {
                if !source.path.is_empty() {
                    to.folder(&source.path, &found.meta)?;
                }
                let mut walker =
                    Walker { jail, access: &source.at.access, to, names: found.names, path: source.path.clone() };
                walker.folder(&found.handle, MAX_LEVELS)?;
            }
            Kind::Link | Kind::Special(_) => return Err(DiskError::Forbidden),
        }
    }
    Ok(())
}

struct Walker<'a, F> {
    jail: &'a Jail,
    access: &'a Access,
    to: &'a mut F,
    /// True names of the present folder, from the disk's root down.
    names: Vec<OsString>,
    /// The same in the archive.
    path: String,
}

impl<F: Format> Walker<'_, F> {
    fn folder(&mut self, folder: &OwnedFd, levels: usize) -> DiskResult<()> {
        let levels = levels.checked_sub(1).ok_or_else(|| DiskError::bad_request(Reason::TooDeep))?;
        for (name, shown, kind) in self.children(folder)? {
            let length = self.path.len();
            if length > 0 {
                self.path.push('/');
            }
            self.path.push_str(&shown);
            match kind {
                FileType::Directory => self.enter(folder, &name, levels)?,
                _ => {
                    if let Some((file, meta)) = self.jail.open_file_in(folder, &name)? {
                        self.to.file(&self.path, &meta, &file)?;
                    }
                }
            }
            self.path.truncate(length);
        }
        Ok(())
    }

    fn enter(&mut self, folder: &OwnedFd, name: &OsStr, levels: usize) -> DiskResult<()> {
        let inner = match openat(folder, name, FOLDER, Mode::empty()) {
            Ok(inner) => inner,
            // It vanished, or another kind of entry has the name by now.
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return Ok(()),
            Err(other) => return Err(other.into()),
        };
        self.to.folder(&self.path, &Meta::of(&inner)?)?;
        self.names.push(name.to_owned());
        self.folder(&inner, levels)?;
        self.names.pop();
        Ok(())
    }

    /// Files and folders in a folder with their names in the archive, sorted.
    fn children(&self, folder: &OwnedFd) -> DiskResult<Vec<(OsString, String, FileType)>> {
        let mut names = match entries(folder) {
            Err(Errno::NOENT) => return Ok(Vec::new()),
            other => other?,
        };
        names.retain(|(name, _)| !is_reserved(name.as_bytes()) && self.access.allows_in(&self.names, name));
        for (name, kind) in &mut names {
            if *kind == FileType::Unknown {
                *kind = Meta::at(folder, name.as_os_str()).map_or(FileType::Unknown, |meta| match meta.kind {
                    Kind::File => FileType::RegularFile,
                    Kind::Folder => FileType::Directory,
                    Kind::Link => FileType::Symlink,
                    Kind::Special(special) => special,
                });
            }
        }
        names.retain(|(_, kind)| matches!(kind, FileType::RegularFile | FileType::Directory));
        names.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let mut taken = Taken::default();
        // Names that stay as they are come first to their own.
        let (same, changed): (Vec<_>, Vec<_>) =
            names.into_iter().partition(|(name, _)| name.to_str() == Some(&*cleaned(name)));
        let named = same.into_iter().chain(changed).map(|(name, kind)| {
            let shown = taken.take(&cleaned(&name), kind == FileType::Directory);
            (name, shown, kind)
        });
        Ok(named.collect())
    }
}
