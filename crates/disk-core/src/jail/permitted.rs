//! Checks rules for a whole tree: copying, moving or deleting it includes everything in it, so one denied entry refuses
//! the whole.

use std::ffi::OsString;

use rustix::fs::FileType;

use super::{Entry, Jail, Location, Meta, entries, is_reserved};
use crate::error::{DiskError, DiskResult};
use crate::rules::Access;

impl Jail {
    /// 403 when a rule denies this entry or an entry in it, or its destination. Links are entries like others and are
    /// not followed. Reads a tree only where some rule could match in it.
    pub(crate) fn check_tree(&self, access: &Access, entry: &Entry, landing: Option<&[OsString]>) -> DiskResult<()> {
        let tree = entry.names();
        access.check(&tree)?;
        landing.map_or(Ok(()), |landing| access.check(landing))?;
        if !access.may_deny_below(&tree) && landing.is_none_or(|landing| !access.may_deny_below(landing)) {
            return Ok(());
        }
        if !entry.meta()?.is_some_and(|meta| meta.is_folder()) {
            return Ok(());
        }
        // Each folder is opened from the root, so that the depth of a tree costs no open files.
        let above = tree.len();
        let mut waiting = vec![tree];
        while let Some(names) = waiting.pop() {
            let folder = match self.find_any(&Location::of_true_names(names)) {
                Ok(found) if found.meta.is_folder() => found,
                // Vanished, or another kind of entry by now; a link in its place would be refused as such.
                Ok(_) | Err(DiskError::NotFound) => continue,
                Err(error) => return Err(error),
            };
            for (name, kind) in entries(&folder.handle)? {
                if is_reserved(name.as_encoded_bytes()) {
                    continue;
                }
                let mut names = folder.names.clone();
                names.push(name);
                access.check(&names)?;
                if let Some(landing) = landing {
                    access.check(&[landing, &names[above..]].concat())?;
                }
                let is_folder = match kind {
                    FileType::Unknown => names.last().is_some_and(|name| {
                        Meta::at(&folder.handle, name.as_os_str()).is_ok_and(|meta| meta.is_folder())
                    }),
                    kind => kind == FileType::Directory,
                };
                if is_folder {
                    waiting.push(names);
                }
            }
        }
        Ok(())
    }

    /// The true names that a place will have once the folders on the way to it are created; 403 where a rule denies it
    /// or one of those.
    pub fn landing(&self, at: &Location) -> DiskResult<Vec<OsString>> {
        let (folder, keep) = self.nearest(&at.parent())?;
        let made = folder.names.len();
        let mut names = folder.names;
        names.extend_from_slice(&at.names[keep..]);
        at.access.check_from(&names, made + 1)?;
        Ok(names)
    }
}
