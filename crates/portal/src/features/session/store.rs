//! Sessions and sign-ins in the database.

use db_kit::{Db, DbResult, FromQueryResult, Sql, Tx, placeholders};
use kernel::{Timestamp, UserId};

/// A session and its user, as every request needs them.
#[derive(Debug, FromQueryResult)]
pub(super) struct OpenSession {
    pub(super) user_id: UserId,
    pub(super) username: String,
    pub(super) role: i64,
    pub(super) active: bool,
    pub(super) expires: i64,
}

/// A session that is to be opened.
#[derive(Debug)]
pub(super) struct NewSession<'a> {
    pub(super) id: &'a str,
    pub(super) user: UserId,
    pub(super) created: Timestamp,
    pub(super) expires: Timestamp,
    pub(super) address: &'a str,
    pub(super) user_agent: &'a str,
}

pub(super) async fn open_session(db: &Db, session: &str) -> DbResult<Option<OpenSession>> {
    db.first(
        "select s.user_id, u.username, u.role, u.active, s.expires from sessions s join users u on u.id = s.user_id \
         where s.id = $1",
        vec![session.into()],
    )
    .await
}

pub(super) async fn open(tx: &Tx, session: NewSession<'_>) -> DbResult<()> {
    tx.run(
        "insert into sessions (id, user_id, created, expires, address, user_agent) values ($1, $2, $3, $4, $5, $6)",
        vec![
            session.id.into(),
            session.user.into(),
            session.created.as_millis().into(),
            session.expires.as_millis().into(),
            session.address.into(),
            session.user_agent.into(),
        ],
    )
    .await?;
    Ok(())
}

/// Ends one session; whether it was open.
pub(super) async fn end(tx: &Tx, session: &str) -> DbResult<bool> {
    Ok(tx.run("delete from sessions where id = $1", vec![session.into()]).await? > 0)
}

/// Ends all sessions of a person.
pub(crate) async fn end_all_of(tx: &Tx, user: UserId) -> DbResult<u64> {
    tx.run("delete from sessions where user_id = $1", vec![user.into()]).await
}

/// Ends all sessions of several people.
pub(crate) async fn end_all_of_many(tx: &Tx, users: &[UserId]) -> DbResult<u64> {
    let sql = format!("delete from sessions where user_id in ({})", placeholders(1, users.len()));
    tx.run(&sql, users.iter().map(|id| (*id).into()).collect()).await
}

/// Forgets sessions that ended by themselves.
pub(super) async fn sweep(tx: &Tx, now: Timestamp) -> DbResult<u64> {
    tx.run("delete from sessions where expires <= $1", vec![now.as_millis().into()]).await
}

/// How many sessions are open.
pub(crate) async fn count_open(db: &Db, now: Timestamp) -> DbResult<i64> {
    db.number("select count(*) as n from sessions where expires > $1", vec![now.as_millis().into()]).await
}
