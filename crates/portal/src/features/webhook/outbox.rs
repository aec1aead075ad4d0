//! What is still to be told: written down with what it tells of, sent by the portal that leads.

use db_kit::Tx;
use http_kit::ApiResult;
use kernel::Timestamp;

use super::message::{Message, Sender};
use super::model::{Event, Notice, next_try};
use super::store::NoticeRow;
use super::{send, store};
use crate::Portal;
use crate::features::settings;

/// Writes down that this is to be told, as the first of these events that the settings want told.
pub(crate) async fn note(tx: &Tx, at: Timestamp, events: &[Event], notice: &Notice) -> ApiResult<()> {
    let wanted = store::wanted(tx).await?;
    let Some(event) = events.iter().find(|event| wanted.contains(event)) else { return Ok(()) };
    if !store::add(tx, *event, notice, at).await? {
        tracing::warn!(webhook.event = event.word(), "too many notices wait; one is not told");
    }
    Ok(())
}

impl Portal {
    /// Sends the notices that are due, once; how many were taken.
    ///
    /// # Errors
    /// When the database fails. That a notice can't be sent is none.
    pub async fn send_notices(&self) -> anyhow::Result<usize> {
        Ok(send_due(self).await?)
    }
}

/// The first that can't be sent ends it: the others would mostly fare the same, and wait as long.
async fn send_due(portal: &Portal) -> ApiResult<usize> {
    let db = portal.db();
    // Most of the time there is nothing, for which no key is needed.
    if store::due(db, portal.now(), 1).await?.is_empty() {
        return Ok(0);
    }
    let target = store::target(db, portal.seal()).await?;
    if !target.enabled {
        return Ok(0);
    }
    let from = sender(portal).await?;
    let mut taken = 0;
    for one in store::due(db, portal.now(), target.format.at_once()).await? {
        let Some(notice) = one.notice() else {
            write_down(portal, &one, Some("通知的内容读不出来")).await?;
            continue;
        };
        let message = Message { id: one.id.clone(), event: one.event(), created: one.created(), notice };
        let report = send::send(&target, &from, &message, portal.now()).await;
        write_down(portal, &one, report.fault()).await?;
        if report.fault().is_some() {
            break;
        }
        taken += 1;
    }
    Ok(taken)
}

async fn write_down(portal: &Portal, one: &NoticeRow, fault: Option<&str>) -> ApiResult<()> {
    let now = portal.now();
    let tx = portal.db().begin().await?;
    match fault {
        None => store::told(&tx, &one.id).await?,
        Some(fault) => {
            let failed = u32::try_from(one.tries).unwrap_or(u32::MAX).saturating_add(1);
            let next = next_try(failed, now);
            tracing::warn!(
                webhook.notice = one.id,
                webhook.failed = failed,
                given_up = next.is_none(),
                fault,
                "a notice was not taken"
            );
            if next.is_none() {
                store::sweep(&tx, now).await?;
            }
            store::not_told(&tx, one, fault, next).await?
        }
    };
    store::note_last(&tx, now, fault.unwrap_or_default()).await?;
    tx.commit().await?;
    Ok(())
}

/// Who the messages are from.
pub(super) async fn sender(portal: &Portal) -> ApiResult<Sender> {
    let basic = settings::read(portal.db()).await?.basic;
    Ok(Sender { product: basic.product_name, base_url: basic.base_url })
}
