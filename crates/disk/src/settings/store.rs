//! The settings in the database.

use db_kit::{DbResult, FromQueryResult, Sql, Tx};
use kernel::Timestamp;

#[derive(Debug, FromQueryResult)]
struct Row {
    content: String,
}

/// The stored settings; `None` before the first change.
pub(super) async fn read(db: &impl Sql) -> DbResult<Option<String>> {
    let row: Option<Row> = db.first("select content from disk_settings where id = 1", vec![]).await?;
    Ok(row.map(|row| row.content))
}

pub(super) async fn write(tx: &Tx, content: String, at: Timestamp) -> DbResult<()> {
    let sql = "insert into disk_settings (id, content, changed) values (1, $1, $2) \
        on conflict (id) do update set content = excluded.content, changed = excluded.changed";
    tx.run(sql, vec![content.into(), at.as_millis().into()]).await?;
    Ok(())
}
