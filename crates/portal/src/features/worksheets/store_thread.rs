//! The threads of work orders, and how much of them each user has seen.

use db_kit::{DbResult, FromQueryResult, Sql, Tx, Word};
use http_kit::{ApiError, ApiResult};
use kernel::{Actor, Timestamp, UserId};

use super::attachment::Attachment;
use super::model::{Named, NewEntry, WorksheetEntryKind};
use super::state::WorksheetState;

#[derive(Debug, FromQueryResult)]
struct Row {
    id: i64,
    time: i64,
    author_id: UserId,
    author: String,
    kind: Word<WorksheetEntryKind>,
    content: String,
    attachments: String,
    state_from: Option<Word<WorksheetState>>,
    state_to: Option<Word<WorksheetState>>,
}

/// An entry as it is stored.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) id: i64,
    pub(super) time: Timestamp,
    pub(super) author: Named,
    pub(super) kind: WorksheetEntryKind,
    pub(super) content: String,
    pub(super) attachments: Vec<Attachment>,
    pub(super) from: Option<WorksheetState>,
    pub(super) to: Option<WorksheetState>,
}

/// All of an order's, oldest first. There are never more than [`super::service::MOST_ENTRIES`].
pub(super) async fn of(db: &impl Sql, worksheet: &str) -> ApiResult<Vec<Entry>> {
    let sql = "select id, time, author_id, author, kind, content, attachments, state_from, state_to \
        from worksheet_entries where worksheet_id = $1 order by id";
    let rows: Vec<Row> = db.all(sql, vec![worksheet.into()]).await?;
    rows.into_iter().map(Entry::try_from).collect()
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

impl TryFrom<Row> for Entry {
    type Error = ApiError;

    fn try_from(row: Row) -> ApiResult<Self> {
        Ok(Self {
            id: row.id,
            time: Timestamp::from_millis(row.time),
            author: Named { id: row.author_id, username: row.author },
            kind: row.kind.0,
            content: row.content,
            attachments: serde_json::from_str(&row.attachments).map_err(ApiError::internal)?,
            from: row.state_from.map(|word| word.0),
            to: row.state_to.map(|word| word.0),
        })
    }
}
