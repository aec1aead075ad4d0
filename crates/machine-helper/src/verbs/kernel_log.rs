//! The newest lines of the kernel's log.

use std::collections::VecDeque;

use machine_helper::{Answer, KERNEL_LOG, KernelLog, LogLine, LogText, MAX_LOG_BYTES, MAX_LOG_LINES, Refusal};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::boot;

/// The kernel never hands out a longer record.
const RECORD_BYTES: usize = 8192;
/// More records than any kernel's buffer holds, so that a log which is written faster than read still ends.
const MOST_RECORDS: usize = 1 << 20;

pub(super) fn read(since_ms: u64) -> Result<Answer, Refusal> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let log = rustix::fs::open(KERNEL_LOG, flags, Mode::empty())?;
    let mut newest = Newest::default();
    let mut record = vec![0; RECORD_BYTES];
    for _ in 0..MOST_RECORDS {
        match rustix::io::read(&log, &mut record) {
            Ok(0) | Err(Errno::AGAIN) => break,
            Ok(length) => newest.extend(parse(&record[..length]).filter(|line| line.at_ms >= since_ms)),
            // Overwritten while it was read: the next read continues with the oldest remaining entry.
            Err(Errno::PIPE | Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(Answer::KernelLog(KernelLog {
        lines: newest.lines.into(),
        left_out: newest.left_out,
        now_ms: boot::log_clock_ms(),
        wall_ms: boot::wall_ms(),
    }))
}

/// The last lines that fit.
#[derive(Default)]
struct Newest {
    lines: VecDeque<LogLine>,
    bytes: usize,
    left_out: u64,
}

impl Newest {
    fn extend(&mut self, line: Option<LogLine>) {
        let Some(line) = line else { return };
        self.bytes += line.text.as_str().len();
        self.lines.push_back(line);
        while self.lines.len() > MAX_LOG_LINES || self.bytes > MAX_LOG_BYTES {
            let Some(oldest) = self.lines.pop_front() else { return };
            self.bytes -= oldest.text.as_str().len();
            self.left_out += 1;
        }
    }
}

/// Parses `priority,number,microseconds,flags[,…];text` with its continuation lines.
fn parse(record: &[u8]) -> Option<LogLine> {
    let end = record.iter().position(|byte| *byte == b'\n').unwrap_or(record.len());
    let at = record[..end].iter().position(|byte| *byte == b';')?;
    let mut head = std::str::from_utf8(&record[..at]).ok()?.split(',');
    let priority: u32 = head.next()?.parse().ok()?;
    let micros: u64 = head.nth(1)?.parse().ok()?;
    Some(LogLine {
        at_ms: micros / 1000,
        level: u8::try_from(priority & 7).ok()?,
        text: LogText::escaped(&String::from_utf8_lossy(&unescaped(&record[at + 1..end]))),
    })
}

/// The kernel escapes all but ASCII as `\xe4`; forbidden characters are escaped again afterwards.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let (mut plain, mut rest) = (Vec::with_capacity(text.len()), text);
    while let [first, more @ ..] = rest {
        let digits = more.strip_prefix(b"x").filter(|_| *first == b'\\').and_then(|more| more.get(..2));
        let byte = digits.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        plain.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &more[3..] } else { more };
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_with_its_level_and_moment() {
        let line = parse(b"12,1044,5012345,-;NVRM: Xid 79, \\xe6\\x98\\xbe\\xe5\\x8d\\xa1\n SUBSYSTEM=pci\n").unwrap();
        assert_eq!((line.level, line.at_ms, line.text.as_str()), (4, 5012, "NVRM: Xid 79, 显卡"));
        let line = parse(b"6,1,0,c,caller=T1;a;b\\x1b[2J\\x5cx1b").unwrap();
        assert_eq!((line.level, line.text.as_str()), (6, "a;b\\u{1b}[2J\\x1b"));
        for strange in [&b""[..], b"x;y", b"6,1;z", b"6,1,z,-;a"] {
            assert_eq!(parse(strange), None, "{strange:?}");
        }
    }

    #[test]
    fn the_newest_lines_stay() {
        let mut newest = Newest::default();
        let line =
            |at_ms: u64, length: usize| Some(LogLine { at_ms, level: 6, text: LogText::escaped(&"x".repeat(length)) });
        for at in 0..600 {
            newest.extend(line(at, 10));
        }
        assert_eq!((newest.lines.len(), newest.left_out, newest.lines[0].at_ms), (MAX_LOG_LINES, 88, 88));
        for at in 600..700 {
            newest.extend(line(at, 2000));
        }
        assert!(newest.bytes <= MAX_LOG_BYTES, "{}", newest.bytes);
        assert_eq!(newest.lines.back().map(|line| line.at_ms), Some(699));
    }
}
