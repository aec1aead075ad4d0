//! Users in the database.

use std::collections::HashSet;

use db_kit::{Columns, Db, DbResult, Filter, FromQueryResult, Record, Sql, Tx, Word, like, placeholders};
use http_kit::{ApiError, ApiResult, ListParams};
use kernel::{Actor, Page, Role, Timestamp, UserId};

use super::form::UserFields;
use super::model::{PublicUser, PublicUserQuery, Source, User, UserQuery};
use super::temporary::TemporaryQuotas;
use crate::features::groups;
use crate::features::settings::Quotas;

fn select() -> String {
    format!(
        "select {}, (select q.ends_at from quota_ends q where q.user_id = u.id) as quotas_until, \
         (select q.quotas_before from quota_ends q where q.user_id = u.id) as quotas_before from users u",
        UserRow::columns_of("u")
    )
}

/// Ids of people with a matching username or name, as a subquery whose `?` is a pattern in lower case.
pub(crate) const NAMED_LIKE: &str =
    "select id from users where username_key like ? escape '\\' or lower(name) like ? escape '\\'";

const SORTS: &[(&str, &str)] = &[
    ("id", "u.id"),
    ("username", "u.username_key"),
    ("name", "u.name"),
    ("role", "u.role"),
    ("active", "u.active"),
    ("created", "u.created"),
    ("lastLogin", "coalesce(u.last_login, 0)"),
    ("endsAt", "coalesce(u.ends_at, 9223372036854775807)"),
    ("instanceLimit", "u.instance_limit + u.instance_limit_offset"),
    ("GPUNumlimit", "u.gpu_limit"),
    ("CPUPeriodQuota", "u.cpu_quota"),
    ("memoryLimit", "u.memory_limit"),
    ("diskQuota", "u.disk_quota"),
];

/// How many accounts there are.
#[derive(Clone, Copy, Debug, FromQueryResult)]
pub(crate) struct Counts {
    pub(crate) total: i64,
    pub(crate) active: i64,
    pub(crate) admins: i64,
}

/// A user with the quotas that return when the temporary ones end.
#[derive(Debug, Record)]
#[record(table = "users")]
struct UserRow {
    #[record(columns)]
    user: User,
    #[record(computed)]
    quotas_until: Option<Timestamp>,
    #[record(computed)]
    quotas_before: Option<String>,
}

pub(super) async fn list(db: &Db, query: &UserQuery) -> ApiResult<Page<User>> {
    let ListParams { list, filter: query } = query;
    let rows = list.rows()?;
    let column = list.column(SORTS)?;
    let direction = list.order.unwrap_or_default().sql();
    let mut filter = Filter::default();
    filter
        .add_some(
            "u.username_key like ? escape '\\' or lower(u.name) like ? escape '\\' or lower(u.email) like ? escape '\\' \
             or u.phone like ? escape '\\'",
            list.words().map(|words| like(&words)),
        )
        .add_some("u.role = ?", query.role)
        .add_some("u.active = ?", query.active)
        .add_some("u.source = ?", query.source.map(Word))
        .add_some(&format!("u.id in ({})", groups::MEMBERS_OF), query.group);
    let clause = filter.clause();
    let (limit, values) = filter.limited(rows.limit(), rows.offset());
    let sql = format!("{}{clause} order by {column} {direction}, u.id {direction}{limit}", select());
    let found = db.all(&sql, values).await?;
    let total = db.number(&format!("select count(*) as n from users u{clause}"), filter.values()).await?;
    Ok(Page { items: with_groups(db, found).await?, total })
}

pub(super) async fn public_list(db: &Db, reader: &Actor, query: &PublicUserQuery) -> ApiResult<Page<PublicUser>> {
    let ListParams { list, filter: query } = query;
    let led = query.led.unwrap_or_default().then_some(reader.id);
    let rows = list.rows()?;
    let column = list.column(&[("username", "username_key"), ("name", "name"), ("id", "id")])?;
    let direction = list.order.unwrap_or_default().sql();
    let mut filter = Filter::default();
    filter.add("active = ?", true).add_some(
        "username_key like ? escape '\\' or lower(name) like ? escape '\\'",
        list.words().map(|words| like(&words)),
    );
    filter.add_some(&format!("id = ? or id in ({})", groups::LED_BY), led);
    let clause = filter.clause();
    let (limit, values) = filter.limited(rows.limit(), rows.offset());
    let sql = format!("{}{clause} order by {column} {direction}, id {direction}{limit}", PublicUser::select());
    let items = db.all(&sql, values).await?;
    let total = db.number(&format!("select count(*) as n from users{clause}"), filter.values()).await?;
    Ok(Page { items, total })
}

/// These people, in the order of their names.
pub(crate) async fn public_by_ids(db: &impl Sql, ids: &[UserId]) -> DbResult<Vec<PublicUser>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let places = placeholders(1, ids.len());
    let sql = format!("{} where id in ({places}) order by username_key", PublicUser::select());
    db.all(&sql, ids.iter().map(|id| (*id).into()).collect()).await
}

/// Which of these names are taken, in lower case.
pub(super) async fn taken_names(db: &impl Sql, names: &[String]) -> DbResult<HashSet<String>> {
    if names.is_empty() {
        return Ok(HashSet::new());
    }
    let sql = format!("select username_key from users where username_key in ({})", placeholders(1, names.len()));
    Ok(db.column(&sql, names.iter().map(|name| name.as_str().into()).collect()).await?.into_iter().collect())
}

pub(super) async fn by_id(db: &impl Sql, id: UserId) -> ApiResult<User> {
    let found = db.all(&format!("{} where u.id = $1", select()), vec![id.into()]).await?;
    with_groups(db, found).await?.pop().ok_or_else(|| ApiError::not_found("用户"))
}

/// A user's quotas.
pub(crate) async fn quotas_of(db: &impl Sql, id: UserId) -> ApiResult<Quotas> {
    Ok(by_id(db, id).await?.quotas())
}

pub(crate) async fn id_by_name(db: &impl Sql, username: &str) -> DbResult<Option<UserId>> {
    db.value("select id from users where username_key = $1", vec![username.to_lowercase().into()]).await
}

/// Which of these ids there are.
pub(crate) async fn existing(db: &impl Sql, ids: &[UserId]) -> DbResult<Vec<UserId>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let sql = format!("select id from users where id in ({})", placeholders(1, ids.len()));
    db.column(&sql, ids.iter().map(|id| (*id).into()).collect()).await
}

pub(super) async fn password_hash(db: &impl Sql, id: UserId) -> DbResult<Option<String>> {
    let hash = db.value::<Option<String>>("select password_hash from users where id = $1", vec![id.into()]).await?;
    Ok(hash.flatten())
}

/// Who chose a password that is set for a user. The default is the user.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PasswordOrigin {
    /// An administrator or the program chose it.
    pub(super) is_foreign: bool,
    /// The next sign-in must choose another one.
    pub(super) must_change: bool,
}

/// A user about to be made; `fields` were checked.
pub(super) struct NewUser<'a> {
    pub(super) fields: &'a UserFields,
    /// `None` when the directory has the password.
    pub(super) password_hash: Option<&'a str>,
    pub(super) password_origin: PasswordOrigin,
    pub(super) quotas: Quotas,
    pub(super) source: Source,
    pub(super) created: Timestamp,
}

pub(super) async fn insert(tx: &Tx, new: NewUser<'_>) -> ApiResult<UserId> {
    let fields = new.fields;
    let username = fields.username.clone().unwrap_or_default();
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let id = tx
        .value(
            "insert into users (username, username_key, name, email, phone, role, avatar, introduction, active, source, \
             password_hash, instance_limit, instance_limit_offset, gpu_limit, cpu_quota, memory_limit, disk_quota, \
             group_leader, created, must_change_password, password_made_up) \
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21) \
             returning id",
            vec![
                username.as_str().into(),
                username.to_lowercase().into(),
                text(&fields.name).into(),
                text(&fields.email).into(),
                text(&fields.phone).into(),
                i64::from(fields.role.unwrap_or(Role::User)).into(),
                text(&fields.avatar).into(),
                text(&fields.introduction).into(),
                fields.active.unwrap_or(true).into(),
                Word(new.source).into(),
                new.password_hash.into(),
                new.quotas.instance_limit.into(),
                new.quotas.instance_limit_offset.into(),
                new.quotas.gpu_limit.into(),
                new.quotas.cpu_quota.into(),
                new.quotas.memory_limit.into(),
                new.quotas.disk_quota.into(),
                fields.group_leader.unwrap_or(false).into(),
                new.created.as_millis().into(),
                new.password_origin.must_change.into(),
                new.password_origin.is_foreign.into(),
            ],
        )
        .await
        .map_err(|error| {
            if error.is_unique("users_username_key_key") { username_taken() } else { ApiError::from(error) }
        })?;
    id.ok_or_else(|| ApiError::internal("insert returned no id"))
}

pub(super) fn username_taken() -> ApiError {
    ApiError::conflict("username_taken", "用户名已经被使用").on_field("username")
}

/// Updates the given fields.
pub(super) async fn update(tx: &Tx, id: UserId, fields: &UserFields) -> DbResult<()> {
    // Only the given fields: others may change concurrently.
    tx.run(
        "update users set name = coalesce($2, name), email = coalesce($3, email), phone = coalesce($4, phone), \
         role = coalesce($5, role), avatar = coalesce($6, avatar), introduction = coalesce($7, introduction), \
         active = coalesce($8, active), instance_limit = coalesce($9, instance_limit), \
         instance_limit_offset = coalesce($10, instance_limit_offset), gpu_limit = coalesce($11, gpu_limit), \
         cpu_quota = coalesce($12, cpu_quota), memory_limit = coalesce($13, memory_limit), \
         disk_quota = coalesce($14, disk_quota), group_leader = coalesce($15, group_leader) where id = $1",
        vec![
            id.into(),
            fields.name.clone().into(),
            fields.email.clone().into(),
            fields.phone.clone().into(),
            fields.role.map(i64::from).into(),
            fields.avatar.clone().into(),
            fields.introduction.clone().into(),
            fields.active.into(),
            fields.instance_limit.into(),
            fields.instance_limit_offset.into(),
            fields.gpu_limit.into(),
            fields.cpu_quota.into(),
            fields.memory_limit.into(),
            fields.disk_quota.into(),
            fields.group_leader.into(),
        ],
    )
    .await?;
    Ok(())
}

pub(super) async fn set_password(tx: &Tx, id: UserId, hash: &str, origin: PasswordOrigin) -> DbResult<()> {
    let sql = "update users set password_hash = $2, must_change_password = $3, password_made_up = $4 where id = $1";
    tx.run(sql, vec![id.into(), hash.into(), origin.must_change.into(), origin.is_foreign.into()]).await?;
    Ok(())
}

pub(crate) async fn set_active(tx: &Tx, ids: &[UserId], active: bool) -> DbResult<u64> {
    let sql = format!("update users set active = $1 where active <> $1 and id in ({})", placeholders(2, ids.len()));
    let mut values = vec![active.into()];
    values.extend(ids.iter().map(|id| (*id).into()));
    tx.run(&sql, values).await
}

/// Marks people as leaders of groups.
pub(crate) async fn mark_leaders(tx: &Tx, ids: &[UserId]) -> DbResult<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let sql = format!("update users set group_leader = $1 where id in ({})", placeholders(2, ids.len()));
    let mut values = vec![true.into()];
    values.extend(ids.iter().map(|id| (*id).into()));
    tx.run(&sql, values).await?;
    Ok(())
}

pub(crate) async fn delete(tx: &Tx, id: UserId) -> DbResult<bool> {
    Ok(tx.run("delete from users where id = $1", vec![id.into()]).await? > 0)
}

/// Active administrators other than these people, with passwords of our own: the directory may be
/// down.
pub(super) async fn other_admins(tx: &Tx, except: &[UserId]) -> DbResult<i64> {
    let sql = format!(
        "select count(*) as n from users where role = 1 and active = $1 and source = 'local' and id not in ({})",
        placeholders(2, except.len())
    );
    let mut values = vec![true.into()];
    values.extend(except.iter().map(|id| (*id).into()));
    tx.number(&sql, values).await
}

pub(crate) async fn count(db: &Db) -> ApiResult<Counts> {
    let counts: Option<Counts> = db
        .first(
            "select count(*) as total, count(case when active then 1 end) as active, \
             count(case when role = 1 then 1 end) as admins from users",
            vec![],
        )
        .await?;
    counts.ok_or_else(|| ApiError::internal("count returned no row"))
}

/// Reads the groups of all rows with one more query.
async fn with_groups(db: &impl Sql, rows: Vec<UserRow>) -> ApiResult<Vec<User>> {
    let ids: Vec<UserId> = rows.iter().map(|row| row.user.id).collect();
    let mut groups = groups::of_users(db, &ids).await?;
    let user = |UserRow { user, quotas_until, quotas_before }: UserRow| User {
        // An unreadable grant fails at its end; nothing else of the account depends on it.
        temporary_quotas: quotas_until.zip(quotas_before).and_then(|(until, before)| {
            let before = serde_json::from_str(&before).ok()?;
            Some(TemporaryQuotas { until, before })
        }),
        groups: groups.remove(&user.id).unwrap_or_default(),
        ..user
    };
    Ok(rows.into_iter().map(user).collect())
}
