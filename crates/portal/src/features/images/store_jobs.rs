//! Jobs on images: a row of the job table, and a row with the fields that only images have.

use background::NewJob;
use db_kit::{Columns, Db, DbResult, Filter, Record, Sql, Tx, Word, placeholders};
use http_kit::{ApiError, ApiResult, ListParams};
use kernel::{Actor, Timestamp, UserId};

use super::model_jobs::{Job, JobQuery};
use crate::jobs::JOBS;

/// The kind of all jobs on images in the job table.
pub(super) const KIND: &str = "image";

fn select() -> String {
    format!(
        "select {}, j.state, j.owner as user_id, j.error, j.created, j.started, j.ended from image_jobs i \
         join jobs j on j.id = i.id",
        Job::columns_of("i")
    )
}

/// Writes down a job that the portal on this data folder is about to run.
pub(super) async fn insert(tx: &Tx, job: &Job, portal: &str) -> ApiResult<()> {
    let new = NewJob { id: &job.id, kind: KIND, owner: Some(job.user), runner: portal, due: job.created };
    JOBS.add(tx, new, job.created).await?;
    job.insert(tx).await?;
    Ok(())
}

/// Deletes what only images have of jobs that are no longer in the job table: that table doesn't know this one.
pub(super) async fn delete_orphans(db: &Db) -> DbResult<()> {
    let tx = db.begin().await?;
    tx.run(
        "delete from image_jobs where id in \
        (select i.id from image_jobs i left join jobs j on j.id = i.id where j.id is null)",
        vec![],
    )
    .await?;
    tx.commit().await
}

/// Takes the job's lease; it is running from now on.
pub(super) async fn begin(tx: &Tx, job: &Job, portal: &str, now: Timestamp) -> DbResult<bool> {
    JOBS.begin(tx, &job.id, portal, now).await
}

/// Writes down how far it is.
pub(super) async fn note(tx: &Tx, job: &Job) -> DbResult<u64> {
    job.update(tx).await
}

/// Writes down how it ended.
pub(super) async fn end(tx: &Tx, job: &Job, now: Timestamp) -> DbResult<()> {
    note(tx, job).await?;
    JOBS.end(tx, &job.id, &Word(job.state).to_string(), &job.error, now).await.map(drop)
}

/// A job that the actor may see: their own, or any for administrators.
pub(super) async fn visible(db: &impl Sql, actor: &Actor, id: &str) -> ApiResult<Job> {
    let mut filter = Filter::default();
    filter.add("i.id = ?", id).add_some("j.owner = ?", (!actor.is_admin()).then_some(actor.id));
    let sql = format!("{}{}", select(), filter.clause());
    db.first(&sql, filter.values()).await?.ok_or_else(|| ApiError::not_found("任务"))
}

/// Returns a job; `None` if it was removed.
pub(super) async fn by_id(db: &impl Sql, id: &str) -> DbResult<Option<Job>> {
    db.first(&format!("{} where i.id = $1", select()), vec![id.into()]).await
}

/// A page of them, the latest first.
pub(super) async fn list(db: &Db, actor: &Actor, query: &JobQuery) -> ApiResult<(Vec<Job>, i64)> {
    let ListParams { list, filter: query } = query;
    let rows = list.rows()?;
    let own = !actor.is_admin() || query.mine.unwrap_or_default();
    let mut filter = Filter::default();
    filter
        .add_some("i.kind = ?", query.kind.map(Word))
        .add_some("j.state = ?", query.state.map(Word))
        .add_some("i.server_id = ?", query.server.as_deref())
        .add_some("j.owner = ?", own.then_some(actor.id));
    let clause = filter.clause();
    let (limit, values) = filter.limited(rows.limit(), rows.offset());
    let sql = format!("{}{clause} order by j.created desc, i.id desc{limit}", select());
    let found = db.all(&sql, values).await?;
    let total = format!("select count(*) as n from image_jobs i join jobs j on j.id = i.id{clause}");
    let total = db.number(&total, filter.values()).await?;
    Ok((found, total))
}

/// Whether an image of this name is being made, or was left unfinished, by another user. Without a tag: any image of
/// the repository.
pub(super) async fn is_being_made(db: &impl Sql, user: UserId, repository: &str, tag: Option<&str>) -> DbResult<bool> {
    let (condition, name) = match tag {
        Some(tag) => ("i.image = $1", format!("{repository}:{tag}")),
        None => {
            ("i.image like $1 escape '\\'", db_kit::like(&format!("{repository}:")).trim_start_matches('%').to_owned())
        }
    };
    let sql = format!(
        "select count(*) as n from image_jobs i join jobs j on j.id = i.id \
        where {condition} and j.owner <> $2 and i.kind in ('save', 'build')"
    );
    Ok(db.number(&sql, vec![name.into(), user.into()]).await? > 0)
}

/// The names of images that are being made, or were left behind half made, for others.
pub(super) async fn names_made_for_others(db: &impl Sql, user: UserId) -> DbResult<Vec<String>> {
    let sql = "select i.image from image_jobs i join jobs j on j.id = i.id \
        where j.owner <> $1 and i.kind in ('save', 'build')";
    db.column(sql, vec![user.into()]).await
}

/// Whether something is being saved or built under this name.
pub(super) async fn is_reserved(db: &impl Sql, image: &str) -> DbResult<bool> {
    let sql = "select count(*) as n from image_jobs i join jobs j on j.id = i.id \
        where i.image = $1 and i.kind in ('save', 'build') and j.state in ('queued', 'running')";
    Ok(db.number(sql, vec![image.into()]).await? > 0)
}

/// Jobs of these people that have not ended.
pub(crate) async fn count_open(db: &impl Sql, people: &[UserId]) -> DbResult<i64> {
    if people.is_empty() {
        return Ok(0);
    }
    let sql = format!(
        "select count(*) as n from image_jobs i join jobs j on j.id = i.id \
         where j.state in ('queued', 'running') and j.owner in ({})",
        placeholders(1, people.len())
    );
    db.number(&sql, people.iter().map(|id| (*id).into()).collect()).await
}
