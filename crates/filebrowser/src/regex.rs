//! Converts a rule's regular expression to paths below another folder.
//!
//! File Browser matches `/docs/a` where the disk matches `/home/docs/a`. Each alternative is restricted to paths in
//! that folder, and matched against the rest of the path. A start anchor (`^`) inside of an alternative is replaced in
//! place, and the alternative may then also match elsewhere.

/// The same expression for the paths below this prefix, which has no slash at its end.
pub(crate) fn below(prefix: &str, raw: &str) -> String {
    let prefix = escape(prefix);
    let (flags, rest) = flags(raw);
    let alternatives = alternatives(rest).into_iter().map(|text| {
        let begins = text.strip_prefix('^').or_else(|| text.strip_prefix(r"\A"));
        match (begins, begins.unwrap_or(text)) {
            (Some(_), rest) if !has_beginning(rest) => format!("^{prefix}(?:{rest})"),
            (None, rest) if !has_beginning(rest) => format!("^{prefix}(?s:.*)(?:{rest})"),
            _ => replaced(text, &prefix),
        }
    });
    let joined = alternatives.collect::<Vec<_>>().join("|");
    format!("{flags}{joined}")
}

/// Flags for all that follows, such as `(?i)`.
fn flags(raw: &str) -> (&str, &str) {
    let end = raw.strip_prefix("(?").and_then(|rest| rest.find(')')).map_or(0, |at| at + 3);
    let is_flags = end > 0 && raw[2..end - 1].bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-');
    raw.split_at(if is_flags { end } else { 0 })
}

/// The context of each character: top level, group, or literal.
fn scan(text: &str) -> impl Iterator<Item = (usize, char, Part)> {
    let (mut escaped, mut depth) = (false, 0_usize);
    // A bracket at the start of a class, or after its `^`, is literal.
    let mut class: Option<usize> = None;
    text.char_indices().map(move |(at, c)| {
        if escaped {
            escaped = false;
            return (at, c, Part::Literal);
        }
        if c == '\\' {
            escaped = true;
            class = class.map(|count| count + 1);
            return (at, c, Part::Literal);
        }
        match (class, c) {
            (Some(count), ']') if count > 0 => class = None,
            (Some(0), '^') => {}
            (Some(count), _) => class = Some(count + 1),
            (None, '[') => class = Some(0),
            (None, '(') => depth += 1,
            (None, ')') => depth = depth.saturating_sub(1),
            (None, _) => return (at, c, if depth == 0 { Part::Outside } else { Part::Group }),
        }
        (at, c, Part::Literal)
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Outside,
    Group,
    Literal,
}

fn alternatives(text: &str) -> Vec<&str> {
    let mut start = 0;
    let mut parts = Vec::new();
    for (at, c, part) in scan(text) {
        if c == '|' && part == Part::Outside {
            parts.push(&text[start..at]);
            start = at + 1;
        }
    }
    parts.push(&text[start..]);
    parts
}

fn has_beginning(text: &str) -> bool {
    text.contains(r"\A") || scan(text).any(|(_, c, part)| c == '^' && part != Part::Literal)
}

fn replaced(text: &str, prefix: &str) -> String {
    let mut out = String::new();
    for (_, c, part) in scan(text) {
        out.push(c);
        if c == '^' && part != Part::Literal {
            out.push_str(prefix);
        }
    }
    out
}

fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if r"\.+*?()|[]{}^$#&-~".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::below;

    #[rstest]
    #[case(r"\.key$", r"^/home(?s:.*)(?:\.key$)")]
    #[case("^/notes", "^/home(?:/notes)")]
    #[case(r"\A/notes", "^/home(?:/notes)")]
    #[case("(?i)^/a|b$", "(?i)^/home(?:/a)|^/home(?s:.*)(?:b$)")]
    #[case("(^|/)secret", "(^/home|/)secret")]
    #[case(r"[^/|(]+\|x", r"^/home(?s:.*)(?:[^/|(]+\|x)")]
    #[case(r"[]^|]x|\(^a", r"^/home(?s:.*)(?:[]^|]x)|\(^/homea")]
    #[case("", "^/home(?s:.*)(?:)")]
    fn an_expression_is_moved_below_a_folder(#[case] raw: &str, #[case] expected: &str) {
        assert_eq!(below("/home", raw), expected);
    }

    #[test]
    fn a_folder_with_signs_is_taken_as_it_is_written() {
        assert_eq!(below("/home/a.b+c", "^/x"), r"^/home/a\.b\+c(?:/x)");
    }
}
