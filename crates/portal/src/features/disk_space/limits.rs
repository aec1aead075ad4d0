//! Limits of project quotas: where a server's network disk lies on a file system with project quotas, the machine
//! helper sets the limit of each user and group, once and after changes. Set limits are stored, so that a restart does
//! not repeat them; hourly, one of them is compared with the file system.

use std::collections::BTreeMap;
use std::num::NonZeroU64;

use engine::machine_helper::{Answer, HostPath, ProjectId, ProjectQuotaState, Request};
use http_kit::ApiResult;
use kernel::ErrorKind;
use kernel::dataset::DiskHolder;

use super::store_limits;
use crate::Portal;
use crate::features::machine_helper::{self, Caller};
use crate::features::servers::{self, Server, ServerState};
use crate::features::{groups, settings, users};

const DUTY: &str = "设置项目配额";
/// Each is a container of its own; the rest has its turn in the next run.
const AT_ONCE: usize = 8;
/// Bytes; the largest block of a file system.
const LIMITS_ARE_ROUNDED: u64 = 64 << 10;

type Limits = BTreeMap<u32, Option<NonZeroU64>>;

/// Sets some of the outdated limits. A failing server does not stop the others.
pub(super) async fn carry_out(portal: &Portal) -> anyhow::Result<()> {
    let wanted = wanted(portal).await?;
    let mut failed = None;
    for server in servers::all(portal.db()).await? {
        if let Err(error) = set(portal, &server, &wanted).await {
            failed = failed.or(Some(error));
        }
    }
    failed.map_or(Ok(()), Err)
}

async fn set(portal: &Portal, server: &Server, wanted: &Limits) -> anyhow::Result<()> {
    let (db, looks) = (portal.db(), portal.project_looks());
    let reachable = server.enabled && server.state() == ServerState::Online;
    let root = server.storage_path.trim_end_matches('/').parse::<HostPath>();
    let (Ok(root), true, None) = (root, reachable, machine_helper::forbidden(portal, server)) else { return Ok(()) };
    let mut known = store_limits::of(db, &server.id, root.as_str()).await?;
    if wanted.is_empty() && due(wanted, &known).is_empty() {
        return Ok(());
    }
    match looks.last(server, portal.now()) {
        Some(true) => {}
        Some(false) => return Ok(()),
        None if !limits_projects(portal, server, &root).await? => return Ok(()),
        None if is_as_set(portal, server, &root, &known).await? => {}
        None => {
            tracing::warn!(server.id, "limits of projects are not as they were set; all are set again");
            store_limits::forget(db, &server.id, root.as_str()).await?;
            known.clear();
        }
    }
    for (number, limit_bytes) in due(wanted, &known).into_iter().take(AT_ONCE) {
        let Ok(project) = ProjectId::try_from(number) else { continue };
        let request = Request::SetProjectLimit { root: root.clone(), project, limit_bytes };
        if let Err(error) = machine_helper::call(portal, server, Caller::Duty(DUTY), &request).await {
            looks.forget(server);
            return Err(error.into());
        }
        store_limits::put(db, &server.id, root.as_str(), number, limit_bytes).await?;
    }
    Ok(())
}

/// Whether anything is counted does not matter: the kernel counts by itself.
async fn wanted(portal: &Portal) -> anyhow::Result<Limits> {
    let db = portal.db();
    if !settings::read(db).await?.space.project_quotas {
        return Ok(Limits::new());
    }
    let (people, groups) = (users::with_disk_quota(db).await?, groups::with_disk_quota(db).await?);
    let people = people.iter().map(|one| (DiskHolder::User(one.id), one.disk_quota));
    let groups = groups.iter().map(|one| (DiskHolder::Group(one.id), one.disk_quota));
    let limits = people
        .chain(groups)
        .filter_map(|(holder, quota)| Some((holder.project()?, Some(NonZeroU64::new(quota.unsigned_abs())?))));
    Ok(limits.collect())
}

/// The limits to set: changed ones, and none where none is wanted any more.
fn due(wanted: &Limits, known: &Limits) -> Limits {
    let changed = wanted.iter().filter(|(project, limit)| known.get(project) != Some(limit));
    let lifted = known.iter().filter(|(project, limit)| limit.is_some() && !wanted.contains_key(project));
    changed.map(|(project, limit)| (*project, *limit)).chain(lifted.map(|(project, _)| (*project, None))).collect()
}

/// Noted for a while, unless the server does not answer.
async fn limits_projects(portal: &Portal, server: &Server, root: &HostPath) -> ApiResult<bool> {
    let request = Request::FileSystem { path: root.clone() };
    let is_on = match machine_helper::call(portal, server, Caller::Duty(DUTY), &request).await {
        Ok(Answer::FileSystem(found)) => found.project_quota == ProjectQuotaState::On,
        Ok(_) => false,
        Err(error) => {
            tracing::debug!(server.id, %error, "its file system can't be looked at");
            if error.kind() == ErrorKind::Unavailable {
                return Ok(false);
            }
            false
        }
    };
    portal.project_looks().note(server, is_on, portal.now());
    Ok(is_on)
}

/// Whether one of the set limits, a different one each time, is in force. After a new file system or a reset of all
/// quotas, no limit is.
async fn is_as_set(portal: &Portal, server: &Server, root: &HostPath, known: &Limits) -> ApiResult<bool> {
    let set: Vec<_> = known.iter().filter_map(|(number, limit)| Some((*number, (*limit)?.get()))).collect();
    let moment = usize::try_from(portal.now().as_millis()).unwrap_or_default();
    let one = moment.checked_rem(set.len()).and_then(|turn| set.get(turn));
    let Some((number, limit)) = one else { return Ok(true) };
    let Ok(project) = ProjectId::try_from(*number) else { return Ok(true) };
    let request = Request::GetProjectQuota { root: root.clone(), project };
    match machine_helper::call(portal, server, Caller::Duty(DUTY), &request).await? {
        Answer::ProjectUsage(found) => {
            Ok(found.limit_bytes.is_some_and(|there| there.abs_diff(*limit) <= LIMITS_ARE_ROUNDED))
        }
        _ => Ok(true),
    }
}

impl Portal {
    /// Sets limits of projects once.
    ///
    /// # Errors
    /// When the database fails, or a machine that limits projects refuses.
    pub async fn set_project_limits(&self) -> anyhow::Result<()> {
        carry_out(self).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_is_set_and_what_nobody_has_any_more_is_lifted() {
        let limit = NonZeroU64::new;
        let wanted = Limits::from([(1, limit(5)), (2, limit(6)), (3, limit(7))]);
        let known = Limits::from([(1, limit(5)), (2, limit(9)), (4, limit(8)), (5, None)]);
        assert_eq!(due(&wanted, &known), Limits::from([(2, limit(6)), (3, limit(7)), (4, None)]));
        assert_eq!(due(&wanted, &wanted), Limits::new());
    }
}
