//! The disks' entries of the operate log.

use db_kit::Sql;
use http_kit::ApiResult;
use kernel::{DiskChange, DiskEvent, Timestamp};

use super::store::{Row, insert_row, outcome, with_token};
use super::tally::Refused;
use crate::Portal;

/// Records an administrator's change on a disk, or another user's refused one.
pub(super) async fn record_disk_change(portal: &Portal, change: &DiskChange) -> ApiResult<()> {
    if !change.refused {
        return write_disk_change(portal, change, &change.target).await.map(drop);
    }
    let (user, action) = (change.user, change.action.code().to_owned());
    let refused = Refused::Change { user, action, target: change.target.clone() };
    let Some(refused) = portal.refusals().count(refused, portal.now()) else { return Ok(()) };
    let Refused::Change { target, .. } = &refused else { return Ok(()) };
    let written = write_disk_change(portal, change, target).await;
    portal.refusals().written(&refused, written.as_ref().ok().copied().flatten());
    written.map(drop)
}

/// Records new entries of a disk's audit trail in one transaction.
pub(super) async fn record_disk_events(portal: &Portal, events: &[DiskEvent]) -> ApiResult<()> {
    let now = portal.now();
    let tx = portal.db().begin().await?;
    for DiskEvent { at, change, .. } in events {
        // A disk's clock may be ahead.
        let at = Timestamp::from_millis(*at).min(now);
        let known = "select count(*) as n from operate_logs where time = $1 and request_id = $2 and action = $3 \
                     and target = $4";
        let (id, action) = (change.request_id.clone(), change.action.code());
        let values = vec![at.as_millis().into(), id.into(), action.into(), change.target.clone().into()];
        if tx.number(known, values).await? == 0 {
            insert_row(&tx, at, disk_row(change, &change.target)).await?;
        }
    }
    tx.commit().await?;
    Ok(())
}

async fn write_disk_change(portal: &Portal, change: &DiskChange, target: &str) -> ApiResult<Option<i64>> {
    let tx = portal.db().begin().await?;
    let id = insert_row(&tx, portal.now(), disk_row(change, target)).await?;
    tx.commit().await?;
    Ok(id)
}

fn disk_row<'a>(change: &'a DiskChange, target: &'a str) -> Row<'a> {
    Row {
        user: Some(change.user),
        username: &change.username,
        address: &change.address,
        action: change.action.code(),
        target,
        detail: with_token(&change.detail, change.token.as_deref()),
        result: outcome(change.refused),
        request_id: change.request_id.clone(),
    }
}
