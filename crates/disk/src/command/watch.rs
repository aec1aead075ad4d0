//! Resources of all processes of a sandbox together. The kernel's own limits are per process, and its limit of
//! processes does not apply to root.

use std::fs;

/// Maximum number of processes of a command.
const MAX_PROCESSES: usize = 128;
/// KiB of memory of all its processes.
const MAX_KIB: u64 = 8 * 1024 * 1024;

/// Whether the descendants of this process are too many, or use too much memory. Blocks.
pub(super) fn is_too_much(process: u32) -> bool {
    let (mut waiting, mut count, mut kib) = (vec![process.to_string()], 0, 0);
    while let Some(process) = waiting.pop() {
        count += 1;
        kib += memory(&process);
        if count > MAX_PROCESSES || kib > MAX_KIB {
            return true;
        }
        let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else { continue };
        for thread in threads.flatten() {
            // It may have ended meanwhile.
            let children = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            waiting.extend(children.split_whitespace().map(str::to_owned));
        }
    }
    false
}

/// Memory that is a process's own or shared between processes of the sandbox; files that are
/// mapped cost nothing.
fn memory(process: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let of = |line: &str| line.strip_prefix("RssAnon:").or_else(|| line.strip_prefix("RssShmem:")).map(str::to_owned);
    let kib = |text: String| text.trim().trim_end_matches(" kB").parse::<u64>().ok();
    status.lines().filter_map(of).filter_map(kib).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_takes_some_memory_and_this_one_not_too_much() {
        let own = std::process::id();
        assert!(memory(&own.to_string()) > 0);
        assert!(!is_too_much(own));
    }
}
