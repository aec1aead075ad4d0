//! A container's first process, held by a file descriptor so that its PID can't be reused by another.

use std::fs;
use std::os::fd::OwnedFd;

use machine_helper::{ContainerId, Refusal};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::cgroup;

/// Finds the process that is number 1 in the container's own process namespace.
pub(super) fn first_of(container: &ContainerId) -> Result<OwnedFd, Refusal> {
    for entry in fs::read_dir("/proc")? {
        let Some(pid) = entry?.file_name().to_str().and_then(|name| name.parse::<i32>().ok()) else { continue };
        if !is_first(pid, container) {
            continue;
        }
        let Some(number) = Pid::from_raw(pid) else { continue };
        let held = pidfd_open(number, PidfdFlags::empty())?;
        // Between the look and the grip the number may have passed on.
        if is_first(pid, container) {
            return Ok(held);
        }
    }
    Err(Refusal::NotFound)
}

fn is_first(pid: i32, container: &ContainerId) -> bool {
    // Processes end while they are looked at.
    let read = |file: &str| fs::read_to_string(format!("/proc/{pid}/{file}")).unwrap_or_default();
    in_group(&read("cgroup"), container) && numbers_one(&read("status"))
}

/// One line for each hierarchy: `number:controllers:path`.
fn in_group(table: &str, container: &ContainerId) -> bool {
    let last = |line: &str| line.splitn(3, ':').nth(2).and_then(|path| path.rsplit('/').next()).map(str::to_owned);
    table.lines().filter_map(last).any(|name| cgroup::is_of(&name, container))
}

/// Whether the process is the first one of the container's PID namespace: it has two PIDs, the inner one 1. Processes
/// in nested namespaces have more.
fn numbers_one(status: &str) -> bool {
    let numbers = status.lines().find_map(|line| line.strip_prefix("NSpid:")).unwrap_or_default();
    let numbers: Vec<&str> = numbers.split_whitespace().collect();
    matches!(numbers[..], [_, "1"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_containers_own_first_process_is_it() {
        let id: ContainerId = "a".repeat(64).parse().unwrap();
        let inside = format!("12:freezer:/docker/{id}\n0::/\n");
        assert!(in_group(&inside, &id));
        assert!(in_group(&format!("0::/system.slice/docker-{id}.scope\n"), &id));
        for outside in [format!("0::/docker/{id}/nested\n"), "0::/\n".to_owned(), format!("0:/docker/{id}\n")] {
            assert!(!in_group(&outside, &id), "{outside}");
        }
        assert!(numbers_one("Name:\tsh\nNSpid:\t4711\t1\n"));
        for other in ["NSpid:\t4711\n", "NSpid:\t1\n", "NSpid:\t4711\t7\n", "NSpid:\t4711\t9\t1\n", ""] {
            assert!(!numbers_one(other), "{other}");
        }
    }
}
