//! Whether commands can be confined here.

use std::sync::OnceLock;

use rustix::fs::{CWD, Mode, openat};

use super::sandbox::{Folder, Sandbox};
use crate::jail::FOLDER;

/// Whether a sandbox can be had on this machine: without one the command panel stays off. Found
/// out once, by running a program in one, since it takes an installation or another kernel
/// setting to change it. Blocks.
pub(crate) fn available() -> bool {
    static AVAILABLE: OnceLock<bool> = OnceLock::new();
    *AVAILABLE.get_or_init(|| match try_out() {
        Ok(true) => true,
        Ok(false) => {
            tracing::warn!("bubblewrap can't make a sandbox here: the command panel stays off");
            false
        }
        Err(error) => {
            tracing::warn!(error = %error, "no bubblewrap here: the command panel stays off");
            false
        }
    })
}

fn try_out() -> std::io::Result<bool> {
    let handle = openat(CWD, "/", FOLDER, Mode::empty())?;
    let folders = vec![Folder { handle, at: "/home".to_owned(), writable: false, masked: false }];
    let sandbox = Sandbox { folders, directory: "/home".to_owned(), user: None };
    let (mut child, output) = sandbox.spawn(&["true".to_owned()], |mut command| command.spawn())?;
    drop(output);
    Ok(child.wait()?.success())
}
