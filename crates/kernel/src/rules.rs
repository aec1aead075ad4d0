//! The rules for names, passwords and addresses (SPEC §5). Without I/O; the pages have the same rules, and a test
//! compares both against one table (`rules.tsv`).

/// The folder that the network disk has for itself wherever it keeps files.
pub const DISK_FOLDER: &str = ".yunlab";

/// Usernames: 2 to 20 characters of letters, digits, `.` and `@`; with `allow_underscore` also
/// `_`. Two names are refused beyond the specification's rule, because the name is also the name
/// of the home folder: dots alone, and [`DISK_FOLDER`].
#[must_use]
pub fn is_username(text: &str, allow_underscore: bool) -> bool {
    (2..=20).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'.' || b == b'@' || (allow_underscore && b == b'_'))
        && !text.bytes().all(|b| b == b'.')
        && !text.eq_ignore_ascii_case(DISK_FOLDER)
}

/// Passwords: 6 to 30 characters with at least one letter and one digit, none of them a control
/// character.
#[must_use]
pub fn is_password(text: &str) -> bool {
    (6..=30).contains(&text.chars().count())
        && text.bytes().any(|b| b.is_ascii_alphabetic())
        && text.bytes().any(|b| b.is_ascii_digit())
        && !text.chars().any(char::is_control)
}

/// 0 to 30 characters of letters, digits and underscore.
#[must_use]
pub fn is_short_word(text: &str) -> bool {
    text.len() <= 30 && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// An e-mail address as people write them: one `@`, a dotted domain of letters, digits and
/// hyphens, at most 254 characters (RFC 5321), no quoting and no address literals.
#[must_use]
pub fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    let local_ok = (1..=64).contains(&local.len())
        && local.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~.".contains(&b))
        && local.split('.').all(|part| !part.is_empty());
    let label_ok = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    text.len() <= 254 && local_ok && domain.contains('.') && domain.split('.').all(label_ok)
}

/// A mainland phone number: 1, then 3 to 9, then nine digits.
#[must_use]
pub fn is_mainland_phone(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == 11 && bytes[0] == b'1' && (b'3'..=b'9').contains(&bytes[1]) && bytes.iter().all(u8::is_ascii_digit)
}

/// A line of text for people: at most `max` characters, no control characters (NUL and newline
/// among them) and none of the marks that turn the reading direction and so can fake a name.
#[must_use]
pub fn is_line(text: &str, max: usize) -> bool {
    text.chars().count() <= max && !text.chars().any(|c| c.is_control() || is_direction_mark(c))
}

/// Reduces a text to one line: characters that [`is_line`] rejects become `\u{fffd}`, and characters beyond `max` are
/// dropped.
#[must_use]
pub fn as_line(text: &str, max: usize) -> String {
    text.chars().take(max).map(|c| if c.is_control() || is_direction_mark(c) { '\u{fffd}' } else { c }).collect()
}

/// Like [`is_line`], but with line breaks and tabs.
#[must_use]
pub fn is_text(text: &str, max: usize) -> bool {
    text.chars().count() <= max
        && !text.chars().any(|c| (c.is_control() && !matches!(c, '\n' | '\r' | '\t')) || is_direction_mark(c))
}

fn is_direction_mark(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The cases that server and pages must judge alike.
    const TABLE: &str = include_str!("rules.tsv");

    /// S253–S258: every rule.
    #[test]
    fn table_of_cases() {
        for line in TABLE.lines().skip(1) {
            let [rule, text, expected] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
            let allowed = match rule {
                "username" => is_username(text, false),
                "username_underscore" => is_username(text, true),
                "password" => is_password(text),
                "short_word" => is_short_word(text),
                "email" => is_email(text),
                "phone" => is_mainland_phone(text),
                other => panic!("no rule {other}"),
            };
            assert_eq!(allowed, expected == "yes", "{rule} {text:?}");
        }
    }

    proptest! {
        #[test]
        fn a_username_is_a_harmless_folder_name(text in "\\PC{0,24}") {
            if is_username(&text, true) {
                prop_assert!(!text.contains(['/', '\\', '\0']) && text != "." && text != "..");
                prop_assert!(text.is_ascii() && text.len() <= 20 && !text.eq_ignore_ascii_case(DISK_FOLDER));
            }
        }

        #[test]
        fn no_rule_panics_and_none_lets_controls_in(text in any::<String>()) {
            let accepted = is_username(&text, true) || is_password(&text) || is_short_word(&text)
                || is_email(&text) || is_mainland_phone(&text) || is_line(&text, 1000);
            let has_control = text.chars().any(char::is_control);
            prop_assert!(!accepted || !has_control);
        }

        #[test]
        fn anything_becomes_a_line_and_a_line_stays_as_it_is(text in any::<String>()) {
            let line = as_line(&text, 20);
            prop_assert!(is_line(&line, 20));
            prop_assert!(!is_line(&text, 20) || line == text);
        }

        #[test]
        fn every_well_formed_phone_is_taken(text in "1[3-9][0-9]{9}") {
            prop_assert!(is_mainland_phone(&text));
        }
    }
}
