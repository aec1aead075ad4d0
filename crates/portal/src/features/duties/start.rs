//! Starting and stopping the duties of a portal.

use background::Scope;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::{journal, lead};
use crate::Portal;
use crate::duty::PortalDuty;
use crate::features::instances;

impl Portal {
    /// Begins all duties, until [`Portal::stop_duties`].
    ///
    /// # Errors
    /// When the database fails.
    pub async fn start_duties(&self) -> anyhow::Result<()> {
        for one in self.duty_list().all(self.db().is_postgres()) {
            self.duties().announce(&one.duty);
        }
        for one in self.duty_list().of_servers() {
            self.duties().announce(&one.duty);
        }
        instances::announce_duties(self.duties());
        journal::recall(self).await?;
        let tasks = self.duty_tasks();
        spawn(self, Scope::EveryProcess, &tasks.tasks, &tasks.stopping);
        tasks.tasks.spawn(lead::supervise(self.clone()));
        Ok(())
    }

    /// Stops all duties. Containers run on, and the next start or the next leader resumes what was begun.
    pub async fn stop_duties(&self) {
        let tasks = self.duty_tasks();
        tasks.stopping.cancel();
        tasks.tasks.close();
        tasks.tasks.wait().await;
        if let Err(error) = self.write_refusals().await {
            tracing::error!(%error, "the numbers of refused tries could not be written");
        }
    }
}

/// Spawns each duty of this scope as a task of its own, until `stop`.
pub(super) fn spawn(portal: &Portal, scope: Scope, tasks: &TaskTracker, stop: &CancellationToken) {
    for one in portal.duty_list().all(portal.db().is_postgres()).filter(|one| one.duty.scope == scope) {
        tasks.spawn(repeat(portal.clone(), one, stop.child_token()));
    }
}

async fn repeat(portal: Portal, one: &'static PortalDuty, stop: CancellationToken) {
    let duties = portal.duties().clone();
    duties.repeat(&one.duty, stop, || (one.run)(portal.clone())).await;
}
