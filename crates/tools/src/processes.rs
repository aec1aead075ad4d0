//! The processes of a session, found in `/proc`: those that a terminal's end reaches.

use std::fs;

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

/// Hangs up on a session: all its processes are notified, and stopped ones continue so that they can end.
pub(crate) fn hang_up(leader: Pid) {
    // Also before it has a session of its own.
    let _ = kill_process(leader, Signal::HUP);
    let _ = kill_process_group(leader, Signal::HUP);
    for member in members(leader) {
        let _ = kill_process(member, Signal::HUP);
        let _ = kill_process(member, Signal::CONT);
    }
}

/// Kills what did not end by that: the leader if it `lives`, and those of its session that do not ignore it, as programs
/// under `nohup` do.
pub(crate) fn kill(leader: Pid, lives: bool) {
    let members = members(leader);
    // Without the leader its number is another process's, unless its session is all that has it.
    if !lives && members.contains(&leader) {
        return;
    }
    for member in members.into_iter().filter(|member| *member != leader && !ignores_hang_up(*member)) {
        let _ = kill_process(member, Signal::KILL);
    }
    if lives {
        let _ = kill_process(leader, Signal::KILL);
    }
}

/// The processes of a session. Without `/proc` there is none to be found.
fn members(session: Pid) -> Vec<Pid> {
    all().into_iter().filter(|pid| session_of(*pid) == Some(session)).collect()
}

/// All processes.
pub(crate) fn all() -> Vec<Pid> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let numbers = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    numbers.filter_map(Pid::from_raw).collect()
}

fn session_of(pid: Pid) -> Option<Pid> {
    let stat = fs::read(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
    parse_session(&stat)
}

/// The name is in parentheses and may contain anything.
fn parse_session(stat: &[u8]) -> Option<Pid> {
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    let rest = std::str::from_utf8(&stat[end + 1..]).ok()?;
    Pid::from_raw(rest.split_whitespace().nth(3)?.parse().ok()?)
}

/// The number after a word in a process's status.
pub(crate) fn status(pid: Pid, word: &str) -> Option<String> {
    let status = fs::read_to_string(format!("/proc/{}/status", pid.as_raw_nonzero())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(word)?.strip_prefix(':'))?;
    Some(line.trim().to_owned())
}

fn ignores_hang_up(pid: Pid) -> bool {
    let mask = status(pid, "SigIgn").and_then(|mask| u64::from_str_radix(&mask, 16).ok());
    mask.is_some_and(|mask| mask & 1 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_read_after_any_name() {
        let session = |stat: &[u8]| parse_session(stat).map(|pid| pid.as_raw_nonzero().get());
        assert_eq!(session(b"7 (a) b) c) S 1 70 77 0 -1 4194304"), Some(77));
        assert_eq!(session(b"7 (sh) S 1 70 0 0"), None);
        assert_eq!(session(b"7 sh"), None);
        assert_eq!(session(b"7 (\xff) S 1 70 77"), Some(77));
    }

    #[test]
    fn this_process_is_found() {
        let own = rustix::process::getpid();
        assert!(all().contains(&own));
        let session = rustix::process::getsid(None).unwrap();
        assert!(members(session).contains(&own));
        assert!(!ignores_hang_up(own));
    }
}
