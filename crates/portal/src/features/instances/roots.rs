//! Counts the size of running instances' roots. The engine walks the files for it, so each server is asked for one
//! instance at a time and then left alone for nineteen times as long as that took.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::{StreamExt, stream};
use http_kit::ApiResult;
use kernel::Timestamp;

use super::model::Instance;
use super::reconcile::workload_id;
use super::store;
use crate::Portal;
use crate::features::clusters::Worker;
use crate::features::disk_space::{self, Count, SpaceHolder};
use crate::features::settings;

/// Each root is counted at most this often.
const EVERY: Duration = Duration::from_secs(5 * 60);
/// Counting takes at most one twentieth of the time.
const REST: u32 = 19;
/// Servers that are asked concurrently.
const AT_ONCE: usize = 8;

/// Counts, on each server, the root that was tried longest ago. A root that cannot be counted does not hold up the
/// others.
pub(super) async fn count(portal: &Portal) -> ApiResult<()> {
    let db = portal.db();
    let space = settings::read(db).await?.space;
    if !space.count {
        return Ok(());
    }
    let running = store::running(db).await?;
    let holders: Vec<SpaceHolder> = running.iter().map(|one| SpaceHolder::Root(one.id.clone())).collect();
    let counted: HashMap<SpaceHolder, Timestamp> =
        disk_space::levels_of(db, &holders).await?.into_iter().map(|row| (row.holder, row.counted)).collect();
    let mut by_server: BTreeMap<String, Vec<Instance>> = BTreeMap::new();
    for one in running {
        by_server.entry(one.server.clone()).or_default().push(one);
    }
    let now = portal.now();
    let due = by_server.into_iter().filter_map(|(server, instances)| {
        let worker = portal.clusters().of(&server);
        let asked = worker.roots_asked(&instances.iter().map(|one| one.id.as_str()).collect::<HashSet<_>>());
        let at = |one: &Instance| {
            let counted = counted.get(&SpaceHolder::Root(one.id.clone())).copied();
            counted.max(asked.get(&one.id).copied())
        };
        let oldest = instances.into_iter().min_by_key(&at)?;
        let is_due = worker.roots_may_be_counted(now) && at(&oldest).is_none_or(|at| at.plus(EVERY) <= now);
        is_due.then(|| size(portal, worker, oldest, space.root_limit.unsigned_abs()))
    });
    let due: Vec<_> = due.collect();
    let counts: Vec<Count> = stream::iter(due).buffer_unordered(AT_ONCE).filter_map(std::future::ready).collect().await;
    if counts.is_empty() { Ok(()) } else { disk_space::note(portal, &counts).await }
}

async fn size(portal: &Portal, worker: Arc<Worker>, one: Instance, quota: u64) -> Option<Count> {
    let (runtime, workload) = (worker.runtime()?, workload_id(&one).ok()?);
    let snapshots = runtime.snapshots()?;
    let (begun, counted) = (Instant::now(), portal.now());
    let found = snapshots.size(&workload).await;
    worker.note_root_asked(&one.id, counted, portal.now().plus(begun.elapsed() * REST));
    match found {
        Ok(size) => Some(Count { holder: SpaceHolder::Root(one.id), used: size.writable, quota, counted }),
        Err(error) => {
            // The instance stopped meanwhile, or the server does not answer, which is reported elsewhere.
            tracing::debug!(instance.id = one.id, %error, "its root was not counted");
            None
        }
    }
}

impl Portal {
    /// Counts roots once.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn count_roots(&self) -> anyhow::Result<()> {
        Ok(count(self).await?)
    }
}
