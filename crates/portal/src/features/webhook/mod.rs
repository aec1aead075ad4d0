//! Notices to a chat group or a program outside, by HTTP: a webhook.
//!
//! What is to be told is written in the transaction that it tells of ([`note`]), and sent later by the
//! one portal that looks after such things ([`run`]), again and again for about a day. So nothing is
//! told of what did not happen, nothing is forgotten over a restart, and nobody waits for the other
//! side. A notice may arrive twice, when a portal ends between sending and writing that down.

mod http;
mod message;
mod model;
mod outbox;
mod report;
mod send;
mod store;

pub(crate) use http::routes;
pub(crate) use model::{Event, Notice, WorksheetNotice};
pub(crate) use outbox::{note, run};
