//! What people are told: a row a person, which the bell in the pages shows, and what leaves the portal
//! beside it.
//!
//! A notice is written in the transaction that it tells of ([`tell`]), so nothing is told of what was rolled
//! back. Read or not is one fact on all devices of its person. Channels ([`channels`]) are how a notice
//! leaves: a message to the lab's group or to a program of its own ([`to_group`]), and mail to the person. What
//! leaves waits in an outbox, written in the same transaction and sent later by the leading portal ([`DUTIES`]),
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

use std::time::Duration;

use background::{Duty, Scope};
use http_kit::Routes;

pub(crate) use channels::faults;
pub(crate) use channels::robot::{AlertNotice, Event, GroupNotice, WorksheetNotice};
pub(crate) use model::{NewNotice, NoticeObject, UserNoticeKind};
pub(crate) use outbox::to_group;
pub(crate) use recipients::Recipients;
pub(crate) use store_outbox::JOB_KINDS;
pub(crate) use tell::{Told, have_channel, tell};

use self::store_outbox::Channel;
use crate::Portal;
use crate::duty::PortalDuty;
use crate::store_growing::{Drop, Growing, MILLIS, Rows};

const fn leaders(name: &'static str, title: &'static str, description: &'static str, seconds: u64) -> Duty {
    let period = Duration::from_secs(seconds);
    Duty { name, title, description, period, scope: Scope::Leader, needs_trusted_clock: false }
}

pub(crate) const GROWING: &[Growing] = &[
    Growing {
        name: "notices",
        title: "站内通知",
        days: |settings| settings.notice_days,
        rows: &[Rows { table: "notices", time: "created", condition: "", counts: MILLIS }],
        drop: Drop::Rows,
    },
    Growing {
        name: "deliveries",
        title: "未送达的邮件和群通知",
        days: |settings| settings.delivery_days,
        rows: &[Rows {
            table: "jobs",
            time: "created",
            condition: "state = 'failed' and kind in ('notice-robot', 'notice-mail')",
            counts: MILLIS,
        }],
        drop: Drop::Rows,
    },
];

/// Each channel by itself, so that one that hangs holds up no other.
pub(crate) const DUTIES: &[PortalDuty] = &[
    PortalDuty {
        duty: leaders("send-robot", "发送群通知", "把等待发送的通知发到群机器人或 webhook，失败的稍后重试", 3),
        run: |portal| Box::pin(async move { Ok(outbox::send_due(&portal, Channel::Robot).await.map(drop)?) }),
    },
    PortalDuty {
        duty: leaders("send-mail", "发送邮件", "把等待发送的邮件通知交给邮件服务器，失败的稍后重试", 3),
        run: |portal| Box::pin(async move { Ok(outbox::send_due(&portal, Channel::Mail).await.map(drop)?) }),
    },
    PortalDuty {
        duty: Duty {
            needs_trusted_clock: true,
            ..leaders("trim-notices", "清理过多的通知", "每人只保留最新的通知", 3600)
        },
        run: |portal| Box::pin(async move { portal.trim_notices().await.map(drop) }),
    },
];

pub(crate) fn routes() -> Routes<Portal> {
    Routes::new()
        .merge(http::routes())
        .merge(http_preferences::routes())
        .merge(http_robot::routes())
        .merge(http_mail::routes())
}
