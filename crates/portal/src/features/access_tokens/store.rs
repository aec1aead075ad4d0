//! Access tokens in the database.

use db_kit::{Db, DbResult, Record, Sql, Tx, placeholders};
use kernel::scope::Scope;
use kernel::{Timestamp, UserId};

use super::model::AccessTokenEntry;

/// Uses that follow each other more closely are not written down.
const NOTED_EVERY_MS: i64 = 5 * 60 * 1000;

/// An existing token, as its check needs it.
#[derive(Debug, Record)]
#[record(table = "access_tokens")]
pub(crate) struct KnownToken {
    pub(crate) id: String,
    pub(crate) user_id: UserId,
    pub(crate) name: String,
    #[record(json)]
    pub(crate) scopes: Vec<Scope>,
    pub(crate) expires: Timestamp,
    last_used: Option<Timestamp>,
}

/// Returns a user's tokens, newest first; unpaged, because their number is limited.
pub(super) async fn all_of(db: &Db, user: UserId) -> DbResult<Vec<AccessTokenEntry>> {
    let sql = format!("{} where user_id = $1 order by created desc, id desc", AccessTokenEntry::select());
    db.all(&sql, vec![user.into()]).await
}

pub(super) async fn count_of(tx: &Tx, user: UserId) -> DbResult<i64> {
    tx.number("select count(*) as n from access_tokens where user_id = $1", vec![user.into()]).await
}

pub(super) async fn insert(tx: &Tx, user: UserId, entry: &AccessTokenEntry, digest: String) -> DbResult<u64> {
    entry.insert_with(tx, &[("user_id", user.into()), ("digest", digest.into())]).await
}

/// The token with this digest.
pub(crate) async fn by_digest(db: &Db, digest: &str) -> DbResult<Option<KnownToken>> {
    db.first(&format!("{} where digest = $1", KnownToken::select()), vec![digest.into()]).await
}

/// The token with this id.
pub(crate) async fn by_id(db: &impl Sql, id: &str) -> DbResult<Option<KnownToken>> {
    KnownToken::find(db, id.into()).await
}

pub(super) async fn delete(tx: &Tx, id: &str) -> DbResult<u64> {
    tx.run("delete from access_tokens where id = $1", vec![id.into()]).await
}

/// Stores the time of use, at most now and then.
pub(crate) async fn note_use(db: &Db, token: &KnownToken, now: Timestamp) -> DbResult<()> {
    if token.last_used.is_some_and(|at| now.as_millis() - at.as_millis() < NOTED_EVERY_MS) {
        return Ok(());
    }
    let tx = db.begin().await?;
    let values = vec![now.as_millis().into(), token.id.clone().into()];
    tx.run("update access_tokens set last_used = $1 where id = $2", values).await?;
    tx.commit().await
}

/// Ends all of a person's.
pub(crate) async fn end_all_of(tx: &Tx, user: UserId) -> DbResult<u64> {
    end_all_of_many(tx, &[user]).await
}

/// Ends all of several people's.
pub(crate) async fn end_all_of_many(tx: &Tx, users: &[UserId]) -> DbResult<u64> {
    let sql = format!("delete from access_tokens where user_id in ({})", placeholders(1, users.len()));
    tx.run(&sql, users.iter().map(|id| (*id).into()).collect()).await
}
