//! Programs that `run` became, found again by the mark in their environment.

use std::fs::{self, File, OpenOptions};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use rustix::termios::{Winsize, tcsetwinsize};

use crate::process::Process;
use crate::run::MARK;

/// Time for a program to end when it is hung up on.
const GRACE: Duration = Duration::from_secs(5);

/// The program with this mark; its children, which have the mark too, have a parent in the container.
fn entered(mark: &str) -> Option<Process> {
    let wanted = format!("{MARK}={mark}");
    let has_mark = |process: &Process| {
        let environment = process.as_its_user(|| fs::read(format!("/proc/{}/environ", process.pid)));
        let environment = environment.and_then(Result::ok).unwrap_or_default();
        environment.split(|&byte| byte == 0).any(|one| one == wanted.as_bytes())
    };
    Process::all().filter(|process| process.pid > 1 && process.parent == 0).find(has_mark)
}

/// The program with this mark.
pub(crate) fn find(mark: &str) -> Option<Pid> {
    entered(mark).map(|process| Pid::from_raw(process.pid))
}

/// Waits for what the kernel does not tell of.
#[expect(clippy::disallowed_methods, reason = "this program has no event loop")]
pub(crate) fn pause(time: Duration) {
    std::thread::sleep(time);
}

/// Sends a signal. Does nothing if the program ended.
pub(crate) fn signal(mark: &str, signal: Signal) -> Result<u8, String> {
    if let Some(pid) = find(mark) {
        let _ = kill(pid, signal);
    }
    Ok(0)
}

/// SIGHUP as from a closed window, SIGKILL when that is ignored.
pub(crate) fn hang_up(mark: &str) -> Result<u8, String> {
    let Some(pid) = find(mark) else { return Ok(0) };
    let _ = kill(pid, Signal::SIGHUP);
    let begun = Instant::now();
    while begun.elapsed() < GRACE && find(mark) == Some(pid) {
        pause(Duration::from_millis(50));
    }
    if find(mark) == Some(pid) {
        let _ = kill(pid, Signal::SIGKILL);
    }
    Ok(0)
}

/// Sets the size of its terminal, and with it notifies the programs there.
///
/// # Errors
/// When it has none.
pub(crate) fn resize(mark: &str, columns: u16, rows: u16) -> Result<u8, String> {
    let Some(found) = entered(mark) else { return Ok(0) };
    let open = || OpenOptions::new().read(true).write(true).open(format!("/proc/{}/fd/0", found.pid));
    let terminal: File = found
        .as_its_user(open)
        .ok_or("its user can't be taken")?
        .map_err(|error| format!("no terminal: {error}"))?;
    let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(terminal, size).map_err(|error| format!("no terminal: {error}"))?;
    Ok(0)
}
