//! A client's connection, as its channels share it: who signed in, the way into the instance, and what waits.

use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use futures_util::FutureExt;
use russh::server::{Handle, Msg};
use russh::{Channel, ChannelId};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::gate::Gate;
use crate::inbox::Inbox;
use crate::pipe::Pipe;
use crate::{Entered, Guest, Lab, Login, Purpose, Reason, Refusal, forward, words};

/// Channels of a connection at the same time.
const CHANNELS: usize = 512;

/// A client's connection.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) lab: Arc<dyn Lab>,
    /// The client.
    pub(crate) from: SocketAddr,
    /// Where it came in.
    pub(crate) at: SocketAddr,
    pub(crate) gate: Arc<Gate>,
    /// What its channels do.
    pub(crate) tasks: TaskTracker,
    inboxes: Mutex<HashMap<ChannelId, Arc<Inbox>>>,
    guest: OnceLock<Arc<dyn Guest>>,
    /// The instance that was named, by the client's user name or from the menu.
    named: Mutex<Option<String>>,
    way: tokio::sync::Mutex<Way>,
    stage: watch::Sender<Stage>,
    listening: Mutex<HashMap<Listening, CancellationToken>>,
    open: CancellationToken,
}

/// What listens in the instance for a client.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Listening {
    /// On this address, as the client has it, and port.
    Port(String, u32),
    Socket(String),
    Agent,
}

/// The way into the instance.
#[derive(Debug, Default)]
struct Way {
    entered: Option<Entered>,
    noted: HashSet<Purpose>,
    /// The socket in the instance that leads to the client's agent.
    agent: Option<Vec<u8>>,
}

/// How far a connection is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stage {
    pub(crate) signed_in: bool,
    /// The id of the instance, once it was entered.
    pub(crate) entered: Option<String>,
    /// Why it ends.
    pub(crate) over: Option<Refusal>,
}

impl Connection {
    pub(crate) fn new(lab: Arc<dyn Lab>, from: SocketAddr, at: SocketAddr, gate: Arc<Gate>) -> Self {
        Self {
            lab,
            from,
            at,
            gate,
            tasks: TaskTracker::new(),
            inboxes: Mutex::default(),
            guest: OnceLock::new(),
            named: Mutex::default(),
            way: tokio::sync::Mutex::default(),
            stage: watch::Sender::default(),
            listening: Mutex::default(),
            open: CancellationToken::new(),
        }
    }

    /// The stages of this connection.
    pub(crate) fn stages(&self) -> watch::Receiver<Stage> {
        self.stage.subscribe()
    }

    /// Stores the user who signed in. A later call changes nothing.
    pub(crate) fn admit(&self, guest: Arc<dyn Guest>, login: Login) {
        if self.guest.set(guest).is_ok() {
            *self.named() = login.instance;
            self.stage.send_modify(|stage| stage.signed_in = true);
        }
    }

    /// The user who signed in.
    pub(crate) fn guest(&self) -> Option<&Arc<dyn Guest>> {
        self.guest.get()
    }

    fn named(&self) -> MutexGuard<'_, Option<String>> {
        // Each change is whole in itself.
        self.named.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the client named an instance.
    pub(crate) fn is_instance_named(&self) -> bool {
        self.named().is_some()
    }

    /// Names the instance that was chosen from the menu.
    pub(crate) fn choose(&self, instance: String) {
        *self.named() = Some(instance);
    }

    /// The way into the instance, which is opened when it is first needed, and again when it broke.
    pub(crate) async fn enter(&self, purpose: Purpose) -> Result<Entered, Refusal> {
        let guest = self.guest().ok_or_else(|| Refusal::new(Reason::Other, "还没有登录"))?;
        let named = self.named().clone().ok_or_else(words::which_instance)?;
        let mut way = self.way.lock().await;
        let kept = way.entered.take().filter(|kept| kept.session.ended().now_or_never().is_none());
        let entered = match kept {
            Some(kept) => kept,
            None => {
                // It ended with the way before.
                way.agent = None;
                guest.enter(&named).await?
            }
        };
        way.entered = Some(entered.clone());
        if !way.noted.contains(&purpose) {
            guest.note(&entered.id, purpose).await?;
            way.noted.insert(purpose);
        }
        self.stage.send_if_modified(|stage| {
            let is_other = stage.entered.as_ref() != Some(&entered.id);
            if is_other {
                stage.entered = Some(entered.id.clone());
            }
            is_other
        });
        Ok(entered)
    }

    /// The socket in the instance that leads to the client's agent; `None` where there can't be one.
    pub(crate) async fn agent(self: &Arc<Self>, handle: &Handle) -> Option<Vec<u8>> {
        let mut way = self.way.lock().await;
        if way.agent.is_none() {
            let session = way.entered.as_ref()?.session.clone();
            way.agent = forward::listen_for_agent(self, handle.clone(), &session).await.ok();
        }
        way.agent.clone()
    }

    fn listening(&self) -> MutexGuard<'_, HashMap<Listening, CancellationToken>> {
        // Each change is whole in itself.
        self.listening.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what listens, until the answer is cancelled.
    pub(crate) fn listens(&self, what: Listening) -> CancellationToken {
        let open = self.open.child_token();
        if let Some(before) = self.listening().insert(what, open.clone()) {
            before.cancel();
        }
        open
    }

    /// Ends what listens; whether there was that.
    pub(crate) fn listens_no_more(&self, what: &Listening) -> bool {
        let ended = self.listening().remove(what);
        ended.map(|open| open.cancel()).is_some()
    }

    fn inboxes(&self) -> MutexGuard<'_, HashMap<ChannelId, Arc<Inbox>>> {
        // Each change is whole in itself.
        self.inboxes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The inbox of a channel; made when it is first asked for.
    pub(crate) fn new_inbox(&self, id: ChannelId) -> Arc<Inbox> {
        let new = || Arc::new(Inbox::new(Arc::clone(&self.gate)));
        Arc::clone(self.inboxes().entry(id).or_insert_with(new))
    }

    /// The inbox of a channel that is open.
    pub(crate) fn inbox(&self, id: ChannelId) -> Option<Arc<Inbox>> {
        self.inboxes().get(&id).cloned()
    }

    pub(crate) fn forget(&self, id: ChannelId) {
        self.inboxes().remove(&id);
    }

    /// Whether it has all the channels that it may have.
    pub(crate) fn is_full(&self) -> bool {
        self.inboxes().len() >= CHANNELS
    }

    /// Both directions of a channel. What it receives comes through its inbox.
    pub(crate) fn pipe(self: &Arc<Self>, channel: Channel<Msg>, handle: Handle) -> Pipe {
        let inbox = self.new_inbox(channel.id());
        let (_, write) = channel.split();
        Pipe::new(Arc::clone(self), inbox, write, handle)
    }

    /// Tells all channels why the connection ends.
    pub(crate) fn end(&self, why: Refusal) {
        self.stage.send_modify(|stage| stage.over = Some(why));
    }

    /// Resolves when the connection is to end, with why.
    pub(crate) async fn over(&self) -> Refusal {
        let mut stages = self.stages();
        let found = stages.wait_for(|stage| stage.over.is_some()).await.ok().and_then(|stage| stage.over.clone());
        match found {
            Some(why) => why,
            // The sender lives as long as this.
            None => std::future::pending().await,
        }
    }

    /// The connection is over: all channels end.
    pub(crate) fn close(&self) {
        self.tasks.close();
        self.open.cancel();
        self.inboxes().drain().for_each(|(_, inbox)| inbox.close());
    }
}
