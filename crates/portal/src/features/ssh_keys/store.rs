//! SSH keys in the database.

use db_kit::{Db, DbResult, FromQueryResult, Sql, Tx};
use kernel::{Timestamp, UserId};

use super::model::SshKey;

/// Uses that follow each other more closely are not written down.
const NOTED_EVERY_MS: i64 = 5 * 60 * 1000;
/// Maximum number of accounts with the same key that are considered. Usually there is one.
const MOST_OWNERS: i64 = 8;

#[derive(Debug, FromQueryResult)]
struct Row {
    id: String,
    name: String,
    algorithm: String,
    fingerprint: String,
    key: String,
    created: i64,
    last_used: Option<i64>,
    last_address: String,
}

/// A user's keys, oldest first; unpaged, because their number is limited.
pub(super) async fn all_of(db: &Db, user: UserId) -> DbResult<Vec<SshKey>> {
    let sql = "select id, name, algorithm, fingerprint, key, created, last_used, last_address from ssh_keys \
               where user_id = $1 order by created, id";
    let rows: Vec<Row> = db.all(sql, vec![user.into()]).await?;
    Ok(rows.into_iter().map(SshKey::from).collect())
}

pub(super) async fn count_of(tx: &Tx, user: UserId) -> DbResult<i64> {
    tx.number("select count(*) as n from ssh_keys where user_id = $1", vec![user.into()]).await
}

pub(super) async fn insert(tx: &Tx, user: UserId, key: &SshKey) -> DbResult<u64> {
    tx.run(
        "insert into ssh_keys (id, user_id, name, algorithm, fingerprint, key, created) \
         values ($1, $2, $3, $4, $5, $6, $7)",
        vec![
            key.id.clone().into(),
            user.into(),
            key.name.clone().into(),
            key.algorithm.clone().into(),
            key.fingerprint.clone().into(),
            key.key.clone().into(),
            key.created.as_millis().into(),
        ],
    )
    .await
}

/// Name and fingerprint of one of this user's keys.
pub(super) async fn words_of(tx: &Tx, user: UserId, id: &str) -> DbResult<Option<(String, String)>> {
    #[derive(Debug, FromQueryResult)]
    struct Named {
        name: String,
        fingerprint: String,
    }
    let sql = "select name, fingerprint from ssh_keys where id = $1 and user_id = $2";
    let row: Option<Named> = tx.first(sql, vec![id.into(), user.into()]).await?;
    Ok(row.map(|row| (row.name, row.fingerprint)))
}

pub(super) async fn delete(tx: &Tx, user: UserId, id: &str) -> DbResult<u64> {
    tx.run("delete from ssh_keys where id = $1 and user_id = $2", vec![id.into(), user.into()]).await
}

/// A key and its owner.
#[derive(Clone, Debug, FromQueryResult)]
pub(crate) struct KeyOwner {
    pub(crate) id: String,
    pub(crate) user_id: UserId,
    last_used: Option<i64>,
    last_address: String,
}

/// The owners of the key with this fingerprint, the most recent use first.
pub(crate) async fn owners(db: &Db, fingerprint: &str) -> DbResult<Vec<KeyOwner>> {
    let sql = "select id, user_id, last_used, last_address from ssh_keys where fingerprint = $1 \
               order by coalesce(last_used, 0) desc, id limit $2";
    db.all(sql, vec![fingerprint.into(), MOST_OWNERS.into()]).await
}

/// Whether a key is still there.
pub(crate) async fn is_there(db: &Db, key: &KeyOwner) -> DbResult<bool> {
    let sql = "select count(*) as n from ssh_keys where id = $1 and user_id = $2";
    Ok(db.number(sql, vec![key.id.clone().into(), key.user_id.into()]).await? > 0)
}

/// Stores time and address of a use, at most now and then from the same address.
pub(crate) async fn note_use(db: &Db, key: &KeyOwner, address: &str, now: Timestamp) -> DbResult<()> {
    let recent = key.last_used.is_some_and(|at| now.as_millis() - at < NOTED_EVERY_MS);
    if recent && key.last_address == address {
        return Ok(());
    }
    let tx = db.begin().await?;
    let values = vec![now.as_millis().into(), address.into(), key.id.clone().into()];
    tx.run("update ssh_keys set last_used = $1, last_address = $2 where id = $3", values).await?;
    tx.commit().await
}

/// Ends all of a person's.
pub(crate) async fn end_all_of(tx: &Tx, user: UserId) -> DbResult<u64> {
    tx.run("delete from ssh_keys where user_id = $1", vec![user.into()]).await
}

impl From<Row> for SshKey {
    fn from(row: Row) -> Self {
        let at = Timestamp::from_millis;
        Self {
            id: row.id,
            name: row.name,
            algorithm: row.algorithm,
            fingerprint: row.fingerprint,
            key: row.key,
            created: at(row.created),
            last_used: row.last_used.map(at),
            last_address: row.last_address,
        }
    }
}
