//! Whether commands can be confined here.

use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// Whether a sandbox can be had on this machine: without one the command panel stays off. Looked
/// at once, since it takes an installation or another kernel setting to change it. Blocks.
pub(crate) fn exec_available() -> bool {
    static AVAILABLE: OnceLock<bool> = OnceLock::new();
    *AVAILABLE.get_or_init(|| {
        let trial = ["--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--", "true"];
        let mut bwrap = Command::new("bwrap");
        bwrap.args(trial).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        bwrap.status().is_ok_and(|status| status.success())
    })
}
