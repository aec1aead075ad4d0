//! When accounts and granted quotas end, in the database.

use db_kit::{DbResult, Record, Sql, Tx, placeholders};
use http_kit::{ApiError, ApiResult};
use kernel::{Timestamp, UserId};

use super::temporary::Grant;
use crate::features::settings::Quotas;

/// An account that ends.
#[derive(Debug, Record)]
pub(crate) struct EndingAccount {
    pub(crate) id: UserId,
    pub(crate) username: String,
    pub(crate) name: String,
    pub(crate) ends_at: Timestamp,
    /// The fewest days before the end at which a notice was sent.
    pub(crate) end_told: Option<i64>,
}

/// Sets when an account ends, or that it does not.
pub(crate) async fn set_end(tx: &Tx, id: UserId, end: Option<Timestamp>) -> DbResult<u64> {
    let sql = "update users set ends_at = $2, end_told = null where id = $1";
    tx.run(sql, vec![id.into(), end.map(Timestamp::as_millis).into()]).await
}

/// Removes past ends of accounts that are enabled again, so that they do not end at once.
pub(crate) async fn forget_past_ends(tx: &Tx, ids: &[UserId], now: Timestamp) -> DbResult<u64> {
    let sql = format!(
        "update users set ends_at = null, end_told = null where ends_at <= $1 and id in ({})",
        placeholders(2, ids.len())
    );
    let values = std::iter::once(now.as_millis().into()).chain(ids.iter().map(|id| (*id).into()));
    tx.run(&sql, values.collect()).await
}

/// Accounts that are on and end before then, the earliest first.
pub(crate) async fn ending(db: &impl Sql, before: Timestamp) -> DbResult<Vec<EndingAccount>> {
    let sql = "select id, username, name, ends_at, end_told from users where active = $1 and ends_at <= $2 \
        order by ends_at, id";
    db.all(sql, vec![true.into(), before.as_millis().into()]).await
}

/// Notes that the notice for `days` was sent; `false` when it was already, or the end changed.
pub(crate) async fn note_end_told(tx: &Tx, account: &EndingAccount, days: i64) -> DbResult<bool> {
    let sql = "update users set end_told = $2 where id = $1 and ends_at = $3 and coalesce(end_told, $4) > $2";
    let values = vec![account.id.into(), days.into(), account.ends_at.as_millis().into(), i64::MAX.into()];
    Ok(tx.run(sql, values).await? > 0)
}

/// Those of these people whose accounts are disabled and ended before `before`.
pub(crate) async fn ended_while_off(db: &impl Sql, ids: &[UserId], before: Timestamp) -> DbResult<Vec<EndingAccount>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let sql = format!(
        "select id, username, name, ends_at, end_told from users where active = $1 and ends_at <= $2 \
         and id in ({}) order by ends_at, id",
        placeholders(3, ids.len())
    );
    let mut values = vec![false.into(), before.as_millis().into()];
    values.extend(ids.iter().map(|id| (*id).into()));
    db.all(&sql, values).await
}

/// Notes that an account ended that was off before; `false` when it was switched on, or the end was changed.
pub(crate) async fn note_end_while_off(tx: &Tx, account: &EndingAccount) -> DbResult<bool> {
    let sql = "update users set end_told = 0 where id = $1 and ends_at = $2 and active = $3";
    Ok(tx.run(sql, vec![account.id.into(), account.ends_at.as_millis().into(), false.into()]).await? > 0)
}

/// A grant's row.
#[derive(Debug, Record)]
#[record(table = "quota_ends", key = "user_id")]
pub(super) struct KeptGrant {
    #[record(column = "user_id")]
    pub(super) user: UserId,
    #[record(column = "ends_at")]
    pub(super) until: Timestamp,
    #[record(columns)]
    pub(super) grant: Grant,
    /// The notice before the end was sent.
    pub(super) told: bool,
}

/// Writes a grant, replacing an earlier one.
pub(super) async fn put_grant(tx: &Tx, user: UserId, until: Timestamp, grant: Grant) -> DbResult<u64> {
    KeptGrant { user, until, grant, told: false }.put(tx).await
}

/// Changes a grant's quotas. Its end stays, and so does whether the notice was sent.
pub(super) async fn change_grant(tx: &Tx, user: UserId, grant: &Grant) -> ApiResult<u64> {
    let sql = "update quota_ends set quotas_before = $2, quotas_granted = $3 where user_id = $1";
    Ok(tx.run(sql, vec![user.into(), text(grant.before)?.into(), text(grant.granted)?.into()]).await?)
}

fn text(quotas: Quotas) -> ApiResult<String> {
    serde_json::to_string(&quotas).map_err(ApiError::internal)
}

pub(super) async fn grant_of(db: &impl Sql, user: UserId) -> DbResult<Option<KeptGrant>> {
    KeptGrant::find(db, user.into()).await
}

/// Grants that end before `before`, the earliest first. An unreadable one is an error among the others.
pub(super) async fn grants_ending(db: &impl Sql, before: Timestamp) -> DbResult<Vec<DbResult<KeptGrant>>> {
    let sql = format!("{} where ends_at <= $1 order by ends_at, user_id", KeptGrant::select());
    db.each(&sql, vec![before.as_millis().into()]).await
}

/// `false` when it ended or was changed meanwhile.
pub(super) async fn note_grant_told(tx: &Tx, grant: &KeptGrant) -> DbResult<bool> {
    let sql = "update quota_ends set told = $3 where user_id = $1 and ends_at = $2 and told = $4";
    let values = vec![grant.user.into(), grant.until.as_millis().into(), true.into(), false.into()];
    Ok(tx.run(sql, values).await? > 0)
}

/// `false` when it ended or was changed meanwhile.
pub(super) async fn remove_grant(tx: &Tx, grant: &KeptGrant) -> DbResult<bool> {
    let sql = "delete from quota_ends where user_id = $1 and ends_at = $2";
    Ok(tx.run(sql, vec![grant.user.into(), grant.until.as_millis().into()]).await? > 0)
}
