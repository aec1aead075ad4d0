//! Stop times and keep times of instances, each announced beforehand: on their pages
//! ([`crate::features::instances::model::Notice`]) and by notices (`endings`).

use std::time::Duration;

use db_kit::Sql;
use http_kit::ApiResult;
use kernel::Timestamp;

use crate::Portal;
use crate::features::instances::changes::{self, Action};
use crate::features::instances::state::State;
use crate::features::instances::{endings, store};
use crate::features::settings;

const DAY: u64 = 24 * 3600;

/// Until when an instance that stops now is kept; `None` is for ever.
pub(crate) async fn until(db: &impl Sql, now: Timestamp) -> ApiResult<Option<Timestamp>> {
    let days = settings::read(db).await?.basic.keep_days;
    let days = u64::try_from(days).unwrap_or_default();
    Ok((days > 0).then(|| now.plus(Duration::from_secs(days * DAY))))
}

/// Notifies owners of what ends soon, and stops and releases the instances that are due.
pub(crate) async fn carry_out(portal: &Portal) -> ApiResult<()> {
    let now = portal.now();
    let told = endings::tell_all(portal, now).await;
    for one in store::due(portal.db(), now).await? {
        let (action, reason) = if matches!(one.state, State::Stopped | State::Error) {
            (Action::Release, "超过保留期，自动释放")
        } else {
            (Action::Stop, "到达设定的停止时间，自动停止")
        };
        let tx = portal.db().begin().await?;
        match changes::act(&tx, &one, action, "", reason, now).await {
            Ok(_) => tx.commit().await?,
            // A concurrent change came first; the next run reads the row again.
            Err(error) if changes::is_outrun(&error) => tracing::debug!(instance.id = one.id, %error, "outrun"),
            Err(error) => return Err(error),
        }
        portal.wake_server(&one.server);
    }
    told
}
