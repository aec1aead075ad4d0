//! A line as it was typed. Pure.

/// Why a line is not run; the text is sent to the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum LineError {
    #[error("Unbalanced quotes.")]
    Quotes,
    #[error("Command not allowed.")]
    NotAllowed,
}

/// Splits a line into words; the first must be exactly in the list. Quotes and backslashes group as in a shell; all
/// other special characters of a shell are ordinary ones.
pub(super) fn words(line: &str, allowed: &[String]) -> Result<Vec<String>, LineError> {
    // Comments are a shell's, and so is a second line.
    if line.contains(['\n', '\r', '\0']) {
        return Err(LineError::NotAllowed);
    }
    let words = shlex::split(line).ok_or(LineError::Quotes)?;
    match words.first() {
        Some(program) if allowed.contains(program) => Ok(words),
        _ => Err(LineError::NotAllowed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_and_the_name_is_compared_whole() {
        let allowed = ["ls".to_owned(), "git".to_owned()];
        let table: [(&str, Result<&[&str], LineError>); 12] = [
            ("ls -l 'a b'", Ok(&["ls", "-l", "a b"])),
            ("git log --format=%h\\ x", Ok(&["git", "log", "--format=%h x"])),
            ("ls; id", Err(LineError::NotAllowed)),
            ("ls ; id", Ok(&["ls", ";", "id"])),
            ("ls $(id) `id`", Ok(&["ls", "$(id)", "`id`"])),
            ("ls\nid", Err(LineError::NotAllowed)),
            ("lsattr", Err(LineError::NotAllowed)),
            ("false", Err(LineError::NotAllowed)),
            ("/bin/ls", Err(LineError::NotAllowed)),
            ("LS", Err(LineError::NotAllowed)),
            ("ls 'x", Err(LineError::Quotes)),
            ("''", Err(LineError::NotAllowed)),
        ];
        for (line, expected) in table {
            let expected = expected.map(|words| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
            assert_eq!(words(line, &allowed), expected, "{line}");
        }
    }
}
