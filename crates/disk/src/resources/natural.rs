//! The order that people expect of names: without regard to case, numbers by their value.

/// Appends a key for sorting by plain bytes. Names that differ only in case or in leading zeros
/// have equal keys; the caller breaks the tie.
pub(super) fn write_key(name: &str, key: &mut Vec<u8>) {
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        if first.is_ascii_digit() {
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let (number, after) = rest.split_at(end);
            let digits = number.trim_start_matches('0');
            // A longer number is larger. The leading `0` keeps numbers where digits are sorted among signs.
            key.push(b'0');
            key.extend_from_slice(&u16::try_from(digits.len()).unwrap_or(u16::MAX).to_be_bytes());
            key.extend_from_slice(digits.as_bytes());
            rest = after;
        } else if first.is_ascii() {
            key.extend(u8::try_from(first).map(|byte| byte.to_ascii_lowercase()));
            rest = &rest[1..];
        } else {
            let mut buffer = [0; 4];
            for lower in first.to_lowercase() {
                key.extend_from_slice(lower.encode_utf8(&mut buffer).as_bytes());
            }
            rest = &rest[first.len_utf8()..];
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::write_key;

    fn key(name: &str) -> Vec<u8> {
        let mut key = Vec::new();
        write_key(name, &mut key);
        key
    }

    #[test]
    fn s125_numbers_by_value_and_no_regard_to_case() {
        let sorted = ["1.txt", "02.txt", "10.txt", "a", "B", "b1", "b2", "b10", "B10a", "图1", "图2", "图10"];
        assert!(sorted.is_sorted_by_key(|name| key(name)));
        assert_eq!(key("Read Me"), key("read ME"));
        assert_eq!(key("a01"), key("a1"));
    }

    proptest! {
        #[test]
        fn numbers_compare_like_numbers(a in any::<u64>(), b in any::<u64>(), around in "[a-z]{0,3}") {
            prop_assert_eq!(key(&format!("{around}{a}x")).cmp(&key(&format!("{around}{b}x"))), a.cmp(&b));
        }
    }
}
