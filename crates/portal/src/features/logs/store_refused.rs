//! Refused attempts to sign in, added up.

use db_kit::{DbResult, Sql};
use http_kit::ApiResult;
use kernel::Timestamp;

use super::model::{LoginOutcome, word};
use crate::Portal;

/// The answers to guessed passwords. An unreachable directory is no attack.
const OUTCOMES: [LoginOutcome; 4] =
    [LoginOutcome::WrongCredentials, LoginOutcome::Limited, LoginOutcome::Disabled, LoginOutcome::Locked];

/// The number of refused attempts, with their most frequent source and user name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RefusedLogins {
    pub(crate) total: i64,
    pub(crate) address: (String, i64),
    pub(crate) username: (String, i64),
}

/// Attempts since then.
///
/// # Errors
/// If the database fails.
pub(crate) async fn refused_logins(portal: &Portal, since: Timestamp) -> ApiResult<RefusedLogins> {
    portal.write_refusals().await?;
    let db = portal.db();
    let mut values = vec![since.as_millis().into()];
    for outcome in OUTCOMES {
        values.push(word(outcome)?.into());
    }
    let sql = "select cast(sum(count) as bigint) as n from login_logs \
        where time >= $1 and result in ($2, $3, $4, $5)";
    let total = db.number(sql, values.clone()).await?;
    if total == 0 {
        return Ok(RefusedLogins::default());
    }
    let address = most(db, "address", values.clone()).await?;
    let username = most(db, "username", values).await?;
    Ok(RefusedLogins { total, address, username })
}

async fn most(db: &impl Sql, column: &str, values: Vec<db_kit::Value>) -> DbResult<(String, i64)> {
    let sql = format!(
        "select {column} as what, cast(sum(count) as bigint) as n from login_logs \
         where time >= $1 and result in ($2, $3, $4, $5) group by {column} order by n desc, {column} limit 1"
    );
    Ok(db.pairs(&sql, values).await?.pop().unwrap_or_default())
}
