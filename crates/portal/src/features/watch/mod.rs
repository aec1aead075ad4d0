//! The watch on instances (异常行为): signs of mining are stored with their evidence and shown to administrators, who
//! decide.
//!
//! The rules are in `signs`. Names and command lines of programs are reliable enough to suspend an instance if the
//! settings want that; ports and the use of cards are not.

mod http;
mod look;
mod model;
mod signs;
mod store;

use std::time::Duration;

use background::{Duty, Scope};

pub(crate) use http::routes;
pub(crate) use look::look_at_cards;

use self::look::{EVERY, look};
use crate::Portal;
use crate::duty::{PortalDuty, ServerDuty};
use crate::features::servers;
use crate::store_growing::{Drop, Growing, MILLIS, Rows};

pub(crate) const GROWING: &[Growing] = &[Growing {
    name: "findings",
    title: "异常行为记录",
    days: |settings| settings.finding_days,
    rows: &[Rows { table: "findings", time: "last_seen", condition: "", counts: MILLIS }],
    drop: Drop::Rows,
}];

pub(crate) const DUTIES: &[PortalDuty] = &[PortalDuty {
    duty: Duty {
        name: "watch-cards",
        title: "异常行为监测：显卡",
        description: "查看运行中的实例的显卡长时间的负载，找出疑似挖矿的",
        period: Duration::from_secs(60),
        scope: Scope::Leader,
        needs_trusted_clock: false,
    },
    run: |portal| Box::pin(async move { Ok(look_at_cards(&portal).await?) }),
}];

pub(crate) const SERVER_DUTIES: &[ServerDuty] = &[ServerDuty {
    duty: Duty {
        name: "watch-programs",
        title: "异常行为监测：程序",
        description: "查看实例里运行的程序和连接，找出疑似挖矿的",
        period: EVERY,
        scope: Scope::Leader,
        needs_trusted_clock: false,
    },
    run: |portal, server| Box::pin(async move { Ok(look(portal, server).await?) }),
}];

impl Portal {
    /// Looks once for miners on all connected servers.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn look_for_miners(&self) -> anyhow::Result<()> {
        for server in servers::all(self.db()).await? {
            look(self, &server.id).await?;
        }
        Ok(())
    }
}
