//! The `Range` header (RFC 9110 §14). Pure.

/// More parts than this are served as the whole file: no client needs them, and answering them
/// costs more than the file (the "Apache killer").
const MAX_PARTS: usize = 16;

/// The requested part of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Everything; also when the header can't be read, which must then be ignored.
    Whole,
    /// First and last byte of each part, within the file, in the requested order.
    Parts(Vec<(u64, u64)>),
    /// Nothing of it is in the file: 416.
    Nothing,
}

/// Reads the header for a file of this size.
pub(crate) fn parse(header: &str, size: u64) -> Wanted {
    let Some((unit, list)) = header.split_once('=') else { return Wanted::Whole };
    if !unit.trim().eq_ignore_ascii_case("bytes") {
        return Wanted::Whole;
    }
    let mut parts = Vec::new();
    let mut specs = 0;
    for spec in list.split(',').map(str::trim).filter(|spec| !spec.is_empty()) {
        specs += 1;
        match one(spec, size) {
            _ if specs > MAX_PARTS => return Wanted::Whole,
            None => return Wanted::Whole,
            Some(part) => parts.extend(part),
        }
    }
    let asked: u128 = parts.iter().map(|(first, last)| u128::from(last - first) + 1).sum();
    match specs {
        0 => Wanted::Whole,
        // Overlapping parts would make an answer larger than the file.
        _ if asked > u128::from(size) => Wanted::Whole,
        _ if parts.is_empty() => Wanted::Nothing,
        _ => Wanted::Parts(parts),
    }
}

/// `None` when it is not a range, `Some(None)` for a range outside of the file.
fn one(spec: &str, size: u64) -> Option<Option<(u64, u64)>> {
    let (first, last) = spec.split_once('-')?;
    match (first.trim(), last.trim()) {
        ("", last) => {
            let length = number(last)?;
            Some((length > 0 && size > 0).then(|| (size.saturating_sub(length), size - 1)))
        }
        (first, "") => {
            let first = number(first)?;
            Some((first < size).then(|| (first, size - 1)))
        }
        (first, last) => {
            let (first, last) = (number(first)?, number(last)?);
            if last < first {
                return None;
            }
            Some((first < size).then(|| (first, last.min(size - 1))))
        }
    }
}

/// Digits only; a number too large for any file is as good as the largest.
fn number(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().unwrap_or(u64::MAX))
}

/// Properties of any header and any file, also for the fuzz target: the first line is the file's size.
///
/// # Panics
/// When a part lies outside of the file, or the answer would be larger than the file.
#[cfg(any(test, feature = "fuzzing"))]
pub fn check_range(text: &str) {
    let (size, header) = text.split_once('\n').unwrap_or_default();
    let size = size.parse().unwrap_or(1000);
    if let Wanted::Parts(parts) = parse(header, size) {
        assert!(!parts.is_empty() && parts.len() <= MAX_PARTS, "{text:?}");
        assert!(parts.iter().all(|(first, last)| first <= last && *last < size), "{text:?}");
        let bytes: u128 = parts.iter().map(|(first, last)| u128::from(last - first) + 1).sum();
        assert!(bytes <= u128::from(size), "{text:?}");
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn table_of_headers() {
        let table = [
            ("bytes=0-3", Wanted::Parts(vec![(0, 3)])),
            ("bytes=5-", Wanted::Parts(vec![(5, 9)])),
            ("bytes=-4", Wanted::Parts(vec![(6, 9)])),
            ("bytes=-40", Wanted::Parts(vec![(0, 9)])),
            ("bytes=8-99999999999999999999999", Wanted::Parts(vec![(8, 9)])),
            ("Bytes = 0-0 , 9-9", Wanted::Parts(vec![(0, 0), (9, 9)])),
            ("bytes=0-0,50-60", Wanted::Parts(vec![(0, 0)])),
            ("bytes=10-", Wanted::Nothing),
            ("bytes=-0", Wanted::Nothing),
            ("bytes=5-3", Wanted::Whole),
            ("bytes=", Wanted::Whole),
            ("bytes=a-b", Wanted::Whole),
            ("bytes=--1", Wanted::Whole),
            ("bytes=+1-2", Wanted::Whole),
            ("items=0-3", Wanted::Whole),
            ("bytes=0-9,0-9", Wanted::Whole),
        ];
        for (header, expected) in table {
            assert_eq!(parse(header, 10), expected, "{header}");
        }
        assert_eq!(parse("bytes=0-", 0), Wanted::Nothing);
        assert_eq!(parse(&format!("bytes={}", "0-0,".repeat(17)), 1000), Wanted::Whole);
    }

    proptest! {
        #[test]
        fn parts_lie_within_the_file(header in "bytes=[0-9, -]{0,40}", size in 0_u64..1000) {
            check_range(&format!("{size}\n{header}"));
        }
    }
}
