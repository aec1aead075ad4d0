//! What a user may use, computed from the allocations without I/O.

use std::collections::HashMap;

use kernel::{Timestamp, UserId};

use super::model::{Allocation, Mode};
use super::quota::{Limit, unless_zero};

/// What a user may use of one server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Access {
    /// Cards by id; `None` is all of the server that are not in `denied`.
    granted: Option<Vec<String>>,
    /// Cards that others have exclusively.
    denied: Vec<String>,
    /// The user's limits there.
    pub(crate) limit: Limit,
}

/// The servers that a user may use.
#[derive(Clone, Debug)]
pub(crate) enum Accesses {
    /// Administrators: everything.
    All,
    /// By server; all others are forbidden.
    Some(HashMap<String, Access>),
}

impl Access {
    /// Everything.
    pub(crate) fn full() -> Self {
        Self { granted: None, denied: Vec::new(), limit: Limit::default() }
    }

    /// Whether this card may be used.
    pub(crate) fn covers(&self, gpu: &str) -> bool {
        let granted = self.granted.as_ref().is_none_or(|cards| cards.iter().any(|card| card == gpu));
        granted && !self.denied.iter().any(|card| card == gpu)
    }
}

impl Accesses {
    /// Returns the access to a server; `None` when it is forbidden.
    pub(crate) fn of(&self, server: &str) -> Option<Access> {
        match self {
            Self::All => Some(Access::full()),
            Self::Some(servers) => servers.get(server).cloned(),
        }
    }

    /// Whether anything of a server may be used.
    pub(crate) fn include(&self, server: &str) -> bool {
        match self {
            Self::All => true,
            Self::Some(servers) => servers.contains_key(server),
        }
    }

    /// Whether a card of a server may be used.
    pub(crate) fn cover(&self, server: &str, gpu: &str) -> bool {
        match self {
            Self::All => true,
            Self::Some(servers) => servers.get(server).is_some_and(|access| access.covers(gpu)),
        }
    }

    /// Reads them off all allocations.
    pub(super) fn from(allocations: &[Allocation], user: UserId, groups: &[i64], now: Timestamp) -> Self {
        let valid: Vec<&Allocation> = allocations.iter().filter(|one| one.is_valid_at(now)).collect();
        let (own, others): (Vec<&Allocation>, Vec<&Allocation>) =
            valid.into_iter().partition(|one| one.is_for(user, groups));
        let mut servers: HashMap<String, Access> = HashMap::new();
        for one in own {
            servers
                .entry(one.server.clone())
                .and_modify(|access| access.widen(one))
                .or_insert_with(|| Access::granted_by(one));
        }
        for one in others.into_iter().filter(|one| one.mode == Mode::Exclusive) {
            if one.gpus.is_empty() {
                // Another subject has the whole server.
                servers.remove(&one.server);
            } else if let Some(access) = servers.get_mut(&one.server) {
                access.denied.extend(one.gpus.iter().cloned());
            }
        }
        Self::Some(servers)
    }
}

impl Access {
    fn granted_by(allocation: &Allocation) -> Self {
        let granted = (!allocation.gpus.is_empty()).then(|| allocation.gpus.clone());
        Self { granted, denied: Vec::new(), limit: limit_of(allocation) }
    }

    /// With several allocations, the most generous value of each limit applies.
    fn widen(&mut self, allocation: &Allocation) {
        match &mut self.granted {
            Some(cards) if !allocation.gpus.is_empty() => cards.extend(allocation.gpus.iter().cloned()),
            granted => *granted = None,
        }
        let (own, other) = (self.limit, limit_of(allocation));
        let wider = |a: Option<i64>, b: Option<i64>| a.zip(b).map(|(a, b)| a.max(b));
        self.limit = Limit {
            instances: wider(own.instances, other.instances),
            gpus: wider(own.gpus, other.gpus),
            cpu: wider(own.cpu, other.cpu),
            memory: wider(own.memory, other.memory),
        };
    }
}

fn limit_of(allocation: &Allocation) -> Limit {
    let limits = allocation.limits;
    Limit {
        instances: unless_zero(limits.instances),
        gpus: unless_zero(limits.gpus),
        cpu: unless_zero(limits.cpu),
        memory: unless_zero(limits.memory),
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::{AllocationLimits, SubjectKind};
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_000);
    const ANN: UserId = 1;
    const BOB: UserId = 2;

    fn allocation(subject: SubjectKind, id: Option<i64>, mode: Mode, gpus: &[&str]) -> Allocation {
        Allocation {
            id: String::new(),
            server: "s".to_owned(),
            subject,
            subject_id: id,
            mode,
            gpus: gpus.iter().map(|gpu| (*gpu).to_owned()).collect(),
            limits: AllocationLimits::default(),
            valid_from: None,
            valid_until: None,
            note: String::new(),
            created: NOW,
        }
    }

    fn access(all: &[Allocation], user: UserId, groups: &[i64]) -> Option<Access> {
        Accesses::from(all, user, groups, NOW).of("s")
    }

    #[test]
    fn without_an_allocation_there_is_nothing() {
        assert_eq!(access(&[], ANN, &[]), None);
        let bobs = [allocation(SubjectKind::User, Some(BOB), Mode::Shared, &[])];
        assert_eq!(access(&bobs, ANN, &[]), None);
        assert!(access(&bobs, BOB, &[]).unwrap().covers("a"));
    }

    #[test]
    fn an_exclusive_card_is_nobody_elses() {
        let all = [
            allocation(SubjectKind::Everyone, None, Mode::Shared, &[]),
            allocation(SubjectKind::Group, Some(7), Mode::Exclusive, &["a"]),
        ];
        let ann = access(&all, ANN, &[]).unwrap();
        assert!(!ann.covers("a") && ann.covers("b"));
        let member = access(&all, BOB, &[7]).unwrap();
        assert!(member.covers("a") && member.covers("b"));
    }

    #[test]
    fn an_exclusive_server_is_nobody_elses() {
        let all = [
            allocation(SubjectKind::Everyone, None, Mode::Shared, &[]),
            allocation(SubjectKind::User, Some(BOB), Mode::Exclusive, &[]),
        ];
        assert_eq!(access(&all, ANN, &[]), None);
        assert!(access(&all, BOB, &[]).is_some());
    }

    #[test]
    fn several_allocations_add_up_and_the_widest_limit_counts() {
        let mut first = allocation(SubjectKind::User, Some(ANN), Mode::Shared, &["a"]);
        first.limits = AllocationLimits { gpus: 1, cpu: 100, ..AllocationLimits::default() };
        let mut second = allocation(SubjectKind::Everyone, None, Mode::Shared, &["b"]);
        second.limits = AllocationLimits { gpus: 2, instances: 3, ..AllocationLimits::default() };
        let both = access(&[first, second], ANN, &[]).unwrap();
        assert!(both.covers("a") && both.covers("b") && !both.covers("c"));
        assert_eq!((both.limit.gpus, both.limit.cpu, both.limit.instances), (Some(2), None, None));
    }

    #[test]
    fn an_allocation_has_its_time() {
        let mut one = allocation(SubjectKind::Everyone, None, Mode::Shared, &[]);
        (one.valid_from, one.valid_until) = (Some(NOW), Some(Timestamp::from_millis(2_000)));
        let at = |millis| Accesses::from(std::slice::from_ref(&one), ANN, &[], Timestamp::from_millis(millis)).of("s");
        assert!(at(999).is_none() && at(1_000).is_some() && at(1_999).is_some() && at(2_000).is_none());
    }
}
