//! Differences between two versions of a dataset.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};

use disk_core::error::DiskResult;
use disk_core::jail::{FOLDER, Kind, Meta, is_reserved, names_in};
use disk_core::progress::Progress;
use disk_core::transfer::{MAX_LEVELS, same_content};
use kernel::dataset::{ChangeKind, ChangedFile, DatasetDifference};
use rustix::fd::OwnedFd;
use rustix::fs::{Mode, openat};

/// Files that are listed by name; all are counted.
const MOST_TOLD: usize = 500;

/// Compares a version with the one before (nothing for the first), and counts files that both share by hard links.
/// Files are equal when their bytes are; links and special files are ignored.
pub(super) fn between(
    before: Option<&OwnedFd>,
    after: &OwnedFd,
    progress: &Progress,
) -> DiskResult<(DatasetDifference, u64)> {
    let mut comparing = Comparing { difference: DatasetDifference::default(), linked: 0, progress };
    comparing.folders(before, Some(after), "", MAX_LEVELS)?;
    let mut difference = comparing.difference;
    difference.files.sort_by(|one, other| one.path.cmp(&other.path));
    Ok((difference, comparing.linked))
}

struct Comparing<'a> {
    difference: DatasetDifference,
    linked: u64,
    progress: &'a Progress,
}

impl Comparing<'_> {
    fn folders(
        &mut self,
        before: Option<&OwnedFd>,
        after: Option<&OwnedFd>,
        path: &str,
        levels: usize,
    ) -> DiskResult<()> {
        for name in names_of_both(before, after)? {
            self.progress.check()?;
            let path = format!("{path}{}", name.to_string_lossy());
            let (old, new) = (look(before, &name), look(after, &name));
            self.files((before, old.as_ref()), (after, new.as_ref()), &name, &path)?;
            let (old, new) = (below(before, old.as_ref(), &name), below(after, new.as_ref(), &name));
            if levels > 0 && (old.is_some() || new.is_some()) {
                self.folders(old.as_ref(), new.as_ref(), &format!("{path}/"), levels - 1)?;
            }
        }
        Ok(())
    }

    fn files(
        &mut self,
        (before, old): (Option<&OwnedFd>, Option<&Meta>),
        (after, new): (Option<&OwnedFd>, Option<&Meta>),
        name: &OsStr,
        path: &str,
    ) -> DiskResult<()> {
        let (old, new) = (old.filter(|meta| meta.kind == Kind::File), new.filter(|meta| meta.kind == Kind::File));
        match (before, old, after, new) {
            (_, None, _, Some(new)) => self.note(path, ChangeKind::Added, new.size),
            (_, Some(old), _, None) => self.note(path, ChangeKind::Removed, old.size),
            (_, Some(old), _, Some(new)) if old.same_entry(new) => self.linked += 1,
            (Some(before), Some(old), Some(after), Some(new))
                if old.size != new.size || !same_content((before, name), (after, name), self.progress)? =>
            {
                self.note(path, ChangeKind::Changed, new.size);
            }
            _ => {}
        }
        Ok(())
    }

    fn note(&mut self, path: &str, kind: ChangeKind, size: u64) {
        let counter = match kind {
            ChangeKind::Added => &mut self.difference.added,
            ChangeKind::Changed => &mut self.difference.changed,
            ChangeKind::Removed => &mut self.difference.removed,
        };
        *counter += 1;
        if self.difference.files.len() < MOST_TOLD {
            self.difference.files.push(ChangedFile { path: path.to_owned(), kind, size });
        }
    }
}

fn names_of_both(before: Option<&OwnedFd>, after: Option<&OwnedFd>) -> DiskResult<HashSet<OsString>> {
    let mut names = HashSet::new();
    for folder in [before, after].into_iter().flatten() {
        names.extend(names_in(folder)?.into_iter().filter(|name| !is_reserved(name.as_encoded_bytes())));
    }
    Ok(names)
}

fn look(folder: Option<&OwnedFd>, name: &OsStr) -> Option<Meta> {
    Meta::at(folder?, name).ok()
}

fn below(folder: Option<&OwnedFd>, meta: Option<&Meta>, name: &OsStr) -> Option<OwnedFd> {
    meta.filter(|meta| meta.is_folder())?;
    openat(folder?, name, FOLDER, Mode::empty()).ok()
}
