//! Suspends an instance for an administrator to inspect: its processes are frozen, nothing is lost, and its owner is
//! notified of the reason.

use std::time::Duration;

use db_kit::Tx;
use http_kit::{ApiError, ApiResult};
use kernel::Timestamp;

use super::changes;
use super::frozen::FreezeReason;
use super::model::Instance;
use super::state::State;
use crate::features::disk_space::SpaceHolder;

/// After an administrator lifted it, its owner has this long to put things right.
const GRACE: Duration = Duration::from_secs(30 * 60);

/// Writes down that a running instance is to be suspended, and why. `false` when it already is, when it was resumed a
/// short while ago, or when the row was changed in between.
pub(crate) async fn suspend(tx: &Tx, before: &Instance, why: &str, now: Timestamp) -> ApiResult<bool> {
    let let_go = before.lifted.is_some_and(|lifted| lifted.plus(GRACE) > now);
    if before.state != State::Running || before.is_suspended() || let_go {
        return Ok(false);
    }
    let mut one = before.clone();
    why.clone_into(&mut one.suspended);
    one.state_reason = format!("已暂停：{why}");
    (one.idle_since, one.idle_stop_at) = (None, None);
    Ok(changes::put(tx, before, one, "", now).await?.is_some())
}

/// 409 for an instance that is not suspended.
pub(super) fn check(one: &Instance) -> ApiResult<()> {
    if one.is_suspended() { Ok(()) } else { Err(ApiError::conflict("instance_state", "实例没有被暂停")) }
}

/// Writes down that the instance is to be resumed.
///
/// # Errors
/// 409 when it is not suspended, or when the row was changed in between.
pub(super) async fn lift(tx: &Tx, before: &Instance, by: &str, now: Timestamp) -> ApiResult<Instance> {
    check(before)?;
    let mut one = before.clone();
    one.suspended.clear();
    one.lifted = Some(now);
    one.state_reason = reason_after(one.frozen_for.as_ref());
    changes::put(tx, before, one, by, now).await?.ok_or_else(changes::changed_meanwhile)
}

/// An instance that is also frozen for lack of space stays frozen.
fn reason_after(frozen_for: Option<&SpaceHolder>) -> String {
    match frozen_for {
        Some(holder) => format!("已冻结：{}", FreezeReason::of(holder).words()),
        None => "管理员解除了暂停".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use kernel::dataset::DiskHolder;

    use super::*;

    #[test]
    fn what_is_frozen_as_well_says_why_it_still_stands() {
        assert_eq!(reason_after(None), "管理员解除了暂停");
        let person = SpaceHolder::Disk(DiskHolder::User(7));
        assert_eq!(reason_after(Some(&person)), "已冻结：网盘已用完配额");
        assert_eq!(reason_after(Some(&SpaceHolder::Root("a".to_owned()))), "已冻结：实例的系统盘超过上限");
    }
}
