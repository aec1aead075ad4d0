//! Putting into the trash, taking out of it, and emptying it. What is not `async` here blocks, also on the database, and
//! goes on to its end when the client goes away; it must be called where blocking is allowed, on a thread of the runtime.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use db_kit::Db;
use kernel::{Actor, Clock, Timestamp, UserId};
use rustix::fd::OwnedFd;
use tokio::runtime::Handle;
use uuid::Uuid;

use super::model::{Deleted, space_of, space_text};
use super::store::Whose;
use super::{record, store};
use crate::error::{DiskError, DiskResult};
use crate::jail::{Entry, Jail, Location, Meta, names_in, rename_new, sync_folder};
use crate::locks::NameLocks;
use crate::reason::Reason;
use crate::space::Space;
use crate::staging::{Area, Staging, take};
use crate::transfer::{Clash, Origin, choose_free, place};
use crate::usage::Extent;

/// Rows that are looked at in one go.
const BATCH: i64 = 200;

/// Who deletes what, for the record.
#[derive(Clone, Debug)]
pub struct Deletion<'a> {
    pub by: &'a Actor,
    pub location: &'a Location,
    /// Whose home it lies in.
    pub(crate) home_owner: Option<UserId>,
    pub(crate) extent: Extent,
}

/// The trash of the whole disk.
#[derive(Debug)]
pub struct Trash {
    db: Db,
    jail: Arc<Jail>,
    staging: Arc<Staging>,
    clock: Arc<dyn Clock>,
    /// Bytes by the space that they came from.
    held: Mutex<HashMap<Space, u64>>,
    /// The mounts whose records agree with the table.
    reconciled: tokio::sync::Mutex<HashSet<u64>>,
    /// Only one thread makes space, so that two do not purge for the same bytes.
    making_room: Mutex<()>,
}

impl Trash {
    /// Reconciles the table with the entries in the open areas.
    pub async fn open(db: Db, jail: Arc<Jail>, staging: Arc<Staging>, clock: Arc<dyn Clock>) -> anyhow::Result<Self> {
        let held = store::held(&db).await?.into_iter().map(|(space, bytes)| (space_of(&space), bytes)).collect();
        let (reconciled, making_room) = (tokio::sync::Mutex::default(), Mutex::default());
        let trash = Self { db, jail, staging, clock, held: Mutex::new(held), reconciled, making_room };
        for area in trash.staging.areas() {
            trash.reconcile(&area).await.map_err(|error| anyhow::Error::new(error).context("reading the trash"))?;
        }
        Ok(trash)
    }

    /// Entries of these owners deleted since `since`, newest first.
    pub async fn page(&self, whose: Whose, since: Timestamp, limit: i64, offset: i64) -> DiskResult<Vec<Deleted>> {
        Ok(store::page(&self.db, whose, since, limit, offset).await?)
    }

    /// The total number of these entries.
    pub async fn count(&self, whose: Whose, since: Timestamp) -> DiskResult<u64> {
        let count = store::count(&self.db, whose, since).await?;
        Ok(u64::try_from(count).unwrap_or_default())
    }

    /// The entry with this id.
    pub async fn one(&self, id: Uuid) -> DiskResult<Option<Deleted>> {
        Ok(store::one(&self.db, id).await?)
    }

    /// Entries deleted before `before`, oldest first.
    pub async fn older_than(&self, before: Timestamp, limit: i64) -> DiskResult<Vec<Deleted>> {
        Ok(store::older_than(&self.db, before, limit).await?)
    }

    fn held_now(&self) -> MutexGuard<'_, HashMap<Space, u64>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes in the trash that came from this space; they count as its use.
    pub fn held(&self, space: &Space) -> u64 {
        let held = self.held_now();
        match space {
            // Each dataset is a part of it.
            Space::Datasets => held.iter().filter(|(from, _)| from.counts_to(space)).map(|(_, bytes)| bytes).sum(),
            _ => held.get(space).copied().unwrap_or_default(),
        }
    }

    /// The stored names of spaces in the trash that count to these spaces.
    fn stored_as(&self, spaces: &[Space]) -> Vec<String> {
        let held = self.held_now();
        let counts = |from: &&Space| spaces.iter().any(|space| from.counts_to(space));
        held.keys().filter(counts).map(space_text).collect()
    }

    /// Makes entries from a removed space count to a home, as its owner's.
    pub fn hand_over(&self, from: &Space, to: &Space, place: Option<&[&str]>, owner: UserId) -> DiskResult<()> {
        Handle::current().block_on(store::hand_over(&self.db, &space_text(from), &space_text(to), place, owner))?;
        let mut held = self.held_now();
        let bytes = held.remove(from).unwrap_or_default();
        let there = held.entry(to.clone()).or_default();
        *there = there.saturating_add(bytes);
        Ok(())
    }

    fn note(&self, deleted: &Deleted, arrived: bool) {
        let mut held = self.held_now();
        let bytes = held.entry(space_of(&deleted.space)).or_default();
        *bytes = if arrived { bytes.saturating_add(deleted.size) } else { bytes.saturating_sub(deleted.size) };
    }

    /// Moves an entry into the trash: from then on it counts as deleted.
    pub fn put(&self, entry: &Entry, (folder, name): (&OwnedFd, &OsStr), deletion: &Deletion<'_>) -> DiskResult<()> {
        let area = self.staging.area(&self.jail, &entry.folder, &entry.folder_names)?;
        Handle::current().block_on(self.reconcile(&area))?;
        let meta = Meta::at(folder, name)?;
        // A folder on the way whose name is not UTF-8 was reached by a link: then the given names lead back.
        let names = record::as_text(&entry.names()).or_else(|| record::as_text(&deletion.location.names));
        let deleted = Deleted {
            id: Uuid::now_v7(),
            names: names.ok_or(DiskError::NotFound)?,
            space: space_text(&deletion.location.space),
            is_folder: meta.is_folder(),
            size: deletion.extent.used,
            length: Some(deletion.extent.length),
            home_owner: deletion.home_owner,
            deleted_by: deletion.by.id,
            deleted_by_name: deletion.by.username.clone(),
            deleted_at: self.clock.now().as_millis(),
        };
        match record::write(&area.trash, &deleted) {
            // On a full disk older trash makes the little space that this takes.
            Err(DiskError::InsufficientStorage(_))
                if self.make_room(std::slice::from_ref(&deletion.location.space), 1)? =>
            {
                record::write(&area.trash, &deleted)?;
            }
            other => other?,
        }
        let content = OsString::from(record::content(deleted.id));
        if let Err(error) = take(folder, name, &area.trash, &content) {
            record::remove(&area.trash, deleted.id)?;
            return Err(error.into());
        }
        sync_folder(folder)?;
        sync_folder(&area.trash)?;
        if let Err(error) = Handle::current().block_on(store::insert(&self.db, &deleted)) {
            // Better not deleted than nowhere to be seen until the next start.
            rename_new(&area.trash, &content, folder, name)?;
            record::remove(&area.trash, deleted.id)?;
            return Err(error.into());
        }
        self.note(&deleted, true);
        Ok(())
    }

    /// Brings an entry back to this place and answers the name that it has there.
    pub fn restore(&self, deleted: &Deleted, to: &Location, clash: Clash, locks: &NameLocks) -> DiskResult<OsString> {
        let area = self.area_with(deleted).ok_or(DiskError::NotFound)?;
        let (folder, folder_names) = self.jail.make_folders(&to.parent())?;
        let name = to.name().ok_or(DiskError::Forbidden)?.to_owned();
        let meta = Meta::of(&folder)?;
        if meta.mount != Meta::of(&area.trash)?.mount {
            return Err(DiskError::conflict(Reason::OtherFileSystem));
        }
        let access = &to.access;
        let mut to = Entry { folder, folder_names, name };
        if clash == Clash::FreeName && !access.is_open() {
            choose_free(&mut to, deleted.is_folder)?;
        }
        access.check(&to.names())?;
        let _alone = locks.hold(meta.inode, &to.name);
        let projects = self.staging.projects();
        let origin = Origin { projects, project: projects.of(&space_of(&deleted.space)) };
        let placed = place(origin, &area.trash, record::content(deleted.id).as_ref(), &to, clash)?;
        self.forget(&area, deleted)?;
        Ok(placed.name)
    }

    /// Deletes an entry permanently; false when its mount is away.
    pub fn purge(&self, deleted: &Deleted) -> DiskResult<bool> {
        let Some(area) = self.area_with(deleted) else { return Ok(false) };
        let gone = match area.take_out(&area.trash, record::content(deleted.id).as_ref()) {
            Ok(gone) => gone,
            // Another request purges or restores it at this moment.
            Err(rustix::io::Errno::NOENT) => return Ok(false),
            Err(error) => return Err(error.into()),
        };
        self.forget(&area, deleted)?;
        area.purge(gone);
        Ok(true)
    }

    fn forget(&self, area: &Area, deleted: &Deleted) -> DiskResult<()> {
        sync_folder(&area.trash)?;
        self.drop_row(deleted)?;
        record::remove(&area.trash, deleted.id)
    }

    /// Removes an entry from the table only. If its mount is merely away, its record restores the row.
    pub fn drop_row(&self, deleted: &Deleted) -> DiskResult<()> {
        if Handle::current().block_on(store::delete(&self.db, deleted.id))? {
            self.note(deleted, false);
        }
        Ok(())
    }

    /// Purges the oldest entries of these spaces until `bytes` are free; purges nothing if all of them would not
    /// suffice.
    pub fn make_room(&self, spaces: &[Space], bytes: u64) -> DiskResult<bool> {
        let _alone = self.making_room.lock().unwrap_or_else(PoisonError::into_inner);
        let mut freed = 0_u64;
        while freed < bytes {
            let held = spaces.iter().fold(0_u64, |sum, space| sum.saturating_add(self.held(space)));
            if held < bytes - freed {
                return Ok(false);
            }
            let oldest = Handle::current().block_on(store::oldest_of(&self.db, &self.stored_as(spaces), BATCH))?;
            let before = freed;
            for deleted in oldest {
                if freed >= bytes {
                    break;
                }
                if self.purge(&deleted)? {
                    freed = freed.saturating_add(deleted.size);
                }
            }
            if freed == before {
                return Ok(false);
            }
        }
        let space = spaces.first().map(space_text).unwrap_or_default();
        tracing::info!(space, size_bytes = freed, "old trash was purged to make room");
        Ok(true)
    }

    /// The area that has this entry.
    fn area_with(&self, deleted: &Deleted) -> Option<Arc<Area>> {
        let content = record::content(deleted.id);
        self.staging.areas().into_iter().find(|area| Meta::at(&area.trash, content.as_str()).is_ok())
    }

    /// Puts the table right with the records of an area, once.
    async fn reconcile(&self, area: &Arc<Area>) -> DiskResult<()> {
        // Held to the end, so that nothing is added before the records were read.
        let mut reconciled = self.reconciled.lock().await;
        if !reconciled.insert(Meta::of(&area.trash)?.mount) {
            return Ok(());
        }
        let known = store::ids(&self.db).await?;
        for id in names_in(&area.trash)?.iter().filter_map(|name| record::id_of(name)) {
            if Meta::at(&area.trash, record::content(id)).is_ok() {
                if known.contains(&id) {
                    continue;
                }
                let Some(deleted) = record::read(&area.trash, id)? else {
                    tracing::error!(trash.id = %id, "the record of a deleted entry is damaged");
                    continue;
                };
                if store::insert(&self.db, &deleted).await? {
                    self.note(&deleted, true);
                }
            } else {
                if let Some(deleted) = store::one(&self.db, id).await?
                    && store::delete(&self.db, id).await?
                {
                    self.note(&deleted, false);
                }
                record::remove(&area.trash, id)?;
            }
        }
        Ok(())
    }
}
