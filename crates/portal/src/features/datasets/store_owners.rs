//! Whose quota the folders of datasets count to.

use std::collections::BTreeMap;

use db_kit::{DbResult, Sql};
use kernel::UserId;

/// A failed dataset has no folder: a folder of its name is not the dataset's.
const HAS_FOLDER: &str = "state <> 'failed'";

/// The folders of a person's own datasets, without their versions.
pub(crate) async fn owned_by(db: &impl Sql, user: UserId) -> DbResult<Vec<String>> {
    let sql = format!("select name from datasets where user_id = $1 and {HAS_FOLDER} order by name");
    db.column(&sql, vec![user.into()]).await
}

/// The owner of the dataset with this folder.
pub(super) async fn owner_of(db: &impl Sql, folder: &str) -> DbResult<Option<UserId>> {
    db.value(&format!("select user_id from datasets where name = $1 and {HAS_FOLDER}"), vec![folder.into()]).await
}

/// All folders by their owner.
pub(super) async fn owned(db: &impl Sql) -> DbResult<BTreeMap<UserId, Vec<String>>> {
    let sql = format!("select user_id, name from datasets where {HAS_FOLDER} order by name");
    let mut owned: BTreeMap<UserId, Vec<String>> = BTreeMap::new();
    for (owner, name) in db.pairs(&sql, vec![]).await? {
        owned.entry(owner).or_default().push(name);
    }
    Ok(owned)
}
