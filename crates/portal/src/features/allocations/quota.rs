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

impl Limit {
    /// Lists what would exceed the limits, each with the amount held and the limit. `whose` begins each sentence.
    pub(crate) fn exceeded(&self, whose: &str, held: Amount, wanted: Amount) -> Vec<FieldProblem> {
        let mut found = Vec::new();
        let mut check = |field: &str, limit: Option<i64>, held: i64, wanted: i64, say: &dyn Fn(i64) -> String| {
            if let Some(limit) = limit
                && wanted > 0
                && held.saturating_add(wanted) > limit
            {
                let (limit, held, wanted) = (say(limit), say(held), say(wanted));
                let message = format!("{whose}配额不足：上限 {limit}，已用 {held}，还需 {wanted}");
                found.push(FieldProblem { name: field.to_owned(), message });
            }
        };
        check("instances", self.instances, held.instances, wanted.instances, &|n| format!("{n} 个实例"));
        check("gpus", self.gpus, held.gpus, wanted.gpus, &|n| format!("{n} 张显卡"));
        check("cpuQuota", self.cpu, held.cpu, wanted.cpu, &cores);
        check("memory", self.memory, held.memory, wanted.memory, &gigabytes);
        found
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
            let refused = limits.exceeded("你的", held, wanted);
            let over = |limit: i64, held: i64, wanted: i64| wanted > 0 && held + wanted > limit;
            let expected = usize::from(over(limit.instances, held.instances, wanted.instances))
                + usize::from(over(limit.gpus, held.gpus, wanted.gpus))
                + usize::from(limit.cpu > 0 && over(limit.cpu, held.cpu, wanted.cpu))
                + usize::from(limit.memory > 0 && over(limit.memory, held.memory, wanted.memory));
            prop_assert_eq!(refused.len(), expected);
            prop_assert!(Limit::default().exceeded("", held, wanted).is_empty());
        }
    }

    #[test]
    fn the_words_say_how_much() {
        let limit = Limit { gpus: Some(4), cpu: Some(4 * CPU_PERIOD), ..Limit::default() };
        let held = Amount { gpus: 3, cpu: 2 * CPU_PERIOD, ..Amount::default() };
        let wanted = Amount { gpus: 2, cpu: 250_000, ..Amount::default() };
        let messages: Vec<String> = limit.exceeded("你的", held, wanted).into_iter().map(|one| one.message).collect();
        assert_eq!(messages[0], "你的配额不足：上限 4 张显卡，已用 3 张显卡，还需 2 张显卡");
        assert_eq!(messages[1], "你的配额不足：上限 4 核，已用 2 核，还需 2.50 核");
    }
}
