//! Chores of the disk for datasets: the disk asks for them and reports outcomes. A row stays pending until its outcome
//! is reported, so that a stop of either side loses nothing.

use std::time::Duration;

use background::NewJob;
use http_kit::ApiResult;
use kernel::dataset::{DatasetChore, DatasetOutcome, DatasetOwner, DatasetReport, DatasetSource, DatasetWork};
use tokio::sync::Notify;

use super::model::{Origin, fault_in_words};
use super::store_chores::Removal;
use super::{store, store_chores, store_versions};
use crate::Portal;
use crate::features::users;
use crate::jobs::{JOBS, Orphan};

/// A question waits so long for something new.
const PATIENCE: Duration = Duration::from_secs(2);
/// Older counts are renewed.
const COUNTED_EVERY: Duration = Duration::from_secs(15 * 60);

/// Wakes the disk when there is something new to do.
#[derive(Debug, Default)]
pub(crate) struct Chores(Notify);

impl Chores {
    /// After the change that makes work is committed.
    pub(super) fn wake(&self) {
        self.0.notify_one();
    }
}

/// Chores in the job table. They are idempotent, so that one whose disk vanished is run again.
pub(crate) const JOB_KIND: (&str, Orphan) = ("dataset", Orphan::Again);

/// The id of a chore's job: a dataset has at most one chore of each kind at a time, and one for each version.
fn job_of(chore: &DatasetChore) -> String {
    let what = match &chore.work {
        DatasetWork::Make { .. } => "make".to_owned(),
        DatasetWork::Count => "count".to_owned(),
        DatasetWork::Keep { number, .. } => format!("keep-{number}"),
        DatasetWork::Remove { .. } => "remove".to_owned(),
    };
    format!("dataset-{}-{what}", chore.dataset)
}

impl Portal {
    /// Returns the pending chores for `runner`, which receives the lease of each and renews it by asking again; `None`
    /// is the disk in this process. Waits up to two seconds for new ones.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn dataset_chores(&self, runner: Option<&str>) -> anyhow::Result<Vec<DatasetChore>> {
        // Woken or timed out: both answer with the pending chores.
        let _ = tokio::time::timeout(PATIENCE, self.chores().0.notified()).await;
        let wanted = self.wanted_chores().await?;
        let mut leased = Vec::with_capacity(wanted.len());
        for chore in wanted {
            if self.lease_chore(&chore, runner.unwrap_or(self.id())).await? {
                leased.push(chore);
            }
        }
        Ok(leased)
    }

    async fn lease_chore(&self, chore: &DatasetChore, runner: &str) -> ApiResult<bool> {
        let (id, now) = (job_of(chore), self.now());
        let tx = self.db().begin().await?;
        let job = NewJob { id: &id, kind: JOB_KIND.0, owner: None, runner, due: now };
        let leased = JOBS.claim(&tx, job, now).await?;
        tx.commit().await?;
        Ok(leased)
    }

    async fn wanted_chores(&self) -> anyhow::Result<Vec<DatasetChore>> {
        let db = self.db();
        let mut chores = Vec::new();
        for one in store_chores::to_make(db).await? {
            let origin: Origin = serde_json::from_str(&one.origin)?;
            let copy = origin.copy;
            let source = origin.folder.map(|path| DatasetSource { person: one.user_id, path, copy });
            let work = DatasetWork::Make { source, adopt: origin.adopt };
            chores.push(DatasetChore { dataset: one.id, folder: one.name, work });
        }
        for one in store_chores::versions_to_keep(db).await? {
            let work = DatasetWork::Keep { number: one.number, before: one.before };
            chores.push(DatasetChore { dataset: one.id, folder: one.name, work });
        }
        let removals = store_chores::to_remove(db).await?;
        let people: Vec<_> = removals.values().flat_map(|removal| [removal.by, removal.owner]).collect();
        let people = users::public_by_ids(db, &people).await?;
        for (dataset, removal) in removals {
            let Removal { name, owner, by, numbers, whole } = removal;
            let name_of = |id| people.iter().find(|user| user.id == id).map(|user| user.username.clone());
            let by_name = name_of(by).unwrap_or_default();
            let owner = name_of(owner).map(|username| DatasetOwner { id: owner, username });
            let work = DatasetWork::Remove { by, by_name, numbers, whole, owner };
            chores.push(DatasetChore { dataset, folder: name, work });
        }
        if let Some(one) = store_chores::to_count(db, self.now().minus(COUNTED_EVERY)).await? {
            chores.push(DatasetChore { dataset: one.id, folder: one.name, work: DatasetWork::Count });
        }
        Ok(chores)
    }

    /// How a chore ended.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn dataset_report(&self, report: &DatasetReport) -> anyhow::Result<()> {
        self.note_report(report).await?;
        // Only one count is pending at a time, so the next may have to be handed out.
        self.chores().wake();
        Ok(())
    }

    async fn note_report(&self, report: &DatasetReport) -> ApiResult<()> {
        let id = report.chore.dataset.as_str();
        let (at, tx) = (self.now(), self.db().begin().await?);
        JOBS.remove(&tx, &job_of(&report.chore)).await?;
        if store::by_id(&tx, id).await?.is_none() {
            tx.commit().await?;
            return Ok(());
        }
        match (&report.chore.work, &report.outcome) {
            (DatasetWork::Make { .. }, DatasetOutcome::Done) => {
                store_chores::note_made(&tx, id).await?;
            }
            (DatasetWork::Make { .. }, DatasetOutcome::Failed { fault }) => {
                store_chores::note_not_made(&tx, id, &fault_in_words(*fault, "创建")).await?;
            }
            (DatasetWork::Count, DatasetOutcome::Counted(count)) => {
                store_chores::note_count(&tx, id, *count, at).await?;
            }
            (DatasetWork::Count, DatasetOutcome::Failed { fault }) => {
                let fault = format!("未能统计：{}", fault_in_words(*fault, "统计"));
                store_chores::note_not_counted(&tx, id, &fault, at).await?;
            }
            (DatasetWork::Keep { number, .. }, DatasetOutcome::Kept { count, by, difference }) => {
                store_versions::note_kept(&tx, id, *number, *count, *by, difference).await?;
            }
            (DatasetWork::Keep { number, .. }, DatasetOutcome::Failed { fault }) => {
                store_versions::note_failed(&tx, id, *number, &fault_in_words(*fault, "创建版本")).await?;
            }
            (DatasetWork::Remove { whole: true, .. }, DatasetOutcome::Done) => {
                store::delete(&tx, id).await?;
            }
            (DatasetWork::Remove { numbers, .. }, DatasetOutcome::Done) => {
                for number in numbers {
                    store_versions::delete(&tx, id, *number).await?;
                }
            }
            (DatasetWork::Remove { .. }, DatasetOutcome::Failed { fault }) => {
                let fault = format!("未能删除：{}", fault_in_words(*fault, "删除"));
                store_chores::note_not_removed(&tx, id, &fault).await?;
            }
            (work, outcome) => {
                tracing::error!(?work, ?outcome, "the disk answers what was not asked for");
                return Ok(());
            }
        }
        tx.commit().await?;
        Ok(())
    }
}
