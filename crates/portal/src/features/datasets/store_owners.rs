//! Whose quota the folders of datasets count to, and who was told that they are over it.

use std::collections::{BTreeMap, HashSet};

use db_kit::{DbResult, FromQueryResult, Sql, Tx, placeholders};
use kernel::{Timestamp, UserId};

/// One that could not be made has no folder: the one of its name is somebody else's.
const HAS_FOLDER: &str = "state <> 'failed'";

#[derive(Debug, FromQueryResult)]
struct Owned {
    user_id: UserId,
    name: String,
}

/// The folders of a person's own datasets, without their versions.
pub(crate) async fn owned_by(db: &impl Sql, user: UserId) -> DbResult<Vec<String>> {
    let sql = format!("select user_id, name from datasets where user_id = $1 and {HAS_FOLDER} order by name");
    let rows: Vec<Owned> = db.all(&sql, vec![user.into()]).await?;
    Ok(rows.into_iter().map(|row| row.name).collect())
}

/// Whose dataset has this folder.
pub(super) async fn owner_of(db: &impl Sql, folder: &str) -> DbResult<Option<UserId>> {
    let sql = format!("select user_id, name from datasets where name = $1 and {HAS_FOLDER}");
    let row: Option<Owned> = db.first(&sql, vec![folder.into()]).await?;
    Ok(row.map(|row| row.user_id))
}

/// All folders by their owner.
pub(super) async fn owned(db: &impl Sql) -> DbResult<BTreeMap<UserId, Vec<String>>> {
    let sql = format!("select user_id, name from datasets where {HAS_FOLDER} order by name");
    let rows: Vec<Owned> = db.all(&sql, vec![]).await?;
    let mut owned: BTreeMap<UserId, Vec<String>> = BTreeMap::new();
    for row in rows {
        owned.entry(row.user_id).or_default().push(row.name);
    }
    Ok(owned)
}

/// Who was told already.
pub(super) async fn told(tx: &Tx) -> DbResult<HashSet<UserId>> {
    #[derive(Debug, FromQueryResult)]
    struct Told {
        user_id: UserId,
    }
    let rows: Vec<Told> = tx.all("select user_id from disk_over", vec![]).await?;
    Ok(rows.into_iter().map(|row| row.user_id).collect())
}

/// They are told now.
pub(super) async fn note_told(tx: &Tx, people: &[UserId], at: Timestamp) -> DbResult<u64> {
    let rows: Vec<String> = (0..people.len()).map(|row| format!("({})", placeholders(1 + 2 * row, 2))).collect();
    let sql = format!("insert into disk_over (user_id, since) values {}", rows.join(", "));
    tx.run(&sql, people.iter().flat_map(|user| [(*user).into(), at.as_millis().into()]).collect()).await
}

/// Forgets that these people were told, and all who own no dataset any more, so that they can be told again.
pub(super) async fn forget_told(tx: &Tx, people: &[UserId]) -> DbResult<u64> {
    let gone = "delete from disk_over where user_id not in (select user_id from datasets)";
    let forgotten = tx.run(gone, vec![]).await?;
    if people.is_empty() {
        return Ok(forgotten);
    }
    let sql = format!("delete from disk_over where user_id in ({})", placeholders(1, people.len()));
    Ok(forgotten + tx.run(&sql, people.iter().map(|user| (*user).into()).collect()).await?)
}
