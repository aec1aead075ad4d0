//! Verifies the logs against their seals.

use std::cmp::Ordering;
use std::collections::VecDeque;

use anyhow::Context;
use db_kit::{Db, DbResult};
use ed25519_dalek::VerifyingKey;

use super::head::Head;
use super::seal::{Content, Kind, Seal, hash_rows};
use super::store;
use crate::Portal;
use crate::features::logs::{Log, LogRow};

/// Seals per query.
const BATCH: i64 = 500;
/// The largest range that sealing ever covers; a larger one is forged.
const MOST_ROWS: i64 = 100_000;

/// The result of a verification.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditReport {
    /// The number of seals.
    pub seals: i64,
    /// The number of sealed rows that still exist.
    pub rows: i64,
    /// The number of rows that are not sealed yet.
    pub unsealed: i64,
    /// The number and hash of the last seal, for an auditor to keep.
    pub last: Option<(i64, String)>,
    /// Discrepancies, in Chinese; empty if the logs are intact.
    pub faults: Vec<String>,
}

/// The state of one log while the chain is read.
#[derive(Clone, Debug, Default)]
struct Covered {
    /// Rows up to this id are sealed.
    sealed: i64,
    /// Rows up to this id were deleted.
    dropped: i64,
    /// The sealed ranges whose deletion no seal has recorded yet.
    kept: VecDeque<Range>,
}

/// A sealed range of rows.
#[derive(Clone, Copy, Debug)]
struct Range {
    last: i64,
    count: i64,
}

impl Covered {
    /// Takes the ranges up to this id off the kept ones. Returns the number of their rows.
    fn drop_to(&mut self, last: i64) -> i64 {
        let mut rows = 0;
        while let Some(range) = self.kept.pop_front_if(|range| range.last <= last) {
            rows += range.count;
        }
        rows
    }
}

/// Verifies the chain of seals and all rows that they cover.
pub(super) async fn verify(
    portal: &Portal,
    key: &VerifyingKey,
    kid: &str,
    expected: Option<(i64, String)>,
) -> anyhow::Result<AuditReport> {
    let db = portal.db();
    let mut report = AuditReport::default();
    let mut covered = Log::ALL.map(|_| Covered::default());
    // Later deletions must be known before a seal's rows are looked up.
    for (log, covered) in Log::ALL.into_iter().zip(&mut covered) {
        covered.dropped = last_dropped(db, log, key, kid).await?;
    }
    let mut chain = Chain { previous: None, kid };
    loop {
        let number = chain.previous.as_ref().map_or(0, |seal| seal.content.number);
        let seals = store::after(db, number, BATCH).await.context("读取封条")?;
        if seals.is_empty() {
            break;
        }
        for seal in seals {
            report.seals += 1;
            report.faults.extend(chain.fault(&seal, key));
            let place = Log::ALL.iter().position(|log| *log == seal.content.log);
            if let Some(covered) = place.and_then(|place| covered.get_mut(place)) {
                check_rows(db, &seal.content, covered, &mut report).await?;
            }
            chain.previous = Some(seal);
        }
    }
    for (log, covered) in Log::ALL.into_iter().zip(covered) {
        report.unsealed += log.count_after(db, covered.sealed.max(covered.dropped)).await?;
    }
    report.last = chain.previous.map(|seal| (seal.content.number, seal.hash));
    let heads = [Head::read(portal.data_dir())?.map(|head| (head.number, head.hash)), expected];
    for (number, hash) in heads.into_iter().flatten() {
        match store::by_number(db, number).await? {
            Some(seal) if seal.hash == hash => {}
            Some(_) => report.faults.push(format!("第 {number} 个封条不是当初的那一个")),
            None => report.faults.push(format!("第 {number} 个封条不见了：末尾的封条被截掉了")),
        }
    }
    Ok(report)
}

/// Returns the last row id that genuine seals declare as deleted.
async fn last_dropped(db: &Db, log: Log, key: &VerifyingKey, kid: &str) -> anyhow::Result<i64> {
    let (mut number, mut last) = (0, 0);
    loop {
        let seals = store::after(db, number, BATCH).await.context("读取封条")?;
        let Some(end) = seals.last() else { return Ok(last) };
        number = end.content.number;
        let genuine = |seal: &&Seal| seal.kid == kid && seal.is_genuine(key);
        let dropped = seals.iter().filter(|seal| seal.content.kind == Kind::Dropped && seal.content.log == log);
        last = dropped.filter(genuine).map(|seal| seal.content.last).max().unwrap_or_default().max(last);
    }
}

struct Chain<'a> {
    previous: Option<Seal>,
    kid: &'a str,
}

impl Chain<'_> {
    /// Returns the fault of a seal as the successor of the last one.
    fn fault(&self, seal: &Seal, key: &VerifyingKey) -> Option<String> {
        let number = seal.content.number;
        let expected = self.previous.as_ref().map_or(1, |seal| seal.content.number + 1);
        let behind = self.previous.as_ref().map_or("", |seal| seal.hash.as_str());
        if number != expected {
            return Some(format!("第 {expected} 个封条不见了"));
        }
        if seal.kid != self.kid {
            return Some(format!("第 {number} 个封条由另一把密钥（{}）签署，无法验证", seal.kid));
        }
        if !seal.is_genuine(key) {
            return Some(format!("第 {number} 个封条的签名不对：封条被改过"));
        }
        (seal.previous != behind).then(|| format!("第 {number} 个封条接不上前一个：封条被换过"))
    }
}

/// Compares rows with their seal.
async fn check_rows(db: &Db, seal: &Content, covered: &mut Covered, report: &mut AuditReport) -> anyhow::Result<()> {
    let (number, title) = (seal.number, seal.log.title());
    if seal.kind == Kind::Dropped {
        let sealed = covered.drop_to(seal.last);
        if sealed != seal.count {
            let dropped = seal.count;
            report.faults.push(format!("{title}：第 {number} 个封条清理了 {dropped} 条，封过的是 {sealed} 条"));
        }
        let left = seal.log.count_to(db, seal.last).await?;
        if left > 0 {
            report.faults.push(format!("{title}：第 {number} 个封条之前已清理的范围里多出 {left} 条"));
        }
        return Ok(());
    }
    if seal.first != covered.sealed + 1 {
        report.faults.push(format!("{title}：第 {number} 个封条应从编号 {} 开始", covered.sealed + 1));
    }
    covered.sealed = seal.last;
    covered.kept.push_back(Range { last: seal.last, count: seal.count });
    if seal.last <= covered.dropped {
        return Ok(());
    }
    let rows = rows_under(db, seal).await?;
    report.rows += rows.len() as i64;
    report.faults.extend(difference(seal, &rows));
    Ok(())
}

/// Reads the rows that a seal covers. The first seal also covers rows that were inserted before its range.
pub(super) async fn rows_under(db: &Db, seal: &Content) -> DbResult<Vec<LogRow>> {
    let first = if seal.first == 1 { i64::MIN } else { seal.first };
    seal.log.rows(db, first, seal.last, MOST_ROWS).await
}

/// Says how rows differ from those that were sealed; `None` if they are the same.
pub(super) fn difference(seal: &Content, rows: &[LogRow]) -> Option<String> {
    if hash_rows(seal.log, rows) == seal.rows_hash {
        return None;
    }
    let range = format!("{}编号 {} 到 {}（{}之前）", seal.log.title(), seal.first, seal.last, seal.newest);
    let (was, is) = (seal.count, rows.len() as i64);
    Some(match was.cmp(&is) {
        Ordering::Greater => format!("{range}：少了 {} 条", was - is),
        Ordering::Less => format!("{range}：多了 {} 条", is - was),
        Ordering::Equal => format!("{range}：内容或顺序被改过"),
    })
}

impl Portal {
    /// Verifies the logs against their seals. `expected`: the number and hash of a seal that an auditor kept.
    ///
    /// # Errors
    /// When the database fails or contains a word that this version does not know.
    pub async fn verify_logs(&self, expected: Option<(i64, String)>) -> anyhow::Result<AuditReport> {
        verify(self, self.keys().verifying_key(), self.keys().kid(), expected).await
    }
}
