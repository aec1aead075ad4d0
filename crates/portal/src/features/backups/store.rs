//! Backups in the database.

use db_kit::{Db, DbResult, FromQueryResult, Record, Sql, Tx, Word};
use kernel::{PageRequest, Timestamp};

use super::maker::MadeBackup;
use super::model::{Backup, BackupKind, BackupOutcome};

/// The newest first.
pub(super) async fn list(db: &Db, rows: PageRequest) -> DbResult<(Vec<Backup>, i64)> {
    let sql = format!("{} order by started desc, id desc limit $1 offset $2", Backup::select());
    let found = db.all(&sql, vec![rows.limit().into(), rows.offset().into()]).await?;
    Ok((found, db.number("select count(*) as n from backups", vec![]).await?))
}

pub(super) async fn last_good(db: &impl Sql, kind: BackupKind) -> DbResult<Option<Backup>> {
    last(db, kind, BackupOutcome::Good).await
}

pub(super) async fn last_failed(db: &impl Sql) -> DbResult<Option<Backup>> {
    last(db, BackupKind::Database, BackupOutcome::Failed).await
}

async fn last(db: &impl Sql, kind: BackupKind, outcome: BackupOutcome) -> DbResult<Option<Backup>> {
    let sql = format!("{} where kind = $1 and outcome = $2 order by started desc, id desc limit 1", Backup::select());
    db.first(&sql, vec![Word(kind).into(), Word(outcome).into()]).await
}

/// The database's backup that is requested or in progress.
pub(super) async fn running(db: &impl Sql) -> DbResult<Option<Backup>> {
    last(db, BackupKind::Database, BackupOutcome::Running).await
}

/// Inserts a backup of the database; with an empty portal it is only requested.
pub(super) async fn begin(tx: &Tx, id: &str, portal: &str, host: &str, at: Timestamp) -> DbResult<()> {
    insert(tx, id, (BackupKind::Database, BackupOutcome::Running), (portal, host), at, "").await
}

/// Takes up a requested backup.
pub(super) async fn take_up(tx: &Tx, id: &str, portal: &str, host: &str, at: Timestamp) -> DbResult<()> {
    let sql = "update backups set portal = $1, host = $2, started = $3 where id = $4 and portal = ''";
    tx.run(sql, vec![portal.into(), host.into(), at.as_millis().into(), id.into()]).await.map(drop)
}

/// Keeps that the files were backed up just now.
pub(super) async fn add_files(tx: &Tx, id: &str, by: (&str, &str), at: Timestamp, note: &str) -> DbResult<()> {
    insert(tx, id, (BackupKind::Files, BackupOutcome::Good), by, at, note).await
}

async fn insert(
    tx: &Tx,
    id: &str,
    (kind, outcome): (BackupKind, BackupOutcome),
    (portal, host): (&str, &str),
    at: Timestamp,
    note: &str,
) -> DbResult<()> {
    let one = Backup {
        id: id.to_owned(),
        kind,
        outcome,
        portal: portal.to_owned(),
        host: host.to_owned(),
        started: at,
        finished: (outcome != BackupOutcome::Running).then_some(at),
        file: String::new(),
        bytes: 0,
        rows: 0,
        encrypted: false,
        note: note.to_owned(),
        error: String::new(),
        present: None,
    };
    one.insert_with(tx, &[("told", false.into())]).await.map(drop)
}

/// Marks a running backup as good; `false` when it is not running any more.
pub(super) async fn succeed(tx: &Tx, id: &str, at: Timestamp, made: &MadeBackup) -> DbResult<bool> {
    let number = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
    let sql = "update backups set outcome = 'good', finished = $1, file = $2, bytes = $3, row_count = $4, \
        encrypted = $5 where id = $6 and outcome = 'running'";
    let values = vec![
        at.as_millis().into(),
        made.file.as_str().into(),
        number(made.bytes).into(),
        number(made.rows).into(),
        made.encrypted.into(),
        id.into(),
    ];
    Ok(tx.run(sql, values).await? > 0)
}

/// Marks a running backup as failed; `false` when it is not running any more.
pub(super) async fn fail(tx: &Tx, id: &str, at: Timestamp, error: &str, told: bool) -> DbResult<bool> {
    let sql = "update backups set outcome = 'failed', finished = $1, error = $2, told = $3 \
        where id = $4 and outcome = 'running'";
    Ok(tx.run(sql, vec![at.as_millis().into(), error.into(), told.into(), id.into()]).await? > 0)
}

/// The number of failures since the last good backup, and of those that were notified.
#[derive(Debug, Default, FromQueryResult)]
pub(super) struct Streak {
    pub(super) failures: i64,
    pub(super) told: i64,
}

pub(super) async fn streak(db: &impl Sql) -> DbResult<Streak> {
    let sql = "select count(*) as failures, coalesce(sum(case when told then 1 else 0 end), 0) as told from backups \
        where kind = 'database' and outcome = 'failed' and started > coalesce((select max(started) from backups \
        where kind = 'database' and outcome = 'good'), -1)";
    Ok(db.first(sql, vec![]).await?.unwrap_or_default())
}

/// Deletes older rows, except the last good ones.
pub(super) async fn forget(tx: &Tx, before: Timestamp) -> DbResult<u64> {
    let sql = "delete from backups where outcome <> 'running' and started < $1 and id not in \
        (select id from backups b where outcome = 'good' and started = \
        (select max(started) from backups c where c.kind = b.kind and c.outcome = 'good'))";
    tx.run(sql, vec![before.as_millis().into()]).await
}
