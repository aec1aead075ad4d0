//! Levels of quotas, and when to notify of them; without I/O.

use std::time::Duration;

use db_kit::{Column, Record};
use kernel::Timestamp;
use kernel::dataset::DiskHolder;
use serde::{Deserialize, Serialize};

const NEAR_PERCENT: u64 = 90;
/// Below these, a level counts as not notified, so that a holder at the very limit is not notified again and again.
const FORGET_FULL_PERCENT: u64 = 95;
const FORGET_NEAR_PERCENT: u64 = 85;
/// A count is fresh for twice the gap between counts, within these bounds: a round may take hours.
const FRESH_AT_LEAST: Duration = Duration::from_secs(3 * 3600);
const FRESH_AT_MOST: Duration = Duration::from_secs(24 * 3600);

/// The holder of a limit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum SpaceHolder {
    /// The quota of a person or of a group's folder.
    Disk(DiskHolder),
    /// The root of the instance with this id.
    Root(String),
}

impl SpaceHolder {
    /// The stored form.
    pub(crate) fn key(&self) -> String {
        match self {
            Self::Disk(DiskHolder::User(id)) => format!("user:{id}"),
            Self::Disk(DiskHolder::Group(id)) => format!("group:{id}"),
            Self::Root(instance) => format!("root:{instance}"),
        }
    }

    /// `None` for a kind of a later version.
    pub(crate) fn parse(key: &str) -> Option<Self> {
        match key.split_once(':')? {
            ("user", id) => Some(Self::Disk(DiskHolder::User(id.parse().ok()?))),
            ("group", id) => Some(Self::Disk(DiskHolder::Group(id.parse().ok()?))),
            ("root", instance) if !instance.is_empty() => Some(Self::Root(instance.to_owned())),
            _ => None,
        }
    }
}

/// As its key.
impl Column for SpaceHolder {
    type Stored = String;

    fn to_stored(&self) -> String {
        self.key()
    }

    fn from_stored(key: String) -> Result<Self, String> {
        Self::parse(&key).ok_or_else(|| format!("a stored holder is unknown: {key}"))
    }
}

/// How full a quota is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Level {
    Fine,
    /// At 90 % and above.
    Near,
    /// Nothing is left.
    Full,
}

impl Level {
    pub(super) fn of(used: u64, quota: u64) -> Self {
        match percent(used, quota) {
            None => Self::Fine,
            Some(_) if used >= quota => Self::Full,
            Some(percent) if percent >= NEAR_PERCENT => Self::Near,
            Some(_) => Self::Fine,
        }
    }
}

/// Rounded down; `None` without a limit.
pub(super) fn percent(used: u64, quota: u64) -> Option<u64> {
    used.saturating_mul(100).checked_div(quota)
}

/// The last count of a holder.
#[derive(Clone, Debug, PartialEq, Eq, Record)]
#[record(table = "disk_levels", key = "holder")]
pub(crate) struct LevelRow {
    pub(crate) holder: SpaceHolder,
    pub(crate) used: u64,
    /// 0: no limit.
    pub(crate) quota: u64,
    pub(crate) counted: Timestamp,
    /// The time between the last two counts.
    pub(super) gap: Duration,
    /// It was more than at the count before.
    pub(super) grew: bool,
    #[record(word)]
    pub(super) told: Level,
    /// Since when nothing is left.
    pub(super) full_since: Option<Timestamp>,
}

impl LevelRow {
    pub(crate) fn is_full(&self) -> bool {
        Level::of(self.used, self.quota) == Level::Full
    }
}

/// How long a count holds.
pub(super) fn fresh_for(gap: Duration) -> Duration {
    (gap * 2).clamp(FRESH_AT_LEAST, FRESH_AT_MOST)
}

/// The time between counts: the last one, but at least half of the one before, because an immediate count in between
/// says nothing about how long a round takes.
pub(super) fn gap(before: Option<(Timestamp, Duration)>, counted: Timestamp) -> Duration {
    let Some((last, gap)) = before else { return Duration::ZERO };
    let millis = u64::try_from(counted.as_millis() - last.as_millis()).unwrap_or_default();
    let most = FRESH_AT_MOST / 2;
    if millis == 0 { gap } else { Duration::from_millis(millis).min(most).max(gap / 2) }
}

/// The row after a count, and the level to notify, if any.
pub(super) fn next(before: Option<&LevelRow>, count: LevelRow, now: Timestamp) -> (LevelRow, Option<Level>) {
    let level = Level::of(count.used, count.quota);
    let percent = percent(count.used, count.quota).unwrap_or_default();
    let mut told = before.map_or(Level::Fine, |before| before.told);
    if percent < FORGET_NEAR_PERCENT {
        told = Level::Fine;
    } else if percent < FORGET_FULL_PERCENT {
        told = told.min(Level::Near);
    }
    let news = (level > told).then_some(level);
    let grew = match before {
        // The same count, reported again.
        Some(before) if before.counted == count.counted => before.grew,
        Some(before) => count.used > before.used,
        None => false,
    };
    let since = before.and_then(|before| before.full_since).unwrap_or(now);
    let full_since = (level == Level::Full).then_some(since);
    let gap = gap(before.map(|before| (before.counted, before.gap)), count.counted);
    (LevelRow { gap, grew, told: told.max(level), full_since, ..count }, news)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(used: u64, at: i64) -> LevelRow {
        LevelRow {
            holder: SpaceHolder::Disk(DiskHolder::User(7)),
            used,
            quota: 100,
            counted: Timestamp::from_millis(at),
            gap: Duration::ZERO,
            grew: false,
            told: Level::Fine,
            full_since: None,
        }
    }

    #[test]
    fn each_level_is_told_once_until_there_is_room_again() {
        let mut before: Option<LevelRow> = None;
        let mut told = Vec::new();
        for (at, used) in [80, 90, 93, 100, 99, 100, 94, 101, 89, 90, 84, 90, 150].into_iter().enumerate() {
            let at = i64::try_from(at).unwrap();
            let (row, news) = next(before.as_ref(), count(used, at), Timestamp::from_millis(at));
            told.extend(news.map(|level| (used, level)));
            before = Some(row);
        }
        let (near, full) = (Level::Near, Level::Full);
        assert_eq!(told, [(90, near), (100, full), (101, full), (90, near), (150, full)]);
    }

    #[test]
    fn growth_and_the_begin_of_fullness_are_kept() {
        let step = |before: Option<&LevelRow>, used, at| next(before, count(used, at), Timestamp::from_millis(at)).0;
        let first = step(None, 100, 1);
        assert_eq!((first.grew, first.full_since), (false, Some(Timestamp::from_millis(1))));
        let again = step(Some(&first), 100, 2);
        assert_eq!((again.grew, again.full_since), (false, Some(Timestamp::from_millis(1))));
        let more = step(Some(&again), 101, 3);
        assert!(more.grew);
        assert!(step(Some(&more), 101, 3).grew, "the same count is no other news");
        let fewer = step(Some(&more), 99, 4);
        assert_eq!((fewer.grew, fewer.full_since), (false, None));
        let unlimited = next(None, LevelRow { quota: 0, ..count(500, 5) }, Timestamp::from_millis(5));
        assert_eq!((unlimited.0.full_since, unlimited.1), (None, None));
    }

    #[test]
    fn a_count_holds_as_long_as_rounds_take() {
        let (hour, at) = (3600, |hours: i64| Timestamp::from_millis(hours * 3_600_000));
        let hours = |hours: u64| Duration::from_secs(hours * hour);
        assert_eq!(gap(None, at(5)), Duration::ZERO);
        let long = gap(Some((at(5), Duration::ZERO)), at(13));
        assert_eq!((long, fresh_for(long)), (hours(8), hours(16)));
        assert_eq!(gap(Some((at(13), long)), at(13)), long, "the same count was told again");
        assert_eq!(gap(Some((at(13), long)), at(12)), long);
        let asked = gap(Some((at(13), long)), at(14));
        assert_eq!((asked, fresh_for(asked)), (hours(4), hours(8)));
        assert_eq!(fresh_for(gap(Some((at(14), hours(1))), at(15))), hours(3));
        assert_eq!(fresh_for(gap(Some((at(14), hours(1))), at(500))), hours(24));
    }

    #[test]
    fn holders_are_read_as_they_are_stored() {
        let disk = |holder| SpaceHolder::Disk(holder);
        for holder in [disk(DiskHolder::User(7)), disk(DiskHolder::Group(3)), SpaceHolder::Root("a-b".to_owned())] {
            assert_eq!(SpaceHolder::parse(&holder.key()), Some(holder));
        }
        for bad in ["", "user", "user:", "user:x", "root:", "team:7"] {
            assert_eq!(SpaceHolder::parse(bad), None, "{bad:?}");
        }
    }
}
