//! Detects bare LF line endings in HTTP/1 request heads. hyper accepts them, other servers and proxies may not, and two
//! parsers that disagree on the end of a line enable request smuggling (RFC 9112 §2.2). Such a head is altered so that
//! hyper answers 400.

/// The maximum length of the lines that matter here.
const LONGEST_NAME: usize = 64;
/// An end of a head that hyper refuses, whatever precedes it.
pub(super) const REFUSED: &[u8] = b"\0\r\n\r\n";

/// Tracks the request stream of a connection, as far as needed to find the heads.
#[derive(Debug)]
pub(super) struct Heads {
    state: State,
    /// The beginning of the current line, in lower case.
    line: Vec<u8>,
    /// The previous byte of the line.
    after_cr: bool,
    length: u64,
    chunked: bool,
    upgrade: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// In a head; `first`: in the request line.
    Head {
        first: bool,
    },
    Body {
        left: u64,
    },
    ChunkSize,
    Chunk {
        left: u64,
    },
    Trailers,
    /// Not HTTP/1 from here on, or refused.
    Done,
}

/// The result of scanning a line.
enum Line {
    /// This many bytes are valid.
    Taken(usize),
    /// A bare LF at this position.
    Bare(usize),
}

impl Heads {
    pub(super) fn new() -> Self {
        Self {
            state: State::Head { first: true },
            line: Vec::new(),
            after_cr: false,
            length: 0,
            chunked: false,
            upgrade: false,
        }
    }

    /// Scans the next bytes. Returns the position of the first bare LF in a head.
    pub(super) fn look(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            at += match self.state {
                State::Done => return None,
                State::Body { left } | State::Chunk { left } => self.skip(left, rest.len()),
                State::Head { .. } | State::ChunkSize | State::Trailers => match self.line(rest) {
                    Line::Taken(count) => count,
                    Line::Bare(end) => return Some(at + end),
                },
            };
        }
        None
    }

    /// Skips body bytes.
    fn skip(&mut self, left: u64, there: usize) -> usize {
        let taken = usize::try_from(left).unwrap_or(usize::MAX).min(there);
        let left = left - taken as u64;
        self.state = match self.state {
            State::Body { .. } if left == 0 => self.next_head(),
            State::Body { .. } => State::Body { left },
            _ if left == 0 => State::ChunkSize,
            _ => State::Chunk { left },
        };
        taken
    }

    /// Consumes bytes up to the end of the line.
    fn line(&mut self, bytes: &[u8]) -> Line {
        let end = memchr::memchr(b'\n', bytes);
        let content = bytes.get(..end.unwrap_or(bytes.len())).unwrap_or_default();
        let room = self.wanted(content).saturating_sub(self.line.len());
        self.line.extend(content.iter().take(room).map(u8::to_ascii_lowercase));
        if let Some(last) = content.last() {
            self.after_cr = *last == b'\r';
        }
        let Some(end) = end else { return Line::Taken(bytes.len()) };
        let (whole, in_head) = (std::mem::take(&mut self.after_cr), matches!(self.state, State::Head { .. }));
        if in_head && !whole {
            self.state = State::Done;
            return Line::Bare(end);
        }
        self.ended();
        self.line.clear();
        Line::Taken(end + 1)
    }

    /// How many bytes of the current line to keep. For most lines the first is enough, since it shows that they are not
    /// empty.
    fn wanted(&self, content: &[u8]) -> usize {
        let Some(first) = self.line.first().or(content.first()).map(u8::to_ascii_lowercase) else { return 0 };
        match self.state {
            // Of a request line only the opening of HTTP/2 does.
            State::Head { first: true } if first.is_ascii_alphabetic() && first != b'p' => 1,
            State::Head { first: false } if first.is_ascii_alphabetic() && !matches!(first, b'c' | b't' | b'u') => 1,
            _ => LONGEST_NAME,
        }
    }

    /// Handles a complete line.
    fn ended(&mut self) {
        let line = self.line.trim_ascii_end();
        self.state = match self.state {
            // Empty lines before a request are allowed (RFC 9112 §2.2).
            State::Head { first: true } if line.is_empty() => return,
            State::Head { first: true } if line == b"pri * http/2.0" => State::Done,
            State::Head { .. } if line.is_empty() => self.behind_head(),
            State::Head { .. } => {
                self.note_field();
                State::Head { first: false }
            }
            State::ChunkSize => match size(line) {
                // The CRLF after a chunk.
                None if line.is_empty() => return,
                None => State::Done,
                Some(0) => State::Trailers,
                Some(left) => State::Chunk { left },
            },
            State::Trailers if line.is_empty() => self.next_head(),
            other => other,
        };
    }

    fn note_field(&mut self) {
        let line = self.line.as_slice();
        let Some(colon) = line.iter().position(|byte| *byte == b':') else { return };
        let (name, value) = line.split_at(colon);
        let value = value.get(1..).unwrap_or_default().trim_ascii();
        match name {
            // hyper refuses it in any case.
            b"content-length" => {
                self.length = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok()).unwrap_or_default();
            }
            b"transfer-encoding" => self.chunked = true,
            b"upgrade" => self.upgrade = true,
            _ => {}
        }
    }

    fn behind_head(&mut self) -> State {
        if self.upgrade {
            State::Done
        } else if self.chunked {
            State::ChunkSize
        } else if self.length > 0 {
            State::Body { left: self.length }
        } else {
            self.next_head()
        }
    }

    fn next_head(&mut self) -> State {
        (self.length, self.chunked, self.upgrade) = (0, false, false);
        State::Head { first: true }
    }
}

/// Parses the hexadecimal size of a chunk.
fn size(line: &[u8]) -> Option<u64> {
    let digits = line.split(|byte| *byte == b';').next()?.trim_ascii();
    u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds the text in pieces of this size. Returns the position of a bare LF.
    fn found(text: &str, piece: usize) -> Option<usize> {
        let mut heads = Heads::new();
        let mut pieces = text.as_bytes().chunks(piece).enumerate();
        pieces.find_map(|(n, bytes)| heads.look(bytes).map(|at| n * piece + at))
    }

    #[test]
    fn whole_lines_and_bodies_are_left_alone() {
        let requests = [
            "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n",
            "\r\nPOST / HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\na\nb\n\nc",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\na\n\n\nb\r\n0\r\nT: a\r\n\r\nGET / HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n\n\n\n",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\n\n",
        ];
        for request in requests {
            for piece in [1, 2, 3, 7, 1000] {
                assert_eq!(found(request, piece), None, "{request:?}");
            }
        }
    }

    #[test]
    fn a_bare_line_feed_in_a_head_is_found() {
        let requests = [
            ("GET / HTTP/1.1", "\nHost: a\r\n\r\n"),
            ("GET / HTTP/1.1\r\nHost: a", "\n\r\n"),
            ("GET / HTTP/1.1\r\nHost: a\r\n", "\n"),
            ("", "\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"),
            ("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1", "\nHost: a\r\n\r\n"),
            ("POST / HTTP/1.1\r\ncontent-length:2\r\n\r\n\n\nGET /b HTTP/1.1\r\nHost: a", "\n\r\n"),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\nGET /b HTTP/1.1", "\nHost: a\n"),
        ];
        for (fine, rest) in requests {
            for piece in [1, 2, 3, 7, 1000] {
                assert_eq!(found(&format!("{fine}{rest}"), piece), Some(fine.len()), "{fine:?}");
            }
        }
    }
}
