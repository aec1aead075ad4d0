//! Other portals on the same database. A change in one reaches the pages of all; one of them leads and looks after the
//! servers (`duties/lead.rs`), and the others notify it of work. Every message is a hint: the database decides.
//! Features of upper storeys hear the messages for them as listeners (`listeners.rs`).

mod store;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::ensure;
use db_kit::{DbResult, Lead};
use kernel::StorageHostClock;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::store::Keys;
use crate::Portal;
use crate::features::broadcast::{Audience, Message};

const CHANNEL: &str = "yunlab";
/// The place of the portal that looks after the servers.
const CARETAKER: &str = "compute";
/// Words that wait for the database; a word more is lost.
const BACKLOG: usize = 1024;
const TRIED_EVERY: Duration = Duration::from_secs(1);

/// Messages between portals.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Word {
    /// A message to pages.
    Pages {
        audience: Audience,
        #[serde(rename = "text")]
        message: Message,
    },
    /// There is something to do on a server.
    Work { server: String },
    /// Servers were added, changed or removed.
    Servers,
    /// The portal that runs this job on an image is to stop it.
    CancelJob { job: String },
    /// A background duty is to run at once.
    RunDuty { duty: String },
    /// A storage host's report.
    StorageHostClock(StorageHostClock),
}

#[derive(Debug, Serialize, Deserialize)]
struct Said {
    /// The id of the sending run.
    by: String,
    word: Word,
}

/// What is heard from the others.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Heard<'a> {
    Word(&'a Word),
    /// Some messages may be missed, so everything is to be checked.
    Gap,
}

/// A feature's reaction to what is heard.
pub(crate) type PeerListener = fn(&Portal, Heard<'_>);

/// The way to the others, and whether this portal leads.
#[derive(Debug)]
pub(crate) struct Peers {
    leads: AtomicBool,
    listeners: &'static [PeerListener],
    outbox: mpsc::Sender<Word>,
    waiting: tokio::sync::Mutex<mpsc::Receiver<Word>>,
    tasks: TaskTracker,
    stopping: CancellationToken,
}

impl Peers {
    pub(crate) fn new(listeners: &'static [PeerListener]) -> Self {
        let (outbox, waiting) = mpsc::channel(BACKLOG);
        Self {
            leads: AtomicBool::default(),
            listeners,
            outbox,
            waiting: waiting.into(),
            tasks: TaskTracker::new(),
            stopping: CancellationToken::new(),
        }
    }
}

impl Portal {
    fn peers(&self) -> &Peers {
        self.part()
    }

    /// Whether this portal leads and runs the leader's duties.
    #[must_use]
    pub fn leads(&self) -> bool {
        self.peers().leads.load(Ordering::SeqCst)
    }

    /// Notes whether this portal leads.
    pub(crate) fn note_leads(&self, leads: bool) {
        self.peers().leads.store(leads, Ordering::SeqCst);
        metrics::gauge!("yunlab_looks_after_servers").set(if leads { 1.0 } else { 0.0 });
    }

    /// Sends a message to all other portals, if there can be any.
    pub(crate) fn tell_peers(&self, word: Word) {
        if self.db().is_postgres() && self.peers().outbox.try_send(word).is_err() {
            tracing::warn!("other portals are told too much at once");
        }
    }

    /// Sends a message to the open pages, here and at the other portals.
    pub(crate) fn tell_pages(&self, audience: Audience, message: Message) {
        self.hub().tell(audience.clone(), message);
        self.tell_peers(Word::Pages { audience, message });
    }

    /// Checks that a portal which already serves this database has the same keys: otherwise each would reject the
    /// other's sessions and could not open its sealed values.
    ///
    /// # Errors
    /// When it has others, or the database fails.
    pub async fn check_peers(&self) -> anyhow::Result<()> {
        let known = store::keys(self.db(), CARETAKER).await?;
        let same =
            |keys: Keys| keys.signing_key == self.keys().kid() && self.seal().open(CARETAKER, &keys.sealed).is_ok();
        if known.is_none_or(same) {
            return Ok(());
        }
        // Without another portal, this portal's keys are the ones in force.
        let alone = self.db().lead(CARETAKER).await?.is_some();
        ensure!(
            alone,
            "另一个门户正在用这个数据库，而它的密钥不同：请先把它数据目录里的 {} 复制到这里",
            crate::KEY_FILES.join(" 和 ")
        );
        Ok(())
    }

    /// Begins to talk to other portals, until [`Portal::stop_peers`].
    pub fn start_peers(&self) {
        if self.db().is_postgres() {
            let tasks = &self.peers().tasks;
            tasks.spawn(speak(self.clone()));
            tasks.spawn(hear(self.clone()));
        }
    }

    /// Stops after the queued messages are sent.
    pub async fn stop_peers(&self) {
        let peers = self.peers();
        peers.stopping.cancel();
        peers.tasks.close();
        peers.tasks.wait().await;
    }

    /// Takes the leadership; `None` while another portal has it.
    pub(crate) async fn lead(&self) -> anyhow::Result<Option<Lead>> {
        let Some(lead) = self.db().lead(CARETAKER).await? else { return Ok(None) };
        if self.db().is_postgres() {
            let sealed = self.seal().close(CARETAKER, CARETAKER)?;
            let keys = Keys { signing_key: self.keys().kid().to_owned(), sealed };
            store::put_keys(self.db(), CARETAKER, &keys).await?;
        }
        Ok(Some(lead))
    }

    fn act_upon(&self, heard: Heard<'_>) {
        match heard {
            Heard::Word(Word::Pages { audience, message }) => self.hub().tell(audience.clone(), *message),
            Heard::Word(Word::RunDuty { duty }) => self.activate_duty(duty),
            Heard::Word(Word::Work { .. } | Word::Servers | Word::CancelJob { .. } | Word::StorageHostClock(_)) => {}
            Heard::Gap => {
                for message in Message::CHANGES {
                    self.hub().tell(Audience::Everyone, message);
                }
            }
        }
        for listener in self.peers().listeners {
            listener(self, heard);
        }
    }
}

/// Sends this portal's queued messages.
async fn speak(portal: Portal) {
    let mut waiting = portal.peers().waiting.lock().await;
    loop {
        let word = tokio::select! {
            biased;
            word = waiting.recv() => word,
            () = portal.peers().stopping.cancelled() => return,
        };
        let Some(word) = word else { return };
        let said = Said { by: portal.sockets().run().to_owned(), word };
        let told = match serde_json::to_string(&said) {
            Ok(text) => portal.db().say(CHANNEL, &text).await,
            Err(error) => return tracing::error!(%error, "what portals say is always text"),
        };
        if let Err(error) = told {
            tracing::warn!(%error, "other portals could not be told");
        }
    }
}

/// Listens, and starts again after an error.
async fn hear(portal: Portal) {
    let mut tick = interval(TRIED_EVERY);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let stopping = &portal.peers().stopping;
    loop {
        tokio::select! { () = stopping.cancelled() => return, _ = tick.tick() => {} }
        tokio::select! {
            () = stopping.cancelled() => return,
            heard = listen(&portal) => if let Err(error) = heard {
                tracing::warn!(%error, "other portals are not heard");
            },
        }
    }
}

async fn listen(portal: &Portal) -> DbResult<()> {
    let Some(mut listener) = portal.db().listen(CHANNEL).await? else { return Ok(()) };
    portal.act_upon(Heard::Gap);
    loop {
        match listener.next().await? {
            Some(text) => match serde_json::from_str::<Said>(&text) {
                Ok(said) if said.by == portal.sockets().run() => {}
                Ok(said) => portal.act_upon(Heard::Word(&said.word)),
                // For example from a newer version.
                Err(error) => tracing::debug!(%error, "another portal said something strange"),
            },
            None => portal.act_upon(Heard::Gap),
        }
    }
}
