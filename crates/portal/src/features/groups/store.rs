//! Groups and memberships in the database.

use std::collections::{HashMap, HashSet};

use db_kit::{Columns, Db, DbError, DbResult, Filter, Record, Sql, Tx, Value, Word, like, placeholders};
use http_kit::{ApiError, ApiResult, ListQuery};
use kernel::{Actor, GroupFolder, Page, Timestamp, UserId};

use super::model::{Group, GroupForm, GroupMember, GroupQuotas, MembershipOrigin, UserGroup};
use super::policy::Membership;
use super::store_invitations::{forget_invitations, forget_invitations_to};
use crate::features::users::{self, PublicUser};

/// The user ids in one group, as a subquery whose `?` is the group's id.
pub(crate) const MEMBERS_OF: &str = "select user_id from group_members where group_id = ?";

const SORTS: &[(&str, &str)] =
    &[("name", "g.name_key"), ("id", "g.id"), ("memberCount", "member_count"), ("created", "g.created")];

fn select() -> String {
    format!(
        "select {}, (select count(*) from group_members c where c.group_id = g.id) as member_count from groups g",
        Group::columns_of("g")
    )
}

/// Groups that the actor may see: all for an administrator, otherwise their own.
pub(super) async fn list(db: &Db, actor: &Actor, query: &ListQuery) -> ApiResult<Page<Group>> {
    let rows = query.rows()?;
    let column = query.column(SORTS)?;
    let direction = query.order.unwrap_or_default().sql();
    let mut filter = Filter::default();
    filter
        .add_some(
            "g.name_key like ? escape '\\' or lower(g.description) like ? escape '\\'",
            query.words().map(|words| like(&words)),
        )
        .add_some(
            "g.id in (select group_id from group_members where user_id = ?)",
            (!actor.is_admin()).then_some(actor.id),
        );
    let clause = filter.clause();
    let (limit, values) = filter.limited(rows.limit(), rows.offset());
    let sql = format!("{}{clause} order by {column} {direction}, g.id {direction}{limit}", select());
    let found = db.all(&sql, values).await?;
    let total = db.number(&format!("select count(*) as n from groups g{clause}"), filter.values()).await?;
    Ok(Page { items: with_leaders(db, found).await?, total })
}

pub(super) async fn by_id(db: &impl Sql, id: i64) -> ApiResult<Group> {
    let found = db.all(&format!("{} where g.id = $1", select()), vec![id.into()]).await?;
    with_leaders(db, found).await?.pop().ok_or_else(|| ApiError::not_found("用户组"))
}

/// Groups with these ids, as far as they exist.
pub(super) async fn by_ids(db: &impl Sql, ids: &[i64]) -> ApiResult<Vec<Group>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let sql = format!("{} where g.id in ({})", select(), placeholders(1, ids.len()));
    let found = db.all(&sql, ids.iter().map(|id| (*id).into()).collect()).await?;
    Ok(with_leaders(db, found).await?)
}

/// Blocks other changes of the group's members and invitations until the transaction ends.
pub(super) async fn lock_people(tx: &Tx, group: i64) -> DbResult<()> {
    tx.serialize(&format!("people of group {group}")).await
}

pub(super) async fn insert(tx: &Tx, form: &GroupForm, at: Timestamp) -> ApiResult<i64> {
    let name = form.name.clone().unwrap_or_default();
    // A taken name breaks two constraints, and the databases differ in which one they report.
    let sql = "select count(*) as n from groups where name_key = $1";
    if tx.number(sql, vec![name.to_lowercase().into()]).await? > 0 {
        return Err(name_is_taken());
    }
    let folder = free_folder(tx, &name).await?;
    let quotas = form.quotas(GroupQuotas::default());
    let id = tx
        .value(
            "insert into groups (name, name_key, description, folder, folder_key, instance_limit, gpu_limit, cpu_quota, \
             memory_limit, disk_quota, created) values ($1, $2, $3, $10, $11, $4, $5, $6, $7, $8, $9) returning id",
            vec![
                name.as_str().into(),
                name.to_lowercase().into(),
                form.description.clone().unwrap_or_default().into(),
                quotas.instance_limit.into(),
                quotas.gpu_limit.into(),
                quotas.cpu_quota.into(),
                quotas.memory_limit.into(),
                quotas.disk_quota.into(),
                at.as_millis().into(),
                folder.as_str().into(),
                folder.to_lowercase().into(),
            ],
        )
        .await
        .map_err(name_taken)?;
    id.ok_or_else(|| ApiError::internal("insert returned no id"))
}

pub(super) async fn update(tx: &Tx, old: &Group, form: &GroupForm) -> ApiResult<()> {
    let name = form.name.as_ref().unwrap_or(&old.name);
    let quotas = form.quotas(old.quotas);
    tx.run(
        "update groups set name = $2, name_key = $3, description = $4, instance_limit = $5, gpu_limit = $6, \
         cpu_quota = $7, memory_limit = $8, disk_quota = $9 where id = $1",
        vec![
            old.id.into(),
            name.as_str().into(),
            name.to_lowercase().into(),
            form.description.clone().unwrap_or_else(|| old.description.clone()).into(),
            quotas.instance_limit.into(),
            quotas.gpu_limit.into(),
            quotas.cpu_quota.into(),
            quotas.memory_limit.into(),
            quotas.disk_quota.into(),
        ],
    )
    .await
    .map_err(name_taken)?;
    Ok(())
}

/// The name itself, or the name with a number where another group has or had such a folder, whose files must not become
/// this group's.
async fn free_folder(tx: &Tx, name: &str) -> DbResult<String> {
    let sql = "select (select count(*) from groups where folder_key = $1) \
               + (select count(*) from former_group_folders where folder_key = $1) as n";
    let mut folder = name.to_owned();
    let mut number = 1;
    while tx.number(sql, vec![folder.to_lowercase().into()]).await? > 0 {
        number += 1;
        folder = format!("{name}-{number}");
    }
    Ok(folder)
}

fn name_is_taken() -> ApiError {
    ApiError::conflict("group_name_taken", "用户组名已经被使用").on_field("name")
}

fn name_taken(error: DbError) -> ApiError {
    if error.is_unique("groups_name_key_key") { name_is_taken() } else { error.into() }
}

pub(super) async fn delete(tx: &Tx, id: i64) -> DbResult<bool> {
    let sql = "insert into former_group_folders (folder_key) select folder_key from groups where id = $1 \
               on conflict (folder_key) do nothing";
    tx.run(sql, vec![id.into()]).await?;
    Ok(tx.run("delete from groups where id = $1", vec![id.into()]).await? > 0)
}

/// The actor's own place in the group.
pub(super) async fn own(db: &impl Sql, group: i64, user: UserId) -> DbResult<Option<Membership>> {
    let sql = "select leader, origin from group_members where group_id = $1 and user_id = $2";
    let found: Option<(bool, Word<MembershipOrigin>)> = db.pairs(sql, vec![group.into(), user.into()]).await?.pop();
    Ok(found.map(|(leader, origin)| Membership { leader, origin: origin.0 }))
}

pub(super) async fn members(db: &impl Sql, group: i64, query: &ListQuery) -> ApiResult<Page<GroupMember>> {
    let rows = query.rows()?;
    let column = query.column(&[("username", "u.username_key"), ("name", "u.name"), ("added", "m.added")])?;
    let direction = query.order.unwrap_or_default().sql();
    let mut filter = Filter::default();
    filter.add("m.group_id = ?", group).add_some(
        "u.username_key like ? escape '\\' or lower(u.name) like ? escape '\\'",
        query.words().map(|words| like(&words)),
    );
    let from = format!("from group_members m join users u on u.id = m.user_id{}", filter.clause());
    let (limit, values) = filter.limited(rows.limit(), rows.offset());
    let sql = format!(
        "select u.id, u.username, u.name, u.avatar, m.leader, u.active, m.added, m.origin {from} \
         order by m.leader desc, {column} {direction}, u.id {direction}{limit}"
    );
    let items = db.all(&sql, values).await?;
    let total = db.number(&format!("select count(*) as n {from}"), filter.values()).await?;
    Ok(Page { items, total })
}

/// Those of these people who are members of the group.
pub(super) async fn members_among(tx: &Tx, group: i64, people: &[UserId]) -> DbResult<HashSet<UserId>> {
    let sql = format!(
        "select user_id from group_members where group_id = $1 and user_id in ({})",
        placeholders(2, people.len())
    );
    Ok(tx.column(&sql, with_people(vec![group.into()], people)).await?.into_iter().collect())
}

/// Adds people to a group; present members stay as they are. Removes their invitations.
pub(super) async fn add(
    tx: &Tx,
    group: i64,
    people: &[UserId],
    origin: MembershipOrigin,
    at: Timestamp,
) -> ApiResult<u64> {
    if people.is_empty() {
        return Ok(0);
    }
    let rows = (0..people.len()).map(|n| format!("($1, ${}, $2, $3, $4)", n + 5)).collect::<Vec<_>>().join(", ");
    let sql = format!(
        "insert into group_members (group_id, user_id, leader, added, origin) values {rows} \
         on conflict (group_id, user_id) do nothing"
    );
    let values = vec![group.into(), false.into(), at.as_millis().into(), Word(origin).into()];
    let added = tx.run(&sql, with_people(values, people)).await.map_err(unknown_people)?;
    forget_invitations(tx, group, people).await?;
    Ok(added)
}

/// Makes memberships that people could end themselves an administrator's.
pub(super) async fn assign(tx: &Tx, group: i64, people: &[UserId]) -> DbResult<()> {
    let sql = format!(
        "update group_members set origin = $2 where group_id = $1 and origin in ('invitation', 'earlier') \
         and user_id in ({})",
        placeholders(3, people.len())
    );
    let values = vec![group.into(), Word(MembershipOrigin::Administrator).into()];
    tx.run(&sql, with_people(values, people)).await?;
    Ok(())
}

/// Marks a user's memberships in these mapped groups as assigned by the directory.
pub(crate) async fn assign_mapped(tx: &Tx, user: UserId, groups: impl IntoIterator<Item = i64>) -> DbResult<()> {
    let mut values = vec![user.into(), Word(MembershipOrigin::Directory).into()];
    values.extend(groups.into_iter().map(Into::into));
    if values.len() == 2 {
        return Ok(());
    }
    let sql = format!(
        "update group_members set origin = $2 where user_id = $1 and origin in ('invitation', 'earlier') \
         and group_id in ({})",
        placeholders(3, values.len() - 2)
    );
    tx.run(&sql, values).await?;
    Ok(())
}

fn with_people(mut values: Vec<Value>, people: &[UserId]) -> Vec<Value> {
    values.extend(people.iter().map(|id| (*id).into()));
    values
}

fn unknown_people(error: DbError) -> ApiError {
    if matches!(error, DbError::ForeignKey) {
        ApiError::field("users", "有用户已不存在，请刷新后再试")
    } else {
        error.into()
    }
}

/// Removes all members of the group except these people.
pub(super) async fn keep_only(tx: &Tx, group: i64, people: &[UserId]) -> DbResult<u64> {
    let sql = if people.is_empty() {
        "delete from group_members where group_id = $1".to_owned()
    } else {
        format!("delete from group_members where group_id = $1 and user_id not in ({})", placeholders(2, people.len()))
    };
    let mut values = vec![group.into()];
    values.extend(people.iter().map(|id| (*id).into()));
    tx.run(&sql, values).await
}

/// Makes exactly these people leaders of the group; they are members already.
pub(super) async fn set_leaders(tx: &Tx, group: i64, people: &[UserId]) -> DbResult<()> {
    tx.run("update group_members set leader = $2 where group_id = $1", vec![group.into(), false.into()]).await?;
    if !people.is_empty() {
        let sql = format!(
            "update group_members set leader = $2 where group_id = $1 and user_id in ({})",
            placeholders(3, people.len())
        );
        let mut values = vec![group.into(), true.into()];
        values.extend(people.iter().map(|id| (*id).into()));
        tx.run(&sql, values).await?;
    }
    Ok(())
}

pub(super) async fn set_leader(tx: &Tx, group: i64, user: UserId, leader: bool) -> DbResult<bool> {
    let sql = "update group_members set leader = $3 where group_id = $1 and user_id = $2";
    Ok(tx.run(sql, vec![group.into(), user.into(), leader.into()]).await? > 0)
}

/// The group's leaders.
pub(super) async fn leaders(tx: &Tx, group: i64) -> DbResult<Vec<UserId>> {
    let sql = "select user_id from group_members where group_id = $1 and leader = $2";
    tx.column(sql, vec![group.into(), true.into()]).await
}

/// Ends a membership, unless it changed since it was read: it may have been assigned meanwhile.
pub(super) async fn remove(tx: &Tx, group: i64, user: UserId, seen: Membership) -> DbResult<bool> {
    let sql = "delete from group_members where group_id = $1 and user_id = $2 and leader = $3 and origin = $4";
    let values = vec![group.into(), user.into(), seen.leader.into(), Word(seen.origin).into()];
    // A concurrent invitation must not bring back a removed member.
    forget_invitations(tx, group, &[user]).await?;
    Ok(tx.run(sql, values).await? > 0)
}

/// Puts a user into exactly these groups; where they were already, they keep leading and their membership its origin.
pub(crate) async fn set_groups_of(
    tx: &Tx,
    user: UserId,
    groups: &[i64],
    origin: MembershipOrigin,
    at: Timestamp,
) -> ApiResult<()> {
    let mut values = vec![user.into()];
    values.extend(groups.iter().map(|id| (*id).into()));
    if groups.is_empty() {
        tx.run("delete from group_members where user_id = $1", values).await?;
        return Ok(());
    }
    let list = placeholders(2, groups.len());
    tx.run(&format!("delete from group_members where user_id = $1 and group_id not in ({list})"), values).await?;
    let rows = (0..groups.len()).map(|n| format!("(${}, $1, $2, $3, $4)", n + 5)).collect::<Vec<_>>().join(", ");
    let sql = format!(
        "insert into group_members (group_id, user_id, leader, added, origin) values {rows} \
         on conflict (group_id, user_id) do nothing"
    );
    let mut values = vec![user.into(), false.into(), at.as_millis().into(), Word(origin).into()];
    values.extend(groups.iter().map(|id| (*id).into()));
    tx.run(&sql, values).await.map_err(|error| {
        if matches!(error, DbError::ForeignKey) {
            ApiError::field("groups", "用户组不存在")
        } else {
            error.into()
        }
    })?;
    Ok(forget_invitations_to(tx, user, groups).await?)
}

/// Ends a user's leading of all groups.
pub(crate) async fn stop_leading(tx: &Tx, user: UserId) -> DbResult<()> {
    tx.run("update group_members set leader = $2 where user_id = $1", vec![user.into(), false.into()]).await?;
    Ok(())
}

/// The groups of each of these users, by name.
pub(crate) async fn of_users(db: &impl Sql, ids: &[UserId]) -> ApiResult<HashMap<UserId, Vec<UserGroup>>> {
    #[derive(Debug, Record)]
    struct Found {
        user_id: UserId,
        #[record(columns)]
        group: UserGroup,
    }
    let mut groups: HashMap<UserId, Vec<UserGroup>> = HashMap::new();
    if ids.is_empty() {
        return Ok(groups);
    }
    let sql = format!(
        "select m.user_id, g.id, g.name, m.leader, m.origin from group_members m join groups g on g.id = m.group_id \
         where m.user_id in ({}) order by g.name_key",
        placeholders(1, ids.len())
    );
    let found: Vec<Found> = db.all(&sql, ids.iter().map(|id| (*id).into()).collect()).await?;
    for one in found {
        groups.entry(one.user_id).or_default().push(one.group);
    }
    Ok(groups)
}

/// The shared folders that a user may use.
pub(crate) async fn folders_of(db: &impl Sql, user: UserId) -> DbResult<Vec<GroupFolder>> {
    let sql = "select g.folder, g.disk_quota from groups g join group_members m on m.group_id = g.id \
               where m.user_id = $1 order by g.folder_key";
    let found: Vec<(String, i64)> = db.pairs(sql, vec![user.into()]).await?;
    let folder = |(folder, quota): (String, i64)| GroupFolder { folder, disk_quota: quota.unsigned_abs() };
    Ok(found.into_iter().map(folder).collect())
}

/// Quota of a shared folder; 0 when no group has the folder.
pub(crate) async fn folder_quota(db: &impl Sql, folder: &str) -> DbResult<i64> {
    db.number("select disk_quota as n from groups where folder = $1", vec![folder.into()]).await
}

/// All groups' ids by their names in lower case.
pub(crate) async fn ids_by_name(db: &impl Sql) -> DbResult<HashMap<String, i64>> {
    Ok(db.pairs("select name_key, id from groups", vec![]).await?.into_iter().collect())
}

/// How many groups there are.
pub(crate) async fn count(db: &impl Sql) -> DbResult<i64> {
    db.number("select count(*) as n from groups", vec![]).await
}

/// Two further queries for the leaders of all groups.
async fn with_leaders(db: &impl Sql, mut groups: Vec<Group>) -> DbResult<Vec<Group>> {
    if groups.is_empty() {
        return Ok(groups);
    }
    let sql = format!(
        "select group_id, user_id from group_members where leader = $1 and group_id in ({})",
        placeholders(2, groups.len())
    );
    let mut values = vec![true.into()];
    values.extend(groups.iter().map(|group| group.id.into()));
    let leaders: Vec<(i64, UserId)> = db.pairs(&sql, values).await?;
    let mut ids: Vec<UserId> = leaders.iter().map(|(_, user)| *user).collect();
    ids.sort_unstable();
    ids.dedup();
    let people = users::public_by_ids(db, &ids).await?;
    for group in &mut groups {
        let leads = |person: &&PublicUser| leaders.contains(&(group.id, person.id));
        group.leaders = people.iter().filter(leads).cloned().collect();
    }
    Ok(groups)
}
