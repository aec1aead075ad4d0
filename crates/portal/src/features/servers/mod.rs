//! Servers: machines with a container engine on which instances run.
//!
//! Administrators add, check, change and remove them; other users see the servers that are allocated to them. The
//! reconciler observes their engines (`instances::reconcile`).

mod drain;
mod form;
mod http;
mod http_drain;
mod http_manage;
mod identity;
mod joined;
mod local;
mod model;
mod store;
mod view;

pub(crate) use drain::{Drain, refuse_draining};
pub(crate) use http::routes;
pub(crate) use http_manage::checked;
pub(crate) use identity::{claim, refuse_misdirected};
pub(crate) use joined::{JoinedServer, add_joined, check_joined, reach_joined, record_joined};
pub use local::LocalServer;
pub(crate) use model::{
    Check, CheckOutcome, DiskRoom, ExternalContainer, Restart, Server, ServerFacts, ServerState, ServerUsage, is_host,
};
pub(crate) use store::{
    all, by_id, close_restart, note_answer, note_drain_warned, note_driver, note_restart, note_silence,
};
pub(crate) use view::recent;
