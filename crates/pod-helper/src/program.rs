//! Programs that `run` became, found again by the mark in their environment.

use std::fs::{self, OpenOptions};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use rustix::termios::{Winsize, tcsetwinsize};

use crate::run::MARK;

/// Time for a program to end when it is hung up on.
const GRACE: Duration = Duration::from_secs(5);

/// The program with this mark; its children, which have the mark too, have a parent in the container.
pub(crate) fn find(mark: &str) -> Option<Pid> {
    let wanted = format!("{MARK}={mark}");
    let pids = fs::read_dir("/proc").ok()?.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    let is_it = |pid: &i32| {
        let has_parent = fs::read_to_string(format!("/proc/{pid}/status")).is_ok_and(|status| {
            !status.lines().any(|line| line.strip_prefix("PPid:").is_some_and(|id| id.trim() == "0"))
        });
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        !has_parent && environment.split(|&byte| byte == 0).any(|one| one == wanted.as_bytes())
    };
    pids.filter(|&pid| pid > 1).find(is_it).map(Pid::from_raw)
}

/// Sends a signal. Does nothing if the program ended.
#[expect(clippy::unnecessary_wraps, reason = "as every request")]
pub(crate) fn signal(mark: &str, signal: Signal) -> Result<u8, String> {
    if let Some(pid) = find(mark) {
        let _ = kill(pid, signal);
    }
    Ok(0)
}

/// SIGHUP as from a closed window, SIGKILL when that is ignored.
#[expect(clippy::unnecessary_wraps, reason = "as every request")]
pub(crate) fn hang_up(mark: &str) -> Result<u8, String> {
    let Some(pid) = find(mark) else { return Ok(0) };
    let _ = kill(pid, Signal::SIGHUP);
    let begun = Instant::now();
    while begun.elapsed() < GRACE && find(mark) == Some(pid) {
        sleep(Duration::from_millis(50));
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
    let Some(pid) = find(mark) else { return Ok(0) };
    let terminal = OpenOptions::new().read(true).write(true).open(format!("/proc/{pid}/fd/0"));
    let terminal = terminal.map_err(|error| format!("no terminal: {error}"))?;
    let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(terminal, size).map_err(|error| format!("no terminal: {error}"))?;
    Ok(0)
}
