//! Ending a connection from outside of its task.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use futures_util::task::AtomicWaker;

/// Evicts one connection; clones refer to the same one. Cheaper to poll than a cancellation token, because
/// every read of the connection does it.
#[derive(Clone, Debug, Default)]
pub(super) struct Eviction(Arc<State>);

#[derive(Debug, Default)]
struct State {
    evicted: AtomicBool,
    connection: AtomicWaker,
}

impl Eviction {
    /// Evicts the connection.
    pub(super) fn evict(&self) {
        self.0.evicted.store(true, Ordering::Release);
        self.0.connection.wake();
    }

    /// Ready once evicted. Only for the connection's own task: one waker is kept.
    pub(super) fn poll(&self, cx: &mut Context<'_>) -> Poll<()> {
        if !self.is_evicted() {
            self.0.connection.register(cx.waker());
        }
        // It may have been evicted before the waker was there.
        if self.is_evicted() { Poll::Ready(()) } else { Poll::Pending }
    }

    pub(super) fn is_evicted(&self) -> bool {
        self.0.evicted.load(Ordering::Acquire)
    }
}
