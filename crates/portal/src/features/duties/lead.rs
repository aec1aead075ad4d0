//! Leadership: one portal on a database leads. When it stops, another takes over.

use std::time::Duration;

use background::Scope;
use db_kit::Lead;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::task::TaskTracker;

use super::start;
use crate::Portal;
use crate::features::instances;

/// How often a portal that does not lead tries to.
const TRIED_EVERY: Duration = Duration::from_secs(2);

/// Tries to lead, and leads while it can, until the portal stops.
pub(super) async fn supervise(portal: Portal) {
    let tasks = portal.duty_tasks();
    let mut tick = interval(TRIED_EVERY);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! { () = tasks.stopping.cancelled() => return, _ = tick.tick() => {} }
        match portal.lead().await {
            Ok(Some(lead)) => {
                portal.note_leads(true);
                tracing::info!("looks after the servers");
                let lead = carry_out(&portal, lead).await;
                portal.note_leads(false);
                // If the release fails, the database ends the leadership itself.
                let _ = lead.release().await;
            }
            Ok(None) => {}
            Err(error) => tracing::error!(%error, "who leads is not known"),
        }
    }
}

/// Runs the leader's duties until leadership is lost or the portal stops.
async fn carry_out(portal: &Portal, lead: Lead) -> Lead {
    let stopping = &portal.duty_tasks().stopping;
    let (place, tasks) = (stopping.child_token(), TaskTracker::new());
    instances::begin_to_lead(portal);
    start::spawn(portal, Scope::Leader, &tasks, &place);
    tasks.spawn(instances::look_after_servers(portal.clone(), place.clone(), stopping.clone()));
    let lead = background::hold(lead, &place, stopping).await;
    // Each step of what the tasks began is idempotent, and stale writes are rejected: the next leader resumes it.
    tasks.close();
    tasks.wait().await;
    lead
}
