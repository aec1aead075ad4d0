//! An SFTP server, protocol 3 with OpenSSH's extensions, on standard input and output: files as the user that it runs as.
//! Names are bytes, since files of old archives have names that are no UTF-8.
//!
//! Requests are answered one after the other. Answers are written when no further request has arrived yet.

mod attributes;
mod extended;
mod files;
mod folders;
mod handles;
mod paths;
mod reply;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::os::fd::AsFd;
use std::process::ExitCode;

use tools::wire::Reader;

use crate::complain;
use handles::Handles;
use reply::{Answer, Failure, Replies, Status};

/// The longest packet, as with OpenSSH.
const MAX_PACKET: usize = 256 << 10;
/// The most data of one read or write.
const MAX_TRANSFER: usize = MAX_PACKET - 1024;
/// Bytes of answers that are written at once.
const OUT: usize = 64 << 10;
/// The version of the protocol.
const VERSION: u32 = 3;

const INIT: u8 = 1;
const OPEN: u8 = 3;
const CLOSE: u8 = 4;
const READ: u8 = 5;
const WRITE: u8 = 6;
const LSTAT: u8 = 7;
const FSTAT: u8 = 8;
const SETSTAT: u8 = 9;
const FSETSTAT: u8 = 10;
const OPENDIR: u8 = 11;
const READDIR: u8 = 12;
const REMOVE: u8 = 13;
const MKDIR: u8 = 14;
const RMDIR: u8 = 15;
const REALPATH: u8 = 16;
const STAT: u8 = 17;
const RENAME: u8 = 18;
const READLINK: u8 = 19;
const SYMLINK: u8 = 20;
const EXTENDED: u8 = 200;

/// Serves until the end of the input.
pub(crate) fn run() -> ExitCode {
    let file = |fd: std::os::fd::BorrowedFd<'_>| fd.try_clone_to_owned().map(File::from);
    let (stdin, stdout) = (rustix::stdio::stdin(), rustix::stdio::stdout());
    let served = file(stdin.as_fd()).and_then(|input| serve(input, file(stdout.as_fd())?));
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&format!("sftp: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn serve(input: impl Read, mut output: impl Write) -> io::Result<()> {
    let mut server = Server { handles: Handles::new(), replies: Replies::default(), greeted: false };
    let mut input = BufReader::with_capacity(OUT, input);
    let mut packet = Vec::new();
    while read_packet(&mut input, &mut packet)? {
        server.answer(&packet)?;
        if input.buffer().is_empty() || server.replies.waiting().len() >= OUT {
            output.write_all(server.replies.waiting())?;
            server.replies.clear();
        }
    }
    output.write_all(server.replies.waiting())
}

/// `false` at the end of the input.
fn read_packet(input: &mut BufReader<impl Read>, packet: &mut Vec<u8>) -> io::Result<bool> {
    let mut length = [0; 4];
    match input.read_exact(&mut length) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
        Err(error) => return Err(error),
    }
    let length = usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX);
    if length == 0 || length > MAX_PACKET {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a packet of a wrong length"));
    }
    packet.resize(length, 0);
    input.read_exact(packet)?;
    Ok(true)
}

struct Server {
    handles: Handles,
    replies: Replies,
    greeted: bool,
}

impl Server {
    /// Answers one packet.
    ///
    /// # Errors
    /// When the client does not speak the protocol.
    fn answer(&mut self, packet: &[u8]) -> io::Result<()> {
        let garbled = |_| io::Error::new(io::ErrorKind::InvalidData, "a garbled packet");
        let mut from = Reader::new(packet);
        let kind = from.u8().map_err(garbled)?;
        if kind == INIT {
            self.greeted = true;
            from.u32().map_err(garbled)?;
            self.replies.version(VERSION, &extended::OFFERED);
            return Ok(());
        }
        if !self.greeted {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a request before the greeting"));
        }
        let id = from.u32().map_err(garbled)?;
        let answer = self.carry_out(kind, from);
        self.replies.push(id, answer);
        Ok(())
    }

    fn carry_out(&mut self, kind: u8, mut from: Reader<'_>) -> Result<Answer, Failure> {
        match kind {
            OPEN => files::open(&mut self.handles, &mut from),
            CLOSE => self.handles.close(&mut from),
            READ => files::read(&mut self.handles, &mut from),
            WRITE => files::write(&mut self.handles, &mut from),
            LSTAT => attributes::of_path(&mut from, false),
            STAT => attributes::of_path(&mut from, true),
            FSTAT => attributes::of_handle(&mut self.handles, &mut from),
            SETSTAT => attributes::set_path(&mut from, true),
            FSETSTAT => attributes::set_handle(&mut self.handles, &mut from),
            OPENDIR => folders::open(&mut self.handles, &mut from),
            READDIR => folders::read(&mut self.handles, &mut from),
            REMOVE => paths::remove(&mut from),
            MKDIR => paths::make_folder(&mut from),
            RMDIR => paths::remove_folder(&mut from),
            REALPATH => paths::resolve(&mut from),
            RENAME => paths::rename(&mut from),
            READLINK => paths::read_link(&mut from),
            SYMLINK => paths::link(&mut from),
            EXTENDED => extended::carry_out(&mut self.handles, &mut from),
            _ => Err(Status::Unsupported.into()),
        }
    }
}
