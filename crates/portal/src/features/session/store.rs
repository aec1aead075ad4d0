//! Sessions and sign-ins in the database.

use db_kit::{Db, DbResult, FromQueryResult, Sql, Tx, placeholders};
use kernel::{Timestamp, UserId};

/// A session and its user, as every request needs them.
#[derive(Debug, FromQueryResult)]
pub(super) struct OpenSession {
    pub(super) id: String,
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
    /// The sign-in that it comes from.
    pub(super) sign_in: &'a str,
    pub(super) user: UserId,
    pub(super) created: Timestamp,
    pub(super) expires: Timestamp,
    pub(super) address: &'a str,
    pub(super) user_agent: &'a str,
}

pub(super) async fn open_session(db: &Db, session: &str) -> DbResult<Option<OpenSession>> {
    db.first(
        "select s.id, s.user_id, u.username, u.role, u.active, s.expires from sessions s \
         join users u on u.id = s.user_id where s.id = $1",
        vec![session.into()],
    )
    .await
}

/// The session that a sign-in has come to by now. In one statement: between two, a renewal could end what the first found.
pub(super) async fn open_session_of(db: &impl Sql, sign_in: &str) -> DbResult<Option<OpenSession>> {
    db.first(
        "select s.id, s.user_id, u.username, u.role, u.active, s.expires from sessions s \
         join users u on u.id = s.user_id where s.sign_in = $1 or s.id = $1 order by s.expires desc limit 1",
        vec![sign_in.into()],
    )
    .await
}

/// The sign-in that a session comes from; `None` when it is over.
pub(super) async fn sign_in_of(db: &impl Sql, session: &str) -> DbResult<Option<String>> {
    #[derive(Debug, FromQueryResult)]
    struct Row {
        sign_in: String,
    }
    let sql = "select coalesce(sign_in, id) as sign_in from sessions where id = $1";
    Ok(db.first(sql, vec![session.into()]).await?.map(|row: Row| row.sign_in))
}

pub(super) async fn open(tx: &Tx, session: NewSession<'_>) -> DbResult<()> {
    tx.run(
        "insert into sessions (id, sign_in, user_id, created, expires, address, user_agent) \
         values ($1, $2, $3, $4, $5, $6, $7)",
        vec![
            session.id.into(),
            session.sign_in.into(),
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

/// Ends a sign-in with all sessions that came of it.
pub(super) async fn end_sign_in(tx: &Tx, sign_in: &str) -> DbResult<u64> {
    tx.run("delete from sessions where sign_in = $1 or id = $1", vec![sign_in.into()]).await
}

/// Lets a session end by then at the latest; whether it would have gone on for longer.
pub(super) async fn shorten(tx: &Tx, session: &str, ends: Timestamp) -> DbResult<bool> {
    let sql = "update sessions set expires = $2 where id = $1 and expires > $2";
    Ok(tx.run(sql, vec![session.into(), ends.as_millis().into()]).await? > 0)
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

/// How many sign-ins are open.
pub(crate) async fn count_open(db: &Db, now: Timestamp) -> DbResult<i64> {
    let sql = "select count(distinct coalesce(sign_in, id)) as n from sessions where expires > $1";
    db.number(sql, vec![now.as_millis().into()]).await
}
