//! What a client sent on a channel and its program has not taken yet.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::gate::Gate;

/// What a message costs beside its bytes, so that many empty ones fill the gate, too.
const COST: usize = 64;

/// The inbox of a channel. It has one reader.
#[derive(Debug)]
pub(crate) struct Inbox {
    gate: Arc<Gate>,
    state: Mutex<State>,
    changed: Notify,
    gone: CancellationToken,
}

#[derive(Debug, Default)]
struct State {
    queue: VecDeque<Bytes>,
    /// The client sends no more.
    ended: bool,
    /// The reader is gone.
    left: bool,
}

impl Inbox {
    pub(crate) fn new(gate: Arc<Gate>) -> Self {
        Self { gate, state: Mutex::default(), changed: Notify::new(), gone: CancellationToken::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Each change is whole in itself.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Data arrived.
    pub(crate) fn push(&self, data: &[u8]) {
        let mut state = self.state();
        if state.left || state.ended {
            return;
        }
        self.gate.arrived(data.len() + COST);
        state.queue.push_back(Bytes::copy_from_slice(data));
        drop(state);
        self.changed.notify_one();
    }

    /// The client sends no more.
    pub(crate) fn end(&self) {
        self.state().ended = true;
        self.changed.notify_one();
    }

    /// The channel is closed, or the connection over.
    pub(crate) fn close(&self) {
        self.end();
        self.gone.cancel();
    }

    /// Resolves when the client closed the channel, or the connection is over.
    pub(crate) async fn gone(&self) {
        self.gone.cancelled().await;
    }

    /// The next data; `None` when the client sends no more.
    pub(crate) async fn next(&self) -> Option<Bytes> {
        loop {
            {
                let mut state = self.state();
                if let Some(data) = state.queue.pop_front() {
                    self.gate.taken(data.len() + COST);
                    return Some(data);
                }
                if state.ended || state.left {
                    return None;
                }
            }
            self.changed.notified().await;
        }
    }

    /// Puts back what was taken and not used, as the next data.
    pub(crate) fn put_back(&self, data: Bytes) {
        let mut state = self.state();
        if state.left || data.is_empty() {
            return;
        }
        self.gate.arrived(data.len() + COST);
        state.queue.push_front(data);
        drop(state);
        self.changed.notify_one();
    }

    /// Drops what is there and all that still comes.
    pub(crate) fn leave(&self) {
        let mut state = self.state();
        state.left = true;
        let dropped = state.queue.drain(..).map(|data| data.len() + COST).sum();
        drop(state);
        self.gate.taken(dropped);
        self.changed.notify_one();
    }
}

impl Drop for Inbox {
    fn drop(&mut self) {
        self.leave();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn data_comes_in_order_and_ends() {
        let inbox = Inbox::new(Arc::default());
        inbox.push(b"one");
        inbox.push(b"two");
        inbox.end();
        inbox.push(b"late");
        assert_eq!(inbox.next().await.as_deref(), Some(&b"one"[..]));
        assert_eq!(inbox.next().await.as_deref(), Some(&b"two"[..]));
        assert_eq!(inbox.next().await, None);
    }

    #[tokio::test]
    async fn nobody_waits_for_what_nobody_reads() {
        let inbox = Arc::new(Inbox::new(Arc::default()));
        inbox.push(b"one");
        inbox.leave();
        inbox.push(b"two");
        assert_eq!(inbox.next().await, None);
        let waiting = tokio::spawn({
            let inbox = Arc::clone(&inbox);
            async move { inbox.gone().await }
        });
        inbox.close();
        waiting.await.unwrap();
    }
}
