//! The folders of datasets: created, counted, versioned and removed, as the portal requests. The view decides who sees
//! which, and access to their files is the same as everywhere else on the disk.
//!
//! The portal returns a chore until its outcome is reported; the disk queries, begins new chores, and reports. Each is
//! idempotent.

mod count;
mod difference;
mod make;
mod remove;
mod version;

use std::ffi::OsString;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Context;
use background::{Duty, Scope};
use disk_core::blocking::blocking;
use disk_core::error::{DiskError, DiskResult};
use disk_core::jail::Location;
use disk_core::progress::Progress;
use disk_core::space::{DATASETS, Space};
use kernel::dataset::{DatasetChore, DatasetFault, DatasetLimits, DatasetOutcome, DatasetReport, DatasetWork};
use tokio::sync::Semaphore;

use crate::host::Host;
use crate::under_way::UnderWay;

/// Queries the portal, whose answer itself takes time.
static CHORES: Duty = Duty {
    name: "dataset-chores",
    title: "整理数据集",
    description: "创建、统计、保存版本和删除数据集的文件夹",
    period: Duration::from_millis(250),
    scope: Scope::EveryProcess,
    needs_trusted_clock: false,
};
/// At once: more would only make each slower, and people's own work waits too.
const AT_ONCE: usize = 2;

/// The limits that this process reported to the portal last.
#[derive(Clone, Default)]
struct Told(Arc<Mutex<Option<DatasetLimits>>>);

impl Told {
    fn last(&self) -> Option<DatasetLimits> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, limits: DatasetLimits) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(limits);
    }
}

/// Carries out the portal's chores until the disk stops.
pub(crate) fn keep(host: &Host) {
    let (duties, stopped, weak) = (host.duties.clone(), host.stopped.clone(), host.downgrade());
    let (under_way, turns) = (UnderWay::default(), Arc::new(Semaphore::new(AT_ONCE)));
    let told = Told::default();
    let ask = move || ask(weak.upgrade(), told.clone(), under_way.clone(), Arc::clone(&turns));
    tokio::spawn(async move { duties.repeat(&CHORES, stopped, ask).await });
}

/// Reports the limits of datasets and versions to the portal when they changed.
async fn tell_limits(host: &Host, told: &Told) -> anyhow::Result<()> {
    let limits = host.settings.get().await?.limits.of_datasets();
    if told.last() != Some(limits) {
        host.directory.dataset_limits(limits).await.context("the portal could not be told the limits of datasets")?;
        told.note(limits);
    }
    Ok(())
}

/// Queries the portal once, and begins new chores.
async fn ask(
    host: Option<Host>,
    told: Told,
    under_way: UnderWay<DatasetChore>,
    turns: Arc<Semaphore>,
) -> anyhow::Result<()> {
    let Some(host) = host else { return Ok(()) };
    tell_limits(&host, &told).await?;
    let chores = host.directory.dataset_chores().await.context("the portal does not say what datasets need")?;
    for chore in chores.into_iter().filter(|chore| under_way.begin(chore)) {
        let (working, under_way, turns) = (host.clone(), under_way.clone(), Arc::clone(&turns));
        host.sockets.spawn(async move {
            do_in_turn(&working, &turns, chore.clone()).await;
            under_way.end(&chore);
        });
    }
    Ok(())
}

/// A chore that a stop interrupts is not reported, so the portal returns it again.
async fn do_in_turn(host: &Host, turns: &Semaphore, chore: DatasetChore) {
    let Some(Ok(_turn)) = host.stopped.run_until_cancelled(turns.acquire()).await else { return };
    let ended = carry_out(host, &chore).await;
    // Without the portal the quota is unknown; the portal returns the chore again.
    if host.stopped.is_cancelled() || matches!(ended, Err(DiskError::Unavailable(_))) {
        return;
    }
    let outcome = ended.unwrap_or_else(|error| DatasetOutcome::Failed { fault: fault(&chore, error) });
    let report = DatasetReport { chore, outcome };
    if let Err(error) = host.directory.dataset_report(&report).await {
        tracing::warn!(error = format!("{error:#}"), "the portal could not be told of a dataset");
    }
}

async fn carry_out(host: &Host, chore: &DatasetChore) -> DiskResult<DatasetOutcome> {
    let place = place(&chore.folder);
    let working = Arc::clone(&host.files);
    let progress = Progress::until(host.stopped.child_token());
    match &chore.work {
        DatasetWork::Make { source, adopt } => make::make(host, chore, source.as_ref(), *adopt, progress).await,
        DatasetWork::Count => {
            let counted = blocking(move || count::count(&working.jail.find(&place)?, &progress)).await?;
            Ok(DatasetOutcome::Counted(counted))
        }
        DatasetWork::Keep { number, before } => {
            let (folder, number, before) = (chore.folder.clone(), *number, *before);
            let (settings, space) = (host.settings.get().await?, place.space);
            let account = host.account(&space, &settings).await?;
            let allowance = host.allowance(&space, account, &settings);
            blocking(move || version::keep(&working, &folder, number, before, &allowance, &progress)).await
        }
        DatasetWork::Remove { .. } => remove::remove(host, chore).await,
    }
}

/// A folder of `datasets`, for the disk itself.
fn place(folder: &str) -> Location {
    let names = vec![OsString::from(DATASETS), OsString::from(folder)];
    Location { space: Space::dataset(folder), writable: true, ..Location::of_true_names(names) }
}

fn fault(chore: &DatasetChore, error: DiskError) -> DatasetFault {
    match error {
        DiskError::NotFound => DatasetFault::Missing,
        DiskError::Conflict(_) => DatasetFault::NameTaken,
        DiskError::Forbidden | DiskError::Busy => DatasetFault::Forbidden,
        DiskError::InsufficientStorage(_) => DatasetFault::NoRoom,
        error => {
            let folder = &chore.folder;
            tracing::error!(dataset.folder = folder, error = format!("{error:?}"), "work on a dataset failed");
            DatasetFault::Broken
        }
    }
}
