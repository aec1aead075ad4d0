//! Terminals: a shell in an instance over a websocket, and SSH to instances and servers.
//!
//! A socket opens only for users with a right to the instance or address, and closes when that right ends: session
//! ended, role or instance lost, instance or server stopped. Input and output are neither stored nor logged.

mod address;
mod bridge;
mod frames;
mod host_key;
mod http;
mod http_ssh;
mod instance;
mod left;
mod login;
mod model;
mod ssh;
mod store;
mod store_open;
mod watch;

use std::time::Duration;

use background::{Duty, Scope};

pub(crate) use http::routes;
pub(crate) use left::{renew, sweep};
pub(crate) use store::forget_instance;
pub(crate) use store_open::count_in as count_open_in;
pub(crate) use watch::{Open, ended};

use crate::duty::PortalDuty;

pub(crate) const DUTIES: &[PortalDuty] = &[PortalDuty {
    duty: Duty {
        name: "left-terminals",
        title: "清理遗留的终端",
        description: "平台异常退出后，挂断没人负责的终端里的程序",
        period: Duration::from_secs(60),
        scope: Scope::Leader,
        needs_trusted_clock: false,
    },
    run: |portal| Box::pin(async move { Ok(sweep(&portal).await?) }),
}];
