//! Storing counts, and notifying holders whose quota is nearly or completely used up.

use std::collections::HashMap;
use std::time::Duration;

use http_kit::ApiResult;
use kernel::Timestamp;
use kernel::dataset::DiskUse;

use super::model::{Level, LevelRow, SpaceHolder, next};
use super::{store, tell};
use crate::Portal;
use crate::features::notices::Told;
use crate::features::{instances, settings};

/// A row is written over at least this often, so that its age is right.
const REWRITE_AFTER_MS: i64 = 60_000;

/// A count of one holder.
#[derive(Clone, Debug)]
pub(crate) struct Count {
    pub(crate) holder: SpaceHolder,
    pub(crate) used: u64,
    pub(crate) quota: u64,
    pub(crate) counted: Timestamp,
}

impl From<&DiskUse> for Count {
    fn from(one: &DiskUse) -> Self {
        let holder = SpaceHolder::Disk(one.holder);
        Self { holder, used: one.used, quota: one.quota, counted: one.counted }
    }
}

impl Portal {
    /// Stores the usage of users and groups, notifies those who have nearly used up their quota, and resumes frozen
    /// instances where there is room again.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn note_disk_uses(&self, uses: &[DiskUse]) -> anyhow::Result<()> {
        self.disk_uses().note(uses, self.now());
        let counts: Vec<Count> = uses.iter().map(Count::from).collect();
        Ok(note(self, &counts).await?)
    }
}

/// Stores counts, notifies, and resumes frozen instances.
pub(crate) async fn note(portal: &Portal, counts: &[Count]) -> ApiResult<()> {
    let now = portal.now();
    let tx = portal.db().begin().await?;
    // Of two concurrent reports, the second must see the notices of the first.
    tx.serialize("disk_levels").await?;
    let space = settings::read(&tx).await?.space;
    let keys: Vec<String> = counts.iter().map(|count| count.holder.key()).collect();
    let known: HashMap<SpaceHolder, LevelRow> =
        store::of(&tx, &keys).await?.into_iter().map(|row| (row.holder.clone(), row)).collect();
    let (mut told, mut full, mut has_room) = (Told::default(), Vec::new(), false);
    for count in counts {
        let before = known.get(&count.holder);
        // Of several disks on one storage, one may report an older count than another.
        if before.is_some_and(|before| count.counted < before.counted && before.counted <= now) {
            continue;
        }
        let (row, news) = next(before, row(count), now);
        has_room |= before.is_some_and(|before| before.full_since.is_some()) && row.full_since.is_none();
        if before.is_none_or(|before| is_worth_writing(before, &row)) {
            store::put(&tx, &row).await?;
        }
        if let Some(level) = news {
            told = told.and(tell::tell_level(&tx, now, &row, level, space).await?);
        }
        if row.full_since.is_some() {
            full.push((row.holder, row.counted));
        }
    }
    tx.commit().await?;
    portal.tell_noticed(&told);
    for (holder, counted) in full {
        instances::note_writes(portal, &holder, counted).await?;
    }
    if has_room {
        instances::thaw_with_room(portal).await?;
    }
    Ok(())
}

fn row(count: &Count) -> LevelRow {
    LevelRow {
        holder: count.holder.clone(),
        used: count.used,
        quota: count.quota,
        counted: count.counted,
        gap: Duration::ZERO,
        grew: false,
        told: Level::Fine,
        full_since: None,
    }
}

fn is_worth_writing(before: &LevelRow, after: &LevelRow) -> bool {
    let same = LevelRow { counted: before.counted, gap: before.gap, ..after.clone() } == *before;
    !same || (after.counted.as_millis() - before.counted.as_millis()).abs() >= REWRITE_AFTER_MS
}
