//! Leadership is confirmed here and nowhere else, so that no slow duty makes a process lose it.

use std::time::Duration;

use db_kit::Lead;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

/// Well below the time after which another process may take the lead.
pub const CONFIRM_EVERY: Duration = Duration::from_secs(5);

/// Confirms the leadership until `stop`, or until it is lost; then cancels `place`, which ends the leader's duties.
pub async fn hold(mut lead: Lead, place: &CancellationToken, stop: &CancellationToken) -> Lead {
    let mut tick = interval(CONFIRM_EVERY);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! { () = stop.cancelled() => break, _ = tick.tick() => {} }
        if let Err(error) = lead.confirm().await {
            tracing::error!(%error, "leadership is lost");
            break;
        }
    }
    place.cancel();
    lead
}
