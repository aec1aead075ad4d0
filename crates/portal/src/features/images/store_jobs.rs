//! Jobs in the database.

use db_kit::{Db, DbResult, Filter, FromQueryResult, Sql, Tx, placeholders};
use http_kit::{ApiError, ApiResult, ListQuery};
use kernel::{Actor, Timestamp, UserId};

use super::model_jobs::{Job, JobKind, JobQuery, JobState};

const COLUMNS: &str = "id, kind, state, image, server_id, user_id, username, task, percent, bytes, log, error, \
    created, started, ended";

#[derive(Debug, FromQueryResult)]
struct Row {
    id: String,
    kind: String,
    state: String,
    image: String,
    server_id: String,
    user_id: UserId,
    username: String,
    task: String,
    percent: Option<i64>,
    bytes: i64,
    log: String,
    error: String,
    created: i64,
    started: Option<i64>,
    ended: Option<i64>,
}

/// Writes down one that the portal on this data folder is about to run.
pub(super) async fn insert(tx: &Tx, job: &Job, portal: &str) -> ApiResult<()> {
    let sql = format!("insert into image_jobs ({COLUMNS}, portal, seen) values ({})", placeholders(1, 17));
    let values = vec![
        job.id.as_str().into(),
        job.kind.word().into(),
        job.state.word().into(),
        job.image.as_str().into(),
        job.server.as_str().into(),
        job.user.into(),
        job.username.as_str().into(),
        serde_json::to_string(&job.task).map_err(ApiError::internal)?.into(),
        job.percent.into(),
        job.bytes.into(),
        job.log.as_str().into(),
        job.error.as_str().into(),
        job.created.as_millis().into(),
        job.started.map(Timestamp::as_millis).into(),
        job.ended.map(Timestamp::as_millis).into(),
        portal.into(),
        job.created.as_millis().into(),
    ];
    tx.run(&sql, values).await?;
    Ok(())
}

/// Writes down how far it is.
pub(super) async fn note(tx: &Tx, job: &Job) -> DbResult<u64> {
    let sql = "update image_jobs set state = $2, percent = $3, bytes = $4, log = $5, error = $6, started = $7, \
        ended = $8 where id = $1";
    let values = vec![
        job.id.as_str().into(),
        job.state.word().into(),
        job.percent.into(),
        job.bytes.into(),
        job.log.as_str().into(),
        job.error.as_str().into(),
        job.started.map(Timestamp::as_millis).into(),
        job.ended.map(Timestamp::as_millis).into(),
    ];
    tx.run(sql, values).await
}

/// A job that the actor may see: their own, or any for administrators.
pub(super) async fn visible(db: &impl Sql, actor: &Actor, id: &str) -> ApiResult<Job> {
    let mut filter = Filter::default();
    filter.add("id = ?", id).add_some("user_id = ?", (!actor.is_admin()).then_some(actor.id));
    let sql = format!("select {COLUMNS} from image_jobs{}", filter.clause());
    let row: Option<Row> = db.first(&sql, filter.values()).await?;
    row.ok_or_else(|| ApiError::not_found("任务"))?.try_into()
}

/// A job; `None` when there is none any more.
pub(super) async fn by_id(db: &impl Sql, id: &str) -> ApiResult<Option<Job>> {
    let row: Option<Row> =
        db.first(&format!("select {COLUMNS} from image_jobs where id = $1"), vec![id.into()]).await?;
    row.map(Job::try_from).transpose()
}

/// A page of them, the latest first.
pub(super) async fn list(db: &Db, actor: &Actor, query: &JobQuery) -> ApiResult<(Vec<Job>, i64)> {
    let rows = ListQuery { page: query.page, size: query.size, ..ListQuery::default() }.rows()?;
    let own = !actor.is_admin() || query.mine.unwrap_or_default();
    let mut filter = Filter::default();
    filter
        .add_some("kind = ?", query.kind.map(JobKind::word))
        .add_some("state = ?", query.state.map(JobState::word))
        .add_some("server_id = ?", query.server.as_deref())
        .add_some("user_id = ?", own.then_some(actor.id));
    let clause = filter.clause();
    let (limit, values) = filter.limited(rows.limit(), rows.offset());
    let sql = format!("select {COLUMNS} from image_jobs{clause} order by created desc, id desc{limit}");
    let found: Vec<Row> = db.all(&sql, values).await?;
    let total = db.number(&format!("select count(*) as n from image_jobs{clause}"), filter.values()).await?;
    Ok((found.into_iter().map(Job::try_from).collect::<ApiResult<_>>()?, total))
}

/// Whether an image of this name is being made, or was left behind half made, for somebody else.
/// Without a tag: any of the repository.
pub(super) async fn is_being_made(db: &impl Sql, user: UserId, repository: &str, tag: Option<&str>) -> DbResult<bool> {
    let (condition, name) = match tag {
        Some(tag) => ("image = $1", format!("{repository}:{tag}")),
        None => {
            ("image like $1 escape '\\'", db_kit::like(&format!("{repository}:")).trim_start_matches('%').to_owned())
        }
    };
    let sql = format!(
        "select count(*) as n from image_jobs where {condition} and user_id <> $2 and kind in ('save', 'build')"
    );
    Ok(db.number(&sql, vec![name.into(), user.into()]).await? > 0)
}

/// Whether something is being saved or built under this name.
pub(super) async fn is_reserved(db: &impl Sql, image: &str) -> DbResult<bool> {
    let sql = "select count(*) as n from image_jobs where image = $1 and kind in ('save', 'build') \
        and state in ('queued', 'running')";
    Ok(db.number(sql, vec![image.into()]).await? > 0)
}

/// Jobs of one person that have not ended.
pub(super) async fn count_open(db: &impl Sql, user: UserId) -> DbResult<i64> {
    let sql = "select count(*) as n from image_jobs where user_id = $1 and state in ('queued', 'running')";
    db.number(sql, vec![user.into()]).await
}

/// The portal on this data folder runs its jobs now.
pub(super) async fn renew(db: &Db, portal: &str, now: Timestamp) -> ApiResult<()> {
    let tx = db.begin().await?;
    let sql = "update image_jobs set seen = $2 where portal = $1 and state in ('queued', 'running')";
    tx.run(sql, vec![portal.into(), now.as_millis().into()]).await?;
    tx.commit().await?;
    Ok(())
}

/// Which jobs were broken off.
#[derive(Debug)]
pub(super) enum Whose<'a> {
    Anybody,
    /// Of the portal on this data folder.
    PortalAt(&'a str),
    /// Those that no portal said to run since then.
    NobodySince(Timestamp),
}

/// What has not ended by `now`, and never will, is told so.
pub(super) async fn break_off(tx: &Tx, whose: &Whose<'_>, now: Timestamp, words: &str) -> DbResult<u64> {
    let mut values = vec![words.into(), now.as_millis().into()];
    let condition = match whose {
        Whose::Anybody => "",
        Whose::PortalAt(portal) => {
            values.push((*portal).into());
            " and portal = $3"
        }
        Whose::NobodySince(time) => {
            values.push(time.as_millis().into());
            " and seen < $3"
        }
    };
    let sql = format!(
        "update image_jobs set state = 'failed', error = $1, ended = $2 \
        where state in ('queued', 'running') and created <= $2{condition}"
    );
    tx.run(&sql, values).await
}

impl TryFrom<Row> for Job {
    type Error = ApiError;

    fn try_from(row: Row) -> ApiResult<Self> {
        let unknown = |word: &str| ApiError::internal(format!("a job can't be {word}"));
        let at = |millis: Option<i64>| millis.map(Timestamp::from_millis);
        Ok(Self {
            kind: JobKind::from_word(&row.kind).ok_or_else(|| unknown(&row.kind))?,
            state: JobState::from_word(&row.state).ok_or_else(|| unknown(&row.state))?,
            task: serde_json::from_str(&row.task).map_err(ApiError::internal)?,
            id: row.id,
            image: row.image,
            server: row.server_id,
            user: row.user_id,
            username: row.username,
            percent: row.percent,
            bytes: row.bytes,
            log: row.log,
            error: row.error,
            created: Timestamp::from_millis(row.created),
            started: at(row.started),
            ended: at(row.ended),
        })
    }
}
