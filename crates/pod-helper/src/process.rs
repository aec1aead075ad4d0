//! The processes of the container. Root there may not look into those of other users (it has no CAP_SYS_PTRACE), so for
//! that this program becomes their user for a moment.

use std::fs;

use rustix::process::{Gid, Uid};
use rustix::thread::{set_thread_res_gid, set_thread_res_uid};

/// A process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: i32,
    /// 0 for one that was started from outside of the container, and for process 1.
    pub(crate) parent: u32,
    user: u32,
    group: u32,
}

impl Process {
    /// All that are there, in no order.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let entries = fs::read_dir("/proc").into_iter().flatten();
        let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
        pids.filter_map(|pid| Self::of(pid, &fs::read_to_string(format!("/proc/{pid}/status")).ok()?))
    }

    /// By its `status`.
    fn of(pid: i32, status: &str) -> Option<Self> {
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
            Some(line.split_whitespace().filter_map(|number| number.parse::<u32>().ok()).collect::<Vec<_>>())
        };
        // The second is the effective one.
        let effective = |name: &str| field(name)?.get(1).copied();
        Some(Self { pid, parent: *field("PPid")?.first()?, user: effective("Uid")?, group: effective("Gid")? })
    }

    /// Whether it is this program.
    pub(crate) fn is_ours(&self) -> bool {
        let file = self.as_its_user(|| fs::read_link(format!("/proc/{}/exe", self.pid)));
        file.is_some_and(|file| file.is_ok_and(|file| fs::read_link("/proc/self/exe").is_ok_and(|own| own == file)))
    }

    /// Does something as the user of the process; `None` when that is not possible.
    pub(crate) fn as_its_user<T>(&self, act: impl FnOnce() -> T) -> Option<T> {
        let become_one = |user: u32, group: u32| {
            set_thread_res_gid(None::<Gid>, Gid::from_raw(group), None::<Gid>)?;
            set_thread_res_uid(None::<Uid>, Uid::from_raw(user), None::<Uid>)
        };
        let done = become_one(self.user, self.group).ok().map(|()| act());
        // The user first, without which the group can't be changed.
        set_thread_res_uid(None::<Uid>, Uid::ROOT, None::<Uid>).ok()?;
        set_thread_res_gid(None::<Gid>, Gid::ROOT, None::<Gid>).ok()?;
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_read_from_its_status() {
        let status = "Name:\tPPid:\nPPid:\t0\nUid:\t0\t1000\t0\t0\nGid:\t100\t100\t100\t100\n";
        assert_eq!(Process::of(7, status), Some(Process { pid: 7, parent: 0, user: 1000, group: 100 }));
        assert_eq!(Process::of(7, "PPid:\t1\n"), None);
    }
}
