//! The settings in the database.

use db_kit::{DbResult, FromQueryResult, Sql};

#[derive(Debug, FromQueryResult)]
struct Row {
    content: String,
}

/// As they were stored; none as long as nobody changed them.
pub(super) async fn read(db: &impl Sql) -> DbResult<Option<String>> {
    let row: Option<Row> = db.first("select content from disk_settings where id = 1", vec![]).await?;
    Ok(row.map(|row| row.content))
}
