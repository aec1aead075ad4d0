//! Freezes instances that keep writing where no space is left: in their owner's quota of the network disk, in a
//! group's, or in their own root. Their processes are paused, nothing is lost, and they resume when there is space
//! again.
//!
//! Which of a person's instances writes is derived from the bytes that each wrote between the last two counts. Where no
//! such figures exist, as on NFS, all instances that mount the folder count as writing; for a group's folder none does,
//! since most of its members write nothing there. Only the leader measures instances, so it also takes note at counts
//! that another portal received; after a start nothing is frozen before the second count.

use std::collections::HashSet;

use db_kit::Tx;
use http_kit::{ApiError, ApiResult};
use kernel::Timestamp;
use kernel::dataset::DiskHolder;
use serde::Serialize;
use utoipa::ToSchema;

use super::model::Instance;
use super::state::State;
use super::{changes, store};
use crate::Portal;
use crate::features::disk_space::{self, LevelRow, SpaceHolder};
use crate::features::{groups, settings};

/// What an instance is frozen for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FreezeReason {
    /// Its owner's quota of the network disk is used up.
    Disk,
    /// The quota of a group's folder is used up.
    Group,
    /// Its own root is larger than instances' may be.
    Root,
}

impl FreezeReason {
    pub(super) fn of(holder: &SpaceHolder) -> Self {
        match holder {
            SpaceHolder::Disk(DiskHolder::User(_)) => Self::Disk,
            SpaceHolder::Disk(DiskHolder::Group(_)) => Self::Group,
            SpaceHolder::Root(_) => Self::Root,
        }
    }

    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Disk => "网盘已用完配额",
            Self::Group => "组的共享文件夹已用完配额",
            Self::Root => "实例的系统盘超过上限",
        }
    }
}

impl Instance {
    /// Whether its processes are frozen, or about to be, for any reason.
    pub(crate) fn is_frozen(&self) -> bool {
        self.is_suspended() || self.frozen_for.is_some()
    }

    fn has_folder(&self, folder: &str) -> bool {
        self.mounts.iter().any(|mount| mount.source == folder && !mount.read_only)
    }
}

/// Refuses what needs running processes.
pub(super) fn refused(holder: &SpaceHolder) -> ApiError {
    let why = FreezeReason::of(holder).words();
    ApiError::conflict("instance_frozen", format!("实例已冻结：{why}。请在实例页面点“清理空间并继续”"))
}

/// Running instances that can write into this holder's space.
async fn candidates(portal: &Portal, holder: &SpaceHolder) -> ApiResult<Vec<Instance>> {
    let db = portal.db();
    Ok(match holder {
        SpaceHolder::Disk(DiskHolder::User(person)) => {
            let mut found = store::running_of(db, &[*person]).await?;
            found.retain(|one| one.has_folder(&format!("home/{}", one.username)));
            found
        }
        SpaceHolder::Disk(DiskHolder::Group(group)) => {
            let folders = groups::with_folders(db, None).await?;
            let Some(folder) = folders.into_iter().find(|folder| folder.id == *group) else { return Ok(Vec::new()) };
            let mut found = store::running_with_groups(db).await?;
            found.retain(|one| one.has_folder(&format!("groups/{}", folder.folder)));
            found
        }
        SpaceHolder::Root(id) => store::by_ids(db, &[id.as_str()]).await?,
    })
}

/// Keeps how much each instance that can write into this holder's space had written at the count.
pub(crate) async fn note_writes(portal: &Portal, holder: &SpaceHolder, counted: Timestamp) -> ApiResult<()> {
    if portal.disk_uses().knows_writes(holder, counted) {
        return Ok(());
    }
    let written = candidates(portal, holder)
        .await?
        .into_iter()
        .filter_map(|one| Some((one.id.clone(), portal.clusters().written(&one.server, &one.id)?)))
        .collect();
    portal.disk_uses().note_writes(holder, counted, written);
    Ok(())
}

/// The instances that write.
fn writers(portal: &Portal, holder: &SpaceHolder, mut running: Vec<Instance>) -> Vec<Instance> {
    let Some(wrote) = portal.disk_uses().writers(holder) else { return Vec::new() };
    running.retain(|one| one.state == State::Running && !one.is_frozen());
    let (known, others): (Vec<Instance>, Vec<Instance>) = running.into_iter().partition(|one| wrote.contains(&one.id));
    let all_may = !matches!(holder, SpaceHolder::Disk(DiskHolder::Group(_)));
    if known.is_empty() && all_may { others } else { known }
}

/// Thaws instances that have space again, and freezes those that went on writing past the grace period.
pub(super) async fn carry_out(portal: &Portal) -> ApiResult<()> {
    thaw_with_room(portal).await?;
    let (db, now) = (portal.db(), portal.now());
    let space = settings::read(db).await?.space;
    if !space.freeze {
        return Ok(());
    }
    let full = disk_space::full(db, now).await?;
    portal.disk_uses().forget_writes_except(&full.iter().map(|level| level.holder.clone()).collect::<HashSet<_>>());
    for level in &full {
        note_writes(portal, &level.holder, level.counted).await?;
    }
    for level in disk_space::due(db, &full, now.minus(space.grace()), now).await? {
        let running = candidates(portal, &level.holder).await?;
        for one in writers(portal, &level.holder, running) {
            freeze(portal, &one, &level, now).await?;
        }
    }
    Ok(())
}

async fn freeze(portal: &Portal, before: &Instance, level: &LevelRow, now: Timestamp) -> ApiResult<()> {
    let why = format!("{}（{}）", FreezeReason::of(&level.holder).words(), disk_space::amount(level));
    let mut one = before.clone();
    one.frozen_for = Some(level.holder.clone());
    one.state_reason = format!("已冻结：{why}");
    (one.idle_since, one.idle_stop_at) = (None, None);
    let tx = portal.db().begin().await?;
    // A concurrent change came first; the next run reads the row again.
    let Some(one) = changes::put(&tx, before, one, "", now).await? else { return Ok(()) };
    let told = disk_space::tell_frozen(&tx, now, (one.id.as_str(), one.name.as_str()), one.user, why).await?;
    tx.commit().await?;
    tracing::info!(instance.id = one.id, instance.name = one.name, "frozen: it writes where nothing is left");
    portal.tell_noticed(&told);
    portal.wake_server(&one.server);
    Ok(())
}

/// Writes down that the instance is to be thawed. `None` when the row was changed in between.
pub(super) async fn thaw(tx: &Tx, before: &Instance, by: &str, now: Timestamp) -> ApiResult<Option<Instance>> {
    let mut one = before.clone();
    one.frozen_for = None;
    // A suspended instance stays frozen, with the reason of its suspension.
    if !one.is_suspended() {
        one.state_reason = if by.is_empty() { "空间已清理，自动继续运行" } else { "已解除冻结" }.to_owned();
    }
    changes::put(tx, before, one, by, now).await
}

/// Thaws instances whose space is no longer full, or all when the settings turn freezing off.
pub(crate) async fn thaw_with_room(portal: &Portal) -> ApiResult<()> {
    let (db, now) = (portal.db(), portal.now());
    let frozen = store::frozen(db).await?;
    if frozen.is_empty() {
        return Ok(());
    }
    let space = settings::read(db).await?.space;
    for one in frozen {
        let Some(holder) = &one.frozen_for else { continue };
        if space.freeze && space.count && disk_space::was_full(db, holder).await? {
            continue;
        }
        let tx = db.begin().await?;
        if thaw(&tx, &one, "", now).await?.is_some() {
            tx.commit().await?;
            portal.wake_server(&one.server);
        }
    }
    Ok(())
}

impl Portal {
    /// Freezes and thaws once.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn freeze_full(&self) -> anyhow::Result<()> {
        Ok(carry_out(self).await?)
    }
}
