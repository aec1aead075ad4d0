//! Freezing what an instance does, for an administrator to look at: nothing of it is lost, and its
//! owner is told why.

use std::time::Duration;

use db_kit::Tx;
use http_kit::{ApiError, ApiResult};
use kernel::Timestamp;

use super::changes;
use super::model::Instance;
use super::state::State;

/// After an administrator lifted it, its owner has this long to put things right.
const GRACE: Duration = Duration::from_secs(30 * 60);

/// Writes down that a running instance is to be frozen, and why; `false` when it is already, when it
/// was let go on a short while ago, or when somebody changed it meanwhile.
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

/// Writes down that it may go on.
///
/// # Errors
/// 409 when it is not suspended, or when somebody changed it meanwhile.
pub(super) async fn lift(tx: &Tx, before: &Instance, by: &str, now: Timestamp) -> ApiResult<Instance> {
    if !before.is_suspended() {
        return Err(ApiError::conflict("instance_state", "实例没有被暂停"));
    }
    let mut one = before.clone();
    one.suspended.clear();
    one.lifted = Some(now);
    "管理员解除了暂停".clone_into(&mut one.state_reason);
    changes::put(tx, before, one, by, now).await?.ok_or_else(changes::changed_meanwhile)
}
