//! The threads of work orders, and how much of them each user has seen.

use db_kit::{DbResult, Record, Sql, Tx, Word};
use http_kit::{ApiError, ApiResult};
use kernel::{Actor, Timestamp, UserId};

use super::attachment::Attachment;
use super::model::{Named, NewEntry, WorksheetEntryKind};
use super::state::WorksheetState;

/// An entry as it is stored.
#[derive(Debug, Record)]
#[record(table = "worksheet_entries")]
pub(super) struct Entry {
    pub(super) id: i64,
    pub(super) time: Timestamp,
    #[record(columns("author_id", "author"))]
    pub(super) author: Named,
    #[record(word)]
    pub(super) kind: WorksheetEntryKind,
    pub(super) content: String,
    #[record(json)]
    pub(super) attachments: Vec<Attachment>,
    #[record(word, column = "state_from")]
    pub(super) from: Option<WorksheetState>,
    #[record(word, column = "state_to")]
    pub(super) to: Option<WorksheetState>,
}

/// All of an order's, oldest first. There are never more than [`super::service::MOST_ENTRIES`].
pub(super) async fn of(db: &impl Sql, worksheet: &str) -> DbResult<Vec<Entry>> {
    let sql = format!("{} where worksheet_id = $1 order by id", Entry::select());
    db.all(&sql, vec![worksheet.into()]).await
}

pub(super) async fn add(tx: &Tx, worksheet: &str, author: &Actor, at: Timestamp, entry: &NewEntry) -> ApiResult<()> {
    tx.run(
        "insert into worksheet_entries \
         (worksheet_id, time, author_id, author, kind, content, attachments, state_from, state_to) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        vec![
            worksheet.into(),
            at.as_millis().into(),
            author.id.into(),
            author.username.as_str().into(),
            Word(entry.kind).into(),
            entry.content.as_str().into(),
            serde_json::to_string(&entry.attachments).map_err(ApiError::internal)?.into(),
            entry.step.map(|(from, _)| Word(from)).into(),
            entry.step.map(|(_, to)| Word(to)).into(),
        ],
    )
    .await?;
    Ok(())
}

/// Stores how much of an order a user has seen; never reduces it.
pub(super) async fn note_seen(tx: &Tx, worksheet: &str, user: UserId, news: i64) -> DbResult<u64> {
    let sql = "insert into worksheet_reads (worksheet_id, user_id, news) values ($1, $2, $3) \
        on conflict (worksheet_id, user_id) do update set news = excluded.news \
        where worksheet_reads.news < excluded.news";
    tx.run(sql, vec![worksheet.into(), user.into(), news.into()]).await
}
