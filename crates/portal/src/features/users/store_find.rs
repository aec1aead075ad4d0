//! People for the search over all features.

use db_kit::{Db, DbResult, Filter, FromQueryResult, Sql};
use kernel::Actor;

use crate::sought::{Found, FoundKind, Sought};

#[derive(Debug, FromQueryResult)]
struct Row {
    username: String,
    name: String,
    active: bool,
}

/// The best fits by name, username and mail. Only administrators have a page about people.
pub(crate) async fn find(db: &Db, actor: &Actor, sought: &Sought) -> DbResult<Vec<Found>> {
    if !actor.is_admin() {
        return Ok(Vec::new());
    }
    let mut filter = Filter::default();
    let condition =
        "username_key like ? escape '\\' or lower(name) like ? escape '\\' or lower(email) like ? escape '\\'";
    sought.narrow(&mut filter, condition);
    let begins = "username_key like ? escape '\\' or lower(name) like ? escape '\\'";
    let (end, values) = sought.best_first(&filter, begins, "active desc, username_key");
    let sql = format!("select username, name, active from users{}{end}", filter.clause());
    let rows: Vec<Row> = db.all(&sql, values).await?;
    Ok(rows.into_iter().map(found).collect())
}

fn found(Row { username, name, active }: Row) -> Found {
    let off = if active { "" } else { "已停用" };
    let (title, about) = match (name.is_empty(), active) {
        (true, _) => (username.clone(), off.to_owned()),
        (false, true) => (name, username.clone()),
        (false, false) => (name, format!("{username} · {off}")),
    };
    Found { kind: FoundKind::User, id: username, title, about, owner: None }
}
