//! Names of scheduled backups, and which of them are surplus; pure.

use kernel::Timestamp;

const PREFIX: &str = "yunlab-";
const PLAIN: &str = ".tar.zst";
const ENCRYPTED: &str = ".tar.zst.age";
/// Suffix of an unfinished file.
pub(super) const PART: &str = ".part";

/// The name of a backup that is made at this time. Names sort by time.
pub(super) fn name(at: Timestamp, encrypted: bool) -> String {
    // 2026-11-26T10:30:00.123Z without characters that file systems and shells treat specially.
    let time: String = at.to_string().chars().filter(char::is_ascii_alphanumeric).collect();
    format!("{PREFIX}{time}{}", if encrypted { ENCRYPTED } else { PLAIN })
}

/// Whether it is the name of a scheduled backup. Other files in the folder are not ours.
pub(super) fn is_own(name: &str) -> bool {
    let time = name.strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix(ENCRYPTED).or(rest.strip_suffix(PLAIN)));
    time.is_some_and(|time| {
        let (date, rest) = time.split_once('T').unwrap_or_default();
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        date.len() == 8 && digits(date) && rest.strip_suffix('Z').is_some_and(digits)
    })
}

/// Whether it is the name of an unfinished backup.
pub(super) fn is_own_part(name: &str) -> bool {
    name.strip_suffix(PART).is_some_and(is_own)
}

/// Returns the surplus backups, when the newest `keep` are kept. Never the one that was just verified: another may have
/// a later time in its name, made while the clock was wrong. Empty when none is scheduled (`keep` is 0).
pub(super) fn superfluous(names: &[String], good: &str, keep: u32) -> Vec<String> {
    let Some(others) = keep.checked_sub(1) else { return Vec::new() };
    let mut own: Vec<&String> = names.iter().filter(|name| is_own(name) && *name != good).collect();
    own.sort_unstable_by(|a, b| b.cmp(a));
    own.into_iter().skip(usize::try_from(others).unwrap_or(usize::MAX)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[test]
    fn names_sort_by_time_and_are_recognized() {
        let at = |millis| name(Timestamp::from_millis(millis), false);
        let names = [at(1_795_168_800_000), at(1_795_168_800_005), at(1_795_255_200_000)];
        assert!(names.is_sorted() && names.iter().all(|name| is_own(name)), "{names:?}");
        assert!(is_own(&name(Timestamp::from_millis(0), true)));
        assert!(is_own_part(&format!("{}{PART}", names[0])));
    }

    #[rstest]
    #[case("yunlab.tar.zst")]
    #[case("yunlab-20261122.tar.zst")]
    #[case("yunlab-20261122T1000Z.tar.zst.part")]
    #[case("yunlab-2026112xT100000000Z.tar.zst")]
    #[case("before-yunlab-20261122T100000000Z.tar.zst")]
    #[case("yunlab-20261122T100000000Z.tar.zst.sha256")]
    fn what_others_put_there_is_theirs(#[case] name: &str) {
        assert!(!is_own(name));
        assert_eq!(superfluous(&[name.to_owned()], "", 1), Vec::<String>::new());
    }

    #[rstest]
    #[case::switched_off(&[1, 2, 3], 3, 0, &[])]
    #[case::enough_room(&[1, 2, 3], 3, 3, &[])]
    #[case::one_too_many(&[1, 2, 3, 4], 4, 3, &[1])]
    #[case::order_does_not_matter(&[3, 1, 4, 2], 4, 2, &[2, 1])]
    #[case::fewer_than_before(&[1, 2, 3, 4, 5], 5, 1, &[4, 3, 2, 1])]
    #[case::the_good_one_is_not_the_newest_by_name(&[1, 2, 9], 2, 2, &[1])]
    #[case::nor_with_one_kept(&[1, 2, 9], 2, 1, &[9, 1])]
    fn the_newest_stay(#[case] days: &[i64], #[case] good: i64, #[case] keep: u32, #[case] gone: &[i64]) {
        let named = |days: &[i64]| -> Vec<String> {
            days.iter().map(|day| name(Timestamp::from_millis(day * 86_400_000), day % 2 == 0)).collect()
        };
        let mut there = named(days);
        there.push("notes.txt".to_owned());
        assert_eq!(superfluous(&there, &named(&[good])[0], keep), named(gone));
    }
}
