//! JSON lines for rows and seals.

use serde::Serialize;

use super::seal::{Kind, Seal};
use crate::features::logs::{Log, LogRow};

#[derive(Serialize)]
struct RowLine<'a> {
    kind: &'static str,
    log: Log,
    /// RFC 3339.
    at: kernel::Timestamp,
    #[serde(flatten)]
    row: &'a LogRow,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SealLine<'a> {
    kind: &'static str,
    number: i64,
    covers: Kind,
    log: Log,
    first: i64,
    last: i64,
    count: i64,
    /// Milliseconds since 1970; the value that is hashed.
    newest: i64,
    time: i64,
    rows_hash: &'a str,
    previous: &'a str,
    hash: &'a str,
    signature: &'a str,
    kid: &'a str,
}

pub(super) fn of_row(log: Log, row: &LogRow) -> serde_json::Result<String> {
    let at = kernel::Timestamp::from_millis(row.time);
    serde_json::to_string(&RowLine { kind: "row", log, at, row })
}

pub(super) fn of_seal(seal: &Seal) -> serde_json::Result<String> {
    let content = &seal.content;
    serde_json::to_string(&SealLine {
        kind: "seal",
        number: content.number,
        covers: content.kind,
        log: content.log,
        first: content.first,
        last: content.last,
        count: content.count,
        newest: content.newest.as_millis(),
        time: content.time.as_millis(),
        rows_hash: &content.rows_hash,
        previous: &seal.previous,
        hash: &seal.hash,
        signature: &seal.signature,
        kid: &seal.kid,
    })
}
