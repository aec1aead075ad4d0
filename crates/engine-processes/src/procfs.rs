//! The machine's processes.

use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::{AtFlags, Dir};
use rustix::process::{Pid, Signal, kill_process};

/// Of `/proc/PID/stat`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stat {
    /// The group that its terminal listens to.
    pub(crate) foreground: i32,
    pub(crate) ticks: u64,
    pub(crate) ticks_of_children: u64,
    pub(crate) threads: u64,
    pub(crate) born: u64,
    pub(crate) pages: u64,
}

/// `None` for a process that has ended.
pub(crate) fn stat(pid: u32) -> Option<Stat> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    if matches!(*fields.first()?, "Z" | "X") {
        return None;
    }
    let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
    Some(Stat {
        foreground: fields.get(5)?.parse().ok()?,
        ticks: number(11)? + number(12)?,
        ticks_of_children: number(13)? + number(14)?,
        threads: number(17)?,
        born: number(19)?,
        pages: number(21)?,
    })
}

pub(crate) fn boot() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned()
}

/// Milliseconds since 1970.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// A program's file, whatever its path looks like from here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Executable(u64, u64);

impl Executable {
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        let file = fs::metadata(path)?;
        Ok(Self(file.dev(), file.ino()))
    }
}

/// The processes in a network, without keepers. `proc` is the folder `/proc`, which a keeper does not see.
pub(crate) fn members(proc: BorrowedFd<'_>, space: &str, keeper: Executable) -> Vec<u32> {
    let Ok(dir) = Dir::read_from(proc) else { return Vec::new() };
    let is_here = |pid: &u32| {
        let net = rustix::fs::readlinkat(proc, format!("{pid}/ns/net"), Vec::new());
        net.is_ok_and(|net| net.as_bytes() == space.as_bytes())
    };
    let is_keeper = |pid: &u32| {
        let exe = rustix::fs::statat(proc, format!("{pid}/exe"), AtFlags::empty());
        exe.is_ok_and(|exe| Executable(exe.st_dev, exe.st_ino) == keeper)
    };
    let pids = dir.flatten().filter_map(|entry| entry.file_name().to_str().ok()?.parse::<u32>().ok());
    pids.filter(is_here).filter(|pid| !is_keeper(pid)).collect()
}

/// The same, where `/proc` is to be seen.
pub(crate) fn members_here(space: &str, keeper: Executable) -> Vec<u32> {
    fs::File::open("/proc").map_or_else(|_| Vec::new(), |proc| members(proc.as_fd(), space, keeper))
}

pub(crate) fn signal(pid: u32, signal: Signal) {
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        // Those that are gone need none.
        let _ = kill_process(pid, signal);
    }
}
