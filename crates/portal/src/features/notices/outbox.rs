//! The outbox: pending deliveries, sent by the leading portal, separately for each channel.

use db_kit::{Tx, Word};
use http_kit::{ApiError, ApiResult};
use kernel::Timestamp;

use super::channels::robot::{Event, GroupNotice};
use super::channels::{Sender, mail, robot};
use super::retry::next_try;
use super::store_outbox::{self, Channel, DeliveryRow, NewDelivery};
use super::{store_mail, store_robot};
use crate::Portal;
use crate::features::settings;

/// Queues a message to the lab's group chat, as the first of these events that the settings want.
///
/// # Errors
/// If the database fails.
pub(crate) async fn to_group(tx: &Tx, at: Timestamp, events: &[Event], notice: &GroupNotice) -> ApiResult<()> {
    let wanted = store_robot::wanted(tx).await?;
    let Some(event) = events.iter().find(|event| wanted.contains(event)) else { return Ok(()) };
    let content = serde_json::to_string(notice).map_err(ApiError::internal)?;
    let new = NewDelivery { event: Word(event).to_string(), content };
    if store_outbox::add(tx, Channel::Robot, &[new], at).await? > 0 {
        tracing::warn!(webhook.event = Word(event).to_string(), "too many notices wait; one is not told");
    }
    Ok(())
}

impl Portal {
    /// Sends the due deliveries of all channels once; returns their number.
    ///
    /// # Errors
    /// If the database fails. A failed delivery is not an error.
    pub async fn send_notices(&self) -> anyhow::Result<usize> {
        let mut taken = 0;
        for channel in Channel::ALL {
            taken += send_due(self, channel).await?;
        }
        Ok(taken)
    }
}

/// Sends the due deliveries of one channel once; returns their number. A channel that hangs does not block the other.
///
/// # Errors
/// If the database fails. A failed delivery is not an error.
pub(super) async fn send_due(portal: &Portal, channel: Channel) -> ApiResult<usize> {
    // Most of the time there is nothing, for which no key is needed.
    if store_outbox::due(portal.db(), channel, portal.id(), portal.now(), 1).await?.is_empty() {
        return Ok(0);
    }
    match channel {
        Channel::Robot => robot::send_due(portal).await,
        Channel::Mail => Box::pin(mail::send_due(portal)).await,
    }
}

/// How a delivery fared.
#[derive(Clone, Copy, Debug)]
pub(super) enum Outcome<'a> {
    Taken,
    /// The recipient is gone, disabled or without an address.
    Pointless,
    /// Tried again later.
    Failed(&'a str),
    /// Refused in a way that another try does not change.
    Refused(&'a str),
}

impl<'a> Outcome<'a> {
    fn fault(self) -> Option<&'a str> {
        match self {
            Self::Taken | Self::Pointless => None,
            Self::Failed(fault) | Self::Refused(fault) => Some(fault),
        }
    }
}

/// Takes the lease of a delivery before it is sent; `false` when another portal has it.
///
/// # Errors
/// If the database fails.
pub(super) async fn begin(portal: &Portal, one: &DeliveryRow) -> ApiResult<bool> {
    let tx = portal.db().begin().await?;
    let begun = store_outbox::begin(&tx, one, portal.id(), portal.now()).await?;
    tx.commit().await?;
    Ok(begun)
}

/// Stores the outcome of a delivery, and the time of the next try.
pub(super) async fn note(portal: &Portal, channel: Channel, one: &DeliveryRow, outcome: Outcome<'_>) -> ApiResult<()> {
    let now = portal.now();
    let tx = portal.db().begin().await?;
    match outcome.fault() {
        None => store_outbox::done(&tx, &one.id).await?,
        Some(fault) => {
            let failed = u32::try_from(one.tries).unwrap_or(u32::MAX).saturating_add(1);
            let next = if matches!(outcome, Outcome::Refused(_)) { None } else { next_try(failed, now) };
            tracing::warn!(
                channel = channel.word(),
                delivery.id = one.id,
                delivery.failed = failed,
                given_up = next.is_none(),
                fault,
                "a notice was not taken"
            );
            store_outbox::put_off(&tx, one, fault, next, now).await?
        }
    };
    if !matches!(outcome, Outcome::Pointless) {
        let fault = outcome.fault().unwrap_or_default();
        match channel {
            Channel::Robot => store_robot::note_last(&tx, now, fault).await?,
            Channel::Mail => store_mail::note_last(&tx, now, fault).await?,
        };
    }
    tx.commit().await?;
    Ok(())
}

/// The sender of the messages.
pub(super) async fn sender(portal: &Portal) -> ApiResult<Sender> {
    let basic = settings::read(portal.db()).await?.basic;
    Ok(Sender { product: basic.product_name, base_url: basic.base_url })
}
