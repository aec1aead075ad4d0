//! Outages of cards, Xids of their machines' kernels, and the position up to which those logs were read.

use std::collections::HashMap;
use std::time::Duration;

use db_kit::{Db, DbResult, FromQueryResult, Record, Sql, Tx, Word};
use http_kit::ApiResult;
use kernel::{Actor, Page, PageRequest, Timestamp};

use super::diagnosis::Finding;
use super::model_outages::{CardOutage, CardXid, OpenOutage, OutageEnding};
use super::xid;

/// Begins an outage; `false` when the card already has one.
pub(super) async fn begin(tx: &Tx, card: &str, finding: &Finding, by: &str, at: Timestamp) -> DbResult<bool> {
    let sql = "insert into card_outages (id, gpu_id, reason, detail, since, seen_by, ended_by, result) \
        values ($1, $2, $3, $4, $5, $6, '', '') on conflict do nothing";
    let values = vec![
        uuid::Uuid::now_v7().to_string().into(),
        card.into(),
        Word(finding.reason).into(),
        finding.detail.as_str().into(),
        at.as_millis().into(),
        by.into(),
    ];
    Ok(tx.run(sql, values).await? > 0)
}

/// Changes the description of an open outage's fault.
pub(super) async fn reword(tx: &Tx, card: &str, detail: &str) -> DbResult<u64> {
    let sql = "update card_outages set detail = $2 where gpu_id = $1 and ended is null";
    tx.run(sql, vec![card.into(), detail.into()]).await
}

/// How an outage ends.
pub(super) struct End<'a> {
    pub(super) ending: OutageEnding,
    pub(super) by: &'a Actor,
    /// Result of the test run.
    pub(super) result: &'a str,
}

pub(super) async fn end(tx: &Tx, card: &str, end: &End<'_>, at: Timestamp) -> DbResult<u64> {
    let sql = "update card_outages set ended = $2, ending = $3, ended_by = $4, result = $5 \
        where gpu_id = $1 and ended is null";
    let values = vec![
        card.into(),
        at.as_millis().into(),
        Word(end.ending).into(),
        end.by.username.as_str().into(),
        end.result.into(),
    ];
    tx.run(sql, values).await
}

/// The outages of a card, the latest first.
pub(super) async fn list(db: &Db, card: &str, rows: PageRequest) -> ApiResult<Page<CardOutage>> {
    let sql = format!("{} where gpu_id = $1 order by since desc, id desc limit $2 offset $3", CardOutage::select());
    let items = db.all(&sql, vec![card.into(), rows.limit().into(), rows.offset().into()]).await?;
    let count = "select count(*) as n from card_outages where gpu_id = $1";
    let total = db.number(count, vec![card.into()]).await?;
    Ok(Page { items, total })
}

/// The outages that last, by card.
pub(crate) async fn open_outages(db: &impl Sql) -> DbResult<HashMap<String, OpenOutage>> {
    #[derive(Debug, Record)]
    #[record(table = "card_outages", key = "gpu_id")]
    struct Open {
        gpu_id: String,
        #[record(columns)]
        outage: OpenOutage,
    }
    let open: Vec<Open> = db.all(&format!("{} where ended is null", Open::select()), vec![]).await?;
    Ok(open.into_iter().map(|one| (one.gpu_id, one.outage)).collect())
}

/// Reports with one number for one card, since the log was last read.
#[derive(Clone, Debug)]
pub(super) struct NewXids {
    pub(super) card: String,
    pub(super) code: i64,
    pub(super) times: i64,
    /// Of the latest.
    pub(super) words: String,
    pub(super) first: Timestamp,
    pub(super) last: Timestamp,
}

pub(super) async fn add_xids(tx: &Tx, boot: &str, new: &NewXids) -> DbResult<u64> {
    let sql = "insert into card_xids (gpu_id, boot, code, times, words, first_seen, last_seen) \
        values ($1, $2, $3, $4, $5, $6, $7) on conflict (gpu_id, boot, code) do update set \
        times = card_xids.times + excluded.times, words = excluded.words, last_seen = excluded.last_seen";
    let values = vec![
        new.card.as_str().into(),
        boot.into(),
        new.code.into(),
        new.times.into(),
        new.words.as_str().into(),
        new.first.as_millis().into(),
        new.last.as_millis().into(),
    ];
    tx.run(sql, values).await
}

/// Xids of a card, the latest first.
pub(super) async fn xids(db: &Db, card: &str, rows: PageRequest) -> ApiResult<Page<CardXid>> {
    #[derive(Debug, FromQueryResult)]
    struct Xid {
        code: i64,
        times: i64,
        words: String,
        first_seen: i64,
        last_seen: i64,
    }
    let sql = "select code, times, words, first_seen, last_seen from card_xids where gpu_id = $1 \
        order by last_seen desc, code, boot limit $2 offset $3";
    let found: Vec<Xid> = db.all(sql, vec![card.into(), rows.limit().into(), rows.offset().into()]).await?;
    let total = db.number("select count(*) as n from card_xids where gpu_id = $1", vec![card.into()]).await?;
    let items = found.into_iter().map(|one| CardXid {
        code: one.code,
        class: xid::class_of(one.code, &one.words),
        meaning: xid::meaning(one.code).to_owned(),
        times: one.times,
        words: one.words,
        first_seen: Timestamp::from_millis(one.first_seen),
        last_seen: Timestamp::from_millis(one.last_seen),
    });
    Ok(Page { items: items.collect(), total })
}

/// How far a machine's log was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) boot: String,
    /// Since the boot.
    pub(super) read_to: Duration,
}

pub(super) async fn mark(db: &impl Sql, server: &str) -> DbResult<Option<Mark>> {
    let sql = "select boot, read_to from kernel_log_marks where server_id = $1";
    let kept: Option<(String, i64)> = db.pairs(sql, vec![server.into()]).await?.pop();
    Ok(kept.map(|(boot, read_to)| Mark { boot, read_to: Duration::from_micros(read_to.unsigned_abs()) }))
}

pub(super) async fn set_mark(tx: &Tx, server: &str, mark: &Mark) -> DbResult<u64> {
    let read_to = i64::try_from(mark.read_to.as_micros()).unwrap_or(i64::MAX);
    let sql = "insert into kernel_log_marks (server_id, boot, read_to) values ($1, $2, $3) \
        on conflict (server_id) do update set boot = excluded.boot, read_to = excluded.read_to";
    tx.run(sql, vec![server.into(), mark.boot.as_str().into(), read_to.into()]).await
}
