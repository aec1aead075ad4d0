//! Work orders for the search over all features.

use db_kit::{Db, DbResult, Filter, FromQueryResult, Sql, Word};
use kernel::{Actor, UserId};

use super::state::WorksheetState;
use crate::features::{groups, users};
use crate::sought::{Found, FoundKind, Sought};

#[derive(Debug, FromQueryResult)]
struct Row {
    id: String,
    number: i64,
    title: String,
    state: Word<WorksheetState>,
    requester_id: UserId,
}

/// The best fits among the orders that the actor's list shows, by number, title and requester.
pub(crate) async fn find(db: &Db, actor: &Actor, sought: &Sought) -> DbResult<Vec<Found>> {
    let mut filter = Filter::default();
    if !actor.is_admin() {
        let led = groups::led_since("w.requester_id", "w.created");
        filter.add(&format!("w.requester_id = ? or {led}"), actor.id);
    }
    let condition = format!(
        "lower(w.title) like ? escape '\\' or '#' || cast(w.number as text) like ? escape '\\' or w.requester_id in ({})",
        users::NAMED_LIKE
    );
    sought.narrow(&mut filter, &condition);
    // Open ones first.
    let order = "case when w.state in ('undo', 'doing') then 0 else 1 end, w.updated desc, w.id";
    let (end, values) = sought.best_first(&filter, "lower(w.title) like ? escape '\\'", order);
    let sql =
        format!("select w.id, w.number, w.title, w.state, w.requester_id from worksheets w{}{end}", filter.clause());
    let rows: Vec<Row> = db.all(&sql, values).await?;
    Ok(rows.into_iter().map(found).collect())
}

fn found(row: Row) -> Found {
    Found {
        kind: FoundKind::Worksheet,
        id: row.id,
        title: row.title,
        about: format!("#{} · {}", row.number, row.state.0.label()),
        owner: Some(row.requester_id),
    }
}
