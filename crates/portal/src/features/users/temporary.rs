//! Temporary quotas, after which the earlier ones return; pure.

use db_kit::Record;
use kernel::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::features::settings::Quotas;

/// Until when quotas hold, and what they were before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct TemporaryQuotas {
    pub(super) until: Timestamp,
    pub(super) before: Quotas,
}

/// Temporary quotas and those before. A quota that is equal in both was not granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Record, Serialize, Deserialize)]
pub(super) struct Grant {
    #[record(column = "quotas_before", json)]
    pub(super) before: Quotas,
    #[record(column = "quotas_granted", json)]
    pub(super) granted: Quotas,
}

impl Grant {
    /// Grants quotas to a user who has the present ones, on top of an earlier grant that has not ended.
    pub(super) fn of(earlier: Option<Self>, present: Quotas, granted: Quotas) -> Self {
        let before = match earlier {
            // Quotas that were not changed since keep the value from before the earlier grant.
            Some(earlier) => earlier.restored(present),
            None => present,
        };
        Self { before, granted }
    }

    /// The quotas after the grant's end. A quota that was changed since stays as it is.
    pub(super) fn restored(&self, present: Quotas) -> Quotas {
        let (before, granted, mut now) = (figures(self.before), figures(self.granted), figures(present));
        for (at, figure) in now.iter_mut().enumerate() {
            if *figure == granted[at] {
                *figure = before[at];
            }
        }
        quotas(now)
    }

    /// The rest of the grant after some quotas were set permanently; `None` if nothing is left. `set` applies those
    /// quotas.
    pub(super) fn after(&self, set: impl Fn(Quotas) -> Quotas) -> Option<Self> {
        let left = Self { before: set(self.before), granted: set(self.granted) };
        (left.before != left.granted).then_some(left)
    }
}

fn figures(quotas: Quotas) -> [i64; 6] {
    let Quotas { instance_limit, instance_limit_offset, gpu_limit, cpu_quota, memory_limit, disk_quota } = quotas;
    [instance_limit, instance_limit_offset, gpu_limit, cpu_quota, memory_limit, disk_quota]
}

fn quotas(figures: [i64; 6]) -> Quotas {
    let [instance_limit, instance_limit_offset, gpu_limit, cpu_quota, memory_limit, disk_quota] = figures;
    Quotas { instance_limit, instance_limit_offset, gpu_limit, cpu_quota, memory_limit, disk_quota }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(gpu_limit: i64, disk_quota: i64) -> Quotas {
        Quotas { gpu_limit, disk_quota, ..Quotas::default() }
    }

    #[test]
    fn what_was_before_returns() {
        let grant = Grant::of(None, of(1, 10), of(8, 10));
        assert_eq!(grant.restored(of(8, 10)), of(1, 10));
    }

    #[test]
    fn what_was_set_since_stays() {
        let grant = Grant::of(None, of(1, 10), of(8, 20));
        assert_eq!(grant.restored(of(8, 50)), of(1, 50));
    }

    #[test]
    fn what_was_set_to_the_granted_figure_stays_too() {
        let grant = Grant::of(None, of(1, 10), of(8, 20));
        let left = grant.after(|quotas| Quotas { gpu_limit: 8, ..quotas }).unwrap();
        assert_eq!(left.restored(of(8, 20)), of(8, 10));
        assert_eq!(left.after(|quotas| Quotas { disk_quota: 20, ..quotas }), None);
    }

    #[test]
    fn a_second_grant_goes_back_beyond_the_first() {
        let first = Grant::of(None, of(1, 10), of(8, 10));
        let second = Grant::of(Some(first), of(8, 10), of(8, 99));
        assert_eq!(second.restored(of(8, 99)), of(1, 10));
        let after_a_change = Grant::of(Some(first), of(2, 10), of(4, 10));
        assert_eq!(after_a_change.restored(of(4, 10)), of(2, 10));
    }
}
