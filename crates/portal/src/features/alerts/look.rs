//! One look at the lab: changes are stored and notified in one transaction.

use db_kit::Tx;
use http_kit::ApiResult;
use kernel::Timestamp;

use super::model::AlertSeverity;
use super::tracker::{Change, Episode, Fault};
use super::{conditions, store};
use crate::Portal;
use crate::features::broadcast::{Audience, Message};
use crate::features::notices::{
    self, AlertNotice, Event, GroupNotice, NewNotice, NoticeObject, Recipients, Told, UserNoticeKind,
};

/// The page with all alerts.
const PAGE: &str = "/settings/alerts";

/// Looks for faults and notifies of new and resolved ones.
pub(super) async fn look(portal: &Portal) -> ApiResult<()> {
    let found = conditions::find(portal).await?;
    let now = portal.now();
    let open = store::open(portal.db(), now).await?;
    let changes = portal.alerts().compare(open, found, now);
    if changes.is_empty() {
        return Ok(());
    }
    let tx = portal.db().begin().await?;
    let mut told = Told::default();
    for change in changes {
        told = told.and(carry_out(&tx, change, now).await?);
    }
    tx.commit().await?;
    portal.tell_noticed(&told);
    portal.tell_pages(Audience::Administrators, Message::Alerts);
    Ok(())
}

async fn carry_out(tx: &Tx, change: Change, now: Timestamp) -> ApiResult<Told> {
    match change {
        Change::Begins { kind, object, since, fault } => {
            let Some(episode) = store::begin(tx, kind, &object, &fault, since, now).await? else {
                return Ok(Told::default());
            };
            tracing::warn!(alert.kind = ?kind, alert.name = fault.name, alert.words = fault.words, "an alert fires");
            if episode.silenced || !fault.is_news(kind, None) {
                return Ok(Told::default());
            }
            tell_firing(tx, &episode, &fault, now).await
        }
        Change::GoesOn { episode, fault, is_told } => {
            store::go_on(tx, &episode.id, &fault, now).await?;
            if is_told { tell_firing(tx, &episode, &fault, now).await } else { Ok(Told::default()) }
        }
        Change::Ends { episode } => {
            if !store::end(tx, &episode.id, now).await? {
                return Ok(Told::default());
            }
            tracing::info!(alert.kind = ?episode.kind, alert.name = episode.name, "an alert is resolved");
            // An end is notified only if the fault was.
            if episode.silenced || episode.told.is_none() {
                Ok(Told::default())
            } else {
                tell_end(tx, &episode, now).await
            }
        }
    }
}

async fn tell_firing(tx: &Tx, episode: &Episode, fault: &Fault, now: Timestamp) -> ApiResult<Told> {
    if !store::note_told(tx, &episode.id, fault.severity, episode.told).await? {
        return Ok(Told::default());
    }
    let title = format!("告警：{}（{}）", episode.kind.label(), fault.name);
    let notice = notice(episode, fault.severity, title, fault.words.clone());
    tell(tx, now, episode, UserNoticeKind::AlertFiring, notice).await
}

async fn tell_end(tx: &Tx, episode: &Episode, now: Timestamp) -> ApiResult<Told> {
    let title = format!("已恢复：{}（{}）", episode.kind.label(), episode.name);
    let words = format!("故障已经消除。之前：{}", episode.words);
    let notice = notice(episode, episode.severity, title, words);
    tell(tx, now, episode, UserNoticeKind::AlertResolved, notice).await
}

fn notice(episode: &Episode, severity: AlertSeverity, title: String, words: String) -> AlertNotice {
    AlertNotice { id: episode.id.clone(), kind: episode.kind, severity, name: episode.name.clone(), title, words }
}

/// Notifies the administrators and the group chat.
async fn tell(
    tx: &Tx,
    now: Timestamp,
    episode: &Episode,
    notice_kind: UserNoticeKind,
    notice: AlertNotice,
) -> ApiResult<Told> {
    let event = if notice_kind == UserNoticeKind::AlertFiring { Event::AlertFiring } else { Event::AlertResolved };
    let new = NewNotice {
        kind: notice_kind,
        object: NoticeObject::Alert,
        object_id: notice.id.clone(),
        title: notice.title.clone(),
        words: notice.words.clone(),
        link: PAGE.to_owned(),
    };
    notices::to_group(tx, now, &[event], &GroupNotice::Alert(notice)).await?;
    if !episode.kind.is_noticed(&episode.object) {
        return Ok(Told::default());
    }
    let people = Recipients::default().and_administrators(tx).await?;
    notices::tell(tx, now, &people, &new).await
}

impl Portal {
    /// Looks once for faults, as the leading portal does every 15 s.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn look_for_faults(&self) -> anyhow::Result<()> {
        Ok(look(self).await?)
    }
}
