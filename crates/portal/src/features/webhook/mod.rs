//! Notices to a chat group or a program outside, by HTTP: a webhook.
//!
//! What is to be told is written in the transaction that it tells of ([`note`]), and sent later by the
//! leading portal, again and again for about a day. So nothing is
//! told of what did not happen, nothing is forgotten over a restart, and nobody waits for the other
//! side. A notice may arrive twice, when a portal ends between sending and writing that down.

mod http;
mod message;
mod model;
mod outbox;
mod report;
mod send;
mod store;

use std::time::Duration;

use background::{Duty, Scope};

pub(crate) use http::routes;
pub(crate) use model::{Event, Notice, WorksheetNotice};
pub(crate) use outbox::note;

use crate::duty::PortalDuty;

pub(crate) const DUTIES: &[PortalDuty] = &[PortalDuty {
    duty: Duty {
        name: "webhook",
        title: "发送消息通知",
        description: "把等待发送的通知发到群机器人或 webhook，失败的稍后重试",
        period: Duration::from_secs(3),
        scope: Scope::Leader,
        needs_trusted_clock: false,
    },
    run: |portal| Box::pin(async move { Ok(portal.send_notices().await.map(drop)?) }),
}];
