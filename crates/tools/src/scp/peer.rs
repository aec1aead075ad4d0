//! The other scp, on standard input and output.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};

use crate::complain;

/// Bytes that are carried at once.
pub(super) const CHUNK: usize = 64 << 10;
/// The longest line: a path, and some numbers.
const LONGEST_LINE: usize = 16 << 10;

const FINE: u8 = 0;
const WARNING: u8 = 1;
const FATAL: u8 = 2;

/// The other scp.
#[derive(Debug)]
pub(super) struct Peer {
    input: BufReader<File>,
    output: File,
    /// What went wrong so far, on either side.
    pub(super) faults: u32,
}

impl Peer {
    pub(super) fn new() -> io::Result<Self> {
        let input = File::from(rustix::stdio::stdin().try_clone_to_owned()?);
        let output = File::from(rustix::stdio::stdout().try_clone_to_owned()?);
        Ok(Self { input: BufReader::with_capacity(CHUNK, input), output, faults: 0 })
    }

    /// Says that the last line or file was fine.
    pub(super) fn fine(&mut self) -> io::Result<()> {
        self.output.write_all(&[FINE])
    }

    /// Says that something failed, and that the others can still be tried.
    pub(super) fn fail(&mut self, words: impl std::fmt::Display) -> io::Result<()> {
        self.faults += 1;
        let words: String = words.to_string().chars().map(|c| if c.is_control() { '?' } else { c }).collect();
        self.output.write_all(format!("\x01scp: {words}\n").as_bytes())
    }

    pub(super) fn say(&mut self, line: &[u8]) -> io::Result<()> {
        self.output.write_all(line)
    }

    /// A line without its end; `None` at the end of the input.
    pub(super) fn line(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        loop {
            let mut byte = [0];
            if self.input.read(&mut byte)? == 0 {
                return if line.is_empty() { Ok(None) } else { Err(io::ErrorKind::UnexpectedEof.into()) };
            }
            match byte {
                [b'\n'] => return Ok(Some(line)),
                _ if line.len() >= LONGEST_LINE => return Err(invalid("a line is too long")),
                [byte] => line.push(byte),
            }
        }
    }

    /// What the other side says of the last line or file: whether it was fine.
    ///
    /// # Errors
    /// When it gives up.
    pub(super) fn heard(&mut self) -> io::Result<bool> {
        let mut byte = [0];
        self.input.read_exact(&mut byte)?;
        match byte {
            [FINE] => Ok(true),
            [WARNING | FATAL] => {
                let words = self.line()?.unwrap_or_default();
                self.noted(&words);
                if byte == [FATAL] { Err(io::Error::other("the other side gave up")) } else { Ok(false) }
            }
            _ => Err(invalid("lost synchronization")),
        }
    }

    /// A message of the other side.
    pub(super) fn noted(&mut self, words: &[u8]) {
        self.faults += 1;
        complain(&String::from_utf8_lossy(words));
    }

    /// Carries a file from the other side into `to`, whatever happens there. The first error of `to`.
    pub(super) fn receive(&mut self, mut size: u64, to: &mut impl Write) -> io::Result<Option<io::Error>> {
        let (mut buffer, mut failed) = (vec![0; CHUNK], None);
        while size > 0 {
            let wanted = usize::try_from(size).unwrap_or(CHUNK).min(CHUNK);
            let read = self.input.read(&mut buffer[..wanted])?;
            if read == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            size -= u64::try_from(read).unwrap_or(size);
            if failed.is_none() {
                failed = to.write_all(&buffer[..read]).err();
            }
        }
        Ok(failed)
    }

    /// Carries a file to the other side, as long as was promised. The first error of `from`; zeros follow it.
    pub(super) fn send(&mut self, mut size: u64, from: &mut impl Read) -> io::Result<Option<io::Error>> {
        let (mut buffer, mut failed) = (vec![0; CHUNK], None);
        while size > 0 {
            let wanted = usize::try_from(size).unwrap_or(CHUNK).min(CHUNK);
            let mut read = wanted;
            if failed.is_none() {
                match from.read(&mut buffer[..wanted]) {
                    Ok(0) => failed = Some(io::Error::other("the file became shorter")),
                    Ok(some) => read = some,
                    Err(error) => failed = Some(error),
                }
                if failed.is_some() {
                    buffer.fill(0);
                }
            }
            self.output.write_all(&buffer[..read])?;
            size -= u64::try_from(read).unwrap_or(size);
        }
        Ok(failed)
    }
}

pub(super) fn invalid(words: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, words)
}
