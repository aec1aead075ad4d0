//! Instances in the database.

use std::collections::{BTreeMap, HashMap, HashSet};

use db_kit::{Db, DbResult, Filter, FromQueryResult, Sql, Tx, Value, Word, like, placeholders};
use http_kit::{ApiError, ApiResult, ListQuery};
use kernel::{Timestamp, UserId};
use serde::Serialize;
use serde::de::DeserializeOwned;
use strum::IntoEnumIterator;

use super::model::{Instance, InstanceQuery};
use super::policy::not_found;
use super::state::{Desired, State};
use crate::features::allocations::Amount;
use crate::features::disk_space::SpaceHolder;
use crate::features::gpus::Occupant;
use crate::features::{groups, reservations};

const COLUMNS: &str = "id, name, user_id, username, server_id, image, image_digest, note, gpus, cpu_quota, memory, \
    shm_size, pids_limit, env, command, mounts, generation, root_image, desired, state, state_reason, engine_id, \
    missed, resize, attempts, retry_at, created, changed, started, stop_at, keep_until, idle_since, \
    idle_stop_at, suspended, paused, lifted, version, auto_start, revived, revived_before, reviving, frozen_for";

const SORTS: &[(&str, &str)] =
    &[("created", "created"), ("name", "name"), ("state", "state"), ("username", "lower(username)")];

#[derive(Debug, FromQueryResult)]
struct Row {
    id: String,
    name: String,
    user_id: UserId,
    username: String,
    server_id: String,
    image: String,
    image_digest: String,
    note: String,
    gpus: String,
    cpu_quota: i64,
    memory: i64,
    shm_size: i64,
    pids_limit: i64,
    env: String,
    command: String,
    mounts: String,
    generation: i64,
    root_image: String,
    desired: Word<Desired>,
    state: Word<State>,
    state_reason: String,
    engine_id: String,
    missed: i64,
    resize: bool,
    attempts: i64,
    retry_at: Option<i64>,
    created: i64,
    changed: i64,
    started: Option<i64>,
    stop_at: Option<i64>,
    keep_until: Option<i64>,
    idle_since: Option<i64>,
    idle_stop_at: Option<i64>,
    suspended: String,
    paused: bool,
    lifted: Option<i64>,
    version: i64,
    auto_start: bool,
    revived: Option<i64>,
    revived_before: Option<i64>,
    reviving: Option<i64>,
    frozen_for: Option<String>,
}

#[derive(Debug, FromQueryResult)]
struct Id {
    id: String,
}

pub(super) async fn insert(tx: &Tx, one: &Instance) -> ApiResult<()> {
    let sql = format!("insert into instances ({COLUMNS}) values ({})", placeholders(1, 42));
    tx.run(&sql, values(one)?).await?;
    Ok(())
}

/// Writes an instance if its row still has the version before its own; `false` after a concurrent change.
pub(super) async fn save(tx: &Tx, one: &Instance) -> ApiResult<bool> {
    let columns: Vec<&str> = COLUMNS.split(", ").map(str::trim).collect();
    let sets: Vec<String> =
        columns.iter().enumerate().skip(1).map(|(at, name)| format!("{name} = ${}", at + 1)).collect();
    let sql = format!("update instances set {} where id = $1 and version = $43", sets.join(", "));
    let mut values = values(one)?;
    values.push((one.version - 1).into());
    Ok(tx.run(&sql, values).await? > 0)
}

fn values(one: &Instance) -> ApiResult<Vec<Value>> {
    let millis = |at: Option<Timestamp>| at.map(Timestamp::as_millis);
    Ok(vec![
        one.id.as_str().into(),
        one.name.as_str().into(),
        one.user.into(),
        one.username.as_str().into(),
        one.server.as_str().into(),
        one.image.as_str().into(),
        one.image_digest.as_str().into(),
        one.note.as_str().into(),
        json(&one.gpus)?.into(),
        one.cpu_quota.into(),
        one.memory.into(),
        one.shm_size.into(),
        one.pids_limit.into(),
        json(&one.env)?.into(),
        json(&one.command)?.into(),
        json(&one.mounts)?.into(),
        one.generation.into(),
        one.root_image.as_str().into(),
        Word(one.desired).into(),
        Word(one.state).into(),
        one.state_reason.as_str().into(),
        one.engine_id.as_str().into(),
        one.missed.into(),
        one.resize.into(),
        one.attempts.into(),
        millis(one.retry_at).into(),
        one.created.as_millis().into(),
        one.changed.as_millis().into(),
        millis(one.started).into(),
        millis(one.stop_at).into(),
        millis(one.keep_until).into(),
        millis(one.idle_since).into(),
        millis(one.idle_stop_at).into(),
        one.suspended.as_str().into(),
        one.paused.into(),
        millis(one.lifted).into(),
        one.version.into(),
        one.auto_start.into(),
        millis(one.revived).into(),
        millis(one.revived_before).into(),
        millis(one.reviving).into(),
        one.frozen_for.as_ref().map(SpaceHolder::key).into(),
    ])
}

fn json(value: &impl Serialize) -> ApiResult<String> {
    serde_json::to_string(value).map_err(ApiError::internal)
}

pub(super) async fn by_id(db: &impl Sql, id: &str) -> ApiResult<Instance> {
    let row: Option<Row> = db.first(&format!("select {COLUMNS} from instances where id = $1"), vec![id.into()]).await?;
    row.ok_or_else(not_found)?.try_into()
}

/// The id of an instance that is not released, by its name or id.
pub(super) async fn id_named(db: &impl Sql, name: &str) -> DbResult<Option<String>> {
    #[derive(Debug, FromQueryResult)]
    struct Id {
        id: String,
    }
    let sql = "select id from instances where (name = $1 or id = $1) and state <> 'released'";
    let row: Option<Id> = db.first(sql, vec![name.into()]).await?;
    Ok(row.map(|row| row.id))
}

/// A user's instances that are not released, oldest first. Their number is limited by quota.
pub(super) async fn open_of_owner(db: &impl Sql, user: UserId) -> ApiResult<Vec<Instance>> {
    let sql = format!(
        "select {COLUMNS} from instances where user_id = $1 and state <> 'released' order by created, id limit 500"
    );
    let rows: Vec<Row> = db.all(&sql, vec![user.into()]).await?;
    rows.into_iter().map(Instance::try_from).collect()
}

/// Instances with these ids, as far as they exist.
pub(super) async fn by_ids(db: &impl Sql, ids: &[&str]) -> ApiResult<Vec<Instance>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let sql = format!("select {COLUMNS} from instances where id in ({})", placeholders(1, ids.len()));
    let rows: Vec<Row> = db.all(&sql, ids.iter().map(|id| (*id).into()).collect()).await?;
    rows.into_iter().map(Instance::try_from).collect()
}

/// Instances of a server that are not released.
pub(super) async fn open_of_server(db: &impl Sql, server: &str) -> ApiResult<Vec<Instance>> {
    let sql = format!("select {COLUMNS} from instances where server_id = $1 and state <> 'released' order by id");
    let rows: Vec<Row> = db.all(&sql, vec![server.into()]).await?;
    rows.into_iter().map(Instance::try_from).collect()
}

/// Running instances of a server.
pub(crate) async fn running_on(db: &impl Sql, server: &str) -> ApiResult<Vec<Instance>> {
    let sql = format!("select {COLUMNS} from instances where server_id = $1 and state = 'running' order by id");
    let rows: Vec<Row> = db.all(&sql, vec![server.into()]).await?;
    rows.into_iter().map(Instance::try_from).collect()
}

/// Running instances of all servers.
pub(crate) async fn running(db: &impl Sql) -> ApiResult<Vec<Instance>> {
    let sql = format!("select {COLUMNS} from instances where state = 'running' order by id");
    let rows: Vec<Row> = db.all(&sql, vec![]).await?;
    rows.into_iter().map(Instance::try_from).collect()
}

/// Instances of all servers that are frozen for lack of space.
pub(super) async fn frozen(db: &impl Sql) -> ApiResult<Vec<Instance>> {
    let sql =
        format!("select {COLUMNS} from instances where frozen_for is not null and state <> 'released' order by id");
    let rows: Vec<Row> = db.all(&sql, vec![]).await?;
    rows.into_iter().map(Instance::try_from).collect()
}

/// Whether instances of a server are on their way to run again after its restart.
pub(super) async fn any_reviving(db: &impl Sql, server: &str) -> DbResult<bool> {
    let sql =
        "select count(*) as n from instances where server_id = $1 and state <> 'released' and reviving is not null";
    Ok(db.number(sql, vec![server.into()]).await? > 0)
}

/// Running instances of all servers that mount a group's folder.
pub(super) async fn running_with_groups(db: &impl Sql) -> ApiResult<Vec<Instance>> {
    let sql = format!(
        "select {COLUMNS} from instances where state = 'running' and mounts like '%\"source\":\"groups/%' order by id"
    );
    let rows: Vec<Row> = db.all(&sql, vec![]).await?;
    rows.into_iter().map(Instance::try_from).collect()
}

/// Instances of these people that run or are about to.
pub(super) async fn running_of(db: &impl Sql, people: &[UserId]) -> ApiResult<Vec<Instance>> {
    if people.is_empty() {
        return Ok(Vec::new());
    }
    let sql = format!(
        "select {COLUMNS} from instances where state in ('queued', 'preparing', 'creating', 'starting', 'running') \
         and user_id in ({}) order by id",
        placeholders(1, people.len())
    );
    let rows: Vec<Row> = db.all(&sql, people.iter().map(|id| (*id).into()).collect()).await?;
    rows.into_iter().map(Instance::try_from).collect()
}

/// Ids of all instances that a server ever had and that may still have a container there.
pub(super) async fn ids_of_server(db: &impl Sql, server: &str) -> DbResult<Vec<String>> {
    let rows: Vec<Id> = db.all("select id from instances where server_id = $1", vec![server.into()]).await?;
    Ok(rows.into_iter().map(|row| row.id).collect())
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
    let rows: Vec<Id> = db.all(&sql, values).await?;
    Ok(rows.into_iter().map(|row| row.id).collect())
}

/// Instances whose stop time or keep time is due. Suspended ones are left out.
pub(super) async fn due(db: &impl Sql, now: Timestamp) -> ApiResult<Vec<Instance>> {
    let sql = format!(
        "select {COLUMNS} from instances where (stop_at <= $1 and suspended = '' and desired in ('running', 'restarted')) \
         or (keep_until <= $1 and desired <> 'released' and state in ('stopped', 'error')) order by id"
    );
    let rows: Vec<Row> = db.all(&sql, vec![now.as_millis().into()]).await?;
    rows.into_iter().map(Instance::try_from).collect()
}

/// A page of the instances that a viewer sees: their own and those of members of groups that they lead; all without a
/// `viewer`.
pub(super) async fn list(db: &Db, query: &InstanceQuery, viewer: Option<UserId>) -> ApiResult<(Vec<Instance>, i64)> {
    let list = ListQuery::from(query);
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
    let sql = format!("select {COLUMNS} from instances{clause} order by {column} {direction}, id {direction}{limit}");
    let found: Vec<Row> = db.all(&sql, values).await?;
    let total = db.number(&format!("select count(*) as n from instances{clause}"), filter.values()).await?;
    Ok((found.into_iter().map(Instance::try_from).collect::<ApiResult<_>>()?, total))
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
    let rows: Vec<Id> = db.all(&sql, ids.iter().map(|id| (*id).into()).collect()).await?;
    Ok(rows.into_iter().map(|row| row.id).collect())
}

/// Instances that run or are about to, by server.
pub(crate) async fn active_by_server(db: &impl Sql) -> DbResult<HashMap<String, i64>> {
    #[derive(Debug, FromQueryResult)]
    struct Counted {
        server_id: String,
        n: i64,
    }
    let sql = "select server_id, count(*) as n from instances where state not in ('stopped', 'error', 'released') \
        group by server_id";
    let rows: Vec<Counted> = db.all(sql, vec![]).await?;
    Ok(rows.into_iter().map(|row| (row.server_id, row.n)).collect())
}

/// Number of instances in each state except released, including states with none.
pub(crate) async fn count_by_state(db: &impl Sql) -> DbResult<Vec<(State, i64)>> {
    #[derive(Debug, FromQueryResult)]
    struct Counted {
        state: Word<State>,
        n: i64,
    }
    let sql = "select state, count(*) as n from instances where state <> 'released' group by state";
    let rows: Vec<Counted> = db.all(sql, vec![]).await?;
    let count = |state| rows.iter().find(|row| row.state.0 == state).map_or(0, |row| row.n);
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

impl TryFrom<Row> for Instance {
    type Error = ApiError;

    fn try_from(row: Row) -> ApiResult<Self> {
        fn parsed<T: DeserializeOwned>(text: &str) -> ApiResult<T> {
            serde_json::from_str(text).map_err(ApiError::internal)
        }
        let at = |millis: Option<i64>| millis.map(Timestamp::from_millis);
        let holder = |key: String| {
            SpaceHolder::parse(&key).ok_or_else(|| ApiError::internal(format!("a stored holder is unknown: {key}")))
        };
        Ok(Self {
            frozen_for: row.frozen_for.map(holder).transpose()?,
            gpus: parsed(&row.gpus)?,
            env: parsed::<BTreeMap<String, String>>(&row.env)?,
            command: parsed(&row.command)?,
            mounts: parsed(&row.mounts)?,
            desired: row.desired.0,
            state: row.state.0,
            id: row.id,
            name: row.name,
            user: row.user_id,
            username: row.username,
            server: row.server_id,
            image: row.image,
            image_digest: row.image_digest,
            note: row.note,
            cpu_quota: row.cpu_quota,
            memory: row.memory,
            shm_size: row.shm_size,
            pids_limit: row.pids_limit,
            generation: row.generation,
            root_image: row.root_image,
            state_reason: row.state_reason,
            engine_id: row.engine_id,
            missed: row.missed,
            resize: row.resize,
            attempts: row.attempts,
            retry_at: at(row.retry_at),
            created: Timestamp::from_millis(row.created),
            changed: Timestamp::from_millis(row.changed),
            started: at(row.started),
            stop_at: at(row.stop_at),
            keep_until: at(row.keep_until),
            idle_since: at(row.idle_since),
            idle_stop_at: at(row.idle_stop_at),
            suspended: row.suspended,
            version: row.version,
            paused: row.paused,
            lifted: at(row.lifted),
            auto_start: row.auto_start,
            revived: at(row.revived),
            revived_before: at(row.revived_before),
            reviving: at(row.reviving),
        })
    }
}
