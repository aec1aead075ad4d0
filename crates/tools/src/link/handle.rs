//! A channel as its owner has it.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use super::{Channel, Fault, Incoming, Link, OUT_BYTES, OpenError, Outgoing, Owner};
use crate::wire::{Code, Exit, Kind, Opened, Peer, Refused, Size};

/// A channel. Dropping it closes it.
#[derive(Debug)]
pub struct Handle {
    pub(super) link: Arc<Link>,
    id: u32,
    serial: u64,
    /// Keeps the connection.
    owner: Option<Arc<Owner>>,
}

/// What the portal wants of a process that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// A signal, by its number.
    Signal(u8),
    /// Another size of its terminal.
    Resize(Size),
}

impl Handle {
    pub(super) fn new(link: Arc<Link>, id: u32, serial: u64, owner: Option<Arc<Owner>>) -> Self {
        Self { link, id, serial, owner }
    }

    pub(super) fn key(&self) -> (u32, u64) {
        (self.id, self.serial)
    }

    /// Its id on the connection.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.id
    }

    /// The connection that it is on.
    #[must_use]
    pub fn link(&self) -> &Arc<Link> {
        &self.link
    }

    /// Resolves as soon as `look` finds something in the channel; `None` when the channel or the connection is over.
    async fn look<T>(&self, mut look: impl FnMut(&mut Channel) -> Option<T>) -> Option<T> {
        poll_fn(|cx| {
            let mut state = self.link.lock();
            let over = state.ended.is_some();
            let Some(channel) = state.channel(self.id, self.serial) else { return Poll::Ready(None) };
            if let Some(found) = look(channel) {
                return Poll::Ready(Some(found));
            }
            if over || channel.closed_there || channel.closed_here { Poll::Ready(None) } else { channel.wait(cx) }
        })
        .await
    }

    /// The answer to the request that this channel was opened with.
    ///
    /// # Errors
    /// The refusal, or the end of the connection.
    pub async fn answered(&self) -> Result<Opened, OpenError> {
        match self.look(|channel| channel.answer.take()).await {
            Some(answer) => Ok(answer?),
            None => Err(self.link.lock().ended.clone().unwrap_or(Fault::Ended).into()),
        }
    }

    /// Answers the request: the channel is open.
    pub fn accept(&self, opened: Opened) {
        self.link.lock().answer(self.id, self.serial, &Ok(opened));
    }

    /// Answers the request: the channel is not opened.
    pub fn refuse(self, refused: Refused) {
        self.link.lock().answer(self.id, self.serial, &Err(refused));
    }

    /// What the portal wants next; `None` when the channel is over.
    pub async fn order(&self) -> Option<Order> {
        self.look(|channel| {
            let signal = channel.signals.pop_front().map(Order::Signal);
            signal.or_else(|| channel.size.take().map(Order::Resize))
        })
        .await
    }

    /// Resolves when the other side is done with the channel, or the connection ended.
    pub async fn closed(&self) {
        self.look(|_| None::<()>).await;
    }

    /// How the process ended; `None` when the channel is over without that.
    pub async fn exit(&self) -> Option<Exit> {
        self.look(|channel| channel.exit).await
    }

    /// The next connection that a listening channel accepted; `None` when the channel is over.
    pub async fn accepted(&self) -> Option<(Handle, Peer)> {
        let (id, serial, peer) = self.look(|channel| channel.accepted.pop_front()).await?;
        self.link.lock().grant_first(id);
        Some((Self::new(Arc::clone(&self.link), id, serial, self.owner.clone()), peer))
    }

    /// Reports how the process ended.
    pub fn report_exit(&self, exit: Exit) {
        let mut state = self.link.lock();
        if state.channel(self.id, self.serial).is_some_and(|channel| !channel.closed_here) {
            state.push(self.id, Kind::Exit, &exit.to_vec());
        }
    }

    /// Sends an order to the process; does nothing when the channel is over.
    pub async fn send(&self, order: Order) {
        self.link.room(OUT_BYTES).await;
        let mut state = self.link.lock();
        let open = |channel: &&mut Channel| !channel.closed_here && !channel.closed_there;
        if state.channel(self.id, self.serial).filter(open).is_some() {
            match order {
                Order::Signal(number) => state.push(self.id, Kind::Signal, &[number]),
                Order::Resize(size) => state.push(self.id, Kind::Resize, &size.to_vec()),
            }
        }
    }

    /// Closes it at once. What was received and not read is dropped.
    pub fn close(&self) {
        self.link.lock().close(self.id, self.serial);
    }

    /// The halves of its data.
    #[must_use]
    pub fn halves(self: &Arc<Self>) -> (Incoming, Outgoing) {
        (self.incoming(), self.outgoing())
    }

    /// Its data from the other side.
    #[must_use]
    pub fn incoming(self: &Arc<Self>) -> Incoming {
        Incoming { handle: Arc::clone(self), stream: 0 }
    }

    /// Standard error from the other side.
    #[must_use]
    pub fn errors(self: &Arc<Self>) -> Incoming {
        Incoming { handle: Arc::clone(self), stream: 1 }
    }

    /// Its data to the other side.
    #[must_use]
    pub fn outgoing(self: &Arc<Self>) -> Outgoing {
        Outgoing { handle: Arc::clone(self), stream: 0 }
    }

    /// Standard error to the other side.
    #[must_use]
    pub fn outgoing_errors(self: &Arc<Self>) -> Outgoing {
        Outgoing { handle: Arc::clone(self), stream: 1 }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.close();
    }
}
