//! What a workload uses, as `/proc` shows it.

use std::fs;

use engine::{Error, Result, Usage};
use kernel::Timestamp;

use crate::procfs::{self, Executable};
use crate::store::Object;

/// Of 100 ticks a second and pages of 4 KiB, as on every common machine.
const NANOS_OF_TICK: u64 = 10_000_000;
const PAGE: u64 = 4096;

pub(crate) fn measure(object: &Object, keeper: Executable) -> Result<Usage> {
    let Some(life) = object.running() else { return Err(Error::Conflict(format!("{} does not run", object.name()))) };
    // The keeper waited for the program's dead children.
    let mut ticks = procfs::stat(life.keeper).map_or(0, |stat| stat.ticks_of_children);
    let (mut pages, mut threads, mut read, mut written) = (0, 0, 0, 0);
    for pid in object.members(keeper) {
        let Some(stat) = procfs::stat(pid) else { continue };
        ticks += stat.ticks + stat.ticks_of_children;
        pages += stat.pages;
        threads += stat.threads;
        let io = fs::read_to_string(format!("/proc/{pid}/io")).unwrap_or_default();
        read += field(&io, "read_bytes:");
        written += field(&io, "write_bytes:");
    }
    let (received, sent) = traffic(&fs::read_to_string(format!("/proc/{}/net/dev", life.program)).unwrap_or_default());
    let limit = object.record.memory;
    let machine = || field(&fs::read_to_string("/proc/meminfo").unwrap_or_default(), "MemTotal:") * 1024;
    Ok(Usage {
        at: Timestamp::from_millis(procfs::now()),
        cpu_nanos: ticks * NANOS_OF_TICK,
        memory: pages * PAGE,
        memory_limit: if limit == 0 { machine() } else { limit },
        pids: threads,
        received,
        sent,
        disk_read: read,
        disk_written: written,
    })
}

pub(crate) fn field(text: &str, name: &str) -> u64 {
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// Bytes received and sent, of all interfaces.
fn traffic(text: &str) -> (u64, u64) {
    let columns = |line: &str| -> Option<(u64, u64)> {
        let fields: Vec<&str> = line.split_once(':')?.1.split_whitespace().collect();
        Some((fields.first()?.parse().ok()?, fields.get(8)?.parse().ok()?))
    };
    text.lines().filter_map(columns).fold((0, 0), |sum, line| (sum.0 + line.0, sum.1 + line.1))
}
