//! Whether there is room, before something starts, is frozen or is resumed. Combines the last counts with the present
//! limits, so that a raised quota applies at once.

use std::time::Duration;

use db_kit::{Sql, Tx};
use http_kit::{ApiError, ApiResult};
use kernel::dataset::DiskHolder;
use kernel::{Actor, ErrorKind, Timestamp, UserId};

use super::model::{LevelRow, SpaceHolder, fresh_for};
use super::store;
use super::tell::amount;
use crate::features::{groups, settings, users};

/// The longest round of counts, with very many files; what instances wrote meanwhile is kept for so long.
const ROUNDS_TAKE_AT_MOST: Duration = Duration::from_secs(24 * 3600);

/// How often an owner may resume an instance whose root stays full.
const GOES_ON_EVERY: Duration = Duration::from_secs(24 * 3600);

/// The last count, with the present limit.
async fn last_level_of(db: &impl Sql, holder: &SpaceHolder) -> ApiResult<Option<LevelRow>> {
    let Some(row) = store::of(db, &[holder.key()]).await?.pop() else { return Ok(None) };
    let quota = match holder {
        SpaceHolder::Disk(DiskHolder::User(id)) => users::disk_facts(db, *id).await?.map(|facts| facts.disk_quota),
        SpaceHolder::Disk(DiskHolder::Group(id)) => groups::disk_quota_of(db, *id).await?,
        SpaceHolder::Root(_) => Some(settings::read(db).await?.space.root_limit),
    };
    Ok(quota.map(|quota| LevelRow { quota: quota.unsigned_abs(), ..row }))
}

/// The last count if it is fresh, with the present limit.
pub(crate) async fn level_of(db: &impl Sql, holder: &SpaceHolder, now: Timestamp) -> ApiResult<Option<LevelRow>> {
    Ok(last_level_of(db, holder).await?.filter(|row| row.counted.plus(fresh_for(row.gap)) >= now))
}

/// The same of these, as they were counted.
pub(crate) async fn levels_of(db: &impl Sql, holders: &[SpaceHolder]) -> ApiResult<Vec<LevelRow>> {
    let keys: Vec<String> = holders.iter().map(SpaceHolder::key).collect();
    Ok(store::of(db, &keys).await?)
}

/// Whether the last count, however old, was full: a frozen instance stays frozen until a newer count.
pub(crate) async fn was_full(db: &impl Sql, holder: &SpaceHolder) -> ApiResult<bool> {
    Ok(last_level_of(db, holder).await?.is_some_and(|row| row.is_full()))
}

/// The holders whose last count was full, unless that count is too old.
pub(crate) async fn full(db: &impl Sql, now: Timestamp) -> ApiResult<Vec<LevelRow>> {
    Ok(store::full(db, now.minus(ROUNDS_TAKE_AT_MOST)).await?)
}

/// Those of `full` that have been full since `before`, grew at the last count, and still have no room.
pub(crate) async fn due(
    db: &impl Sql,
    full: &[LevelRow],
    before: Timestamp,
    now: Timestamp,
) -> ApiResult<Vec<LevelRow>> {
    let mut due = Vec::new();
    for row in full.iter().filter(|row| row.grew && row.full_since.is_some_and(|since| since <= before)) {
        due.extend(level_of(db, &row.holder, now).await?.filter(LevelRow::is_full));
    }
    Ok(due)
}

/// Restarts the grace period.
pub(crate) async fn restart_grace(tx: &Tx, holder: &SpaceHolder, now: Timestamp) -> ApiResult<()> {
    Ok(store::restart_grace(tx, &holder.key(), now).await?)
}

/// Notes that the owner resumes an instance with a full root, to free space in it. Allowed once a day unless space was
/// freed since the last time: each time it may write for another grace period.
///
/// # Errors
/// 409 `root_gone_on`; otherwise if the database fails.
pub(crate) async fn note_gone_on(tx: &Tx, root: &SpaceHolder, now: Timestamp) -> ApiResult<()> {
    let key = root.key();
    if store::gone_on(tx, &key).await?.is_some_and(|last| last <= now && now < last.plus(GOES_ON_EVERY)) {
        let message = "24 小时内已经继续过一次，系统盘仍然超过上限。请联系管理员让它继续，或停止实例";
        return Err(ApiError::conflict("root_gone_on", message));
    }
    Ok(store::set_gone_on(tx, &key, now).await?)
}

/// Refuses to start an instance whose owner's disk quota is used up, unless the actor is an administrator.
///
/// # Errors
/// 422 `disk_quota_exceeded`; otherwise if the database fails.
pub(crate) async fn refuse_full(db: &impl Sql, actor: &Actor, owner: UserId, now: Timestamp) -> ApiResult<()> {
    let holder = SpaceHolder::Disk(DiskHolder::User(owner));
    let full = level_of(db, &holder, now).await?.filter(LevelRow::is_full);
    let Some(row) = full.filter(|_| !actor.is_admin()) else { return Ok(()) };
    let minutes = (now.as_millis() - row.counted.as_millis()).max(0) / 60_000;
    let age = if minutes == 0 { "刚刚统计".to_owned() } else { format!("统计于 {minutes} 分钟前") };
    let message =
        format!("网盘已用完配额（{}，{age}），不能启动实例。请先清理网盘和回收站，或申请更多配额", amount(&row));
    Err(ApiError::new(ErrorKind::Invalid, "disk_quota_exceeded", message))
}
