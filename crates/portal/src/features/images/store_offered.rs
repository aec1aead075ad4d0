//! Images on servers that are not offered, in the database.

use std::collections::HashSet;

use db_kit::{DbResult, Sql, Tx};
use kernel::Timestamp;

/// All of them. Administrators hide few.
pub(super) async fn unoffered(db: &impl Sql) -> DbResult<HashSet<String>> {
    Ok(db.column("select image from unoffered_images", vec![]).await?.into_iter().collect())
}

pub(super) async fn count(tx: &Tx) -> DbResult<i64> {
    tx.number("select count(*) as n from unoffered_images", vec![]).await
}

/// From now on it is not offered.
pub(super) async fn hide(tx: &Tx, image: &str, username: &str, at: Timestamp) -> DbResult<u64> {
    let sql = "insert into unoffered_images (image, username, created) values ($1, $2, $3) on conflict do nothing";
    tx.run(sql, vec![image.into(), username.into(), at.as_millis().into()]).await
}

/// From now on it is offered again.
pub(super) async fn offer(tx: &Tx, image: &str) -> DbResult<u64> {
    tx.run("delete from unoffered_images where image = $1", vec![image.into()]).await
}
