//! Process 1 of a workload's container.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use nix::errno::Errno;
use nix::sys::signal::{SigSet, Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use crate::argument::Start;
use crate::{identity, root, run};

/// The name of process 1 once the root is made, by which [`run`] sees that.
pub(crate) const READY: &[u8] = b"pod-init";

/// Runs the workload's program until it ends.
///
/// # Errors
/// When it can't be started.
pub(crate) fn init(keep: Option<&Path>, start: &Start) -> Result<u8, String> {
    if let Some(keep) = keep {
        root::make(keep)?;
    }
    identity::give_up_rights(false)?;
    // Core files in a shared folder are of no use.
    let none = rustix::process::Rlimit { current: Some(0), maximum: Some(0) };
    rustix::process::setrlimit(rustix::process::Resource::Core, none)
        .map_err(|error| format!("core limit: {error}"))?;
    // Real-time signals are not among them, and have no effect on a process 1 that does not handle them.
    let mut all = SigSet::empty();
    for signal in Signal::iterator() {
        all.add(signal);
    }
    all.thread_block().map_err(|error| format!("signals: {error}"))?;
    let child = Command::new("/proc/self/exe").args(arguments(start)).spawn();
    let child = child.map_err(|error| format!("can't start: {error}"))?.id();
    let child = Pid::from_raw(i32::try_from(child).map_err(|error| error.to_string())?);
    rustix::thread::set_name(c"pod-init").map_err(|error| format!("name: {error}"))?;
    loop {
        match all.wait() {
            Ok(Signal::SIGCHLD) => {
                if let Some(code) = reap(child) {
                    return Ok(code);
                }
            }
            // Stops of process 1 have no effect, and these are not meant for its child.
            Ok(Signal::SIGTSTP | Signal::SIGTTIN | Signal::SIGTTOU | Signal::SIGPIPE) => {}
            Ok(other) => {
                let _ = kill(child, other);
            }
            Err(Errno::EINTR) => {}
            Err(error) => return Err(format!("signals: {error}")),
        }
    }
}

/// Waits until the pod is ended.
///
/// # Errors
/// When signals can't be waited for.
pub(crate) fn hold() -> Result<u8, String> {
    let mut ends = SigSet::empty();
    ends.add(Signal::SIGTERM);
    ends.add(Signal::SIGINT);
    ends.thread_block().and_then(|()| ends.wait()).map_err(|error| format!("signals: {error}"))?;
    Ok(0)
}

/// The request that starts the program as its user.
fn arguments(start: &Start) -> Vec<OsString> {
    let mut all: Vec<OsString> = vec!["become".into()];
    if let Some(user) = &start.user {
        all.extend([OsString::from("--user"), user.into()]);
    }
    if let Some(folder) = &start.folder {
        all.extend([OsString::from("--folder"), folder.into()]);
    }
    if start.closed {
        all.push("--closed".into());
    }
    all.push("--".into());
    all.extend(start.command.iter().cloned());
    all
}

/// Collects ended processes; the code of `child` once it is among them.
fn reap(child: Pid) -> Option<u8> {
    let mut ended = None;
    loop {
        match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::Exited(pid, code)) if pid == child => ended = Some(u8::try_from(code).unwrap_or(u8::MAX)),
            Ok(WaitStatus::Signaled(pid, signal, _)) if pid == child => {
                ended = Some(128 + u8::try_from(signal as i32).unwrap_or_default());
            }
            Ok(WaitStatus::StillAlive) | Err(_) => return ended,
            Ok(_) => {}
        }
    }
}
