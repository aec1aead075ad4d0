//! Users as signing in and the disk need them.

use db_kit::{Db, DbResult, FromQueryResult, Sql, Tx};
use kernel::{Timestamp, UserId};

/// A user as sign-in needs them.
#[derive(Debug, FromQueryResult)]
pub(crate) struct LoginUser {
    pub(crate) id: UserId,
    pub(crate) username: String,
    pub(crate) role: i64,
    pub(crate) active: bool,
    pub(crate) password_hash: Option<String>,
}

/// A user as the disk needs them.
#[derive(Debug, FromQueryResult)]
pub(crate) struct DiskFacts {
    pub(crate) username: String,
    pub(crate) role: i64,
    pub(crate) active: bool,
    pub(crate) disk_quota: i64,
}

pub(crate) async fn disk_facts(db: &Db, user: UserId) -> DbResult<Option<DiskFacts>> {
    db.first("select username, role, active, disk_quota from users where id = $1", vec![user.into()]).await
}

/// A user's number, name and role.
#[derive(Debug, FromQueryResult)]
pub(crate) struct NameAndRole {
    pub(crate) id: UserId,
    pub(crate) username: String,
    pub(crate) role: i64,
}

pub(crate) async fn names_and_roles(db: &Db) -> DbResult<Vec<NameAndRole>> {
    db.all("select id, username, role from users order by id", vec![]).await
}

pub(crate) async fn home_quota(db: &Db, username: &str) -> DbResult<i64> {
    db.number("select disk_quota as n from users where username_key = $1", vec![username.to_lowercase().into()]).await
}

pub(crate) async fn login_user(db: &Db, username: &str) -> DbResult<Option<LoginUser>> {
    db.first(
        "select id, username, role, active, password_hash from users where username_key = $1",
        vec![username.to_lowercase().into()],
    )
    .await
}

pub(crate) async fn note_login(tx: &Tx, user: UserId, at: Timestamp) -> DbResult<()> {
    tx.run("update users set last_login = $2 where id = $1", vec![user.into(), at.as_millis().into()]).await?;
    Ok(())
}
