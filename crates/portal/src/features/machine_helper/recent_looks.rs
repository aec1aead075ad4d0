//! Duties read machines often. Reads change nothing, so those of one kind within an hour are one entry of the log, and
//! the next entry has their number; every change of a machine has its own entry. Asserting an unchanged network table
//! changes nothing either.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use engine::machine_helper::{Guard, Request};
use kernel::Timestamp;

const HOUR_MS: i64 = 3_600_000;

/// When each kind of look was logged last, and how many have followed without an entry.
#[derive(Debug, Default)]
pub(crate) struct RecentLooks(Mutex<HashMap<Look, Logged>>);

/// Server, duty and verb.
type Look = (String, &'static str, &'static str);

#[derive(Clone, Debug)]
struct Logged {
    at: Timestamp,
    failed: bool,
    since: u64,
    /// Of a network table.
    guard: Option<Guard>,
}

impl RecentLooks {
    /// Returns whether to log a call: the number of calls since the last entry that were not logged. A call with a
    /// different result than the last is always logged.
    pub(super) fn entry_due(
        &self,
        server: &str,
        duty: &'static str,
        request: &Request,
        failed: bool,
        now: Timestamp,
    ) -> Option<u64> {
        let guard = match request {
            Request::BootId {} | Request::FileSystem { .. } | Request::GetProjectQuota { .. } => None,
            // It changed nothing, and is tried again every minute.
            Request::SetProjectLimit { .. } if failed => None,
            Request::SetNetworkGuard { guard } => Some(guard.clone()),
            _ => return Some(0),
        };
        let mut looks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = Logged { at: now, failed, since: 0, guard };
        let Some(last) = looks.get_mut(&(server.to_owned(), duty, request.verb())) else {
            looks.insert((server.to_owned(), duty, request.verb()), fresh);
            return Some(0);
        };
        let age = now.as_millis() - last.at.as_millis();
        if (0..HOUR_MS).contains(&age) && (last.failed, &last.guard) == (failed, &fresh.guard) {
            last.since += 1;
            return None;
        }
        Some(std::mem::replace(last, fresh).since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_hours_looks_are_one_entry_and_changes_are_each_their_own() {
        let looks = RecentLooks::default();
        let at = |minutes: i64| Timestamp::from_millis(minutes * 60_000);
        let due = |request: &Request, failed, minutes| looks.entry_due("s1", "时钟", request, failed, at(minutes));
        let look = Request::BootId {};
        assert_eq!(due(&look, false, 0), Some(0));
        assert_eq!((due(&look, false, 10), due(&look, false, 59)), (None, None));
        assert_eq!(due(&look, true, 59), Some(2), "a failure is told at once");
        assert_eq!(due(&look, true, 118), None);
        assert_eq!(due(&look, true, 119), Some(1));
        assert_eq!(looks.entry_due("s2", "时钟", &look, true, at(119)), Some(0), "each server has its own");
        let table = |bridge: &str| Request::SetNetworkGuard {
            guard: Guard::new(vec![bridge.parse().unwrap()], vec![], vec![], vec![]).unwrap(),
        };
        assert_eq!((due(&table("ylp-a"), false, 130), due(&table("ylp-a"), false, 131)), (Some(0), None));
        assert_eq!(due(&table("ylp-b"), false, 132), Some(1), "another table is a change");
        let change = Request::ClearNetworkGuard {};
        assert_eq!((due(&change, false, 200), due(&change, false, 200)), (Some(0), Some(0)));
        let limit = Request::SetProjectLimit {
            root: "/srv".parse().unwrap(),
            project: 1_500_000_007_u32.try_into().unwrap(),
            limit_bytes: None,
        };
        assert_eq!((due(&limit, false, 201), due(&limit, false, 202)), (Some(0), Some(0)));
        assert_eq!((due(&limit, true, 203), due(&limit, true, 204)), (Some(0), None), "what fails is tried again");
    }
}
