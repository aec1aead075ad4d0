//! Entries that wait for the portal.

use db_kit::{Db, DbResult, FromQueryResult, Sql, Value};
use kernel::DiskEvent;

#[derive(Debug, FromQueryResult)]
struct Row {
    event: String,
}

pub(super) async fn add(db: &Db, event: &DiskEvent) -> anyhow::Result<()> {
    let text = serde_json::to_string(event)?;
    let tx = db.begin().await?;
    let values = vec![event.id.clone().into(), text.into()];
    tx.run("insert into disk_trail (id, event) values ($1, $2)", values).await?;
    Ok(tx.commit().await?)
}

pub(super) async fn oldest(db: &Db, most: u32) -> anyhow::Result<Vec<DiskEvent>> {
    let sql = "select event from disk_trail order by id limit $1";
    let rows: Vec<Row> = db.all(sql, vec![i64::from(most).into()]).await?;
    rows.into_iter().map(|row| Ok(serde_json::from_str(&row.event)?)).collect()
}

/// Deletes entries that the portal has taken.
pub(super) async fn remove(db: &Db, events: &[DiskEvent]) -> DbResult<()> {
    let places: Vec<String> = (1..=events.len()).map(|number| format!("${number}")).collect();
    let values: Vec<Value> = events.iter().map(|event| event.id.clone().into()).collect();
    let tx = db.begin().await?;
    tx.run(&format!("delete from disk_trail where id in ({})", places.join(", ")), values).await?;
    tx.commit().await
}
