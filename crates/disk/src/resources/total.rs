//! Total content of a folder, counted on request.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use disk_core::error::{DiskError, DiskResult};
use disk_core::jail::{FOLDER, Jail, Meta, entries, is_reserved};
use disk_core::reason::Reason;
use disk_core::rules::Access;
use disk_core::transfer::MAX_LEVELS;
use rustix::fd::OwnedFd;
use rustix::fs::{Mode, openat};
use rustix::io::Errno;
use serde::Serialize;
use tokio_util::sync::CancellationToken;
use utoipa::ToSchema;

use crate::archive::Source;

/// Sums over a folder and all folders in it, without what rules deny. Links count as themselves.
#[derive(Clone, Copy, Debug, Default, Serialize, ToSchema)]
pub(crate) struct Total {
    /// What the files hold, not what they take: a sparse file counts in full, and one with
    /// several names each time.
    bytes: u64,
    files: u64,
    folders: u64,
}

impl Total {
    /// Adds up the sources. The folders themselves do not count, unless they are named among the sources, as those in a
    /// virtual folder are.
    pub(super) fn of(jail: &Jail, sources: &[Source], gone: &CancellationToken) -> DiskResult<Self> {
        let mut total = Self::default();
        for source in sources {
            let found = jail.find(&source.at)?;
            total.folders += u64::from(!source.path.is_empty());
            let mut walk = Walk { access: &source.at.access, names: found.names, total: &mut total, gone };
            walk.folder(&found.handle, MAX_LEVELS)?;
        }
        Ok(total)
    }
}

struct Walk<'a> {
    access: &'a Access,
    /// True names of the present folder, from the disk's root down.
    names: Vec<OsString>,
    total: &'a mut Total,
    gone: &'a CancellationToken,
}

impl Walk<'_> {
    fn folder(&mut self, folder: &OwnedFd, levels: usize) -> DiskResult<()> {
        let levels = levels.checked_sub(1).ok_or_else(|| DiskError::bad_request(Reason::TooDeep))?;
        let names = match entries(folder) {
            Err(Errno::NOENT) => return Ok(()),
            other => other?,
        };
        for (name, _) in names {
            if self.gone.is_cancelled() {
                return Err(DiskError::Busy);
            }
            if is_reserved(name.as_bytes()) || !self.access.allows_in(&self.names, &name) {
                continue;
            }
            match self.entry(folder, &name, levels) {
                // It vanished meanwhile.
                Err(DiskError::NotFound) => {}
                other => other?,
            }
        }
        Ok(())
    }

    fn entry(&mut self, folder: &OwnedFd, name: &OsStr, levels: usize) -> DiskResult<()> {
        let meta = Meta::at(folder, name)?;
        if !meta.is_folder() {
            self.total.files += 1;
            self.total.bytes = self.total.bytes.saturating_add(meta.size);
            return Ok(());
        }
        let inner = openat(folder, name, FOLDER, Mode::empty())?;
        self.total.folders += 1;
        self.names.push(name.to_owned());
        let counted = self.folder(&inner, levels);
        self.names.pop();
        counted
    }
}
