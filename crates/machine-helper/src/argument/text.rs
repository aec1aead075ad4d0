//! Text from a machine, which is shown to people: bounded, and without characters that change how
//! the rest is shown.

use super::{Invalid, checked_text};

const MAX_FACT_BYTES: usize = 1024;
/// The kernel's own records have at most about this much.
const MAX_LINE_BYTES: usize = 2048;

checked_text!(
    /// A short text of the kernel about a file system.
    Fact,
    fact
);
checked_text!(
    /// A record of the kernel's log.
    LogText,
    line
);

impl Fact {
    /// The text with forbidden characters escaped, cut to the limit.
    #[must_use]
    pub fn escaped(text: &str) -> Self {
        Self(escape(text, MAX_FACT_BYTES))
    }
}

impl LogText {
    /// The text with forbidden characters escaped, cut to the limit.
    #[must_use]
    pub fn escaped(text: &str) -> Self {
        Self(escape(text, MAX_LINE_BYTES))
    }
}

fn fact(text: &str) -> Result<(), Invalid> {
    shown_as_it_is(text, MAX_FACT_BYTES)
}

fn line(text: &str) -> Result<(), Invalid> {
    shown_as_it_is(text, MAX_LINE_BYTES)
}

fn shown_as_it_is(text: &str, longest: usize) -> Result<(), Invalid> {
    if text.len() > longest || text.chars().any(changes_others) {
        return Err(Invalid("the text is too long or has characters that can't be shown"));
    }
    Ok(())
}

/// Control characters move a terminal's cursor; direction marks and invisible characters can disguise a text as another
/// one.
fn changes_others(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

fn escape(text: &str, longest: usize) -> String {
    let mut shown = String::with_capacity(text.len().min(longest));
    let mut word = [0; 4];
    for c in text.chars() {
        let next = if changes_others(c) { c.escape_unicode().to_string() } else { c.encode_utf8(&mut word).to_owned() };
        if shown.len() + next.len() > longest {
            break;
        }
        shown.push_str(&next);
    }
    shown
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_would_paint_a_terminal_is_spelt_out() {
        assert_eq!(LogText::escaped("\u{1b}[2J显卡\r\n").as_str(), "\\u{1b}[2J显卡\\u{d}\\u{a}");
        assert_eq!(Fact::escaped("a\u{202e}b").as_str(), "a\\u{202e}b");
        assert!("\u{1b}[2J".parse::<LogText>().is_err());
        assert_eq!(LogText::escaped(&"字".repeat(2000)).as_str().len(), 2046);
    }

    proptest! {
        #[test]
        fn whatever_is_escaped_passes(text in any::<String>()) {
            let escaped = LogText::escaped(&text);
            prop_assert!(escaped.as_str().parse::<LogText>().is_ok());
            prop_assert!(Fact::escaped(&text).as_str().parse::<Fact>().is_ok());
        }
    }
}
