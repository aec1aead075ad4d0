//! Programs that tests start on this machine: waiting until they are ready.

use std::time::{Duration, Instant};

/// Looks again and again, for half a minute.
pub(crate) fn wait_for(what: &str, mut there: impl FnMut() -> bool) {
    let start = Instant::now();
    let (_keep, never) = std::sync::mpsc::channel::<()>();
    while !there() {
        assert!(start.elapsed() < Duration::from_secs(30), "{what} did not come");
        // Waits between two checks of another process, which has no notification of being ready.
        let _ = never.recv_timeout(Duration::from_millis(20));
    }
}
