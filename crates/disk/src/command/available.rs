//! Whether commands can be confined here.

use std::sync::OnceLock;

use disk_core::blocking::blocking;
use disk_core::error::DiskResult;
use disk_core::jail::FOLDER;
use disk_core::space::Space;
use rustix::fs::{CWD, Mode, openat};

use super::sandbox::{Folder, LARGEST_FILE, Sandbox};
use crate::settings::Settings;

/// Whether there are commands at all: switched on, and confined.
pub(crate) async fn is_on(settings: &Settings) -> DiskResult<bool> {
    Ok(settings.exec && blocking(|| Ok(available())).await?)
}

/// Whether this machine supports the sandbox: without it the command panel stays off. Determined once, by running a
/// program in a sandbox, since it only changes by an installation or another kernel setting. Blocks.
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
    let folders = vec![Folder { handle, at: "/home".to_owned(), space: Space::Top, writable: false, masked: false }];
    let sandbox = Sandbox { folders, directory: "/home".to_owned(), user: None, largest_file: LARGEST_FILE };
    let mut started = sandbox.spawn(&["true".to_owned()], |mut command| command.spawn())?;
    Ok(started.child.wait()?.success())
}
