//! What the container uses, one `name value` a line, with a last line `end` for each measurement.

use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::time::Duration;

use crate::program::pause;

const GROUPS: &str = "/sys/fs/cgroup";

/// Prints what is known, until the reader is gone; a number that the kernel does not give is left out.
///
/// # Errors
/// When standard output is closed, which is how it ends.
pub(crate) fn print(every: Duration) -> Result<u8, String> {
    let is_second = fs::exists(format!("{GROUPS}/cgroup.controllers")).unwrap_or_default();
    loop {
        let mut all = if is_second { second() } else { first() };
        let (received, sent) = network(&read("/proc/net/dev"));
        all.extend([("received", Some(received)), ("sent", Some(sent))]);
        let lines = all.iter().filter_map(|(name, value)| Some(format!("{name} {}\n", (*value)?)));
        let text: String = lines.chain(["end\n".to_owned()]).collect();
        let mut output = std::io::stdout();
        output.write_all(text.as_bytes()).and_then(|()| output.flush()).map_err(|error| error.to_string())?;
        pause(every);
    }
}

type Numbers = Vec<(&'static str, Option<u64>)>;

/// One hierarchy.
fn second() -> Numbers {
    let (cpu, memory) = (pairs(&read(&format!("{GROUPS}/cpu.stat"))), pairs(&read(&format!("{GROUPS}/memory.stat"))));
    let inactive = memory.get("inactive_file").copied().unwrap_or_default();
    let disk = read(&format!("{GROUPS}/io.stat"));
    let moved = |key: &str| {
        disk.split_whitespace().filter_map(|word| word.strip_prefix(key)?.strip_prefix('=')?.parse::<u64>().ok()).sum()
    };
    vec![
        ("cpu_nanos", cpu.get("usage_usec").map(|micros| micros.saturating_mul(1000))),
        ("memory", number("memory.current").map(|all| all.saturating_sub(inactive))),
        ("memory_limit", number("memory.max")),
        ("pids", number("pids.current")),
        ("disk_read", Some(moved("rbytes"))),
        ("disk_written", Some(moved("wbytes"))),
    ]
}

/// One hierarchy per controller.
fn first() -> Numbers {
    let memory = pairs(&read(&format!("{GROUPS}/memory/memory.stat")));
    let inactive = memory.get("total_inactive_file").copied().unwrap_or_default();
    let disk = read(&format!("{GROUPS}/blkio/blkio.throttle.io_service_bytes_recursive"));
    let moved = |verb: &str| {
        let of_verb = |line: &str| line.split(' ').nth(1) == Some(verb);
        disk.lines().filter(|line| of_verb(line)).filter_map(|line| line.split(' ').nth(2)?.parse::<u64>().ok()).sum()
    };
    vec![
        ("cpu_nanos", number("cpuacct/cpuacct.usage")),
        ("memory", number("memory/memory.usage_in_bytes").map(|all| all.saturating_sub(inactive))),
        ("memory_limit", number("memory/memory.limit_in_bytes")),
        ("pids", number("pids/pids.current")),
        ("disk_read", Some(moved("Read"))),
        ("disk_written", Some(moved("Write"))),
    ]
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

fn number(name: &str) -> Option<u64> {
    read(&format!("{GROUPS}/{name}")).trim().parse().ok()
}

fn pairs(text: &str) -> HashMap<&str, u64> {
    text.lines()
        .filter_map(|line| line.split_once(' '))
        .filter_map(|(name, value)| Some((name, value.parse().ok()?)))
        .collect()
}

/// Bytes received and sent on all interfaces except loopback.
fn network(table: &str) -> (u64, u64) {
    let counters = table.lines().filter_map(|line| {
        let (name, numbers) = line.split_once(':')?;
        let numbers: Vec<u64> = numbers.split_whitespace().filter_map(|number| number.parse().ok()).collect();
        (name.trim() != "lo").then(|| Some((*numbers.first()?, *numbers.get(8)?)))?
    });
    counters.fold((0, 0), |sum, (received, sent)| (sum.0 + received, sum.1 + sent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_is_no_traffic() {
        let table = "Inter-|   Receive |  Transmit\n face |bytes packets|bytes\n    lo: 100 1 0 0 0 0 0 0 100 1 0 0 0 0 0 0\n  \
            eth0: 7 1 0 0 0 0 0 0 9 1 0 0 0 0 0 0\n  eth1: 1 1 0 0 0 0 0 0 2 1 0 0 0 0 0 0\n";
        assert_eq!(network(table), (8, 11));
    }
}
