//! The SSH gateway's host key in the database.

use db_kit::{DbResult, FromQueryResult, Sql, Tx};
use kernel::Timestamp;

/// The name of the only key.
const GATEWAY: &str = "gateway";

#[derive(Debug, FromQueryResult)]
struct Row {
    sealed: String,
}

/// The sealed private key.
pub(super) async fn host_key(db: &impl Sql) -> DbResult<Option<String>> {
    let row: Option<Row> = db.first("select sealed from ssh_host_keys where name = $1", vec![GATEWAY.into()]).await?;
    Ok(row.map(|row| row.sealed))
}

/// Stores a key, unless there is one by now.
pub(super) async fn put_host_key(tx: &Tx, sealed: &str, at: Timestamp) -> DbResult<u64> {
    let sql = "insert into ssh_host_keys (name, sealed, created) values ($1, $2, $3) on conflict (name) do nothing";
    tx.run(sql, vec![GATEWAY.into(), sealed.into(), at.as_millis().into()]).await
}
