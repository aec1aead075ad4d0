//! Access tokens in the database.

use db_kit::{Db, DbResult, FromQueryResult, Json, Sql, Tx, placeholders};
use kernel::scope::Scope;
use kernel::{Timestamp, UserId};

use super::model::AccessTokenEntry;

/// Uses that follow each other more closely are not written down.
const NOTED_EVERY_MS: i64 = 5 * 60 * 1000;

#[derive(Debug, FromQueryResult)]
struct Row {
    id: String,
    name: String,
    scopes: Json<Vec<Scope>>,
    created: i64,
    expires: i64,
    last_used: Option<i64>,
}

/// An existing token, as its check needs it.
#[derive(Debug, FromQueryResult)]
pub(crate) struct KnownToken {
    pub(crate) id: String,
    pub(crate) user_id: UserId,
    pub(crate) name: String,
    scopes: Json<Vec<Scope>>,
    pub(crate) expires: i64,
    last_used: Option<i64>,
}

impl KnownToken {
    /// The scopes of this token.
    pub(crate) fn scopes(&self) -> Vec<Scope> {
        self.scopes.0.clone()
    }
}

/// Returns a user's tokens, newest first; unpaged, because their number is limited.
pub(super) async fn all_of(db: &Db, user: UserId) -> DbResult<Vec<AccessTokenEntry>> {
    let sql = "select id, name, scopes, created, expires, last_used from access_tokens where user_id = $1 \
        order by created desc, id desc";
    let rows: Vec<Row> = db.all(sql, vec![user.into()]).await?;
    Ok(rows.into_iter().map(AccessTokenEntry::from).collect())
}

pub(super) async fn count_of(tx: &Tx, user: UserId) -> DbResult<i64> {
    tx.number("select count(*) as n from access_tokens where user_id = $1", vec![user.into()]).await
}

pub(super) async fn insert(
    tx: &Tx,
    user: UserId,
    entry: &AccessTokenEntry,
    scopes: &str,
    digest: String,
) -> DbResult<u64> {
    tx.run(
        "insert into access_tokens (id, user_id, name, digest, scopes, created, expires) \
         values ($1, $2, $3, $4, $5, $6, $7)",
        vec![
            entry.id.clone().into(),
            user.into(),
            entry.name.clone().into(),
            digest.into(),
            scopes.into(),
            entry.created.as_millis().into(),
            entry.expires.as_millis().into(),
        ],
    )
    .await
}

const KNOWN: &str = "select id, user_id, name, scopes, expires, last_used from access_tokens";

/// The token with this digest.
pub(crate) async fn by_digest(db: &Db, digest: &str) -> DbResult<Option<KnownToken>> {
    db.first(&format!("{KNOWN} where digest = $1"), vec![digest.into()]).await
}

/// The token with this id.
pub(crate) async fn by_id(db: &impl Sql, id: &str) -> DbResult<Option<KnownToken>> {
    db.first(&format!("{KNOWN} where id = $1"), vec![id.into()]).await
}

pub(super) async fn delete(tx: &Tx, id: &str) -> DbResult<u64> {
    tx.run("delete from access_tokens where id = $1", vec![id.into()]).await
}

/// Stores the time of use, at most now and then.
pub(crate) async fn note_use(db: &Db, token: &KnownToken, now: Timestamp) -> DbResult<()> {
    if token.last_used.is_some_and(|at| now.as_millis() - at < NOTED_EVERY_MS) {
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

impl From<Row> for AccessTokenEntry {
    fn from(row: Row) -> Self {
        let at = Timestamp::from_millis;
        Self {
            id: row.id,
            name: row.name,
            scopes: row.scopes.0,
            created: at(row.created),
            expires: at(row.expires),
            last_used: row.last_used.map(at),
        }
    }
}
