//! Datasets for the search over all features.

use db_kit::{Db, DbResult, FromQueryResult, Sql};
use kernel::{Actor, UserId};

use super::store::visible_to;
use crate::sought::{Found, FoundKind, Sought};

#[derive(Debug, FromQueryResult)]
struct Row {
    id: String,
    name: String,
    title: String,
    user_id: UserId,
}

/// The best fits among the datasets that the actor sees, by name, title and description.
pub(crate) async fn find(db: &Db, actor: &Actor, sought: &Sought) -> DbResult<Vec<Found>> {
    let mut filter = visible_to(actor);
    let condition = "name_key like ? escape '\\' or lower(title) like ? escape '\\' \
         or lower(description) like ? escape '\\'";
    sought.narrow(&mut filter, condition);
    let begins = "name_key like ? escape '\\' or lower(title) like ? escape '\\'";
    let (end, values) = sought.best_first(&filter, begins, "changed desc, id");
    let sql = format!("select id, name, title, user_id from datasets{}{end}", filter.clause());
    let rows: Vec<Row> = db.all(&sql, values).await?;
    Ok(rows.into_iter().map(found).collect())
}

fn found(row: Row) -> Found {
    let (title, about) = match row.title.is_empty() {
        true => (row.name, String::new()),
        false => (row.title, row.name),
    };
    Found { kind: FoundKind::Dataset, id: row.id, title, about, owner: Some(row.user_id) }
}
