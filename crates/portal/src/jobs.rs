//! The portal's job table, and the handling of jobs whose process has ended. `wiring` lists the kinds.

use background::{Broken, DEFAULT_LEASE, Jobs};
use db_kit::{DbResult, Tx};
use http_kit::ApiResult;

use crate::Portal;

/// The table. The features' own tables have the jobs' content under the same ids.
pub(crate) const JOBS: Jobs = Jobs::of("jobs");

/// The handling of a job whose process stopped renewing its lease.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Orphan {
    /// Its progress is unknown: it failed, and its owner is notified with this text.
    Fails(&'static str),
    /// It is idempotent: it is due again at once.
    Again,
}

/// A kind of jobs by its name in the table.
pub(crate) type JobKind = (&'static str, Orphan);

/// How many jobs of each kind wait, run and failed.
pub(crate) async fn counts(portal: &Portal) -> DbResult<Vec<(&'static str, &'static str, i64)>> {
    const STATES: [&str; 3] = ["queued", "running", "failed"];
    let counted = JOBS.counts(portal.db()).await?;
    let count = |kind: &str, state: &str| counted.iter().find(|one| one.kind == kind && one.state == state);
    let all = portal.job_kinds().iter().flat_map(|(kind, _)| STATES.map(|state| (*kind, state)));
    Ok(all.map(|(kind, state)| (kind, state, count(kind, state).map_or(0, |one| one.count))).collect())
}

async fn sweep(tx: &Tx, portal: &Portal, broken: Broken<'_>) -> DbResult<()> {
    for (kind, orphan) in portal.job_kinds() {
        match orphan {
            Orphan::Fails(reason) => JOBS.fail_broken(tx, kind, broken, reason, portal.now()).await?,
            Orphan::Again => JOBS.requeue_broken(tx, kind, broken).await?,
        };
    }
    Ok(())
}

/// Renews the leases of this portal's jobs.
pub(crate) async fn renew(portal: &Portal) -> ApiResult<()> {
    JOBS.renew(portal.db(), portal.id(), portal.now()).await?;
    Ok(())
}

/// Handles the jobs of portals that have ended.
pub(crate) async fn sweep_orphans(portal: &Portal) -> ApiResult<()> {
    renew(portal).await?;
    let tx = portal.db().begin().await?;
    sweep(&tx, portal, Broken::NotRenewedSince(portal.now().minus(DEFAULT_LEASE))).await?;
    tx.commit().await?;
    Ok(())
}

impl Portal {
    /// Sweeps the jobs that an earlier process on this data folder left unfinished.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn break_off_jobs(&self) -> anyhow::Result<()> {
        let broken = if self.db().is_postgres() { Broken::RunBy(self.id()) } else { Broken::All };
        let tx = self.db().begin().await?;
        sweep(&tx, self, broken).await?;
        tx.commit().await?;
        Ok(())
    }
}
