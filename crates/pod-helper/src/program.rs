//! Programs that `run` became, found again by the mark in their environment.

use std::fs::{self, File, OpenOptions};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use rustix::process::{Gid, Uid};
use rustix::termios::{Winsize, tcsetwinsize};
use rustix::thread::{set_thread_res_gid, set_thread_res_uid};

use crate::run::MARK;

/// Time for a program to end when it is hung up on.
const GRACE: Duration = Duration::from_secs(5);

/// A process that was started from outside of the container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entered {
    pid: i32,
    user: u32,
    group: u32,
}

impl Entered {
    /// `None` for the children of others, by the process's `status`.
    fn of(pid: i32, status: &str) -> Option<Self> {
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
            Some(line.split_whitespace().filter_map(|number| number.parse::<u32>().ok()).collect::<Vec<_>>())
        };
        // The second is the effective one.
        let effective = |name: &str| field(name)?.get(1).copied();
        let is_one = field("PPid")? == [0];
        is_one.then_some(Self { pid, user: effective("Uid")?, group: effective("Gid")? })
    }

    /// Does something as the user of the process: root without CAP_SYS_PTRACE may not look into processes of others.
    fn as_its_user<T>(self, act: impl FnOnce() -> T) -> Option<T> {
        let become_one = |user: u32, group: u32| {
            set_thread_res_gid(None::<Gid>, Gid::from_raw(group), None::<Gid>)?;
            set_thread_res_uid(None::<Uid>, Uid::from_raw(user), None::<Uid>)
        };
        become_one(self.user, self.group).ok()?;
        let done = act();
        // The user first, without which the group can't be changed.
        set_thread_res_uid(None::<Uid>, Uid::ROOT, None::<Uid>).ok()?;
        set_thread_res_gid(None::<Gid>, Gid::ROOT, None::<Gid>).ok()?;
        Some(done)
    }

    fn has(self, wanted: &[u8]) -> bool {
        let environment = self.as_its_user(|| fs::read(format!("/proc/{}/environ", self.pid)));
        environment.and_then(Result::ok).is_some_and(|all| all.split(|&byte| byte == 0).any(|one| one == wanted))
    }
}

/// The program with this mark; its children, which have the mark too, have a parent in the container.
fn entered(mark: &str) -> Option<Entered> {
    let wanted = format!("{MARK}={mark}");
    let pids = fs::read_dir("/proc").ok()?.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    let all = pids.filter(|&pid| pid > 1);
    let mut all = all.filter_map(|pid| Entered::of(pid, &fs::read_to_string(format!("/proc/{pid}/status")).ok()?));
    all.find(|one| one.has(wanted.as_bytes()))
}

/// The program with this mark.
pub(crate) fn find(mark: &str) -> Option<Pid> {
    entered(mark).map(|one| Pid::from_raw(one.pid))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_came_from_outside_is_one() {
        let status = |parent: u32| format!("Name:\tsh\nPPid:\t{parent}\nUid:\t0\t1000\t0\t0\nGid:\t100\t100\t100\t100\n");
        assert_eq!(Entered::of(7, &status(0)), Some(Entered { pid: 7, user: 1000, group: 100 }));
        assert_eq!(Entered::of(7, &status(1)), None);
        assert_eq!(Entered::of(7, ""), None);
    }
}
