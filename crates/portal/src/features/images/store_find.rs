//! The lab's own images for the search over all features.

use db_kit::{Db, DbResult, Filter, FromQueryResult, Sql};
use kernel::{Actor, UserId};

use crate::sought::{Found, FoundKind, Sought};
use crate::visibility::seen;

#[derive(Debug, FromQueryResult)]
struct Row {
    id: String,
    repository: String,
    tag: String,
    description: String,
    user_id: UserId,
}

/// The best fits among the images that the actor may see, by name and description.
pub(super) async fn find(db: &Db, actor: &Actor, sought: &Sought) -> DbResult<Vec<Found>> {
    let mut filter = Filter::default();
    // Every image was made after 1970: a condition needs a value.
    filter.add("deleted is null and created > ?", 0_i64);
    if !actor.is_admin() {
        filter.add(&seen(), actor.id);
    }
    let condition = "lower(repository || ':' || tag) like ? escape '\\' or lower(description) like ? escape '\\'";
    sought.narrow(&mut filter, condition);
    let (end, values) = sought.best_first(&filter, "lower(repository) like ? escape '\\'", "created desc, id");
    let sql = format!("select id, repository, tag, description, user_id from images{}{end}", filter.clause());
    let rows: Vec<Row> = db.all(&sql, values).await?;
    Ok(rows.into_iter().map(found).collect())
}

fn found(row: Row) -> Found {
    let title = format!("{}:{}", row.repository, row.tag);
    Found { kind: FoundKind::Image, id: row.id, title, about: row.description, owner: Some(row.user_id) }
}
