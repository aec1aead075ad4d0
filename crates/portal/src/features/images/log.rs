//! A job's output, kept up to a size: a log that grows too long loses its beginning.

/// Kept at most.
const MOST_BYTES: usize = 512 * 1024;

/// The end of the output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Log {
    text: String,
    /// Bytes that came before `text`.
    gone: usize,
}

impl Log {
    pub(super) fn push(&mut self, text: &str) {
        // PostgreSQL keeps no NUL.
        self.text.push_str(&text.replace('\0', ""));
        if self.text.len() > MOST_BYTES {
            let cut = self.text.ceil_char_boundary(self.text.len() - MOST_BYTES / 2);
            let cut = self.text[cut..].find('\n').map_or(cut, |line| cut + line + 1);
            self.text.drain(..cut);
            self.gone += cut;
        }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the output after the first `read` bytes, as far as it is kept, and the total number of bytes.
    pub(super) fn after(&self, read: usize) -> (&str, usize) {
        let from = read.saturating_sub(self.gone).min(self.text.len());
        (&self.text[from..], self.gone + self.text.len())
    }
}

/// The last of a text, beginning with a whole line.
pub(super) fn tail(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let from = text.ceil_char_boundary(text.len() - most);
    let line = text[from..].find('\n').map_or(from, |line| from + line + 1);
    &text[line..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_log_keeps_its_end_and_readers_their_place() {
        let mut log = Log::default();
        log.push("第一行\n");
        let (said, read) = log.after(0);
        assert_eq!((said, read), ("第一行\n", 10));
        for number in 0..100_000 {
            log.push(&format!("行 {number}\n"));
        }
        assert!(log.text().len() <= MOST_BYTES && log.text().starts_with("行 "));
        let (_, all) = log.after(read);
        log.push("末\n");
        assert_eq!(log.after(all).0, "末\n");
    }

    #[test]
    fn the_tail_begins_with_a_whole_line() {
        assert_eq!(tail("一\n二\n三\n", 6), "三\n");
        assert_eq!(tail("short", 10), "short");
    }
}
