//! Temporary quotas that end: their owners are notified before, and at the end the earlier quotas return.

use std::time::Duration;

use db_kit::Tx;
use http_kit::{ApiError, ApiResult};
use kernel::{Timestamp, UserId};

use super::store_ends::KeptGrant;
use super::{service, store, store_ends};
use crate::Portal;
use crate::features::logs::{self, DutyCall};
use crate::features::notices::{self, NewNotice, NoticeObject, Recipients, Told, UserNoticeKind};
use crate::lab_time;

/// Before the end, the owner is notified.
const TOLD_BEFORE: Duration = Duration::from_secs(3 * 24 * 3600);

/// Sends due notices, and ends what is due, in the name of a duty. A failure does not hold up the others: the last one
/// is returned.
///
/// # Errors
/// If the grants can't be listed.
pub(crate) async fn look_at_grants(portal: &Portal, duty: &'static str, now: Timestamp) -> ApiResult<Option<ApiError>> {
    let mut failed = None;
    for grant in store_ends::grants_ending(portal.db(), now.plus(TOLD_BEFORE)).await? {
        let done = match grant {
            Ok(grant) => look_at_grant(portal, &grant, duty, now).await,
            Err(error) => Err(error.into()),
        };
        if let Err(error) = done {
            failed = Some(error);
        }
    }
    Ok(failed)
}

async fn look_at_grant(portal: &Portal, kept: &KeptGrant, duty: &'static str, now: Timestamp) -> ApiResult<()> {
    let over = kept.until <= now;
    if !over && kept.told {
        return Ok(());
    }
    let tx = portal.db().begin().await?;
    service::hold(&tx, kept.user).await?;
    // Quotas may have been set for good since it was read.
    let now_kept = store_ends::grant_of(&tx, kept.user).await?.filter(|grant| grant.until == kept.until);
    let Some(kept) = &now_kept else { return Ok(()) };
    let user = store::by_id(&tx, kept.user).await?;
    let notice = |title: String, words: String| NewNotice {
        kind: UserNoticeKind::QuotaEnding,
        object: NoticeObject::Account,
        object_id: kept.user.to_string(),
        title,
        words,
        link: "/profile".to_owned(),
    };
    let notice = if over {
        let Some(changes) = service::restore_quotas(&tx, &user, kept).await? else { return Ok(()) };
        let detail = format!("临时配额到期：{changes}");
        let call = DutyCall { duty, action: "user.quota", target: &user.username, detail, failed: false };
        logs::record_duty(&tx, now, call).await?;
        notice("临时配额已到期".to_owned(), format!("配额已恢复：{changes}。运行中的实例不受影响"))
    } else {
        if !store_ends::note_grant_told(&tx, kept).await? {
            return Ok(());
        }
        let title = format!("临时配额将于{} 到期", lab_time::in_words(kept.until));
        notice(title, "到期后恢复为原来的配额，运行中的实例不受影响。如需延长，请提交工单".to_owned())
    };
    let mut told = notices::tell(&tx, now, &Recipients::people([kept.user]), &notice).await?;
    if over {
        let link = format!("/users/user_list?q={}", user.username);
        let others = NewNotice { title: format!("{} 的临时配额已到期", user.username), link, ..notice };
        told = told.and(tell_administrators(&tx, kept.user, &others, now).await?);
    }
    tx.commit().await?;
    portal.tell_noticed(&told);
    Ok(())
}

async fn tell_administrators(tx: &Tx, but: UserId, notice: &NewNotice, now: Timestamp) -> ApiResult<Told> {
    let people = Recipients::people([]).and_administrators(tx).await?.but(but);
    notices::tell(tx, now, &people, notice).await
}
