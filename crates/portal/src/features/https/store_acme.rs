//! Accounts at ACME servers, and the answers to the challenges of orders that are going on.

use std::time::Duration;

use db_kit::{DbResult, Sql, Tx};
use http_kit::ApiResult;
use kernel::{Secret, Timestamp};

use crate::seal::Seal;

/// Longer than any order. Answers that are older belong to an order that was broken off.
const STALE: Duration = Duration::from_secs(24 * 3600);

fn place(directory: &str) -> String {
    format!("acme:{directory}")
}

/// The account at this directory.
pub(super) async fn account(db: &impl Sql, seal: &Seal, directory: &str) -> ApiResult<Option<Secret>> {
    let sql = "select credentials from acme_accounts where directory = $1";
    let credentials: Option<String> = db.value(sql, vec![directory.into()]).await?;
    // An account sealed with another sealing key reads as missing and is replaced.
    Ok(credentials.and_then(|sealed| seal.open(&place(directory), &sealed).ok()))
}

/// Stores the account for this directory, replacing an earlier one.
pub(super) async fn put_account(
    tx: &Tx,
    seal: &Seal,
    directory: &str,
    credentials: &str,
    at: Timestamp,
) -> ApiResult<()> {
    let sql = "insert into acme_accounts (directory, credentials, created) values ($1, $2, $3) \
        on conflict (directory) do update set credentials = excluded.credentials, created = excluded.created";
    let sealed = seal.close(&place(directory), credentials)?;
    Ok(tx.run(sql, vec![directory.into(), sealed.into(), at.as_millis().into()]).await.map(drop)?)
}

/// The answer to a challenge.
pub(super) async fn answer(db: &impl Sql, token: &str) -> DbResult<Option<String>> {
    db.value("select answer from acme_challenges where token = $1", vec![token.into()]).await
}

pub(super) async fn put_answer(tx: &Tx, token: &str, answer: &str, at: Timestamp) -> DbResult<()> {
    let stale = at.minus(STALE).as_millis();
    tx.run("delete from acme_challenges where created < $1", vec![stale.into()]).await?;
    let sql = "insert into acme_challenges (token, answer, created) values ($1, $2, $3) \
        on conflict (token) do update set answer = excluded.answer, created = excluded.created";
    tx.run(sql, vec![token.into(), answer.into(), at.as_millis().into()]).await.map(drop)
}

pub(super) async fn forget_answer(tx: &Tx, token: &str) -> DbResult<u64> {
    tx.run("delete from acme_challenges where token = $1", vec![token.into()]).await
}
