//! Instances for the search over all features.

use db_kit::{Db, DbResult, Filter, FromQueryResult, Sql, Word};
use kernel::{Actor, UserId};

use super::state::State;
use crate::features::{groups, users};
use crate::sought::{Found, FoundKind, Sought};

#[derive(Debug, FromQueryResult)]
struct Row {
    id: String,
    name: String,
    note: String,
    state: Word<State>,
    user_id: UserId,
}

/// The best fits among the instances that the actor's list shows, by name, note, image and owner.
pub(crate) async fn find(db: &Db, actor: &Actor, sought: &Sought) -> DbResult<Vec<Found>> {
    let mut filter = Filter::default();
    filter.add("state <> ?", Word(State::Released));
    if !actor.is_admin() {
        filter.add(&format!("user_id = ? or user_id in ({})", groups::LED_BY), actor.id);
    }
    let condition = format!(
        "lower(name) like ? escape '\\' or lower(note) like ? escape '\\' or lower(image) like ? escape '\\' \
         or user_id in ({})",
        users::NAMED_LIKE
    );
    sought.narrow(&mut filter, &condition);
    let begins = "lower(note) like ? escape '\\' or lower(name) like ? escape '\\'";
    let (end, values) = sought.best_first(&filter, begins, "created desc, id");
    let sql = format!("select id, name, note, state, user_id from instances{}{end}", filter.clause());
    let rows: Vec<Row> = db.all(&sql, values).await?;
    Ok(rows.into_iter().map(found).collect())
}

fn found(row: Row) -> Found {
    let (title, about) = match row.note.is_empty() {
        true => (row.name, row.state.0.to_string()),
        false => (row.note, format!("{} · {}", row.state.0, row.name)),
    };
    Found { kind: FoundKind::Instance, id: row.id, title, about, owner: Some(row.user_id) }
}
