//! Which limits of projects were set on which server, and where.

use std::collections::BTreeMap;
use std::num::NonZeroU64;

use db_kit::{Db, DbResult, Sql};

/// By project; `None`: it was lifted.
pub(super) async fn of(db: &Db, server: &str, path: &str) -> DbResult<BTreeMap<u32, Option<NonZeroU64>>> {
    let sql = "select project, limit_bytes from project_limits where server_id = $1 and path = $2";
    let rows: Vec<(i64, i64)> = db.pairs(sql, vec![server.into(), path.into()]).await?;
    let known = rows
        .into_iter()
        .filter_map(|(project, bytes)| Some((u32::try_from(project).ok()?, NonZeroU64::new(bytes.unsigned_abs()))));
    Ok(known.collect())
}

pub(super) async fn put(db: &Db, server: &str, path: &str, project: u32, limit: Option<NonZeroU64>) -> DbResult<()> {
    let bytes = limit.map_or(0, |limit| i64::try_from(limit.get()).unwrap_or(i64::MAX));
    let tx = db.begin().await?;
    let sql = "insert into project_limits (server_id, path, project, limit_bytes) values ($1, $2, $3, $4) \
        on conflict (server_id, path, project) do update set limit_bytes = excluded.limit_bytes";
    tx.run(sql, vec![server.into(), path.into(), i64::from(project).into(), bytes.into()]).await?;
    tx.commit().await
}

/// Forgets the limits set there, because they are not in force any more.
pub(super) async fn forget(db: &Db, server: &str, path: &str) -> DbResult<()> {
    let tx = db.begin().await?;
    let sql = "delete from project_limits where server_id = $1 and path = $2";
    tx.run(sql, vec![server.into(), path.into()]).await?;
    tx.commit().await
}
