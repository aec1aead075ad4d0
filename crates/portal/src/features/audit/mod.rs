//! Tamper evidence for the logs: signed seals over ranges of rows, verification, archive files for expired rows, and
//! forwarding to other systems.

mod archive;
mod file;
mod forward;
mod head;
mod http;
mod line;
mod seal;
mod sealing;
mod store;
mod syslog;
mod verify;

use std::time::Duration;

use background::{Duty, Scope};

pub(crate) use http::routes;
pub(crate) use sealing::Looks;
pub use verify::AuditReport;

use self::forward::Target;
use crate::Portal;
use crate::duty::PortalDuty;
use crate::features::logs::Log;
use crate::features::settings;
use crate::store_growing::{Drop, Growing, MILLIS, Rows};

pub(crate) const DUTIES: &[PortalDuty] = &[
    PortalDuty {
        duty: Duty {
            name: "seal-logs",
            title: "封存日志",
            description: "给登录日志和操作日志加上签名的封条，之后的改动都能查出来",
            period: Duration::from_secs(10),
            scope: Scope::Leader,
            needs_trusted_clock: false,
        },
        run: |portal| Box::pin(async move { sealing::seal_settled(&portal).await }),
    },
    PortalDuty {
        duty: Duty {
            name: "forward-syslog",
            title: "转发日志到 syslog",
            description: "把已封存的日志和封条发给 syslog 服务器，没发到的稍后再发",
            period: Duration::from_secs(5),
            scope: Scope::Leader,
            needs_trusted_clock: false,
        },
        run: |portal| {
            Box::pin(async move {
                let on = settings::read(portal.db()).await?.forwarding.syslog.enabled;
                if on { forward::forward(&portal, Target::Syslog).await } else { Ok(()) }
            })
        },
    },
    PortalDuty {
        duty: Duty {
            name: "forward-file",
            title: "转发日志到文件",
            description: "把已封存的日志和封条写入配置的文件，每行一个 JSON",
            period: Duration::from_secs(5),
            scope: Scope::Leader,
            needs_trusted_clock: false,
        },
        run: |portal| {
            Box::pin(async move {
                if portal.audit_file().is_some() { forward::forward(&portal, Target::File).await } else { Ok(()) }
            })
        },
    },
];

pub(crate) const GROWING: &[Growing] = &[
    Growing {
        name: "login-logs",
        title: "登录日志",
        days: |settings| settings.log_days,
        rows: &[Rows { table: "login_logs", time: "time", condition: "", counts: MILLIS }],
        drop: Drop::By(|portal, limit| Box::pin(async move { archive::drop_before(&portal, Log::Login, limit).await })),
    },
    Growing {
        name: "operate-logs",
        title: "操作日志",
        days: |settings| settings.log_days,
        rows: &[Rows { table: "operate_logs", time: "time", condition: "", counts: MILLIS }],
        drop: Drop::By(|portal, limit| {
            Box::pin(async move { archive::drop_before(&portal, Log::Operate, limit).await })
        }),
    },
    Growing {
        name: "log-archives",
        title: "日志归档文件",
        days: |settings| settings.archive_days,
        rows: &[],
        drop: Drop::By(|portal, limit| Box::pin(async move { archive::drop_files_before(&portal, limit).await })),
    },
];

impl Portal {
    /// The looks at the logs by which rows are known to be settled.
    fn looks(&self) -> &Looks {
        self.part()
    }
}
