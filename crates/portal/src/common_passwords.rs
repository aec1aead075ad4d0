//! The list of common passwords (origin: `data/README.md`).

/// One password per line, in lower case, sorted by bytes.
const LIST: &str = include_str!("../data/common-passwords.txt");

/// Whether a password is in the list, ignoring case.
pub(crate) fn is_common(password: &str) -> bool {
    let wanted = password.to_ascii_lowercase();
    let mut rest = LIST;
    while !rest.is_empty() {
        // The line that contains the middle byte.
        let middle = rest.len() / 2;
        let start = rest.get(..middle).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
        let end = rest.get(start..).and_then(|after| after.find('\n')).map_or(rest.len(), |length| start + length);
        let line = rest.get(start..end).unwrap_or_default();
        rest = match wanted.as_str().cmp(line) {
            std::cmp::Ordering::Equal => return true,
            std::cmp::Ordering::Less => rest.get(..start).unwrap_or_default(),
            std::cmp::Ordering::Greater => rest.get(end + 1..).unwrap_or_default(),
        };
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_found_and_nothing_else() {
        assert!(LIST.lines().is_sorted() && LIST.lines().count() > 10_000);
        assert!(LIST.lines().all(|line| is_common(line) && kernel::rules::is_password(line)));
        assert!(is_common("PassWord1") && is_common("abc123"));
        for other in ["", "a", "zzzzzzzz9", "lab2026a", "password1\n", "abc123x9y"] {
            assert!(!is_common(other), "{other}");
        }
    }
}
