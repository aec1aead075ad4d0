//! Creates seals.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::bail;
use base64::{Engine, engine::general_purpose::STANDARD};
use db_kit::Tx;

use super::head::Head;
use super::seal::{Content, Kind, Seal, hash_rows, signed};
use super::store;
use crate::Portal;
use crate::features::logs::Log;

/// The maximum number of rows per seal.
const MOST_ROWS: i64 = 5000;
/// The age after which a row is immutable: counts of repeated refusals are updated for a shorter time only.
const SETTLED_AFTER: Duration = Duration::from_secs(180);
/// The lock under which one process at a time extends the chain.
const TOPIC: &str = "audit";

/// Recent observations of the last row id of a log.
#[derive(Debug, Default)]
pub(crate) struct Looks(Mutex<VecDeque<Look>>);

#[derive(Clone, Copy, Debug)]
struct Look {
    at: Instant,
    last: [i64; Log::ALL.len()],
}

impl Looks {
    /// Adds a look. Returns the newest one that has settled, or 0.
    fn note(&self, last: [i64; Log::ALL.len()]) -> [i64; Log::ALL.len()] {
        let now = Instant::now();
        let mut looks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        looks.push_back(Look { at: now, last });
        let settled = |look: &Look| now.duration_since(look.at) >= SETTLED_AFTER;
        while looks.get(1).is_some_and(settled) {
            looks.pop_front();
        }
        looks.front().copied().filter(settled).map_or([0; Log::ALL.len()], |look| look.last)
    }
}

/// Seals all rows that are immutable by now.
pub(super) async fn seal_settled(portal: &Portal) -> anyhow::Result<()> {
    portal.write_refusals().await?;
    let db = portal.db();
    let mut last = [0; Log::ALL.len()];
    for (log, last) in Log::ALL.into_iter().zip(&mut last) {
        *last = log.last_row(db).await?;
    }
    let settled = portal.looks().note(last);
    for ((log, last), settled) in Log::ALL.into_iter().zip(last).zip(settled) {
        let settled = settled.max(store::last_row(db, log, Kind::Rows).await?);
        let last = log.first_refusal(db, settled, last).await?.map_or(last, |first| first - 1);
        seal_to(portal, log, last).await?;
    }
    Ok(())
}

/// Seals all rows up to this id.
async fn seal_to(portal: &Portal, log: Log, last: i64) -> anyhow::Result<()> {
    loop {
        let tx = portal.db().begin().await?;
        tx.serialize(TOPIC).await?;
        let sealed = store::last_row(&tx, log, Kind::Rows).await?;
        if sealed >= last {
            return Ok(());
        }
        let rows = log.rows(&tx, sealed + 1, last, MOST_ROWS).await?;
        let Some(newest) = rows.iter().map(|row| row.time).max() else { return Ok(()) };
        let whole = i64::try_from(rows.len()).unwrap_or(i64::MAX) < MOST_ROWS;
        let content = |number| Content {
            number,
            kind: Kind::Rows,
            log,
            first: sealed + 1,
            last: if whole { last } else { rows.last().map_or(last, |row| row.id) },
            count: rows.len() as i64,
            newest: kernel::Timestamp::from_millis(newest),
            time: portal.now(),
            rows_hash: hash_rows(log, &rows),
        };
        add(portal, tx, content).await?;
        if whole {
            return Ok(());
        }
    }
}

/// Appends a seal to the chain and commits.
async fn add(portal: &Portal, tx: Tx, content: impl FnOnce(i64) -> Content) -> anyhow::Result<()> {
    let last = store::last(&tx).await?;
    check_end(portal, &tx, last.as_ref()).await?;
    let content = content(last.as_ref().map_or(1, |last| last.content.number + 1));
    let previous = last.map(|last| last.hash).unwrap_or_default();
    let hash = content.hash(&previous);
    let signature = STANDARD.encode(portal.keys().sign_bytes(&signed(&hash)));
    let seal = Seal { content, previous, hash, signature, kid: portal.keys().kid().to_owned() };
    store::insert(&tx, &seal).await?;
    tx.commit().await?;
    Head::of(&seal).write(portal.data_dir())
}

/// Refuses to extend a chain whose end is missing, which would hide the truncation.
async fn check_end(portal: &Portal, tx: &Tx, last: Option<&Seal>) -> anyhow::Result<()> {
    let Some(head) = Head::read(portal.data_dir())? else { return Ok(()) };
    let known = match last {
        Some(last) if last.content.number == head.number => Some(last.hash.clone()),
        _ => store::by_number(tx, head.number).await?.map(|seal| seal.hash),
    };
    if known.as_deref() != Some(head.hash.as_str()) {
        bail!(
            "日志的最后一个封条应为第 {} 个，数据库里没有或者不一致：封条被删改过，或者数据库恢复到了较早的状态。\
             运行 yunlab admin audit verify 查看；确认无误后删除数据目录中的 audit-head.json",
            head.number
        );
    }
    Ok(())
}

/// Deletes a log's sealed rows up to this id and appends a seal that records the deletion. Returns their number.
pub(super) async fn drop_to(portal: &Portal, log: Log, last: i64) -> anyhow::Result<u64> {
    let tx = portal.db().begin().await?;
    tx.serialize(TOPIC).await?;
    let dropped = log.drop_to(&tx, last).await?;
    let at = portal.now();
    let content = |number| Content {
        number,
        kind: Kind::Dropped,
        log,
        first: 0,
        last,
        count: i64::try_from(dropped).unwrap_or(i64::MAX),
        newest: at,
        time: at,
        rows_hash: String::new(),
    };
    add(portal, tx, content).await?;
    Ok(dropped)
}

impl Portal {
    /// Seals all rows at shutdown, after the last request. If other portals share the database, the next leader does it
    /// instead.
    ///
    /// # Errors
    /// When the database fails, or seals are missing at the end of the chain.
    pub async fn seal_at_stop(&self) -> anyhow::Result<()> {
        if self.db().is_postgres() { Ok(()) } else { self.seal_logs().await }
    }

    /// Seals all rows. The caller ensures that no row can change any more.
    ///
    /// # Errors
    /// As above.
    pub async fn seal_logs(&self) -> anyhow::Result<()> {
        self.write_refusals().await?;
        for log in Log::ALL {
            seal_to(self, log, log.last_row(self.db()).await?).await?;
        }
        Ok(())
    }
}
