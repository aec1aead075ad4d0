//! The states that instances were in.

use db_kit::{Db, FromQueryResult, Sql, Tx};
use http_kit::{ApiError, ApiResult};
use kernel::Timestamp;

use super::model::{Instance, StateEntry};
use super::state::State;

#[derive(Debug, FromQueryResult)]
struct Row {
    time: i64,
    state: String,
    reason: String,
    actor: String,
}

/// Writes the state down that an instance is in now. `actor`: who caused it; empty: the portal.
pub(super) async fn note(tx: &Tx, one: &Instance, actor: &str, at: Timestamp) -> ApiResult<()> {
    let sql = "insert into instance_states (instance_id, time, state, reason, actor) values ($1, $2, $3, $4, $5)";
    let values = vec![
        one.id.as_str().into(),
        at.as_millis().into(),
        one.state.word().into(),
        one.state_reason.as_str().into(),
        actor.into(),
    ];
    tx.run(sql, values).await?;
    Ok(())
}

/// Oldest first; the last thousand.
pub(super) async fn of(db: &Db, id: &str) -> ApiResult<Vec<StateEntry>> {
    let sql =
        "select time, state, reason, actor from instance_states where instance_id = $1 order by id desc limit 1000";
    let rows: Vec<Row> = db.all(sql, vec![id.into()]).await?;
    let entry = |row: Row| {
        let state = State::from_word(&row.state).ok_or_else(|| ApiError::internal("an unknown state"))?;
        Ok(StateEntry { time: Timestamp::from_millis(row.time), state, reason: row.reason, actor: row.actor })
    };
    rows.into_iter().rev().map(entry).collect()
}
