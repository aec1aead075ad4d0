//! Groups as instances need them: leaders of a person, and the quotas that members share.

use std::collections::{HashMap, HashSet};

use db_kit::{DbResult, FromQueryResult, Record, Sql, placeholders};
use kernel::{Timestamp, UserId};

/// All members of the groups that one person leads, as a subquery whose `?` is the person's id.
pub(crate) const LED_BY: &str = "select user_id from group_members where group_id in (select group_id from group_members where user_id = ? and leader)";

/// The groups that one person leads, as a subquery whose `?` is the person's id.
pub(crate) const LED: &str = "select group_id from group_members where user_id = ? and leader";

/// All members of the groups that one person is in, as a subquery whose `?` is the person's id.
pub(crate) const TOGETHER_WITH: &str =
    "select user_id from group_members where group_id in (select group_id from group_members where user_id = ?)";

/// The quotas that a group's members share, and the members; 0 is no limit.
#[derive(Clone, Debug, Record)]
pub(crate) struct SharedQuota {
    pub(crate) name: String,
    pub(crate) instance_limit: i64,
    pub(crate) gpu_limit: i64,
    pub(crate) cpu_quota: i64,
    pub(crate) memory_limit: i64,
    #[record(skip)]
    pub(crate) members: Vec<UserId>,
}

/// A member of a group, with its quotas.
#[derive(Debug, Record)]
struct QuotaOfMember {
    id: i64,
    #[record(columns)]
    quota: SharedQuota,
    user_id: UserId,
}

/// The quotas of all groups that a user is in.
pub(crate) async fn quotas_around(db: &impl Sql, user: UserId) -> DbResult<Vec<SharedQuota>> {
    let rows: Vec<QuotaOfMember> = db
        .all(
            "select g.id, g.name, g.instance_limit, g.gpu_limit, g.cpu_quota, g.memory_limit, m.user_id \
             from groups g join group_members m on m.group_id = g.id \
             where g.id in (select group_id from group_members where user_id = $1) order by g.id",
            vec![user.into()],
        )
        .await?;
    let mut quotas: Vec<(i64, SharedQuota)> = Vec::new();
    for row in rows {
        match quotas.last_mut() {
            Some((id, quota)) if *id == row.id => quota.members.push(row.user_id),
            _ => quotas.push((row.id, SharedQuota { members: vec![row.user_id], ..row.quota })),
        }
    }
    Ok(quotas.into_iter().map(|(_, quota)| quota).collect())
}

/// Whether `leader` leads a group that this person is in.
pub(crate) async fn leads(db: &impl Sql, leader: UserId, person: UserId) -> DbResult<bool> {
    let sql = "select count(*) as n from group_members m join group_members l on l.group_id = m.group_id \
        where m.user_id = $1 and l.user_id = $2 and l.leader";
    Ok(db.number(sql, vec![person.into(), leader.into()]).await? > 0)
}

/// Whether `leader` leads a group that this person is in, and was in at that time.
pub(crate) async fn leads_since(db: &impl Sql, leader: UserId, person: UserId, at: Timestamp) -> DbResult<bool> {
    let sql = "select count(*) as n from group_members m join group_members l on l.group_id = m.group_id \
        where m.user_id = $1 and l.user_id = $2 and l.leader and m.added <= $3";
    Ok(db.number(sql, vec![person.into(), leader.into(), at.as_millis().into()]).await? > 0)
}

/// Leaders of the groups that this person is in, and was in at that time.
pub(crate) async fn leaders_since(db: &impl Sql, person: UserId, at: Timestamp) -> DbResult<Vec<UserId>> {
    let sql = "select distinct l.user_id from group_members m join group_members l on l.group_id = m.group_id \
        where m.user_id = $1 and l.leader and m.added <= $2 order by l.user_id";
    db.column(sql, vec![person.into(), at.as_millis().into()]).await
}

/// [`leads_since`] as a condition whose `?` is the leader's id; `person` and `at` are columns.
pub(crate) fn led_since(person: &str, at: &str) -> String {
    format!(
        "exists (select 1 from group_members m join group_members l on l.group_id = m.group_id \
         where m.user_id = {person} and m.added <= {at} and l.user_id = ? and l.leader)"
    )
}

/// A group with its shared folder.
#[derive(Clone, Debug, FromQueryResult)]
pub(crate) struct GroupFolder {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) folder: String,
}

/// A group with a quota of its folder.
#[derive(Debug, FromQueryResult)]
pub(crate) struct WithDiskQuota {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) folder: String,
    pub(crate) disk_quota: i64,
}

pub(crate) async fn with_disk_quota(db: &impl Sql) -> DbResult<Vec<WithDiskQuota>> {
    db.all("select id, name, folder, disk_quota from groups where disk_quota > 0 order by id", vec![]).await
}

/// The quota of a group's folder, 0 without a limit; `None` when the group is gone.
pub(crate) async fn disk_quota_of(db: &impl Sql, group: i64) -> DbResult<Option<i64>> {
    db.value("select disk_quota from groups where id = $1", vec![group.into()]).await
}

/// The group's leaders.
pub(crate) async fn leaders_of(db: &impl Sql, group: i64) -> DbResult<Vec<UserId>> {
    let sql = "select user_id from group_members where group_id = $1 and leader order by user_id";
    db.column(sql, vec![group.into()]).await
}

/// All groups with their shared folders, or only those that one person leads.
pub(crate) async fn with_folders(db: &impl Sql, leader: Option<UserId>) -> DbResult<Vec<GroupFolder>> {
    let columns = "select id, name, folder from groups";
    match leader {
        None => db.all(&format!("{columns} order by id"), vec![]).await,
        Some(leader) => {
            let sql = format!("{columns} where id in ({}) order by id", LED.replace('?', "$1"));
            db.all(&sql, vec![leader.into()]).await
        }
    }
}

/// The shared folders that each of these people may use.
pub(crate) async fn folders_of_people(db: &impl Sql, people: &[UserId]) -> DbResult<HashMap<UserId, HashSet<String>>> {
    let mut usable: HashMap<UserId, HashSet<String>> = HashMap::new();
    for part in people.chunks(1000) {
        let sql = format!(
            "select m.user_id, g.folder from group_members m join groups g on g.id = m.group_id \
             where m.user_id in ({})",
            placeholders(1, part.len())
        );
        for (user, folder) in db.pairs(&sql, part.iter().map(|id| (*id).into()).collect()).await? {
            usable.entry(user).or_default().insert(folder);
        }
    }
    Ok(usable)
}

/// All groups' names by their ids.
pub(crate) async fn names(db: &impl Sql) -> DbResult<HashMap<i64, String>> {
    Ok(db.pairs("select id, name from groups", vec![]).await?.into_iter().collect())
}
