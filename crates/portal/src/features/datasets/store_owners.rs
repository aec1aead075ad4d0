//! Whose quota the folders of datasets count to.

use std::collections::BTreeMap;

use db_kit::{DbResult, FromQueryResult, Sql};
use kernel::UserId;

/// A failed dataset has no folder: a folder of its name is not the dataset's.
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

/// The owner of the dataset with this folder.
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
