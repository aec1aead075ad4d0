//! Quotas: how much a person may hold, and what exceeds it; pure.

use engine::Resources;
use http_kit::FieldProblem;
use kernel::units::{CPU_PERIOD, GB};

const MIB: i64 = 1024 * 1024;

/// An amount that is held or requested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Amount {
    pub(crate) instances: i64,
    pub(crate) gpus: i64,
    /// Microseconds per 100 000 µs.
    pub(crate) cpu: i64,
    /// Bytes.
    pub(crate) memory: i64,
}

impl Amount {
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            instances: self.instances.saturating_add(other.instances),
            gpus: self.gpus.saturating_add(other.gpus),
            cpu: self.cpu.saturating_add(other.cpu),
            memory: self.memory.saturating_add(other.memory),
        }
    }
}

/// Upper limits; `None` is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Limit {
    pub(crate) instances: Option<i64>,
    pub(crate) gpus: Option<i64>,
    pub(crate) cpu: Option<i64>,
    pub(crate) memory: Option<i64>,
}

/// In most limits 0 means no limit.
pub(crate) fn unless_zero(limit: i64) -> Option<i64> {
    (limit > 0).then_some(limit)
}

/// A part of an amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Resource {
    Instances,
    Gpus,
    Cpu,
    Memory,
}

/// What would exceed a limit, in the units of [`Amount`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Excess {
    pub(crate) resource: Resource,
    pub(crate) limit: i64,
    pub(crate) held: i64,
    pub(crate) wanted: i64,
}

impl Limit {
    /// Lists what would exceed the limits.
    pub(crate) fn excesses(&self, held: Amount, wanted: Amount) -> Vec<Excess> {
        let parts = [
            (Resource::Instances, self.instances, held.instances, wanted.instances),
            (Resource::Gpus, self.gpus, held.gpus, wanted.gpus),
            (Resource::Cpu, self.cpu, held.cpu, wanted.cpu),
            (Resource::Memory, self.memory, held.memory, wanted.memory),
        ];
        let excess = |(resource, limit, held, wanted): (Resource, Option<i64>, i64, i64)| {
            let limit = limit.filter(|limit| wanted > 0 && held.saturating_add(wanted) > *limit)?;
            Some(Excess { resource, limit, held, wanted })
        };
        parts.into_iter().filter_map(excess).collect()
    }
}

impl Excess {
    /// The field of a form, and a sentence with the amount held and the limit. `whose` begins it.
    pub(crate) fn told(&self, whose: &str) -> FieldProblem {
        let (field, say): (&str, fn(i64) -> String) = match self.resource {
            Resource::Instances => ("instances", |n| format!("{n} 个实例")),
            Resource::Gpus => ("gpus", |n| format!("{n} 张显卡")),
            Resource::Cpu => ("cpuQuota", cores),
            Resource::Memory => ("memory", gigabytes),
        };
        let (limit, held, wanted) = (say(self.limit), say(self.held), say(self.wanted));
        let message = format!("{whose}配额不足：上限 {limit}，已用 {held}，还需 {wanted}");
        FieldProblem { name: field.to_owned(), message }
    }
}

/// CPU and memory, as pages show them.
pub(crate) fn size_in_words(size: Resources) -> String {
    let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    format!("{}、{} 内存", cores(number(size.cpu_quota)), gigabytes(number(size.memory)))
}

/// As pages show it.
fn cores(quota: i64) -> String {
    if quota % CPU_PERIOD == 0 {
        return format!("{} 核", quota / CPU_PERIOD);
    }
    let hundredths = quota * 100 / CPU_PERIOD;
    format!("{}.{:02} 核", hundredths / 100, hundredths % 100)
}

fn gigabytes(bytes: i64) -> String {
    if bytes % GB == 0 { format!("{} GB", bytes / GB) } else { format!("{} MB", bytes / MIB) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    prop_compose! {
        fn amount()(instances in 0..50_i64, gpus in 0..50_i64, cpu in 0..50_i64, memory in 0..50_i64) -> Amount {
            Amount { instances, gpus, cpu: cpu * CPU_PERIOD / 2, memory: memory * GB }
        }
    }

    proptest! {
        #[test]
        fn s029_what_is_allowed_stays_within_every_limit(limit in amount(), held in amount(), wanted in amount()) {
            let limits = Limit {
                instances: Some(limit.instances), gpus: Some(limit.gpus),
                cpu: unless_zero(limit.cpu), memory: unless_zero(limit.memory),
            };
            let refused = limits.excesses(held, wanted);
            let over = |limit: i64, held: i64, wanted: i64| wanted > 0 && held + wanted > limit;
            let expected = usize::from(over(limit.instances, held.instances, wanted.instances))
                + usize::from(over(limit.gpus, held.gpus, wanted.gpus))
                + usize::from(limit.cpu > 0 && over(limit.cpu, held.cpu, wanted.cpu))
                + usize::from(limit.memory > 0 && over(limit.memory, held.memory, wanted.memory));
            prop_assert_eq!(refused.len(), expected);
            prop_assert!(Limit::default().excesses(held, wanted).is_empty());
        }
    }

    #[test]
    fn the_words_say_how_much() {
        let limit = Limit { gpus: Some(4), cpu: Some(4 * CPU_PERIOD), ..Limit::default() };
        let held = Amount { gpus: 3, cpu: 2 * CPU_PERIOD, ..Amount::default() };
        let wanted = Amount { gpus: 2, cpu: 250_000, ..Amount::default() };
        let messages: Vec<String> = limit.excesses(held, wanted).iter().map(|one| one.told("你的").message).collect();
        assert_eq!(messages[0], "你的配额不足：上限 4 张显卡，已用 3 张显卡，还需 2 张显卡");
        assert_eq!(messages[1], "你的配额不足：上限 4 核，已用 2 核，还需 2.50 核");
    }
}
