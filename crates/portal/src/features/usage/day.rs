//! A day as people in the lab count it.

use std::fmt;
use std::str::FromStr;

use kernel::Timestamp;
use serde::{Deserialize, Deserializer};
use time::{Date, Month, OffsetDateTime};

use crate::lab_time::EAST_OF_UTC_MS;

/// A day of the lab's time, +08:00; on the wire `2026-11-20`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Day(Date);

/// Not a day between the years 1970 and 9998.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("日期应为 2026-11-20 的形式")]
pub(super) struct NotADay;

impl Day {
    /// The day of a point in time.
    pub(super) fn of(at: Timestamp) -> Self {
        let seconds = at.as_millis().saturating_add(EAST_OF_UTC_MS).div_euclid(1000);
        Self(OffsetDateTime::from_unix_timestamp(seconds).unwrap_or(OffsetDateTime::UNIX_EPOCH).date())
    }

    /// Its midnight.
    pub(super) fn start(self) -> Timestamp {
        let seconds = self.0.midnight().assume_utc().unix_timestamp();
        Timestamp::from_millis(seconds * 1000 - EAST_OF_UTC_MS)
    }

    /// The midnight after it.
    pub(super) fn end(self) -> Timestamp {
        self.next().start()
    }

    pub(super) fn next(self) -> Self {
        Self(self.0.next_day().unwrap_or(Date::MAX))
    }

    pub(super) fn first_of_month(self) -> Self {
        Self(self.0.replace_day(1).unwrap_or(self.0))
    }

    /// The number of days from this day to `last`, both included.
    pub(super) fn through(self, last: Self) -> i64 {
        (last.0 - self.0).whole_days() + 1
    }

    /// The stored form, 20261120: divided by 100 it is the month.
    pub(super) fn number(self) -> i64 {
        let (year, month, day) = self.0.to_calendar_date();
        i64::from(year) * 10_000 + i64::from(u8::from(month)) * 100 + i64::from(day)
    }

    pub(super) fn from_number(number: i64) -> Result<Self, NotADay> {
        if !(19_700_101..=99_981_231).contains(&number) {
            return Err(NotADay);
        }
        let part = |value: i64| u8::try_from(value % 100).map_err(|_| NotADay);
        let year = i32::try_from(number / 10_000).map_err(|_| NotADay)?;
        let month = Month::try_from(part(number / 100)?).map_err(|_| NotADay)?;
        Date::from_calendar_date(year, month, part(number)?).map(Self).map_err(|_| NotADay)
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.0.to_calendar_date();
        write!(f, "{year:04}-{:02}-{day:02}", u8::from(month))
    }
}

impl FromStr for Day {
    type Err = NotADay;

    fn from_str(text: &str) -> Result<Self, NotADay> {
        let well_formed = text.len() == 10
            && text
                .bytes()
                .enumerate()
                .all(|(at, byte)| if at == 4 || at == 7 { byte == b'-' } else { byte.is_ascii_digit() });
        let number = well_formed.then(|| text.replace('-', "").parse().ok()).flatten().ok_or(NotADay)?;
        Self::from_number(number)
    }
}

impl<'de> Deserialize<'de> for Day {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[rstest]
    #[case("2026-11-20T15:59:59.999Z", "2026-11-20")]
    #[case("2026-11-20T16:00:00Z", "2026-11-21")]
    #[case("2026-12-31T16:00:00Z", "2027-01-01")]
    #[case("2028-02-28T16:00:00Z", "2028-02-29")]
    fn a_day_begins_at_midnight_in_china(#[case] moment: &str, #[case] day: &str) {
        let found = Day::of(at(moment));
        assert_eq!(found.to_string(), day);
        assert!(found.start() <= at(moment) && at(moment) < found.end());
    }

    #[rstest]
    #[case("2026-02-29")]
    #[case("2026-13-01")]
    #[case("2026-1-01")]
    #[case("+026-01-01")]
    #[case("0000-01-01")]
    #[case("20261120")]
    #[case("")]
    fn what_is_no_day_is_refused(#[case] text: &str) {
        assert_eq!(text.parse::<Day>(), Err(NotADay));
    }

    proptest! {
        #[test]
        fn a_day_survives_number_and_text(millis in 0_i64..200_000_000_000_000) {
            let day = Day::of(Timestamp::from_millis(millis));
            prop_assert_eq!(Day::from_number(day.number()), Ok(day));
            prop_assert_eq!(day.to_string().parse(), Ok(day));
            prop_assert_eq!(Day::of(day.end()), day.next());
            prop_assert_eq!(day.through(day.next()), 2);
        }
    }
}
