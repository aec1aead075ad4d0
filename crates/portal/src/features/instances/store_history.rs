//! The states that instances were in.

use db_kit::{Db, DbResult, Record, Sql, Tx, Word};
use kernel::Timestamp;

use super::model::{Instance, StateEntry};

/// Adds the instance's present state to its history. `actor` is empty when the portal caused it.
pub(super) async fn note(tx: &Tx, one: &Instance, actor: &str, at: Timestamp) -> DbResult<u64> {
    let sql = "insert into instance_states (instance_id, time, state, reason, actor) values ($1, $2, $3, $4, $5)";
    let values = vec![
        one.id.as_str().into(),
        at.as_millis().into(),
        Word(one.state).into(),
        one.state_reason.as_str().into(),
        actor.into(),
    ];
    tx.run(sql, values).await
}

/// Oldest first; the last thousand.
pub(super) async fn of(db: &Db, id: &str) -> DbResult<Vec<StateEntry>> {
    let sql = format!("{} where instance_id = $1 order by id desc limit 1000", StateEntry::select());
    let mut found: Vec<StateEntry> = db.all(&sql, vec![id.into()]).await?;
    found.reverse();
    Ok(found)
}
