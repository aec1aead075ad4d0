//! Takes a group's folder away from the running instances of people who left the group.
//!
//! The mounts of each running instance are compared with the owner's present groups, so it does not matter how the
//! membership ended: removed, left, by the directory, or with the group itself. The machine helper unmounts the folder.
//! Where that fails, or processes keep files in it open, the group's leaders see it until the instance stops, which
//! happens at the end of a period that the leaders may change. The next start does not mount the folder.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use db_kit::Record;
use engine::machine_helper::{Answer, ContainerId, InstancePath, Request};
use http_kit::{ApiError, ApiResult};
use kernel::{ErrorKind, Timestamp, UserId};

use super::changes::{self, Action};
use super::held_notice::{self, Why};
use super::model::Instance;
use super::state::State;
use super::{store, store_held_folders};
use crate::Portal;
use crate::features::machine_helper::{self, Caller};
use crate::features::servers::{self, Server, ServerState};
use crate::features::{groups, notices};

/// How long an instance may keep running with a folder that could not be unmounted.
const PERIOD: Duration = Duration::from_secs(24 * 3600);
/// Delay before an unmount that the machine refused is tried again.
const AGAIN: Duration = Duration::from_secs(30 * 60);
/// The same delay for a server that did not answer.
const SOON: Duration = Duration::from_secs(60);
/// A server may be away only briefly: its owner is not notified before this.
const PATIENCE: Duration = Duration::from_secs(10 * 60);
const AWAY: &str = "服务器暂时没有响应";
/// Caller of the machine helper, as the operate log names it.
const DUTY: &str = "收回组文件夹";

/// A group's folder in a running instance whose owner is no longer in the group.
#[derive(Clone, Debug, PartialEq, Eq, Record)]
#[record(table = "held_group_folders", key = "instance_id, folder")]
pub(super) struct HeldFolder {
    #[record(insert_only)]
    pub(super) id: String,
    #[record(column = "instance_id")]
    pub(super) instance: String,
    /// Under `groups/` on the disk.
    pub(super) folder: String,
    /// Of the instance's run.
    pub(super) started: Timestamp,
    pub(super) since: Timestamp,
    pub(super) ends_at: Timestamp,
    pub(super) unmounted: bool,
    pub(super) still_open: bool,
    /// The owner is in the group again; kept because the folder is unmounted until the next start.
    pub(super) back: bool,
    /// When its owner was notified.
    pub(super) told: Option<Timestamp>,
    pub(super) problem: String,
    pub(super) tried: Timestamp,
}

impl HeldFolder {
    fn new(one: &Instance, folder: &str, now: Timestamp) -> Self {
        Self {
            id: uuid::Uuid::now_v7().to_string(),
            instance: one.id.clone(),
            folder: folder.to_owned(),
            started: run_of(one),
            since: now,
            ends_at: now.plus(PERIOD),
            unmounted: false,
            still_open: false,
            back: false,
            told: None,
            problem: String::new(),
            tried: now,
        }
    }

    /// Whether processes of the instance can still read and write in the folder.
    pub(super) fn is_held(&self) -> bool {
        !self.back && (!self.unmounted || self.still_open)
    }

    /// Whether it is about this run of the instance.
    pub(super) fn is_of(&self, one: &Instance) -> bool {
        self.instance == one.id && self.started == run_of(one) && one.state == State::Running
    }

    fn is_due_again(&self, now: Timestamp) -> bool {
        let wait = if self.problem_may_pass() { SOON } else { AGAIN };
        !self.unmounted && self.tried.plus(wait) <= now
    }

    fn problem_may_pass(&self) -> bool {
        self.problem == AWAY
    }
}

fn run_of(one: &Instance) -> Timestamp {
    one.started.unwrap_or(one.created)
}

/// The folders of groups in an instance, with where they are in it.
fn group_folders(one: &Instance) -> impl Iterator<Item = (&str, &str)> {
    one.mounts.iter().filter_map(|mount| Some((mount.source.strip_prefix("groups/")?, mount.target.as_str())))
}

/// Takes groups' folders away from running instances whose owners are no longer in the group.
pub(super) async fn take_back(portal: &Portal) -> ApiResult<()> {
    let db = portal.db();
    let instances = store::running_with_groups(db).await?;
    let mut known: HashMap<(String, String), HeldFolder> = HashMap::new();
    for held in store_held_folders::all(db).await? {
        if instances.iter().any(|one| held.is_of(one) && group_folders(one).any(|(folder, _)| folder == held.folder)) {
            known.insert((held.instance.clone(), held.folder.clone()), held);
        } else {
            // That run is over.
            let tx = db.begin().await?;
            store_held_folders::forget(&tx, &held.id).await?;
            tx.commit().await?;
        }
    }
    if instances.is_empty() {
        return Ok(());
    }
    let owners: Vec<UserId> = instances.iter().map(|one| one.user).collect::<HashSet<_>>().into_iter().collect();
    let usable = groups::folders_of_people(db, &owners).await?;
    let servers: BTreeMap<String, Server> =
        servers::all(db).await?.into_iter().map(|server| (server.id.clone(), server)).collect();
    for one in &instances {
        for (folder, target) in group_folders(one) {
            let held = known.remove(&(one.id.clone(), folder.to_owned()));
            let is_member = usable.get(&one.user).is_some_and(|folders| folders.contains(folder));
            if is_member {
                come_back(portal, held).await?;
            } else if let Some(server) = servers.get(&one.server) {
                take(portal, server, one, (folder, target), held).await?;
            }
        }
    }
    Ok(())
}

/// The owner is in the group again. A folder that was unmounted stays so until the next start.
async fn come_back(portal: &Portal, held: Option<HeldFolder>) -> ApiResult<()> {
    let Some(mut held) = held.filter(|held| !held.back) else { return Ok(()) };
    let tx = portal.db().begin().await?;
    if held.unmounted {
        held.back = true;
        store_held_folders::put(&tx, &held).await?;
    } else {
        store_held_folders::forget(&tx, &held.id).await?;
    }
    Ok(tx.commit().await?)
}

async fn take(
    portal: &Portal,
    server: &Server,
    one: &Instance,
    (folder, target): (&str, &str),
    known: Option<HeldFolder>,
) -> ApiResult<()> {
    let now = portal.now();
    let is_new = known.is_none();
    let mut held = known.unwrap_or_else(|| HeldFolder::new(one, folder, now));
    let before = held.clone();
    if held.back {
        // Out again: the period begins anew.
        (held.back, held.told, held.since, held.ends_at) = (false, None, now, now.plus(PERIOD));
    }
    if is_new || held.is_due_again(now) {
        try_once(portal, server, one, target, &mut held, now).await?;
    }
    let tell = held.is_held() && held.told.is_none() && (!held.problem_may_pass() || held.since.plus(PATIENCE) <= now);
    held.told = held.told.or(tell.then_some(now));
    if held == before && !is_new {
        return Ok(());
    }
    let tx = portal.db().begin().await?;
    if is_new || before.back {
        store_held_folders::put(&tx, &held).await?;
    } else {
        store_held_folders::note_try(&tx, &held).await?;
    }
    let mut told = notices::Told::default();
    if tell {
        told = held_notice::tell_owner(&tx, now, one, &held, Why::Found).await?;
    }
    tx.commit().await?;
    portal.tell_noticed(&told);
    Ok(())
}

async fn try_once(
    portal: &Portal,
    server: &Server,
    one: &Instance,
    target: &str,
    held: &mut HeldFolder,
    now: Timestamp,
) -> ApiResult<()> {
    held.tried = now;
    match unmount(portal, server, one, target).await {
        Ok(still_open) => {
            (held.unmounted, held.still_open) = (true, still_open);
            held.problem.clear();
        }
        Err(error) if error.kind() == ErrorKind::Unavailable => AWAY.clone_into(&mut held.problem),
        Err(error) if error.kind() == ErrorKind::Conflict => error.message().clone_into(&mut held.problem),
        Err(error) => return Err(error),
    }
    Ok(())
}

/// Whether processes still have files in the folder open.
async fn unmount(portal: &Portal, server: &Server, one: &Instance, target: &str) -> ApiResult<bool> {
    // A call that is not even made is not logged.
    if let Some(why) = machine_helper::forbidden(portal, server) {
        return Err(ApiError::conflict("machine_helper_forbidden", why));
    }
    if server.state() == ServerState::Unreachable {
        return Err(ApiError::new(ErrorKind::Unavailable, "server_unreachable", AWAY));
    }
    let unfit = || ApiError::conflict("machine_not_supported", "实例的容器或文件夹的位置不能由主机助手处理");
    let container: ContainerId = one.engine_id.parse().map_err(|_| unfit())?;
    let target: InstancePath = target.parse().map_err(|_| unfit())?;
    let request = Request::Unmount { container, target };
    match machine_helper::call(portal, server, Caller::Duty(DUTY), &request).await? {
        Answer::Unmounted(done) => Ok(done.still_open),
        _ => Err(ApiError::internal("the machine answered something else")),
    }
}

/// Stops instances whose period is over. Suspended ones are left as they are.
pub(super) async fn end_due(portal: &Portal) -> ApiResult<()> {
    let (db, now) = (portal.db(), portal.now());
    for held in store_held_folders::all(db).await?.into_iter().filter(|held| held.is_held() && held.ends_at <= now) {
        let one = store::by_id(db, &held.instance).await?;
        if !held.is_of(&one) || one.is_suspended() {
            continue;
        }
        let tx = db.begin().await?;
        let folders = groups::folders_of(&tx, one.user).await?;
        if folders.iter().any(|usable| usable.folder == held.folder) {
            continue;
        }
        let reason = format!("已不在用户组中，到期收回文件夹 {}", held.folder);
        match changes::act(&tx, &one, Action::Stop, "", &reason, now).await {
            Ok(_) => {
                let told = held_notice::tell_owner(&tx, now, &one, &held, Why::Ended).await?;
                tx.commit().await?;
                portal.tell_noticed(&told);
                portal.wake_server(&one.server);
            }
            // A concurrent change came first; the next run reads the row again.
            Err(error) if changes::is_outrun(&error) => tracing::debug!(instance.id = one.id, %error, "outrun"),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

impl Portal {
    /// Takes folders of groups back once, and stops what is due.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn take_group_folders_back(&self) -> anyhow::Result<()> {
        take_back(self).await?;
        Ok(end_due(self).await?)
    }
}
