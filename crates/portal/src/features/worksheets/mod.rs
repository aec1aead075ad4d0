//! Work orders (工单, DESIGN §6): people ask administrators for something, both talk about it in a
//! thread, and a request for quotas or cards carries figures, so that approving it is the change.
//!
//! An order is `undo` until somebody looks at it, then `doing`, then `done` or `closed`
//! ([`state`]). Who leads a group sees and comments on its members' orders.

mod attachment;
mod figures;
mod form;
mod http;
mod http_decision;
mod http_thread;
mod known;
mod model;
mod policy;
mod service;
mod state;
mod store;
mod store_thread;
mod view;

pub(crate) use http::routes;
pub use known::DiskFiles;
pub(crate) use store::{close_of_user, count_open};
