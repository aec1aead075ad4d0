//! Accounts and temporary quotas that end: their owners are notified before; at the end the account is disabled as by
//! an administrator, or the earlier quotas return. Paused while the clock is not trusted.

use std::time::Duration;

use background::{Duty, Scope};
use db_kit::Tx;
use http_kit::ApiResult;
use kernel::{ErrorKind, Role, Timestamp, UserId};

use super::start::{hold, start_planned};
use super::store;
use crate::Portal;
use crate::features::accounts;
use crate::features::logs::{self, DutyCall};
use crate::features::notices::{self, NewNotice, NoticeObject, Recipients, Told, UserNoticeKind};
use crate::features::users::{self, EndingAccount};
use crate::lab_time;

const DUTY_TITLE: &str = "处理到期的账号和配额";
/// For the past of instances that stop with an account.
const REASON: &str = "账号到期，实例随之停止";
/// Days before the end of an account at which its owner is notified, the earliest first.
const TOLD_DAYS: [u64; 2] = [14, 3];

pub(super) const DUTY: Duty = Duty {
    name: "account-ends",
    title: DUTY_TITLE,
    description: "提前提醒即将到期的账号和临时配额；到期时禁用账号、恢复原来的配额",
    period: Duration::from_secs(60),
    scope: Scope::Leader,
    needs_trusted_clock: true,
};

fn days(number: u64) -> Duration {
    Duration::from_secs(number * 24 * 3600)
}

/// Sends due notices, and ends what is due. A failure does not hold up the others.
pub(super) async fn look(portal: &Portal) -> ApiResult<()> {
    let now = portal.now();
    let mut failed = users::look_at_grants(portal, DUTY_TITLE, now).await?;
    for account in users::ending(portal.db(), now.plus(days(TOLD_DAYS[0]))).await? {
        let done = if account.ends_at <= now {
            end_account(portal, &account, now).await
        } else {
            tell_of_end(portal, &account, now).await
        };
        if let Err(error) = done {
            failed = Some(error);
        }
    }
    let planned = store::planned(portal.db()).await?;
    for account in users::ended_while_off(portal.db(), &planned, now).await? {
        if let Err(error) = begin_departure(portal, &account, now).await {
            failed = Some(error);
        }
    }
    failed.map_or(Ok(()), Err)
}

async fn tell_of_end(portal: &Portal, account: &EndingAccount, now: Timestamp) -> ApiResult<()> {
    let ends = account.ends_at;
    let Some(before) = TOLD_DAYS.iter().rev().find(|before| ends <= now.plus(days(**before))) else { return Ok(()) };
    let before = i64::try_from(*before).unwrap_or_default();
    if account.end_told.is_some_and(|told| told <= before) {
        return Ok(());
    }
    let tx = portal.db().begin().await?;
    if !users::note_end_told(&tx, account, before).await? {
        return Ok(());
    }
    let at = lab_time::in_words(ends);
    let own = "到期后不能再登录，运行中的实例会停止。请提前保存和移交需要的数据；如需延长，请联系管理员";
    let own = notice(account, format!("你的账号将于{at} 到期"), own.to_owned(), "/profile".to_owned());
    let told = notices::tell(&tx, now, &Recipients::people([account.id]), &own).await?;
    let words = "到期后账号会被禁用，运行中的实例会停止。可以提前安排好数据的去向，或修改到期时间".to_owned();
    let others = notice(account, format!("{} 的账号将于{at} 到期", called(account)), words, leaving_page(account));
    let told = told.and(tell_administrators(&tx, account.id, &others, now).await?);
    tx.commit().await?;
    portal.tell_noticed(&told);
    Ok(())
}

async fn end_account(portal: &Portal, account: &EndingAccount, now: Timestamp) -> ApiResult<()> {
    let tx = portal.db().begin().await?;
    hold(&tx, account.id).await?;
    let user = users::account(&tx, account.id).await?;
    if user.role == Role::Admin {
        match users::keep_an_admin(&tx, &[account.id]).await {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::Conflict => {
                return spare_last_administrator(portal, tx, account, now).await;
            }
            Err(error) => return Err(error),
        }
    }
    let ended = accounts::end_all_because(&tx, "", REASON, now, &[account.id], true).await?;
    if !users::note_end_told(&tx, account, 0).await? || users::set_active(&tx, &[account.id], false).await? == 0 {
        return Ok(());
    }
    let detail = [format!("到期时间：{}", lab_time::in_words(account.ends_at)), ended.in_words()];
    let detail = detail.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("；");
    record(&tx, now, "user.disable", &account.username, detail).await?;
    let planned = start_planned(&tx, account.id, now).await?;
    let (words, link) = if planned {
        record(&tx, now, "departure.start", &account.username, String::new()).await?;
        ("账号已禁用，运行中的实例已停止，正在按离开计划处理其数据".to_owned(), "/users/departures".to_owned())
    } else {
        (
            "账号已禁用，运行中的实例已停止，数据都还保留。可以办理离开，移交或删除其数据".to_owned(),
            leaving_page(account),
        )
    };
    let notice = notice(account, format!("{} 的账号已到期", called(account)), words, link);
    let told = tell_administrators(&tx, account.id, &notice, now).await?;
    tx.commit().await?;
    portal.wake_stopped(&ended.stopped);
    portal.tell_noticed(&told);
    Ok(())
}

/// Begins the departure of a user whose account was disabled before it ended.
async fn begin_departure(portal: &Portal, account: &EndingAccount, now: Timestamp) -> ApiResult<()> {
    let tx = portal.db().begin().await?;
    hold(&tx, account.id).await?;
    if !users::note_end_while_off(&tx, account).await? || !start_planned(&tx, account.id, now).await? {
        return Ok(());
    }
    record(&tx, now, "departure.start", &account.username, String::new()).await?;
    let words = "账号之前已经禁用，现在按离开计划处理其数据".to_owned();
    let notice = notice(account, format!("{} 的账号已到期", called(account)), words, "/users/departures".to_owned());
    let told = tell_administrators(&tx, account.id, &notice, now).await?;
    tx.commit().await?;
    portal.tell_noticed(&told);
    Ok(())
}

/// Keeps the last administrator's account enabled, and notifies administrators of it once.
async fn spare_last_administrator(portal: &Portal, tx: Tx, account: &EndingAccount, now: Timestamp) -> ApiResult<()> {
    if !users::note_end_told(&tx, account, 0).await? {
        return Ok(());
    }
    let words = "这是最后一个启用的本地管理员，禁用后就没有人能管理平台，所以账号仍然可用。请先指定另一位管理员，\
        再修改到期时间";
    let title = format!("{} 的账号已到期，但没有禁用", called(account));
    let notice = notice(account, title, words.to_owned(), "/users/user_list".to_owned());
    let people = Recipients::people([]).and_administrators(&tx).await?;
    let told = notices::tell(&tx, now, &people, &notice).await?;
    tx.commit().await?;
    portal.tell_noticed(&told);
    Ok(())
}

async fn tell_administrators(tx: &Tx, but: UserId, notice: &NewNotice, now: Timestamp) -> ApiResult<Told> {
    let people = Recipients::people([]).and_administrators(tx).await?.but(but);
    notices::tell(tx, now, &people, notice).await
}

fn notice(account: &EndingAccount, title: String, words: String, link: String) -> NewNotice {
    NewNotice {
        kind: UserNoticeKind::AccountEnding,
        object: NoticeObject::Account,
        object_id: account.id.to_string(),
        title,
        words,
        link,
    }
}

/// The name that administrators see.
fn called(account: &EndingAccount) -> String {
    let EndingAccount { username, name, .. } = account;
    if name.is_empty() || name == username { username.clone() } else { format!("{username}（{name}）") }
}

fn leaving_page(account: &EndingAccount) -> String {
    format!("/users/leaving?name={}", account.username)
}

async fn record(tx: &Tx, now: Timestamp, action: &'static str, target: &str, detail: String) -> ApiResult<()> {
    logs::record_duty(tx, now, DutyCall { duty: DUTY_TITLE, action, target, detail, failed: false }).await
}

impl Portal {
    /// Sends notices of accounts and quotas that end soon, and ends those that are due, as the leader does every
    /// minute.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn end_accounts(&self) -> anyhow::Result<()> {
        Ok(look(self).await?)
    }
}
