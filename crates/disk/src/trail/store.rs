//! Entries that wait for the portal.

use db_kit::{Db, DbResult, FromQueryResult, Sql, Value};
use kernel::DiskEvent;

/// Bytes of the entries in one message: the portal takes 4 MiB.
const MOST_BYTES: usize = 1024 * 1024;

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

/// The entries for the next message: at least one, if there is one.
pub(super) async fn oldest(db: &Db, most: u32) -> anyhow::Result<Vec<DiskEvent>> {
    let sql = "select event from disk_trail order by id limit $1";
    let rows: Vec<Row> = db.all(sql, vec![i64::from(most).into()]).await?;
    let mut bytes = 0;
    let fits = |(at, row): &(usize, Row)| {
        bytes += row.event.len();
        *at == 0 || bytes <= MOST_BYTES
    };
    let rows = rows.into_iter().enumerate().take_while(fits);
    rows.map(|(_, row)| Ok(serde_json::from_str(&row.event)?)).collect()
}

/// Deletes entries that the portal has taken.
pub(super) async fn remove(db: &Db, events: &[DiskEvent]) -> DbResult<()> {
    let places: Vec<String> = (1..=events.len()).map(|number| format!("${number}")).collect();
    let values: Vec<Value> = events.iter().map(|event| event.id.clone().into()).collect();
    let tx = db.begin().await?;
    tx.run(&format!("delete from disk_trail where id in ({})", places.join(", ")), values).await?;
    tx.commit().await
}
