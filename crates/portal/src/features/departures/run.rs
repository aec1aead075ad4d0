//! The duty: advances each departure as far as possible, writes down the outcome for each thing, and notifies
//! administrators when all is done or the departure is stuck.

use background::NewJob;
use http_kit::{ApiError, ApiResult};
use kernel::ErrorKind;

use super::model::{Departure, DepartureItem, DepartureItemState, DepartureState, is_due, outcome};
use super::steps::{self, Step};
use super::{JOB_KIND, start, store, store_items};
use crate::Portal;
use crate::features::notices::{self, NewNotice, NoticeObject, Recipients, UserNoticeKind};
use crate::jobs::JOBS;

/// Takes the next step of every departure. A failing departure does not stop the others.
pub(super) async fn look(portal: &Portal) -> ApiResult<()> {
    let mut failed = None;
    for one in store::running(portal.db()).await? {
        let one = match one {
            Ok(one) => one,
            Err(error) => {
                failed = Some(error.into());
                continue;
            }
        };
        if let Err(error) = go_on(portal, &one).await {
            tracing::warn!(departure.id = one.id, departure.user = one.user.username, %error, "a departure is held up");
            failed = Some(error);
        }
    }
    failed.map_or(Ok(()), Err)
}

async fn go_on(portal: &Portal, one: &Departure) -> ApiResult<()> {
    if !lease(portal, one).await? {
        return Ok(());
    }
    let mut items = store_items::of(portal.db(), &one.id).await?;
    for at in 0..items.len() {
        if items[at].state != DepartureItemState::Waiting || !is_due(&items[at], &items) {
            continue;
        }
        let step = match steps::step(portal, one, &items[at]).await {
            Ok(step) => step,
            Err(error) => refused(&items[at], &error)?,
        };
        apply(&mut items[at], step);
        let tx = portal.db().begin().await?;
        store_items::note(&tx, &one.id, &items[at], portal.now()).await?;
        tx.commit().await?;
    }
    if outcome(&items).is_some() { end(portal, one).await } else { Ok(()) }
}

/// With several portals, one handles a departure.
async fn lease(portal: &Portal, one: &Departure) -> ApiResult<bool> {
    let now = portal.now();
    let tx = portal.db().begin().await?;
    let job = NewJob { id: &one.id, kind: JOB_KIND.0, owner: Some(one.by_id), runner: portal.id(), due: now };
    let leased = JOBS.claim(&tx, job, now).await?;
    tx.commit().await?;
    Ok(leased)
}

/// An error that needs a person fails the item; a temporary one is retried.
fn refused(item: &DepartureItem, error: &ApiError) -> ApiResult<Step> {
    match error.kind() {
        ErrorKind::Conflict | ErrorKind::Invalid | ErrorKind::NotFound | ErrorKind::Forbidden => {
            let field = error.fields().first().map(|field| field.message.clone());
            Ok(Step::Failed(field.unwrap_or_else(|| error.message().to_owned())))
        }
        ErrorKind::Unavailable | ErrorKind::Full => {
            let words = format!("暂时没有成功，稍后自动重试：{}", error.message());
            Ok(Step::Waits { words, begun: item.begun.clone() })
        }
        kind => Err(ApiError::internal(format!("item {} ended with {kind:?}: {error}", item.number))),
    }
}

fn apply(item: &mut DepartureItem, step: Step) {
    match step {
        Step::Done(words) => (item.state, item.words) = (DepartureItemState::Done, words),
        Step::Failed(words) => (item.state, item.words) = (DepartureItemState::Failed, words),
        Step::Waits { words, begun } => (item.words, item.begun) = (words, begun),
    }
}

async fn end(portal: &Portal, one: &Departure) -> ApiResult<()> {
    let now = portal.now();
    let tx = portal.db().begin().await?;
    start::hold(&tx, one.user.id).await?;
    // An administrator may have had something tried again meanwhile.
    let items = store_items::of(&tx, &one.id).await?;
    let Some(state) = outcome(&items) else { return Ok(()) };
    if !store::step(&tx, &one.id, DepartureState::Running, state, now).await? {
        return Ok(());
    }
    JOBS.remove(&tx, &one.id).await?;
    let people = Recipients::people([one.by_id]).and_administrators(&tx).await?;
    let told = notices::tell(&tx, now, &people, &notice(one, state, &items)).await?;
    tx.commit().await?;
    portal.tell_noticed(&told);
    Ok(())
}

fn notice(one: &Departure, state: DepartureState, items: &[DepartureItem]) -> NewNotice {
    let username = &one.user.username;
    let failed: Vec<&str> =
        items.iter().filter(|item| item.state == DepartureItemState::Failed).map(|item| item.name.as_str()).collect();
    let (title, words) = if state == DepartureState::Done {
        (format!("{username} 的离开已办完"), format!("共 {} 项，可以下载办理结果", items.len()))
    } else {
        let shown = failed.iter().take(5).copied().collect::<Vec<_>>().join("、");
        (format!("{username} 的离开有 {} 项没有办成", failed.len()), format!("{shown}。处理后可以重试"))
    };
    NewNotice {
        kind: UserNoticeKind::Departure,
        object: NoticeObject::Account,
        object_id: one.user.id.to_string(),
        title,
        words,
        link: format!("/users/departures?panel=detail&id={}", one.id),
    }
}

/// Resets a failed item to be tried again.
pub(super) fn again(item: &DepartureItem) -> DepartureItem {
    DepartureItem {
        state: DepartureItemState::Waiting,
        words: String::new(),
        begun: steps::begun_again(item),
        ..item.clone()
    }
}

impl Portal {
    /// Takes the next step of every departure, as the leading portal does every few seconds.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn continue_departures(&self) -> anyhow::Result<()> {
        Ok(look(self).await?)
    }
}
