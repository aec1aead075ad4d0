//! What people are told: a row a person, which the bell in the pages shows, and what leaves the portal
//! beside it.
//!
//! A notice is written in the transaction that it tells of ([`tell`]), so nothing is told of what was rolled
//! back. Read or not is one fact on all devices of its person. Channels ([`channels`]) are how a notice
//! leaves: a message to the lab's group or to a program of its own ([`to_group`]), and mail to the person. What
//! leaves waits in an outbox, written in the same transaction and sent later by the leading portal ([`run`]),
//! with retries for about a day: at least once, so it arrives twice when the portal ends between sending and
//! noting that.

mod channels;
mod http;
mod http_deliveries;
mod http_mail;
mod http_preferences;
mod http_robot;
mod model;
mod outbox;
mod recipients;
mod retry;
mod store;
mod store_mail;
mod store_outbox;
mod store_robot;
mod tell;
mod trim;

use http_kit::Routes;

pub(crate) use channels::robot::{Event, GroupNotice, WorksheetNotice};
pub(crate) use model::{NewNotice, NoticeObject, UserNoticeKind};
pub(crate) use outbox::{run, to_group};
pub(crate) use recipients::Recipients;
pub(crate) use tell::{Told, tell};

use crate::Portal;

pub(crate) fn routes() -> Routes<Portal> {
    Routes::new()
        .merge(http::routes())
        .merge(http_preferences::routes())
        .merge(http_robot::routes())
        .merge(http_mail::routes())
}
