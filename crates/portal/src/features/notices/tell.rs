//! Writing notices, and queueing their mail.

use db_kit::{Sql, Tx, Word};
use http_kit::{ApiError, ApiResult};
use kernel::{Timestamp, UserId};

use super::channels::mail::MailContent;
use super::model::NewNotice;
use super::recipients::Recipients;
use super::store_outbox::{self, Channel, NewDelivery};
use super::{store, store_mail, store_robot};
use crate::Portal;
use crate::events::AfterCommit;
use crate::features::broadcast::{Audience, Message};
use crate::features::users::{self, Contact};

/// The most users in one message between portals, whose size is limited.
const MOST_AT_ONCE: usize = 500;

/// Users whose notices changed. Their pages are notified after the commit, by [`Portal::tell_noticed`].
#[must_use = "the pages of these people are to be told after the commit"]
#[derive(Clone, Debug, Default)]
pub(crate) struct Told(Vec<UserId>);

impl Told {
    pub(super) fn only(person: UserId) -> Self {
        Self(vec![person])
    }

    /// These people and the others.
    pub(crate) fn and(mut self, others: Self) -> Self {
        self.0.extend(others.0);
        self
    }
}

impl From<Told> for AfterCommit {
    fn from(told: Told) -> Self {
        Self::of(move |portal| portal.tell_noticed(&told))
    }
}

/// Whether notices leave the portal at all, by mail or to the group.
pub(crate) async fn have_channel(db: &impl Sql) -> ApiResult<bool> {
    Ok(!store_mail::wanted(db).await?.is_empty() || !store_robot::wanted(db).await?.is_empty())
}

/// Writes a notice for each of these users who exists and is not disabled, and queues the mail for those who have an
/// address and want it.
///
/// # Errors
/// If the database fails.
pub(crate) async fn tell(tx: &Tx, at: Timestamp, recipients: &Recipients, notice: &NewNotice) -> ApiResult<Told> {
    let people = users::contacts(tx, &recipients.ids()).await?;
    let ids: Vec<UserId> = people.iter().map(|person| person.id).collect();
    store::insert(tx, &ids, notice, at).await?;
    queue_mail(tx, at, &people, notice).await?;
    Ok(Told(ids))
}

/// As [`tell`], for all administrators except the person whom it is about.
///
/// # Errors
/// If the database fails.
pub(crate) async fn tell_other_administrators(
    tx: &Tx,
    at: Timestamp,
    about: UserId,
    notice: &NewNotice,
) -> ApiResult<Told> {
    let people = Recipients::default().and_administrators(tx).await?.but(about);
    tell(tx, at, &people, notice).await
}

async fn queue_mail(tx: &Tx, at: Timestamp, people: &[Contact], notice: &NewNotice) -> ApiResult<()> {
    let reachable: Vec<UserId> =
        people.iter().filter(|person| !person.email.is_empty()).map(|person| person.id).collect();
    if reachable.is_empty() || !store_mail::wanted(tx).await?.contains(&notice.kind) {
        return Ok(());
    }
    let muted = store::muted_by(tx, &reachable, notice.kind.group()).await?;
    let deliveries: Vec<NewDelivery> = reachable
        .into_iter()
        .filter(|person| !muted.contains(person))
        .map(|user| {
            let content = MailContent {
                user,
                title: notice.title.clone(),
                words: notice.words.clone(),
                link: notice.link.clone(),
            };
            let content = serde_json::to_string(&content).map_err(ApiError::internal)?;
            Ok(NewDelivery { event: Word(notice.kind).to_string(), content })
        })
        .collect::<ApiResult<_>>()?;
    let left_out = store_outbox::add(tx, Channel::Mail, &deliveries, at).await?;
    if left_out > 0 {
        tracing::warn!(notice.kind = Word(notice.kind).to_string(), left_out, "too much mail waits; some is not sent");
    }
    Ok(())
}

impl Portal {
    /// Makes the pages of these users request their notices again, here and at the other portals.
    pub(crate) fn tell_noticed(&self, told: &Told) {
        for some in told.0.chunks(MOST_AT_ONCE) {
            self.tell_pages(Audience::People(some.to_vec()), Message::Notices);
        }
    }
}
