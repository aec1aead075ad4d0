//! App passwords in the database.

use db_kit::{Db, DbResult, FromQueryResult, Record, Sql, Tx, placeholders};
use kernel::{Timestamp, UserId};

use super::model::AppPassword;

/// Uses that follow each other more closely are not written down.
const NOTED_EVERY_MS: i64 = 5 * 60 * 1000;

/// An app password's owner.
#[derive(Debug, FromQueryResult)]
pub(crate) struct Owner {
    pub(crate) id: String,
    pub(crate) last_used: Option<i64>,
    pub(crate) user_id: UserId,
    pub(crate) expires: Option<i64>,
    pub(crate) folder: Option<String>,
}

/// A user's app passwords, oldest first; unpaged, because their number is limited.
pub(super) async fn all_of(db: &Db, user: UserId) -> DbResult<Vec<AppPassword>> {
    let sql = format!("{} where user_id = $1 order by created, id", AppPassword::select());
    db.all(&sql, vec![user.into()]).await
}

pub(super) async fn count_of(tx: &Tx, user: UserId) -> DbResult<i64> {
    tx.number("select count(*) as n from app_passwords where user_id = $1", vec![user.into()]).await
}

pub(super) async fn insert(tx: &Tx, user: UserId, entry: &AppPassword, digest: String) -> DbResult<u64> {
    entry.insert_with(tx, &[("user_id", user.into()), ("digest", digest.into())]).await
}

/// The name of one of this user's app passwords.
pub(super) async fn name(tx: &Tx, user: UserId, id: &str) -> DbResult<Option<String>> {
    let sql = "select name from app_passwords where id = $1 and user_id = $2";
    tx.value(sql, vec![id.into(), user.into()]).await
}

pub(super) async fn delete(tx: &Tx, user: UserId, id: &str) -> DbResult<u64> {
    tx.run("delete from app_passwords where id = $1 and user_id = $2", vec![id.into(), user.into()]).await
}

/// Returns the owner of the app password with this digest.
pub(crate) async fn owner(db: &Db, digest: &str) -> DbResult<Option<Owner>> {
    let sql = "select id, last_used, user_id, expires, folder from app_passwords where digest = $1";
    db.first(sql, vec![digest.into()]).await
}

/// Stores the time of use, at most now and then.
pub(crate) async fn note_use(db: &Db, owner: &Owner, now: Timestamp) -> DbResult<()> {
    if owner.last_used.is_some_and(|at| now.as_millis() - at < NOTED_EVERY_MS) {
        return Ok(());
    }
    let tx = db.begin().await?;
    let values = vec![now.as_millis().into(), owner.id.clone().into()];
    tx.run("update app_passwords set last_used = $1 where id = $2", values).await?;
    tx.commit().await
}

/// Deletes a user's app passwords that are confined to a folder, because its path now means another folder.
pub(crate) async fn end_confined_of(tx: &Tx, user: UserId) -> DbResult<u64> {
    tx.run("delete from app_passwords where user_id = $1 and folder is not null", vec![user.into()]).await
}

/// Ends all of a person's.
pub(crate) async fn end_all_of(tx: &Tx, user: UserId) -> DbResult<u64> {
    end_all_of_many(tx, &[user]).await
}

/// Ends all of several people's.
pub(crate) async fn end_all_of_many(tx: &Tx, users: &[UserId]) -> DbResult<u64> {
    let sql = format!("delete from app_passwords where user_id in ({})", placeholders(1, users.len()));
    tx.run(&sql, users.iter().map(|id| (*id).into()).collect()).await
}
