//! App passwords in the database.

use db_kit::{Db, DbResult, FromQueryResult, Sql, Tx, placeholders};
use kernel::{Timestamp, UserId};

use super::model::{AppPassword, AppPasswordKind};

/// Uses that follow each other more closely are not written down.
const NOTED_EVERY_MS: i64 = 5 * 60 * 1000;

#[derive(Debug, FromQueryResult)]
struct Row {
    id: String,
    name: String,
    kind: String,
    created: i64,
    expires: Option<i64>,
    folder: Option<String>,
    last_used: Option<i64>,
}

/// An app password's owner.
#[derive(Debug, FromQueryResult)]
pub(crate) struct Owner {
    pub(crate) id: String,
    pub(crate) last_used: Option<i64>,
    pub(crate) user_id: UserId,
    pub(crate) expires: Option<i64>,
    pub(crate) folder: Option<String>,
    kind: String,
}

impl Owner {
    /// Whether it is of this kind.
    pub(crate) fn is_for(&self, kind: AppPasswordKind) -> bool {
        AppPasswordKind::of_word(&self.kind) == kind
    }

    /// Whether it opens SSH now.
    pub(crate) fn opens_ssh(&self, now: Timestamp) -> bool {
        self.is_for(AppPasswordKind::Ssh) && self.expires.is_none_or(|expires| expires > now.as_millis())
    }
}

/// A user's app passwords, oldest first; unpaged, because their number is limited.
pub(super) async fn all_of(db: &Db, user: UserId) -> DbResult<Vec<AppPassword>> {
    let sql = "select id, name, kind, created, expires, folder, last_used from app_passwords where user_id = $1 \
               order by created, id";
    let rows: Vec<Row> = db.all(sql, vec![user.into()]).await?;
    Ok(rows.into_iter().map(AppPassword::from).collect())
}

pub(super) async fn count_of(tx: &Tx, user: UserId) -> DbResult<i64> {
    tx.number("select count(*) as n from app_passwords where user_id = $1", vec![user.into()]).await
}

pub(super) async fn insert(tx: &Tx, user: UserId, entry: &AppPassword, digest: String) -> DbResult<u64> {
    tx.run(
        "insert into app_passwords (id, user_id, name, digest, created, expires, folder, kind) \
         values ($1, $2, $3, $4, $5, $6, $7, $8)",
        vec![
            entry.id.clone().into(),
            user.into(),
            entry.name.clone().into(),
            digest.into(),
            entry.created.as_millis().into(),
            entry.expires.map(Timestamp::as_millis).into(),
            entry.folder.clone().into(),
            entry.kind.word().into(),
        ],
    )
    .await
}

/// The name of one of this user's app passwords.
pub(super) async fn name(tx: &Tx, user: UserId, id: &str) -> DbResult<Option<String>> {
    #[derive(Debug, FromQueryResult)]
    struct Named {
        name: String,
    }
    let sql = "select name from app_passwords where id = $1 and user_id = $2";
    let row: Option<Named> = tx.first(sql, vec![id.into(), user.into()]).await?;
    Ok(row.map(|row| row.name))
}

pub(super) async fn delete(tx: &Tx, user: UserId, id: &str) -> DbResult<u64> {
    tx.run("delete from app_passwords where id = $1 and user_id = $2", vec![id.into(), user.into()]).await
}

/// Returns the owner of the app password with this digest.
pub(crate) async fn owner(db: &Db, digest: &str) -> DbResult<Option<Owner>> {
    let sql = "select id, last_used, user_id, expires, folder, kind from app_passwords where digest = $1";
    db.first(sql, vec![digest.into()]).await
}

/// The same, by its id.
pub(crate) async fn by_id(db: &Db, id: &str) -> DbResult<Option<Owner>> {
    let sql = "select id, last_used, user_id, expires, folder, kind from app_passwords where id = $1";
    db.first(sql, vec![id.into()]).await
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

impl From<Row> for AppPassword {
    fn from(row: Row) -> Self {
        let at = Timestamp::from_millis;
        let (created, expires, last_used) = (at(row.created), row.expires.map(at), row.last_used.map(at));
        let kind = AppPasswordKind::of_word(&row.kind);
        Self { id: row.id, name: row.name, kind, created, expires, folder: row.folder, last_used }
    }
}
