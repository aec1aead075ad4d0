//! Programs: in the workload's root, as a user, in a folder.

use std::fs;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::argument::Start;
use crate::identity::{self, Identity};
use crate::init::READY;
use crate::program::pause;

/// Marks a program that [`run`] became; its value is the caller's.
pub(crate) const MARK: &str = "YUNLAB_TERMINAL";
/// How long process 1 may take to make the root.
const PATIENCE: Duration = Duration::from_secs(20);
/// A program that does not exist, and one that can't be started, as shells say it.
const NOT_FOUND: u8 = 127;
const NOT_STARTED: u8 = 126;

/// Becomes a program in the root of process 1.
///
/// # Errors
/// When that root is not there.
pub(crate) fn run(start: &Start) -> Result<u8, String> {
    enter_root()?;
    identity::give_up_rights(start.closed)?;
    become_program(start)
}

/// A process that was started before process 1 had made its root is outside of it.
fn enter_root() -> Result<(), String> {
    let begun = Instant::now();
    while fs::read("/proc/1/comm").is_ok_and(|name| name.trim_ascii_end() != READY) {
        if begun.elapsed() > PATIENCE {
            return Err("the workload's root is not there".to_owned());
        }
        pause(Duration::from_millis(10));
    }
    let place = |path: &str| fs::metadata(path).map(|found| (found.dev(), found.ino()));
    match (place("/"), place("/proc/1/root/")) {
        (Ok(here), Ok(there)) if here != there => {
            rustix::process::chroot("/proc/1/root").map_err(|error| format!("the workload's root: {error}"))
        }
        _ => Ok(()),
    }
}

/// Becomes a program in the present root. Only returns when that fails.
///
/// # Errors
/// An unknown user.
pub(crate) fn become_program(start: &Start) -> Result<u8, String> {
    let Some((program, arguments)) = start.command.split_first() else { return Err("there is no program".to_owned()) };
    let mut command = Command::new(program);
    command.args(arguments);
    // Where the API server is and what it is called is no concern of the workload.
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("KUBERNETES_")) {
        command.env_remove(name);
    }
    if start.closed {
        identity::give_up_rights(true)?;
    }
    if let Some(user) = &start.user {
        let identity = Identity::of(user)?;
        command.env("HOME", &identity.home);
        identity.take()?;
    }
    if let Some(mark) = &start.mark {
        command.env(MARK, mark);
    }
    if start.terminal {
        command.env("TERM", "xterm-256color");
    }
    // A folder that was deleted must not keep anyone out.
    let folder = start.folder.as_deref().filter(|folder| folder.is_dir());
    command.current_dir(folder.unwrap_or("/".as_ref()));
    let error = command.exec();
    let _ = writeln!(std::io::stderr(), "{}: {error}", program.to_string_lossy());
    Ok(if error.kind() == std::io::ErrorKind::NotFound { NOT_FOUND } else { NOT_STARTED })
}
