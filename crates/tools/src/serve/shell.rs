//! Commands where there is no shell: a plain list of words can be run without one.

/// What means something to a shell beyond separating words and quoting.
const SPECIAL: &[u8] = b"|&;<>()$`*?[]{}~#!\\\n\r";

/// The words of a command; `None` when it needs a shell.
pub(super) fn words(command: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut words = Vec::new();
    // What was read of the present word.
    let mut word: Option<Vec<u8>> = None;
    let mut bytes = command.iter().copied();
    while let Some(byte) = bytes.next() {
        match byte {
            b' ' | b'\t' => words.extend(word.take()),
            b'\'' | b'"' => {
                let word = word.get_or_insert_default();
                loop {
                    match bytes.next()? {
                        end if end == byte => break,
                        b'$' | b'`' | b'\\' if byte == b'"' => return None,
                        other => word.push(other),
                    }
                }
            }
            // A variable for one command.
            b'=' if words.is_empty() => return None,
            special if SPECIAL.contains(&special) => return None,
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_words_need_no_shell() {
        let parsed = |command: &str| {
            let words = words(command.as_bytes())?;
            Some(words.into_iter().map(|word| String::from_utf8(word).unwrap()).collect::<Vec<_>>())
        };
        assert_eq!(parsed("/app/server --port 80").unwrap(), ["/app/server", "--port", "80"]);
        assert_eq!(parsed("  scp -t '数据 1.txt' ''  \"a b\"c ").unwrap(), ["scp", "-t", "数据 1.txt", "", "a bc"]);
        assert_eq!(parsed("").unwrap(), [""; 0]);
        for needs in ["a | b", "a; b", "echo $HOME", "ls *", "X=1 a", "a \"$b\"", "'a", "a\nb", "cd ~", "a\\ b", "a &"]
        {
            assert_eq!(parsed(needs), None, "{needs}");
        }
        assert_eq!(parsed("env X=1 a").unwrap(), ["env", "X=1", "a"]);
    }
}
