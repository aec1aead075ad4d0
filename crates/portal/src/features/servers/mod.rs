//! Servers: machines with a container engine on which instances run.
//!
//! Administrators add, check, change and remove them; other users see the servers that are allocated to them. The calls
//! for that are those of `fleet`, which knows what runs there. The reconciler observes their engines
//! (`instances::reconcile`).

mod drain;
mod form;
mod identity;
mod joined;
mod local;
mod manage;
mod model;
mod store;
mod view;

pub(crate) use drain::{Drain, DrainForm, refuse_draining};
pub(crate) use form::{ServerForm, ServerListForm};
pub(crate) use identity::{claim, refuse_misdirected};
pub(crate) use joined::{JoinedServer, add_joined, check_joined, reach_joined};
pub use local::LocalServer;
pub(crate) use manage::{create, refuse_alive, remove, replace, update};
pub(crate) use model::{
    Check, CheckOutcome, DiskRoom, ExternalContainer, Restart, Server, ServerFacts, ServerQuery, ServerState,
    ServerUsage, ServerView, is_host,
};
pub(crate) use store::{
    all, by_id, close_restart, note_answer, note_checks, note_drain_warned, note_driver, note_restart, note_silence,
    set_drain,
};
pub(crate) use view::{Load, listed, recent, shown, visible};

use crate::Portal;
use crate::recent_rows::RecentRows;

impl Portal {
    /// Servers, to be shown.
    fn recent_servers(&self) -> &RecentRows<Server> {
        self.part()
    }
}
