//! Reports on the wire, and the rules of adding up.

use std::time::Duration;

use http_kit::ApiResult;
use kernel::{Order, Timestamp, UserId};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::day::Day;
use crate::check::Check;

/// Samples and leases younger than this may not be written yet.
const SETTLED_AFTER: Duration = Duration::from_secs(120);
/// How often the present day is added up.
const ADDED_UP_EVERY: Duration = Duration::from_secs(300);
const MINUTE_MS: i64 = 60_000;
/// The most days in a report by day: a year and a begun one.
const MOST_DAYS: i64 = 400;
/// Days in any other report.
const MOST_DAYS_OF_MONTHS: i64 = 3700;

/// What each row of a report covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum UsagePeriod {
    #[default]
    Day,
    Month,
    /// All of the time that was asked for.
    Range,
}

/// Whom each row of a report is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum UsageSubject {
    #[default]
    Person,
    Group,
}

/// What is asked of a report.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct UsageQuery {
    #[param(minimum = 1)]
    pub(super) page: Option<u32>,
    #[param(minimum = 1, maximum = 200)]
    pub(super) size: Option<u32>,
    /// `period`, `name`, `held`, `used`, `unmeasured`, `utilization`, `cpu` or `instances`.
    pub(super) sort: Option<String>,
    #[param(inline)]
    pub(super) order: Option<Order>,
    /// The first day, of the lab's time (+08:00); the first of this month when left out.
    #[param(value_type = Option<String>, format = Date)]
    pub(super) from: Option<Day>,
    /// The last day; today when left out.
    #[param(value_type = Option<String>, format = Date)]
    pub(super) to: Option<Day>,
    /// What a row covers; a day when left out.
    #[param(inline)]
    pub(super) by: Option<UsagePeriod>,
    /// Whom a row is about; a person when left out.
    #[param(inline)]
    pub(super) subject: Option<UsageSubject>,
    /// Of this person.
    pub(super) person: Option<UserId>,
    /// Of the people of this group, on days when they were in it.
    pub(super) group: Option<i64>,
    /// On this server.
    pub(super) server: Option<String>,
}

/// The days of a report, both counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Days {
    pub(super) first: Day,
    pub(super) last: Day,
}

impl UsageQuery {
    pub(super) fn days(&self, now: Timestamp) -> ApiResult<Days> {
        let last = self.to.unwrap_or_else(|| Day::of(now));
        let first = self.from.unwrap_or_else(|| last.first_of_month());
        let (most, advice) = match self.by() {
            UsagePeriod::Day => (MOST_DAYS, "请缩短范围或按月统计"),
            UsagePeriod::Month | UsagePeriod::Range => (MOST_DAYS_OF_MONTHS, "请缩短范围"),
        };
        let mut check = Check::default();
        check.that(first <= last, "to", "结束日期不能早于开始日期").that(
            first.through(last) <= most,
            "from",
            &format!("最多 {most} 天，{advice}"),
        );
        check.finish()?;
        Ok(Days { first, last })
    }

    pub(super) fn by(&self) -> UsagePeriod {
        self.by.unwrap_or_default()
    }

    pub(super) fn subject(&self) -> UsageSubject {
        self.subject.unwrap_or_default()
    }
}

impl UsagePeriod {
    /// Divides a day's number into its period's number.
    pub(super) const fn divisor(self) -> i64 {
        match self {
            Self::Day => 1,
            Self::Month => 100,
            Self::Range => 100_000_000,
        }
    }

    /// A period's name, from its number.
    pub(super) fn name(self, number: i64, days: Days) -> String {
        match self {
            Self::Day => format!("{:04}-{:02}-{:02}", number / 10_000, number / 100 % 100, number % 100),
            Self::Month => format!("{:04}-{:02}", number / 100, number % 100),
            Self::Range => format!("{}/{}", days.first, days.last),
        }
    }
}

/// What was used.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct UsageFigures {
    /// Card-hours held: two cards for three hours are six, whether they computed or not.
    pub(super) held_hours: f64,
    /// Card-hours really used: the utilization over the time in which it was measured, so that a card at 50 %
    /// for two hours is one.
    pub(super) used_hours: f64,
    /// Of the card-hours held, those without a measured load: the card does not report it, or its server
    /// did not answer. They are neither used nor idle.
    pub(super) unmeasured_hours: f64,
    /// Percent, on average over the measured time; absent when nothing was measured.
    pub(super) utilization: Option<f64>,
    /// Hours of one processor core, as far as they were measured.
    pub(super) cpu_hours: f64,
    /// Instances that held a card or computed.
    pub(super) instances: i64,
}

/// What one person or group used in one period.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct UsageRow {
    /// Of the person or group; absent: of people who were in no group.
    pub(super) id: Option<i64>,
    /// The user name, or the group's name.
    pub(super) name: String,
    /// The person's own name; empty for groups and for accounts that are gone.
    pub(super) full_name: String,
    /// `2026-11-20`, `2026-11`, or `2026-11-01/2026-11-20`.
    pub(super) period: String,
    #[serde(flatten)]
    pub(super) figures: UsageFigures,
}

/// The use of all users of a report in one period.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(super) struct UsagePoint {
    pub(super) period: String,
    #[serde(flatten)]
    pub(super) figures: UsageFigures,
}

/// Who used what.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(super) struct UsageReport {
    pub(super) items: Vec<UsageRow>,
    /// Rows in all pages together.
    pub(super) total: i64,
    /// All rows together; who is in several groups counts once.
    pub(super) sum: UsageFigures,
    /// The same by month, or else by day, oldest first. Periods without any use are left out.
    pub(super) points: Vec<UsagePoint>,
    /// Up to when use has been added up; absent: nothing yet.
    pub(super) until: Option<Timestamp>,
}

/// Hours with two decimals.
pub(super) fn hours(millis: i64) -> f64 {
    (millis as f64 / 36_000.0).round() / 100.0
}

/// Percent, with one decimal.
pub(super) fn percent(part: i64, of: i64) -> Option<f64> {
    (of > 0).then(|| (part as f64 / of as f64 * 1000.0).round() / 10.0)
}

/// How many of a lease's milliseconds lie in a span of time.
pub(super) fn overlap(since: i64, until: Option<i64>, from: Timestamp, to: Timestamp) -> i64 {
    let end = until.unwrap_or(i64::MAX).min(to.as_millis());
    (end - since.max(from.as_millis())).max(0)
}

/// The time up to which everything is written: a whole minute, because samples are by the minute.
pub(super) fn settled(now: Timestamp) -> Timestamp {
    let millis = now.minus(SETTLED_AFTER).as_millis();
    Timestamp::from_millis(millis.div_euclid(MINUTE_MS) * MINUTE_MS)
}

/// A day to add up, from its midnight to this time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) day: Day,
    pub(super) until: Timestamp,
}

impl Step {
    /// Returns the next step, if it is due. `done`: the last step; `first`: the first day, when there was no step.
    pub(super) fn next(done: Option<Self>, first: Day, settled: Timestamp) -> Option<Self> {
        let (day, from) = match done {
            None => (first, first.start()),
            Some(done) if done.until >= done.day.end() => (done.day.next(), done.day.end()),
            Some(done) => (done.day, done.until),
        };
        let until = settled.min(day.end());
        let due = until == day.end() || from == day.start() || until >= from.plus(ADDED_UP_EVERY);
        (until > from && due).then_some(Self { day, until })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    const HOUR: i64 = 3_600_000;

    fn day(text: &str) -> Day {
        text.parse().unwrap()
    }

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn a_lease_over_midnight_is_split() {
        let (friday, saturday) = (day("2026-11-20"), day("2026-11-21"));
        let since = friday.end().as_millis() - 2 * HOUR;
        let part = |of: Day, until| overlap(since, until, of.start(), of.end());
        assert_eq!((part(friday, None), part(saturday, None)), (2 * HOUR, 24 * HOUR));
        assert_eq!(part(saturday, Some(since + 5 * HOUR)), 3 * HOUR);
        assert_eq!(part(saturday, Some(since + HOUR)), 0);
        assert_eq!(part(saturday.next(), Some(since + 5 * HOUR)), 0);
    }

    proptest! {
        #[test]
        fn the_days_of_a_lease_make_up_the_whole(since in 0_i64..400 * HOUR, length in 0_i64..200 * HOUR) {
            let first = Day::of(Timestamp::from_millis(since));
            let days = std::iter::successors(Some(first), |day| Some(day.next())).take(12);
            let sum: i64 = days.map(|day| overlap(since, Some(since + length), day.start(), day.end())).sum();
            prop_assert_eq!(sum, length);
        }
    }

    #[rstest]
    #[case::first_of_all(None, "2026-11-20T10:00:00Z", Some("2026-11-20T10:00:00Z"))]
    #[case::too_soon(Some("2026-11-20T10:00:00Z"), "2026-11-20T10:04:00Z", None)]
    #[case::later(Some("2026-11-20T10:00:00Z"), "2026-11-20T10:05:00Z", Some("2026-11-20T10:05:00Z"))]
    #[case::the_end_at_once(Some("2026-11-20T15:59:00Z"), "2026-11-20T16:00:00Z", Some("2026-11-20T16:00:00Z"))]
    #[case::not_beyond_it(Some("2026-11-20T10:00:00Z"), "2026-11-22T10:00:00Z", Some("2026-11-20T16:00:00Z"))]
    #[case::a_clock_set_back(Some("2026-11-20T10:00:00Z"), "2026-11-20T09:00:00Z", None)]
    fn a_day_is_added_up_again_until_it_is_over(
        #[case] done: Option<&str>,
        #[case] settled: &str,
        #[case] until: Option<&str>,
    ) {
        let friday = day("2026-11-20");
        let done = done.map(|until| Step { day: friday, until: at(until) });
        assert_eq!(Step::next(done, friday, at(settled)), until.map(|until| Step { day: friday, until: at(until) }));
    }

    #[test]
    fn after_a_day_comes_the_next() {
        let friday = day("2026-11-20");
        let done = Some(Step { day: friday, until: friday.end() });
        assert_eq!(Step::next(done, friday, friday.end()), None);
        let next = Step { day: friday.next(), until: friday.end().plus(Duration::from_secs(60)) };
        assert_eq!(Step::next(done, friday, next.until), Some(next));
    }

    #[test]
    fn use_is_settled_by_whole_minutes() {
        assert_eq!(settled(at("2026-11-20T10:02:59.999Z")), at("2026-11-20T10:00:00Z"));
    }

    #[test]
    fn what_was_not_measured_has_no_utilization() {
        assert_eq!((percent(0, 0), percent(0, HOUR), percent(HOUR, 3 * HOUR)), (None, Some(0.0), Some(33.3)));
        assert_eq!((hours(HOUR), hours(HOUR / 3)), (1.0, 0.33));
    }
}
