//! Waiting for a condition, without guessing how long it takes.

use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval, timeout};

const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Looks again and again until `look` finds something.
///
/// # Panics
/// When nothing was found within `limit`.
pub async fn until<T>(what: &str, limit: Duration, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let mut tick = interval(LOOK_EVERY);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let found = timeout(limit, async {
        loop {
            tick.tick().await;
            if let Some(found) = look().await {
                return found;
            }
        }
    });
    match found.await {
        Ok(found) => found,
        Err(_) => panic!("waited {limit:?} in vain: {what}"),
    }
}
