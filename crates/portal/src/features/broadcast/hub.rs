//! Who listens, and how they are all told to go.

use futures_util::{Stream, StreamExt, stream};
use tokio::sync::{broadcast, watch};
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

/// Messages that a slow page may be behind before it misses some.
const BACKLOG: usize = 64;

/// The listening pages.
#[derive(Debug)]
pub(crate) struct Hub {
    messages: broadcast::Sender<String>,
    stopping: watch::Sender<bool>,
    sockets: TaskTracker,
}

impl Hub {
    pub(crate) fn new() -> Self {
        Self { messages: broadcast::channel(BACKLOG).0, stopping: watch::channel(false).0, sockets: TaskTracker::new() }
    }

    /// Everything that is said from now on. A page that was too slow misses what it missed.
    pub(super) fn listen(&self) -> impl Stream<Item = String> + Send + use<> {
        let receiver = self.messages.subscribe();
        stream::unfold(receiver, |mut receiver| async move {
            let message = receiver.recv().await;
            match message {
                Ok(text) => Some((Some(text), receiver)),
                Err(broadcast::error::RecvError::Lagged(_)) => Some((None, receiver)),
                Err(broadcast::error::RecvError::Closed) => None,
            }
        })
        .filter_map(std::future::ready)
    }

    /// Resolves when the server stops.
    pub(super) fn stopped(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut stopping = self.stopping.subscribe();
        async move {
            // An error means that the portal is gone, which is also a stop.
            let _ = stopping.wait_for(|stop| *stop).await;
        }
    }

    /// Held by each socket while it lives.
    pub(super) fn token(&self) -> TaskTrackerToken {
        self.sockets.token()
    }

    /// Tells every page that the server stops.
    pub(crate) fn stop(&self) {
        self.stopping.send_replace(true);
        self.sockets.close();
    }

    /// Resolves when every page has been told.
    pub(crate) async fn drained(&self) {
        self.sockets.wait().await;
    }
}
