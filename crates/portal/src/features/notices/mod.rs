//! Notices: one row for each recipient, shown by the bell in the pages, and messages that leave the portal.
//!
//! A notice is written in the transaction of its event ([`tell`]), so that a rollback drops it too. Whether it was read
//! is the same on all devices of its recipient. Channels ([`channels`]) send it out: a message to the lab's group chat
//! or to a program ([`to_group`]), and mail to the recipient. They send from an outbox, which is written in the same
//! transaction and processed by the leading portal ([`DUTIES`]), with retries for about a day. Delivery is at least
//! once: a message arrives twice when the portal ends between sending it and recording that.

mod alert_kinds;
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

pub(crate) use alert_kinds::{AlertKind, AlertSeverity};
pub(crate) use channels::faults;
pub(crate) use channels::robot::{AlertNotice, Event, GroupNotice, WorksheetNotice};
pub(crate) use model::{NewNotice, NoticeObject, UserNoticeKind};
pub(crate) use outbox::to_group;
pub(crate) use recipients::Recipients;
pub(crate) use store_outbox::JOB_KINDS;
pub(crate) use tell::{Told, have_channel, tell, tell_other_administrators};

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

/// Each channel has a duty of its own, so that one that hangs does not block the other.
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
