//! The machine helper (主机助手): acts on a server's machine with the closed list of verbs of `engine::machine_helper`,
//! through a short-lived container. Threats and limits: `docs/SECURITY.md`.
//!
//! [`call`] is the only way to it. It checks whether the configuration and the server allow the call, and records every
//! call with its caller in the operate log, including refused ones.

mod call;
mod http;
mod model;
mod recent_looks;
mod words;

pub(crate) use call::{Caller, call, forbidden};
pub(crate) use http::routes;
pub(crate) use recent_looks::RecentLooks;

use crate::Portal;

impl Portal {
    fn recent_looks(&self) -> &RecentLooks {
        self.part()
    }
}
