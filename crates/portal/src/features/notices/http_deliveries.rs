//! The deliveries in the settings of all channels, and what is done with those that failed.

use http_kit::ApiResult;
use kernel::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use super::store_outbox::{self, Channel, DeliveryRow};
use super::store_robot::LastRow;
use crate::Portal;
use crate::features::logs::Acting;

/// Deliveries that failed, as many as are shown.
pub(super) const SHOWN: i64 = 20;

/// How the last delivery of a channel fared.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(super) struct DeliveryLast {
    time: Timestamp,
    /// Empty: it was taken.
    error: String,
}

impl DeliveryLast {
    /// `None` while there was none.
    pub(super) fn of(row: LastRow) -> Option<Self> {
        row.last_time.map(|time| Self { time: Timestamp::from_millis(time), error: row.last_error })
    }
}

/// A delivery that failed.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(super) struct DeliveryFault {
    id: String,
    title: String,
    /// When it happened.
    time: Timestamp,
    tries: i64,
    error: String,
    /// When it is tried next; null: it was given up.
    next: Option<Timestamp>,
}

impl DeliveryFault {
    pub(super) fn of(title: String, row: DeliveryRow) -> Self {
        Self { time: row.created(), next: row.next(), tries: row.tries, error: row.error, id: row.id, title }
    }
}

/// Has the deliveries sent again that were given up.
pub(super) async fn revive(portal: &Portal, by: &Acting, channel: Channel, action: &'static str) -> ApiResult<()> {
    let tx = portal.db().begin().await?;
    let count = store_outbox::revive(&tx, channel, by.at).await?;
    by.record(&tx, action, "", format!("{count} {}", channel.unit())).await?;
    Ok(tx.commit().await?)
}

/// Drops the deliveries that were given up.
pub(super) async fn forget(portal: &Portal, by: &Acting, channel: Channel, action: &'static str) -> ApiResult<()> {
    let tx = portal.db().begin().await?;
    let count = store_outbox::forget(&tx, channel).await?;
    by.record(&tx, action, "", format!("{count} {}", channel.unit())).await?;
    Ok(tx.commit().await?)
}
