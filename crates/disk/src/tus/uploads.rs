//! All unfinished uploads, as the disk's own folders hold them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use disk_core::error::{DiskError, DiskResult};
use disk_core::files::FileStore;
use disk_core::incoming::{UploadTarget, reserve};
use disk_core::jail::{FILE_MODE, Kind, Location, Meta, names_in, own_like_folder, sync_folder};
use disk_core::staging::Area;
use kernel::{Clock, Timestamp, UserId};
use moka::sync::Cache;
use rustix::fd::AsFd;
use rustix::fs::{OFlags, Timespec, Timestamps, ftruncate, futimens};

use super::concat::Concat;
use super::progress::{self, Boot};
use super::record::{self, Record};
use super::upload::{Turn, Upload};

/// Unfinished uploads of one person; each costs two files.
const MOST_OF_ONE: usize = 256;
/// The wait that a refusal suggests; by then one of the uploads may have ended.
const TRY_AGAIN: Duration = Duration::from_secs(60);
/// Long enough for a client that lost the last response to query again.
const REMEMBERED_FOR: Duration = Duration::from_secs(60 * 60);
const REMEMBERED: u64 = 10_000;

/// An upload that is in its place.
#[derive(Clone, Debug)]
pub(super) struct Finished {
    pub(super) user: UserId,
    pub(super) length: u64,
    pub(super) concat: Option<Concat>,
    /// The id of the final upload that it was joined into.
    pub(super) joined: Option<String>,
}

impl Finished {
    pub(super) fn of(upload: &Upload) -> Self {
        let Record { user, length, concat, .. } = &upload.record;
        Self { user: *user, length: *length, concat: concat.clone(), joined: None }
    }

    /// Whether it was joined from parts.
    pub(super) fn is_joined(&self) -> bool {
        matches!(self.concat, Some(Concat::Final(_)))
    }
}

/// The uploads of a running disk.
#[derive(Debug)]
pub(crate) struct Uploads {
    files: Arc<FileStore>,
    clock: Arc<dyn Clock>,
    known: Mutex<HashMap<String, Arc<Upload>>>,
    /// The mounts whose uploads were loaded.
    loaded: Mutex<HashMap<u64, Arc<Area>>>,
    finished: Cache<String, Finished>,
    boot: Boot,
}

impl Uploads {
    /// Loads uploads of earlier runs on the root's mount.
    pub(crate) fn open(files: Arc<FileStore>, clock: Arc<dyn Clock>) -> DiskResult<Self> {
        let finished = Cache::builder().time_to_live(REMEMBERED_FOR).max_capacity(REMEMBERED).build();
        let (known, loaded, boot) = (Mutex::default(), Mutex::default(), Boot::current());
        let uploads = Self { files, clock, known, loaded, finished, boot };
        uploads.area(uploads.files.jail.root(), &[])?;
        Ok(uploads)
    }

    pub(super) fn boot(&self) -> &Boot {
        &self.boot
    }

    fn known(&self) -> MutexGuard<'_, HashMap<String, Arc<Upload>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The area for this folder, whose true names are given; loads its uploads.
    fn area(&self, folder: impl AsFd, names: &[std::ffi::OsString]) -> DiskResult<(Arc<Area>, u64)> {
        let mount = Meta::of(&folder)?.mount;
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(area) = loaded.get(&mount) {
            return Ok((Arc::clone(area), mount));
        }
        let area = self.files.staging.area(&self.files.jail, &folder, names)?;
        self.load(&area, mount)?;
        loaded.insert(mount, Arc::clone(&area));
        Ok((area, mount))
    }

    /// Loads uploads of an earlier run, and removes those that cannot be continued.
    fn load(&self, area: &Arc<Area>, mount: u64) -> DiskResult<()> {
        let now = self.clock.now();
        for name in names_in(&area.tus)? {
            let Some(id) = name.to_str().and_then(record::id_of_record) else { continue };
            if let Some(upload) = self.restore(area, mount, id)?.filter(|upload| upload.expires() >= now) {
                self.known().insert(id.to_owned(), Arc::new(upload));
            }
        }
        let known = self.known();
        for name in names_in(&area.tus)? {
            let id = name.to_str().map(record::id_of);
            if !id.is_some_and(|id| known.contains_key(id)) {
                // Never through a link: this removes the name itself.
                area.remove(&area.tus, &name)?;
            }
        }
        Ok(())
    }

    /// Begins an upload. Room for the whole of it is set aside until it is over.
    pub(super) fn begin(&self, to: &UploadTarget, record: Record) -> DiskResult<Arc<Upload>> {
        let (folder, _) = self.files.jail.nearest(&to.location.parent())?;
        let (area, mount) = self.area(&folder.handle, &folder.names)?;
        let (promised, others) = self.promised(mount, record.user);
        if others >= MOST_OF_ONE {
            return Err(DiskError::TooManyRequests(TRY_AGAIN));
        }
        let room = reserve(&self.files, to, &folder.handle, record.length, promised)?;
        let id = uuid::Uuid::new_v4().simple().to_string();
        let now = self.clock.now();
        let begun = record.write(&area.tus, &id).and_then(|()| {
            let file = record::create(&area.tus, &id, FILE_MODE)?;
            own_like_folder(&folder.handle, &file)?;
            touch(&file, now)?;
            Ok(sync_folder(&area.tus)?)
        });
        if let Err(error) = begun {
            let _ = record::remove(&area.tus, &id);
            return Err(error);
        }
        let upload = Arc::new(Upload::new(id.clone(), record, area, mount, room, (0, now)));
        self.known().insert(id, Arc::clone(&upload));
        Ok(upload)
    }

    /// Bytes still to be received on this mount, and the number of this person's uploads.
    fn promised(&self, mount: u64, user: UserId) -> (u64, usize) {
        let known = self.known();
        let here = known.values().filter(|upload| upload.mount == mount);
        let promised = here.fold(0, |sum: u64, upload| sum.saturating_add(upload.missing()));
        (promised, known.values().filter(|upload| upload.record.user == user).count())
    }

    /// Loads uploads of an earlier run on the mount of this place. Blocks.
    pub(super) fn know(&self, location: &Location) -> DiskResult<()> {
        let (folder, _) = self.files.jail.nearest(&location.parent())?;
        self.area(&folder.handle, &folder.names).map(drop)
    }

    /// This person's partial upload with this id, for any path.
    pub(super) fn part(&self, user: UserId, id: &str) -> Option<Arc<Upload>> {
        let now = self.clock.now();
        let known = self.known();
        let fits =
            |upload: &&Arc<Upload>| upload.record.user == user && upload.record.is_part() && upload.expires() >= now;
        known.get(id).filter(fits).cloned()
    }

    /// The upload that these parts were already joined into: its id and size.
    pub(super) fn joined(&self, user: UserId, parts: &[String]) -> Option<(String, u64)> {
        let into = |part: &String| self.finished(user, part).and_then(|finished| finished.joined);
        let id = parts.first().and_then(into)?;
        let whole = self.finished(user, &id).filter(|_| parts.iter().all(|part| into(part).as_ref() == Some(&id)))?;
        Some((id, whole.length))
    }

    /// An upload to this place, of this user or of any: the one with the id, otherwise the newest. Blocks.
    pub(super) fn find(&self, user: Option<UserId>, location: &Location, id: Option<&str>) -> DiskResult<Arc<Upload>> {
        self.know(location)?;
        let now = self.clock.now();
        let known = self.known();
        let fits = |upload: &&Arc<Upload>| {
            user.is_none_or(|user| upload.record.user == user)
                && upload.record.is_for(location)
                && upload.expires() >= now
        };
        let found = match id {
            Some(id) => known.get(id).filter(fits),
            None => known
                .values()
                .filter(fits)
                .filter(|upload| !upload.record.is_part())
                .max_by_key(|upload| upload.touched()),
        };
        found.cloned().ok_or(DiskError::NotFound)
    }

    /// An upload of theirs that has become a file.
    pub(super) fn finished(&self, user: UserId, id: &str) -> Option<Finished> {
        self.finished.get(id).filter(|finished| finished.user == user)
    }

    /// It has its place; only that is remembered.
    pub(super) fn finish(&self, upload: &Upload, turn: &mut Turn) {
        self.finish_as(upload, turn, Finished::of(upload));
    }

    pub(super) fn finish_as(&self, upload: &Upload, turn: &mut Turn, finished: Finished) {
        self.finished.insert(upload.id.clone(), finished);
        self.remove(upload, turn);
    }

    /// Removes it with all that has arrived.
    pub(super) fn remove(&self, upload: &Upload, turn: &mut Turn) {
        turn.over = true;
        turn.room = None;
        if let Err(error) = record::remove(&upload.area.tus, &upload.id) {
            tracing::warn!(error = %error, "an upload that is over could not be removed");
        }
        self.known().remove(&upload.id);
    }

    /// Removes expired uploads.
    pub(super) fn sweep(&self) {
        let now = self.clock.now();
        let expired: Vec<_> = self.known().values().filter(|upload| upload.expires() < now).cloned().collect();
        for upload in expired {
            // An upload with a request in progress is not expired.
            if let Some(mut turn) = upload.try_turn().filter(|turn| !turn.over && upload.expires() < now) {
                self.remove(&upload, &mut turn);
            }
        }
    }

    /// Restores an upload of an earlier run; `None` when a part of it is missing.
    fn restore(&self, area: &Arc<Area>, mount: u64, id: &str) -> DiskResult<Option<Upload>> {
        let Some(record) = Record::read(&self.files.jail, &area.tus, id)? else { return Ok(None) };
        let Ok(before) = Meta::at(&area.tus, id) else { return Ok(None) };
        // An interrupted concatenation still has its parts.
        if before.kind != Kind::File || matches!(record.concat, Some(Concat::Final(_))) {
            return Ok(None);
        }
        record::drop_doubtful(&self.files.jail, &area.tus, id, &self.boot)?;
        self.drop_unsynced(area, id, &record)?;
        let received = Meta::at(&area.tus, id)?.size;
        if received > record.length {
            return Ok(None);
        }
        // It was promised before, whatever the quota is now.
        let room = self.files.ledger.promise(&record.space, record.length);
        let state = (received, before.modified.timestamp());
        Ok(Some(Upload::new(id.to_owned(), record, Arc::clone(area), mount, room, state)))
    }

    /// Cuts off bytes that an earlier boot of the machine may not have written to the disk.
    fn drop_unsynced(&self, area: &Area, id: &str, record: &Record) -> DiskResult<()> {
        let noted = progress::noted(&self.files.jail, &area.tus, id)?.map(|noted| (noted.received, noted.boot));
        // Without a recorded length nothing is known to be durable, unless the upload is of a version that never recorded
        // it.
        let Some((durable, boot)) = noted.or_else(|| Some((0, record.boot.clone()?))) else { return Ok(()) };
        if !self.boot.is(&boot) && Meta::at(&area.tus, id)?.size > durable {
            ftruncate(record::open(&self.files.jail, &area.tus, id, OFlags::RDWR)?, durable)?;
        }
        Ok(())
    }
}

/// Notes in the file itself when something was last added, by the disk's own clock.
pub(super) fn touch(file: impl AsFd, now: Timestamp) -> DiskResult<()> {
    let (seconds, millis) = (now.as_millis().div_euclid(1000), now.as_millis().rem_euclid(1000));
    let at = Timespec { tv_sec: seconds, tv_nsec: millis * 1_000_000 };
    Ok(futimens(file, &Timestamps { last_access: at, last_modification: at })?)
}
