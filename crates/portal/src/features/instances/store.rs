//! Instances in the database.

use std::collections::{HashMap, HashSet};

use db_kit::{Db, DbResult, Filter, FromQueryResult, Record, Sql, Tx, Value, Word, like, placeholders};
use http_kit::{ApiResult, ListParams};
use kernel::{Timestamp, UserId};
use strum::IntoEnumIterator;

use super::model::{Instance, InstanceQuery};
use super::policy::not_found;
use super::state::State;
use crate::features::allocations::Amount;
use crate::features::gpus::Occupant;
use crate::features::{groups, reservations};

const SORTS: &[(&str, &str)] =
    &[("created", "created"), ("name", "name"), ("state", "state"), ("username", "lower(username)")];

pub(super) async fn insert(tx: &Tx, one: &Instance) -> DbResult<u64> {
    one.insert(tx).await
}

/// Writes an instance if its row still has the version before its own; `false` after a concurrent change.
pub(super) async fn save(tx: &Tx, one: &Instance) -> DbResult<bool> {
    Ok(one.update_if(tx, "version = ?", (one.version - 1).into()).await? > 0)
}

pub(super) async fn by_id(db: &impl Sql, id: &str) -> ApiResult<Instance> {
    Instance::find(db, id.into()).await?.ok_or_else(not_found)
}

/// Instances with these ids, as far as they exist.
pub(super) async fn by_ids(db: &impl Sql, ids: &[&str]) -> DbResult<Vec<Instance>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let sql = format!("{} where id in ({})", Instance::select(), placeholders(1, ids.len()));
    db.all(&sql, ids.iter().map(|id| (*id).into()).collect()).await
}

/// Instances of a server that are not released.
pub(super) async fn open_of_server(db: &impl Sql, server: &str) -> DbResult<Vec<Instance>> {
    let sql = format!("{} where server_id = $1 and state <> 'released' order by id", Instance::select());
    db.all(&sql, vec![server.into()]).await
}

/// Running instances of a server.
pub(crate) async fn running_on(db: &impl Sql, server: &str) -> DbResult<Vec<Instance>> {
    let sql = format!("{} where server_id = $1 and state = 'running' order by id", Instance::select());
    db.all(&sql, vec![server.into()]).await
}

/// Running instances of all servers.
pub(crate) async fn running(db: &impl Sql) -> DbResult<Vec<Instance>> {
    db.all(&format!("{} where state = 'running' order by id", Instance::select()), vec![]).await
}

/// Instances of all servers that are frozen for lack of space.
pub(super) async fn frozen(db: &impl Sql) -> DbResult<Vec<Instance>> {
    let sql = format!("{} where frozen_for is not null and state <> 'released' order by id", Instance::select());
    db.all(&sql, vec![]).await
}

/// Whether instances of a server are on their way to run again after its restart.
pub(super) async fn any_reviving(db: &impl Sql, server: &str) -> DbResult<bool> {
    let sql =
        "select count(*) as n from instances where server_id = $1 and state <> 'released' and reviving is not null";
    Ok(db.number(sql, vec![server.into()]).await? > 0)
}

/// Running instances of all servers that mount a group's folder.
pub(super) async fn running_with_groups(db: &impl Sql) -> DbResult<Vec<Instance>> {
    let mounts = "state = 'running' and mounts like '%\"source\":\"groups/%'";
    db.all(&format!("{} where {mounts} order by id", Instance::select()), vec![]).await
}

/// Instances of these people that run or are about to.
pub(super) async fn running_of(db: &impl Sql, people: &[UserId]) -> DbResult<Vec<Instance>> {
    if people.is_empty() {
        return Ok(Vec::new());
    }
    let sql = format!(
        "{} where state in ('queued', 'preparing', 'creating', 'starting', 'running') and user_id in ({}) order by id",
        Instance::select(),
        placeholders(1, people.len())
    );
    db.all(&sql, people.iter().map(|id| (*id).into()).collect()).await
}

/// Ids of all instances that a server ever had and that may still have a container there.
pub(super) async fn ids_of_server(db: &impl Sql, server: &str) -> DbResult<Vec<String>> {
    db.column("select id from instances where server_id = $1", vec![server.into()]).await
}

/// Which of these are instances of the server that are released.
pub(super) async fn released_of(db: &impl Sql, server: &str, ids: &[&str]) -> DbResult<Vec<String>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let sql = format!(
        "select id from instances where server_id = $1 and state = 'released' and id in ({})",
        placeholders(2, ids.len())
    );
    let mut values = vec![server.into()];
    values.extend(ids.iter().map(|id| (*id).into()));
    db.column(&sql, values).await
}

/// Instances whose stop time or keep time is due. Suspended ones are left out.
pub(super) async fn due(db: &impl Sql, now: Timestamp) -> DbResult<Vec<Instance>> {
    let sql = format!(
        "{} where (stop_at <= $1 and suspended = '' and desired in ('running', 'restarted')) \
         or (keep_until <= $1 and desired <> 'released' and state in ('stopped', 'error')) order by id",
        Instance::select()
    );
    db.all(&sql, vec![now.as_millis().into()]).await
}

/// A page of the instances that a viewer sees: their own and those of members of groups that they lead; all without a
/// `viewer`.
pub(super) async fn list(db: &Db, query: &InstanceQuery, viewer: Option<UserId>) -> ApiResult<(Vec<Instance>, i64)> {
    let ListParams { list, filter: query } = query;
    let rows = list.rows()?;
    let (column, direction) = (list.column(SORTS)?, list.order.unwrap_or_default().sql());
    let mut filter = Filter::default();
    filter
        .add_some(
            "lower(name) like ? escape '\\' or lower(note) like ? escape '\\' or lower(image) like ? escape '\\'",
            list.words().map(|words| like(&words)),
        )
        .add_some("state = ?", query.state.map(Word))
        .add_some("server_id = ?", query.server.as_deref())
        .add_some("user_id = ?", query.user)
        .add_some(&format!("user_id in ({})", groups::MEMBERS_OF), query.group);
    if !query.released.unwrap_or_default() && query.state != Some(State::Released) {
        filter.add("state <> ?", Word(State::Released));
    }
    filter.add_some(&format!("user_id = ? or user_id in ({})", groups::LED_BY), viewer);
    let clause = filter.clause();
    let (limit, values) = filter.limited(rows.limit(), rows.offset());
    let sql = format!("{}{clause} order by {column} {direction}, id {direction}{limit}", Instance::select());
    let found = db.all(&sql, values).await?;
    let total = db.number(&format!("select count(*) as n from instances{clause}"), filter.values()).await?;
    Ok((found, total))
}

/// Identifiers of all instances that are not released.
pub(crate) async fn occupants(db: &impl Sql) -> DbResult<Vec<Occupant>> {
    db.all("select id, name, engine_id from instances where state <> 'released'", vec![]).await
}

/// Owner and server of an instance.
#[derive(Clone, Debug, FromQueryResult)]
pub(crate) struct Owner {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) user_id: UserId,
    pub(crate) username: String,
    pub(crate) server_id: String,
}

/// The owners of these instances, including released ones.
pub(crate) async fn owners_of(db: &impl Sql, ids: &[&str]) -> DbResult<Vec<Owner>> {
    let mut owners = Vec::with_capacity(ids.len());
    for part in ids.chunks(1000) {
        let sql = format!(
            "select id, name, user_id, username, server_id from instances where id in ({})",
            placeholders(1, part.len())
        );
        let found: Vec<Owner> = db.all(&sql, part.iter().map(|id| (*id).into()).collect()).await?;
        owners.extend(found);
    }
    Ok(owners)
}

/// Which of these instances are suspended.
pub(crate) async fn suspended_among(db: &impl Sql, ids: &[&str]) -> DbResult<HashSet<String>> {
    if ids.is_empty() {
        return Ok(HashSet::new());
    }
    let sql = format!(
        "select id from instances where suspended <> '' and state <> 'released' and id in ({})",
        placeholders(1, ids.len())
    );
    let suspended = db.column(&sql, ids.iter().map(|id| (*id).into()).collect()).await?;
    Ok(suspended.into_iter().collect())
}

/// Instances that run or are about to, by server.
pub(crate) async fn active_by_server(db: &impl Sql) -> DbResult<HashMap<String, i64>> {
    let sql = "select server_id, count(*) as n from instances where state not in ('stopped', 'error', 'released') \
        group by server_id";
    Ok(db.pairs(sql, vec![]).await?.into_iter().collect())
}

/// Number of instances in each state except released, including states with none.
pub(crate) async fn count_by_state(db: &impl Sql) -> DbResult<Vec<(State, i64)>> {
    let sql = "select state, count(*) as n from instances where state <> 'released' group by state";
    let counts: Vec<(Word<State>, i64)> = db.pairs(sql, vec![]).await?;
    let count = |state| counts.iter().find(|(word, _)| word.0 == state).map_or(0, |(_, n)| *n);
    Ok(State::iter().filter(|state| *state != State::Released).map(|state| (state, count(state))).collect())
}

/// Whether a server has instances that are not released.
pub(super) async fn has_open(db: &impl Sql, server: &str) -> DbResult<bool> {
    let sql = "select count(*) as n from instances where server_id = $1 and state <> 'released'";
    Ok(db.number(sql, vec![server.into()]).await? > 0)
}

/// How many instances that are not released a person has.
pub(crate) async fn count_of(db: &impl Sql, user: UserId) -> DbResult<i64> {
    let sql = "select count(*) as n from instances where user_id = $1 and state <> 'released'";
    db.number(sql, vec![user.into()]).await
}

/// Amounts that these people's instances hold, on one server or on all; cards are counted by their leases.
pub(crate) async fn held(db: &impl Sql, people: &[UserId], server: Option<&str>) -> DbResult<Amount> {
    if people.is_empty() {
        return Ok(Amount::default());
    }
    let mut values: Vec<Value> = people.iter().map(|id| (*id).into()).collect();
    let mut sql = format!(
        "select count(*) as n from instances where state <> 'released' and user_id in ({})",
        placeholders(1, people.len())
    );
    if let Some(server) = server {
        values.push(server.into());
        sql.push_str(&format!(" and server_id = ${}", values.len()));
    }
    let instances = db.number(&sql, values).await?;
    Ok(Amount { instances, ..reservations::held(db, people, server).await? })
}
