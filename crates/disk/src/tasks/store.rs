//! Tasks in the database: a row of the disk's job table, and a row with source and destination.

use background::{Jobs, NewJob};
use db_kit::{Db, DbError, DbResult, FromQueryResult, Sql, Word};
use disk_core::jail::VirtualPath;
use kernel::{Timestamp, UserId};
use uuid::Uuid;

use super::task::Kind;

/// The disk's job table.
const JOBS: Jobs = Jobs::of("disk_jobs");

/// Tasks that were interrupted.
#[derive(Debug)]
pub(super) struct BrokenTasks {
    pub(super) taken: Vec<KeptTask>,
    /// Rows that this version cannot read. They stay, so that their owners are notified by one that can.
    pub(super) unreadable: Vec<DbError>,
}

/// A task's row: the facts to report if it is interrupted.
#[derive(Debug)]
pub(super) struct KeptTask {
    pub(super) id: Uuid,
    pub(super) owner: UserId,
    pub(super) kind: Kind,
    pub(super) source: VirtualPath,
    pub(super) destination: VirtualPath,
    pub(super) created: Timestamp,
}

#[derive(Debug, FromQueryResult)]
struct Row {
    id: String,
    owner: i64,
    kind: String,
    source: String,
    destination: String,
    created: i64,
}

impl Row {
    fn read(self) -> DbResult<KeptTask> {
        let path = |text: &str| VirtualPath::from_decoded(text).map_err(DbError::unreadable);
        Ok(KeptTask {
            id: Uuid::try_parse(&self.id).map_err(DbError::unreadable)?,
            owner: self.owner,
            kind: Word::<Kind>::parse(&self.kind)
                .map_err(|error| DbError::unreadable(format!("{error}: {}", self.kind)))?,
            source: path(&self.source)?,
            destination: path(&self.destination)?,
            created: Timestamp::from_millis(self.created),
        })
    }
}

/// Writes down that a task is at work, with its lease.
pub(super) async fn begin(db: &Db, task: &KeptTask, runner: &str, now: Timestamp) -> DbResult<()> {
    let id = task.id.to_string();
    let tx = db.begin().await?;
    let job =
        NewJob { id: &id, kind: &Word(task.kind).to_string(), owner: Some(task.owner), runner, due: task.created };
    JOBS.add(&tx, job, task.created).await?;
    JOBS.begin(&tx, &id, runner, now).await?;
    let sql = "insert into disk_tasks (id, source, destination) values ($1, $2, $3)";
    let values = vec![id.into(), task.source.to_string().into(), task.destination.to_string().into()];
    tx.run(sql, values).await?;
    tx.commit().await
}

/// Deletes the row of a task that ended: its result is in the file system, and its owner was informed.
pub(super) async fn end(db: &Db, id: Uuid) -> DbResult<()> {
    let tx = db.begin().await?;
    JOBS.remove(&tx, &id.to_string()).await?;
    tx.commit().await
}

/// Renews the leases of everything that runs here.
pub(super) async fn renew(db: &Db, runner: &str, now: Timestamp) -> DbResult<()> {
    let tx = db.begin().await?;
    JOBS.renew(&tx, runner, now).await?;
    tx.commit().await
}

/// Takes tasks that an earlier process of this name left, or whose process stopped renewing them.
pub(super) async fn take_broken(db: &Db, runner: &str, since: Option<Timestamp>) -> DbResult<BrokenTasks> {
    let (condition, value) = match since {
        Some(since) => ("j.renewed < $1", since.as_millis().into()),
        None => ("j.runner = $1", runner.into()),
    };
    let tx = db.begin().await?;
    let sql = format!(
        "select j.id, j.owner, j.kind, t.source, t.destination, j.created \
        from disk_jobs j join disk_tasks t on t.id = j.id where {condition} order by j.id"
    );
    let rows: Vec<Row> = tx.all(&sql, vec![value]).await?;
    let (mut taken, mut unreadable) = (Vec::new(), Vec::new());
    for row in rows {
        let id = row.id.clone();
        match row.read() {
            Ok(task) => {
                JOBS.remove(&tx, &id).await?;
                taken.push(task);
            }
            Err(error) => unreadable.push(error),
        }
    }
    tx.commit().await?;
    Ok(BrokenTasks { taken, unreadable })
}
