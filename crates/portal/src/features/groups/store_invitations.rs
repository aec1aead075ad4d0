//! Invitations in the database.

use db_kit::{Columns, DbResult, Record, Sql, Tx, Value, Word, placeholders};
use kernel::{Timestamp, UserId};
use serde::{Deserialize, Serialize};

use super::invitation::{DECLINED_FOR, MOST_PENDING, TOLD_EVERY};

/// The latest invitations that a person sees.
const MOST_LISTED: i64 = 100;

/// State of an invitation. An accepted one becomes a membership and has no row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    Pending,
    Declined,
    Withdrawn,
}

/// An invitation's row.
#[derive(Clone, Debug, Record)]
#[record(table = "group_invitations", key = "group_id, user_id")]
pub(super) struct Known {
    #[record(column = "user_id")]
    pub(super) user: UserId,
    #[record(word)]
    pub(super) state: State,
    pub(super) told: Timestamp,
}

/// A pending invitation.
#[derive(Clone, Debug, Record)]
#[record(table = "group_invitations", key = "group_id, user_id")]
pub(super) struct Pending {
    pub(super) group_id: i64,
    pub(super) user_id: UserId,
    pub(super) invited_by: Option<UserId>,
    pub(super) invited: Timestamp,
    pub(super) expires: Timestamp,
}

/// A group's pending invitations, the latest first: never more than [`MOST_PENDING`].
pub(super) async fn of_group(db: &impl Sql, group: i64, at: Timestamp) -> DbResult<Vec<Pending>> {
    let sql = format!(
        "{} where group_id = $1 and state = 'pending' and expires > $2 \
         order by invited desc, user_id limit {MOST_PENDING}",
        Pending::select()
    );
    db.all(&sql, vec![group.into(), at.as_millis().into()]).await
}

/// A person's pending invitations, the latest first.
pub(super) async fn of_user(db: &impl Sql, user: UserId, at: Timestamp) -> DbResult<Vec<Pending>> {
    let sql = format!(
        "{} where user_id = $1 and state = 'pending' and expires > $2 \
         order by invited desc, group_id limit {MOST_LISTED}",
        Pending::select()
    );
    db.all(&sql, vec![user.into(), at.as_millis().into()]).await
}

/// The invitations of these people, after [`tidy`].
pub(super) async fn of_people(tx: &Tx, group: i64, people: &[UserId]) -> DbResult<Vec<Known>> {
    if people.is_empty() {
        return Ok(Vec::new());
    }
    let sql = format!("{} where group_id = $1 and user_id in ({})", Known::select(), placeholders(2, people.len()));
    tx.all(&sql, with_ids(group.into(), people)).await
}

/// How many of a group are pending, after [`tidy`].
pub(super) async fn pending(tx: &Tx, group: i64) -> DbResult<usize> {
    let sql = "select count(*) as n from group_invitations where group_id = $1 and state = 'pending'";
    Ok(tx.number(sql, vec![group.into()]).await?.try_into().unwrap_or(usize::MAX))
}

/// Deletes expired invitations of a group, and old refusals and withdrawals.
pub(super) async fn tidy(tx: &Tx, group: i64, at: Timestamp) -> DbResult<()> {
    let sql = "delete from group_invitations where group_id = $1 and ((state = 'pending' and expires <= $2) \
        or (state = 'declined' and ended <= $3) or (state = 'withdrawn' and told <= $4))";
    let before = |age| at.minus(age).as_millis().into();
    tx.run(sql, vec![group.into(), at.as_millis().into(), before(DECLINED_FOR), before(TOLD_EVERY)]).await?;
    Ok(())
}

/// Inserts pending invitations, with the time of the last notice; withdrawn ones become pending again.
pub(super) async fn put(
    tx: &Tx,
    group: i64,
    by: UserId,
    people: &[(UserId, Timestamp)],
    at: Timestamp,
    expires: Timestamp,
) -> DbResult<()> {
    let row = |n: usize| format!("($1, ${}, $2, $5, $3, $4, ${})", 6 + 2 * n, 7 + 2 * n);
    let rows = (0..people.len()).map(row).collect::<Vec<_>>().join(", ");
    let sql = format!(
        "insert into group_invitations (group_id, user_id, invited_by, state, invited, expires, told) values {rows} \
         on conflict (group_id, user_id) do update set invited_by = excluded.invited_by, state = excluded.state, \
         invited = excluded.invited, expires = excluded.expires, told = excluded.told, ended = null"
    );
    let state = Word(State::Pending).into();
    let mut values = vec![group.into(), by.into(), at.as_millis().into(), expires.as_millis().into(), state];
    for (person, told) in people {
        values.extend([(*person).into(), told.as_millis().into()]);
    }
    tx.run(&sql, values).await?;
    Ok(())
}

/// Ends a pending invitation this way; whether it was pending.
pub(super) async fn end(tx: &Tx, group: i64, user: UserId, state: State, at: Timestamp) -> DbResult<bool> {
    let sql = "update group_invitations set state = $3, ended = $4 \
        where group_id = $1 and user_id = $2 and state = 'pending' and expires > $4";
    Ok(tx.run(sql, vec![group.into(), user.into(), Word(state).into(), at.as_millis().into()]).await? > 0)
}

/// Removes a pending invitation in order to accept it, once.
pub(super) async fn take(tx: &Tx, group: i64, user: UserId, at: Timestamp) -> DbResult<Option<Pending>> {
    let sql = format!(
        "delete from group_invitations where group_id = $1 and user_id = $2 and state = 'pending' and expires > $3 \
         returning {}",
        Pending::columns()
    );
    tx.first(&sql, vec![group.into(), user.into(), at.as_millis().into()]).await
}

/// Removes all invitations and refusals of these people in the group.
pub(super) async fn forget_invitations(tx: &Tx, group: i64, people: &[UserId]) -> DbResult<()> {
    let sql =
        format!("delete from group_invitations where group_id = $1 and user_id in ({})", placeholders(2, people.len()));
    tx.run(&sql, with_ids(group.into(), people)).await?;
    Ok(())
}

/// The same for one person and several groups.
pub(super) async fn forget_invitations_to(tx: &Tx, user: UserId, groups: &[i64]) -> DbResult<()> {
    let sql =
        format!("delete from group_invitations where user_id = $1 and group_id in ({})", placeholders(2, groups.len()));
    tx.run(&sql, with_ids(user.into(), groups)).await?;
    Ok(())
}

/// Ends all invitations of a person.
pub(crate) async fn forget_invitations_of(tx: &Tx, user: UserId) -> DbResult<()> {
    tx.run("delete from group_invitations where user_id = $1", vec![user.into()]).await?;
    Ok(())
}

fn with_ids(first: Value, ids: &[i64]) -> Vec<Value> {
    std::iter::once(first).chain(ids.iter().map(|id| (*id).into())).collect()
}
