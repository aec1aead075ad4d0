//! The keys of the last leader, in the database.

use db_kit::{Db, DbResult, Record};

/// Identifiers of the keys of the last leader.
#[derive(Debug, Record)]
#[record(table = "leads", key = "topic")]
pub(super) struct Keys {
    pub(super) signing_key: String,
    /// Something that only the right key opens.
    pub(super) sealed: String,
}

pub(super) async fn keys(db: &Db, topic: &str) -> DbResult<Option<Keys>> {
    Keys::find(db, topic.into()).await
}

pub(super) async fn put_keys(db: &Db, topic: &str, keys: &Keys) -> DbResult<()> {
    let tx = db.begin().await?;
    keys.put_with(&tx, &[("topic", topic.into())]).await?;
    tx.commit().await
}
