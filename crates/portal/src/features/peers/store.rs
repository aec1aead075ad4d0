//! The keys of the last leader, in the database.

use db_kit::{Db, DbResult, FromQueryResult, Sql};

/// Identifiers of the keys of the last leader.
#[derive(Debug, FromQueryResult)]
pub(super) struct Keys {
    pub(super) signing_key: String,
    /// Something that only the right key opens.
    pub(super) sealed: String,
}

pub(super) async fn keys(db: &Db, topic: &str) -> DbResult<Option<Keys>> {
    db.first("select signing_key, sealed from leads where topic = $1", vec![topic.into()]).await
}

pub(super) async fn put_keys(db: &Db, topic: &str, keys: &Keys) -> DbResult<()> {
    let tx = db.begin().await?;
    let sql = "insert into leads (topic, signing_key, sealed) values ($1, $2, $3) \
        on conflict (topic) do update set signing_key = $2, sealed = $3";
    tx.run(sql, vec![topic.into(), keys.signing_key.as_str().into(), keys.sealed.as_str().into()]).await?;
    tx.commit().await
}
