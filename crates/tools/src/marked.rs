//! Programs that an engine started directly, found by the marker in their environment: signals and hang-up for them, also
//! after the portal that started them was killed.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::process::ExitCode;

use rustix::event::{PollFd, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use tools::wire::signal_number;

use crate::{processes, usage};

/// How often it is looked whether a program ended, within five seconds.
const LOOKS: u32 = 50;
const BETWEEN_LOOKS: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// `signal MARKER NAME`.
pub(crate) fn signal(mut arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let (Some(marker), Some(name), None) = (arguments.next(), arguments.next(), arguments.next()) else {
        return usage();
    };
    let Some(signal) = name.to_str().and_then(signal_number).and_then(named) else { return usage() };
    for pid in marked(&marker) {
        let _ = kill_process(pid, signal);
    }
    ExitCode::SUCCESS
}

/// `hang-up MARKER`: as from a closed window. A program that ignores it is killed.
pub(crate) fn hang_up(mut arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let (Some(marker), None) = (arguments.next(), arguments.next()) else { return usage() };
    let marked = marked(&marker);
    marked.iter().copied().for_each(processes::hang_up);
    for _ in 0..LOOKS {
        if !marked.iter().copied().any(lives) {
            break;
        }
        let _ = poll(&mut [] as &mut [PollFd<'_>], Some(&BETWEEN_LOOKS));
    }
    for leader in marked {
        processes::kill(leader, lives(leader));
    }
    ExitCode::SUCCESS
}

/// A signal of the closed list.
pub(crate) fn named(number: u8) -> Option<Signal> {
    tools::wire::signal_name(number)?;
    Signal::from_named_raw(i32::from(number))
}

/// Ended programs are zombies until the engine has noticed.
fn lives(pid: Pid) -> bool {
    test_kill_process(pid).is_ok() && processes::status(pid, "State").is_none_or(|state| !state.starts_with('Z'))
}

/// The programs with this marker that the engine started: their parent is outside.
fn marked(marker: &OsString) -> Vec<Pid> {
    let mut variable = tools::MARKER.as_bytes().to_vec();
    variable.push(b'=');
    variable.extend_from_slice(marker.as_bytes());
    let has_it = |pid: &Pid| {
        let environment = fs::read(format!("/proc/{}/environ", pid.as_raw_nonzero())).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|one| one == variable)
    };
    let started = |pid: &Pid| processes::status(*pid, "PPid").is_some_and(|parent| parent == "0");
    processes::all().into_iter().filter(|pid| started(pid) && has_it(pid)).collect()
}
