//! Groups as instances need them: leaders of a person, and the quotas that members share.

use std::collections::{HashMap, HashSet};

use db_kit::{DbResult, FromQueryResult, Sql, placeholders};
use kernel::{Timestamp, UserId};

/// All members of the groups that one person leads, as a subquery whose `?` is the person's id.
pub(crate) const LED_BY: &str = "select user_id from group_members where group_id in (select group_id from group_members where user_id = ? and leader)";

/// The groups that one person leads, as a subquery whose `?` is the person's id.
pub(crate) const LED: &str = "select group_id from group_members where user_id = ? and leader";

/// All members of the groups that one person is in, as a subquery whose `?` is the person's id.
pub(crate) const TOGETHER_WITH: &str =
    "select user_id from group_members where group_id in (select group_id from group_members where user_id = ?)";

/// The quotas that a group's members share, and the members; 0 is no limit.
#[derive(Clone, Debug)]
pub(crate) struct SharedQuota {
    pub(crate) name: String,
    pub(crate) instance_limit: i64,
    pub(crate) gpu_limit: i64,
    pub(crate) cpu_quota: i64,
    pub(crate) memory_limit: i64,
    pub(crate) members: Vec<UserId>,
}

#[derive(Debug, FromQueryResult)]
struct Row {
    id: i64,
    name: String,
    instance_limit: i64,
    gpu_limit: i64,
    cpu_quota: i64,
    memory_limit: i64,
    user_id: UserId,
}

/// The quotas of all groups that a user is in.
pub(crate) async fn quotas_around(db: &impl Sql, user: UserId) -> DbResult<Vec<SharedQuota>> {
    let rows: Vec<Row> = db
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
            _ => quotas.push((
                row.id,
                SharedQuota {
                    name: row.name,
                    instance_limit: row.instance_limit,
                    gpu_limit: row.gpu_limit,
                    cpu_quota: row.cpu_quota,
                    memory_limit: row.memory_limit,
                    members: vec![row.user_id],
                },
            )),
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
    #[derive(Debug, FromQueryResult)]
    struct Leader {
        user_id: UserId,
    }
    let sql = "select distinct l.user_id from group_members m join group_members l on l.group_id = m.group_id \
        where m.user_id = $1 and l.leader and m.added <= $2 order by l.user_id";
    let rows: Vec<Leader> = db.all(sql, vec![person.into(), at.as_millis().into()]).await?;
    Ok(rows.into_iter().map(|row| row.user_id).collect())
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
    let sql = "select id, name, folder, disk_quota from groups where id = $1";
    let found: Option<WithDiskQuota> = db.first(sql, vec![group.into()]).await?;
    Ok(found.map(|found| found.disk_quota))
}

/// The group's leaders.
pub(crate) async fn leaders_of(db: &impl Sql, group: i64) -> DbResult<Vec<UserId>> {
    #[derive(Debug, FromQueryResult)]
    struct Leader {
        user_id: UserId,
    }
    let sql = "select user_id from group_members where group_id = $1 and leader order by user_id";
    let rows: Vec<Leader> = db.all(sql, vec![group.into()]).await?;
    Ok(rows.into_iter().map(|row| row.user_id).collect())
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
    #[derive(Debug, FromQueryResult)]
    struct Usable {
        user_id: UserId,
        folder: String,
    }
    let mut usable: HashMap<UserId, HashSet<String>> = HashMap::new();
    for part in people.chunks(1000) {
        let sql = format!(
            "select m.user_id, g.folder from group_members m join groups g on g.id = m.group_id \
             where m.user_id in ({})",
            placeholders(1, part.len())
        );
        let rows: Vec<Usable> = db.all(&sql, part.iter().map(|id| (*id).into()).collect()).await?;
        for row in rows {
            usable.entry(row.user_id).or_default().insert(row.folder);
        }
    }
    Ok(usable)
}

/// All groups' names by their ids.
pub(crate) async fn names(db: &impl Sql) -> DbResult<HashMap<i64, String>> {
    #[derive(Debug, FromQueryResult)]
    struct Named {
        id: i64,
        name: String,
    }
    let rows: Vec<Named> = db.all("select id, name from groups", vec![]).await?;
    Ok(rows.into_iter().map(|row| (row.id, row.name)).collect())
}
