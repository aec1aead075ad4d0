//! Sign-ins, their sessions and spent tickets in the database.

use std::time::Duration;

use db_kit::{Db, DbResult, FromQueryResult, Record, Sql, Tx, placeholders};
use kernel::{Timestamp, UserId};

use super::model::SignInEntry;
use super::store_places;

/// How long an unused address or device stays known; after that it may belong to another person.
const PLACES_KEPT: Duration = Duration::from_secs(180 * 24 * 60 * 60);

/// A session with its sign-in and user, as every request needs them.
#[derive(Debug, FromQueryResult)]
pub(super) struct OpenSession {
    pub(super) id: String,
    pub(super) user_id: UserId,
    pub(super) username: String,
    pub(super) role: i64,
    pub(super) active: bool,
    pub(super) expires: i64,
    pub(super) sign_in: String,
    pub(super) last_used: i64,
}

const OPEN_SESSION: &str = "select s.id, i.user_id, u.username, u.role, u.active, s.expires, i.id as sign_in, \
                            i.last_used from sessions s join sign_ins i on i.id = s.sign_in join users u on u.id = i.user_id";

/// A new sign-in.
#[derive(Debug)]
pub(super) struct NewSignIn<'a> {
    pub(super) id: &'a str,
    pub(super) user: UserId,
    pub(super) at: Timestamp,
    pub(super) address: &'a str,
    pub(super) user_agent: &'a str,
}

/// A new session.
#[derive(Debug)]
pub(super) struct NewSession<'a> {
    pub(super) id: &'a str,
    /// The sign-in that it belongs to.
    pub(super) sign_in: &'a str,
    pub(super) created: Timestamp,
    pub(super) expires: Timestamp,
}

/// A sign-in with the fields that renewal and confirmation need.
#[derive(Debug, FromQueryResult)]
pub(super) struct SignInRow {
    pub(super) id: String,
    pub(super) created: i64,
    pub(super) confirmed: Option<i64>,
}

pub(super) async fn open_session(db: &Db, session: &str) -> DbResult<Option<OpenSession>> {
    db.first(&format!("{OPEN_SESSION} where s.id = $1"), vec![session.into()]).await
}

/// Returns the current session of a sign-in. In one statement: between two, a renewal could end the session that the
/// first one found.
pub(super) async fn open_session_of(db: &impl Sql, sign_in: &str) -> DbResult<Option<OpenSession>> {
    let sql = format!("{OPEN_SESSION} where i.id = $1 order by s.expires desc limit 1");
    db.first(&sql, vec![sign_in.into()]).await
}

/// Returns the sign-in that a session belongs to; `None` if it has ended.
pub(super) async fn sign_in_of(db: &impl Sql, session: &str) -> DbResult<Option<SignInRow>> {
    let sql = "select i.id, i.created, i.confirmed from sessions s join sign_ins i on i.id = s.sign_in where s.id = $1";
    db.first(sql, vec![session.into()]).await
}

pub(super) async fn begin_sign_in(tx: &Tx, sign_in: NewSignIn<'_>) -> DbResult<()> {
    tx.run(
        "insert into sign_ins (id, user_id, created, address, user_agent, last_used, last_address) \
         values ($1, $2, $3, $4, $5, $3, $4)",
        vec![
            sign_in.id.into(),
            sign_in.user.into(),
            sign_in.at.as_millis().into(),
            sign_in.address.into(),
            sign_in.user_agent.into(),
        ],
    )
    .await?;
    Ok(())
}

pub(super) async fn open(tx: &Tx, session: NewSession<'_>) -> DbResult<()> {
    tx.run(
        "insert into sessions (id, sign_in, created, expires) values ($1, $2, $3, $4)",
        vec![
            session.id.into(),
            session.sign_in.into(),
            session.created.as_millis().into(),
            session.expires.as_millis().into(),
        ],
    )
    .await?;
    Ok(())
}

/// Records the renewal of a session's sign-in and locks its row until the transaction ends. Returns false if the
/// sign-in has ended.
pub(super) async fn hold(tx: &Tx, sign_in: &str, at: Timestamp, address: &str) -> DbResult<bool> {
    let sql = "update sign_ins set last_used = $2, last_address = $3 where id = $1";
    Ok(tx.run(sql, vec![sign_in.into(), at.as_millis().into(), address.into()]).await? > 0)
}

/// Records a use of a sign-in, unless a later one is recorded. Without an address, the previous one stays.
pub(super) async fn note_use(db: &Db, sign_in: &str, at: Timestamp, address: Option<&str>) -> DbResult<()> {
    let tx = db.begin().await?;
    tx.run(
        "update sign_ins set last_used = $2, last_address = coalesce($3, last_address) where id = $1 and last_used < $2",
        vec![sign_in.into(), at.as_millis().into(), address.into()],
    )
    .await?;
    tx.commit().await
}

/// Records a confirmation of the password.
pub(super) async fn note_confirmed(tx: &Tx, sign_in: &str, at: Timestamp) -> DbResult<u64> {
    tx.run("update sign_ins set confirmed = $2 where id = $1", vec![sign_in.into(), at.as_millis().into()]).await
}

/// Lists a user's sign-ins, most recently used first, without those last used before `used_after`.
pub(super) async fn sign_ins_of(
    db: &impl Sql,
    user: UserId,
    now: Timestamp,
    used_after: Timestamp,
    current: Option<&str>,
) -> DbResult<Vec<SignInEntry>> {
    let sql = format!(
        "{} where user_id = $1 and last_used > $3 and exists \
         (select 1 from sessions s where s.sign_in = sign_ins.id and s.expires > $2) order by last_used desc, id",
        SignInEntry::select()
    );
    let values = vec![user.into(), now.as_millis().into(), used_after.as_millis().into()];
    let mut entries: Vec<SignInEntry> = db.all(&sql, values).await?;
    for entry in &mut entries {
        entry.current = current == Some(entry.id.as_str());
    }
    Ok(entries)
}

/// Ends a sign-in with all its sessions. Returns whether it existed.
pub(super) async fn end_sign_in(tx: &Tx, sign_in: &str) -> DbResult<bool> {
    Ok(tx.run("delete from sign_ins where id = $1", vec![sign_in.into()]).await? > 0)
}

/// Ends a sign-in of this user. Returns whether it existed.
pub(super) async fn end_sign_in_of(tx: &Tx, user: UserId, sign_in: &str) -> DbResult<bool> {
    let sql = "delete from sign_ins where id = $1 and user_id = $2";
    Ok(tx.run(sql, vec![sign_in.into(), user.into()]).await? > 0)
}

/// Ends all sign-ins of a user except one.
pub(super) async fn end_others_of(tx: &Tx, user: UserId, kept: &str) -> DbResult<u64> {
    tx.run("delete from sign_ins where user_id = $1 and id <> $2", vec![user.into(), kept.into()]).await
}

/// Shortens a session to end by then. Returns whether it would have lasted longer.
pub(super) async fn shorten(tx: &Tx, session: &str, ends: Timestamp) -> DbResult<bool> {
    let sql = "update sessions set expires = $2 where id = $1 and expires > $2";
    Ok(tx.run(sql, vec![session.into(), ends.as_millis().into()]).await? > 0)
}

/// Ends all sign-ins of a user.
pub(crate) async fn end_all_of(tx: &Tx, user: UserId) -> DbResult<u64> {
    tx.run("delete from sign_ins where user_id = $1", vec![user.into()]).await
}

/// Ends all sign-ins of several users.
pub(crate) async fn end_all_of_many(tx: &Tx, users: &[UserId]) -> DbResult<u64> {
    let sql = format!("delete from sign_ins where user_id in ({})", placeholders(1, users.len()));
    tx.run(&sql, users.iter().map(|id| (*id).into()).collect()).await
}

/// Returns the number of open sign-ins of several users.
pub(crate) async fn count_open_of(db: &impl Sql, users: &[UserId], now: Timestamp) -> DbResult<i64> {
    if users.is_empty() {
        return Ok(0);
    }
    let sql = format!(
        "select count(*) as n from sign_ins i where i.user_id in ({}) \
         and exists (select 1 from sessions s where s.sign_in = i.id and s.expires > $1)",
        placeholders(2, users.len())
    );
    let mut values = vec![now.as_millis().into()];
    values.extend(users.iter().map(|id| (*id).into()));
    db.number(&sql, values).await
}

/// Marks a ticket as used. Returns false if it was used already.
pub(super) async fn spend_ticket(db: &Db, ticket: &str, expires: Timestamp) -> DbResult<bool> {
    let tx = db.begin().await?;
    let sql = "insert into spent_tickets (id, expires) values ($1, $2) on conflict (id) do nothing";
    let first = tx.run(sql, vec![ticket.into(), expires.as_millis().into()]).await? > 0;
    tx.commit().await?;
    Ok(first)
}

/// Deletes expired sessions, sign-ins without a session, expired tickets and places that are no longer known.
pub(super) async fn sweep(db: &Db, now: Timestamp) -> DbResult<()> {
    let tx = db.begin().await?;
    store_places::forget_before(&tx, now.minus(PLACES_KEPT)).await?;
    tx.run("delete from sessions where expires <= $1", vec![now.as_millis().into()]).await?;
    let empty = "delete from sign_ins where not exists (select 1 from sessions s where s.sign_in = sign_ins.id)";
    tx.run(empty, vec![]).await?;
    tx.run("delete from spent_tickets where expires <= $1", vec![now.as_millis().into()]).await?;
    tx.commit().await
}

/// Returns the number of open sign-ins.
pub(crate) async fn count_open(db: &Db, now: Timestamp) -> DbResult<i64> {
    let sql = "select count(distinct sign_in) as n from sessions where expires > $1";
    db.number(sql, vec![now.as_millis().into()]).await
}
