//! Datasets of leaving users: list, hand over, remove.

use db_kit::{Sql, Tx};
use http_kit::{ApiError, ApiResult};
use kernel::UserId;

use super::http::{record, refuse_in_use};
use super::model::{Dataset, DatasetState};
use super::{limits, store, store_versions, view};
use crate::Portal;
use crate::features::logs::Acting;
use crate::features::users;
use crate::visibility::Visibility;

/// A dataset of a user.
#[derive(Clone, Debug)]
pub(crate) struct HeldDataset {
    pub(crate) id: String,
    /// Also its folder's name.
    pub(crate) name: String,
    pub(crate) title: String,
    /// Bytes; `None`: it was not counted yet.
    pub(crate) size: Option<i64>,
    pub(crate) visibility: Visibility,
}

/// Lists all datasets of a user, by name.
///
/// # Errors
/// If the database fails, as in all of these.
pub(crate) async fn held_by(db: &impl Sql, user: UserId) -> ApiResult<Vec<HeldDataset>> {
    let found = store::of_owner(db, user).await?;
    let held = found.into_iter().map(|one| HeldDataset {
        id: one.id,
        name: one.name,
        title: one.title,
        size: one.size,
        visibility: one.visibility,
    });
    Ok(held.collect())
}

/// Makes another user the owner, whose quota the dataset counts to; `false` when `from` is not the owner any more.
/// `used`: the receiver's last reported usage of the disk in bytes, if there is one.
///
/// # Errors
/// 409 when the receiver has as many datasets as they may have, or no room; else as above.
pub(crate) async fn hand_over(
    tx: &Tx,
    by: &Acting,
    id: &str,
    from: UserId,
    to: (UserId, &str),
    used: Option<u64>,
) -> ApiResult<bool> {
    let Some(one) = store::by_id(tx, id).await?.filter(|one| one.user == from) else { return Ok(false) };
    limits::check_datasets(tx, to.0).await?;
    check_room(tx, &one, to, used.unwrap_or_default()).await?;
    if store::hand_over(tx, id, from, to.0, to.1).await? == 0 {
        return Ok(false);
    }
    let detail = format!("所有者 {} → {}", one.username, to.1);
    by.record(tx, "dataset.update", &one.name, detail).await?;
    Ok(true)
}

async fn check_room(tx: &Tx, one: &Dataset, (to, name): (UserId, &str), used: u64) -> ApiResult<()> {
    let quota = users::quotas_of(tx, to).await?.disk_quota.unsigned_abs();
    let size = one.size.unwrap_or_default().unsigned_abs();
    if quota == 0 || used.saturating_add(size) <= quota {
        return Ok(());
    }
    let message = format!("{name} 的网盘配额放不下这个数据集，请先调高配额，或换一个接手的人");
    Err(ApiError::conflict("receiver_over_quota", message))
}

/// How far the removal of a dataset is.
#[derive(Clone, Debug)]
pub(crate) enum Removal {
    Gone,
    /// The disk is to do it.
    UnderWay,
    /// The disk can't, for this reason.
    Failed(String),
}

/// Starts the removal of a dataset with its versions, or returns its progress. `again`: retry a failed one.
///
/// # Errors
/// 409 while an instance mounts it or it is being created; else as above.
pub(crate) async fn remove(tx: &Tx, by: &Acting, id: &str, again: bool) -> ApiResult<Removal> {
    // Instances reserve their datasets under the same lock.
    tx.serialize("reservations").await?;
    let Some(one) = store::by_id(tx, id).await? else { return Ok(Removal::Gone) };
    if store::is_being_removed(tx, id).await? {
        return Ok(Removal::UnderWay);
    }
    if !again && one.state == DatasetState::Ready && !one.fault.is_empty() {
        return Ok(Removal::Failed(one.fault));
    }
    refuse_in_use(&view::instances_with(tx, id).await?)?;
    if one.state == DatasetState::Preparing || store_versions::is_being_made(tx, id).await? {
        return Ok(Removal::UnderWay);
    }
    let gone = one.state == DatasetState::Failed;
    // No folder to remove: a folder of this name is not the dataset's.
    let _: u64 = if gone { store::delete(tx, id).await? } else { store::mark_removed(tx, id, by.actor.id).await? };
    by.record(tx, "dataset.delete", &one.name, String::new()).await?;
    Ok(if gone { Removal::Gone } else { Removal::UnderWay })
}

impl Portal {
    /// Has the disk look for datasets to be removed, after the commit.
    pub(crate) fn wake_dataset_chores(&self) {
        self.chores().wake();
    }
}
