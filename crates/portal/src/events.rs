//! News of one feature that features of upper storeys act upon in the same transaction. The feature that announces an
//! event does not know who hears it: `listeners` lists them, and one that fails fails the transaction.

use db_kit::Tx;
use futures_util::future::BoxFuture;
use http_kit::ApiResult;
use kernel::{Timestamp, UserId};

use crate::Portal;

/// What happened. Events carry plain data, so that this module needs no feature.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    /// A group was deleted.
    GroupDeleted { group: i64 },
    /// A server is about to be removed: a listener whose things are still there refuses that.
    ServerToBeRemoved { server: String, name: String },
    /// A card was found or marked faulty, for this reason.
    CardFaulty { card: CardInQuestion, reason: String },
    /// A faulty card is in use again.
    CardRepaired { card: CardInQuestion },
}

/// The card that an event is about.
#[derive(Clone, Debug)]
pub(crate) struct CardInQuestion {
    pub(crate) id: String,
    /// Its number on the server.
    pub(crate) position: i64,
    pub(crate) model: String,
    /// The server's id.
    pub(crate) server: String,
    pub(crate) server_name: String,
    /// The administrator who caused it, who needs no notice; `None`: the portal itself.
    pub(crate) by: Option<UserId>,
    pub(crate) at: Timestamp,
}

/// A feature's reaction to events. It ignores those that do not concern it.
pub(crate) type Listener = for<'a> fn(&'a Tx, &'a Event) -> BoxFuture<'a, ApiResult<AfterCommit>>;

/// What is to follow the commit, such as waking a worker or showing a notice on open pages.
#[must_use = "to be carried out after the commit"]
#[derive(Default)]
pub(crate) struct AfterCommit(Vec<Act>);

type Act = Box<dyn FnOnce(&Portal) + Send>;

impl AfterCommit {
    /// Something to be done after the commit.
    pub(crate) fn of(act: impl FnOnce(&Portal) + Send + 'static) -> Self {
        Self(vec![Box::new(act)])
    }

    /// This, and then what follows from something else in the same transaction.
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Carries it out. The transaction is committed.
    pub(crate) fn carry_out(self, portal: &Portal) {
        for act in self.0 {
            act(portal);
        }
    }
}

impl std::fmt::Debug for AfterCommit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("AfterCommit").field(&self.0.len()).finish()
    }
}

impl Portal {
    /// Has the listeners act upon an event, lower storeys first.
    ///
    /// # Errors
    /// The first listener's that fails; the caller must not commit.
    pub(crate) async fn announce(&self, tx: &Tx, event: Event) -> ApiResult<AfterCommit> {
        let mut after = AfterCommit::default();
        for listener in self.listeners() {
            after = after.and(listener(tx, &event).await?);
        }
        Ok(after)
    }
}
