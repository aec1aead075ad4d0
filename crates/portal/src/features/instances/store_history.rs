//! The states that instances were in.

use db_kit::{Db, FromQueryResult, Sql, Tx, Word};
use http_kit::ApiResult;
use kernel::Timestamp;

use super::model::{Instance, StateEntry};
use super::state::State;

#[derive(Debug, FromQueryResult)]
struct Row {
    time: i64,
    state: Word<State>,
    reason: String,
    actor: String,
}

/// Adds the instance's present state to its history. `actor` is empty when the portal caused it.
pub(super) async fn note(tx: &Tx, one: &Instance, actor: &str, at: Timestamp) -> ApiResult<()> {
    let sql = "insert into instance_states (instance_id, time, state, reason, actor) values ($1, $2, $3, $4, $5)";
    let values = vec![
        one.id.as_str().into(),
        at.as_millis().into(),
        Word(one.state).into(),
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
        Ok(StateEntry {
            time: Timestamp::from_millis(row.time),
            state: row.state.0,
            reason: row.reason,
            actor: row.actor,
        })
    };
    rows.into_iter().rev().map(entry).collect()
}
