//! Owners of home folders. A name can be given to another person after its first owner was deleted; the new owner must
//! not find the former owner's files. So the disk remembers each home's owner by id, which is never reused, and moves a
//! former owner's home aside.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Write};
use std::sync::{Mutex, PoisonError};

use kernel::UserId;
use rustix::fd::OwnedFd;
use rustix::fs::{Mode, OFlags, mkdirat, openat, renameat};
use rustix::io::Errno;

use crate::error::{DiskError, DiskResult};
use crate::jail::{FOLDER, Jail, RESERVED_NAME, rename_new, sync_folder};
use crate::space::HOME;

/// Where the owners are written down, below `.yunlab`.
const RECORDS: &str = "homes";
/// Separates a former owner's name and id. Not allowed in usernames.
const ASIDE: char = '~';

/// The owners that have been checked since the start.
#[derive(Debug)]
pub struct Homes {
    records: OwnedFd,
    /// Asked by every request, so it is held for a moment only.
    checked: Mutex<HashMap<String, UserId>>,
    /// Held while a home is claimed: of two concurrent requests one claims it and the other finds it claimed.
    claiming: Mutex<()>,
}

impl Homes {
    /// Opens the records, made when they are missing.
    pub fn open(jail: &Jail) -> anyhow::Result<Self> {
        let reserved = openat(jail.root(), RESERVED_NAME, FOLDER, Mode::empty())?;
        match mkdirat(&reserved, RECORDS, Mode::from_raw_mode(0o700)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(other) => return Err(other.into()),
        }
        let records = openat(&reserved, RECORDS, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        Ok(Self { records, checked: Mutex::default(), claiming: Mutex::default() })
    }

    /// Whether this person's home has been found to be theirs.
    pub fn is_checked(&self, username: &str, id: UserId) -> bool {
        let checked = self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        checked.get(&key(username)) == Some(&id)
    }

    /// Ensures that the home with this name is this person's, or has no owner yet. Blocks.
    pub fn claim(&self, jail: &Jail, username: &str, id: UserId) -> DiskResult<()> {
        let _alone = self.claiming.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_checked(username, id) {
            return Ok(());
        }
        let key = key(username);
        match self.owner(&key)? {
            Some((owner, _)) if owner == id => {}
            former => {
                if let Some((owner, name)) = former {
                    put_aside(jail, &name, owner)?;
                }
                self.write(&key, id, username)?;
            }
        }
        self.checked.lock().unwrap_or_else(PoisonError::into_inner).insert(key, id);
        Ok(())
    }

    /// Returns the owner of the home with this name; `None` before the owner's first visit. Blocks.
    pub fn owner_of(&self, username: &str) -> DiskResult<Option<UserId>> {
        Ok(self.owner(&key(username))?.map(|(owner, _)| owner))
    }

    /// Id and exact name of the home's last owner.
    fn owner(&self, key: &str) -> DiskResult<Option<(UserId, String)>> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = match openat(&self.records, key, flags, Mode::empty()) {
            Ok(file) => file,
            Err(Errno::NOENT) => return Ok(None),
            Err(other) => return Err(other.into()),
        };
        let mut text = String::new();
        File::from(file).take(1024).read_to_string(&mut text).map_err(DiskError::internal)?;
        let parsed = text.trim_end().split_once(' ').and_then(|(id, name)| Some((id.parse().ok()?, name.to_owned())));
        parsed.map(Some).ok_or_else(|| DiskError::internal(anyhow::anyhow!("the record of the home {key} is damaged")))
    }

    /// Whole or not at all.
    fn write(&self, key: &str, id: UserId, username: &str) -> DiskResult<()> {
        let new = format!("{key}{ASIDE}new");
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = openat(&self.records, new.as_str(), flags, Mode::from_raw_mode(0o600))?;
        let mut file = File::from(file);
        let written = writeln!(file, "{id} {username}").and_then(|()| file.sync_all());
        written.map_err(DiskError::internal)?;
        renameat(&self.records, new.as_str(), &self.records, key)?;
        Ok(sync_folder(&self.records)?)
    }
}

/// The portal treats names that differ only in case as one name.
fn key(username: &str) -> String {
    username.to_lowercase()
}

/// Administrators find the former home beside the others, with the number of its owner.
fn put_aside(jail: &Jail, name: &str, owner: UserId) -> DiskResult<()> {
    let homes = openat(jail.root(), HOME, FOLDER, Mode::empty())?;
    let aside = OsString::from(format!("{name}{ASIDE}{owner}"));
    match rename_new(&homes, name.as_ref(), &homes, &aside) {
        Ok(()) => {
            tracing::info!(home.name = name, home.owner = owner, "the home of a former user was put aside");
            Ok(sync_folder(&homes)?)
        }
        // There was no home.
        Err(Errno::NOENT) => Ok(()),
        Err(other) => Err(other.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_request_waits_for_a_claim() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(RESERVED_NAME)).unwrap();
        let jail = Jail::open(folder.path()).unwrap();
        let homes = Homes::open(&jail).unwrap();
        homes.claim(&jail, "ann", 1).unwrap();
        let _claiming = homes.claiming.lock().unwrap();
        assert!(homes.is_checked("Ann", 1) && !homes.is_checked("ann", 2));
    }
}
