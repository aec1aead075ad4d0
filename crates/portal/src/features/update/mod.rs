//! The running and the latest version, and the download of the latest: it is found at a source, verified, and saved
//! beside the running program. The binary, which waits for [`Portal::update_ready`], replaces and restarts the program.

mod http;
mod model;
mod signature;
mod source;
mod updates;

use std::time::Duration;

use background::{Duty, Scope};

pub(crate) use http::routes;
pub use model::{Build, Manifest, ReleaseError, Version, this_target};
pub use signature::ReleaseKey;
pub(crate) use updates::Updates;
pub use updates::{FailedUpdate, NewProgram, UpdateConfig};

use crate::Portal;
use crate::duty::PortalDuty;

pub(crate) const DUTIES: &[PortalDuty] = &[PortalDuty {
    duty: Duty {
        name: "update-check",
        title: "检查新版本",
        description: "向配置的更新来源询问有没有新版本",
        period: Duration::from_secs(3600),
        scope: Scope::EveryProcess,
        needs_trusted_clock: false,
    },
    run: |portal| Box::pin(async move { portal.look_for_updates().await }),
}];

impl Portal {
    fn updates(&self) -> &Updates {
        self.part()
    }
}
