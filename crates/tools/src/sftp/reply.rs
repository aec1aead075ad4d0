//! Answers as they are sent.

use std::io;

use rustix::io::Errno;
use tools::wire::{Malformed, Writer};

use super::attributes::Attributes;

const VERSION: u8 = 2;
const STATUS: u8 = 101;
const HANDLE: u8 = 102;
const DATA: u8 = 103;
const NAME: u8 = 104;
const ATTRS: u8 = 105;
const EXTENDED_REPLY: u8 = 201;

/// What a request is answered with, if it succeeded.
#[derive(Debug)]
pub(super) enum Answer {
    Done,
    Handle(u32),
    Data(Vec<u8>),
    Names(Vec<Entry>),
    Attributes(Attributes),
    /// Of an extension.
    Extended(Vec<u8>),
}

/// One name.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) name: Vec<u8>,
    /// The line of a listing.
    pub(super) line: Vec<u8>,
    pub(super) attributes: Attributes,
}

/// A status of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Ok = 0,
    Eof = 1,
    NoSuchFile = 2,
    Denied = 3,
    Failure = 4,
    BadMessage = 5,
    Unsupported = 8,
}

/// Why a request failed.
#[derive(Debug)]
pub(super) struct Failure {
    status: Status,
    words: String,
}

impl From<Status> for Failure {
    fn from(status: Status) -> Self {
        let words = match status {
            Status::Ok => "Success",
            Status::Eof => "End of file",
            Status::NoSuchFile => "No such file",
            Status::Denied => "Permission denied",
            Status::Failure => "Failure",
            Status::BadMessage => "Bad message",
            Status::Unsupported => "Operation unsupported",
        };
        Self { status, words: words.to_owned() }
    }
}

impl From<Malformed> for Failure {
    fn from(_: Malformed) -> Self {
        Status::BadMessage.into()
    }
}

impl From<Errno> for Failure {
    fn from(error: Errno) -> Self {
        let status = match error {
            Errno::NOENT | Errno::NOTDIR | Errno::BADF | Errno::LOOP => Status::NoSuchFile,
            Errno::PERM | Errno::ACCESS | Errno::FAULT | Errno::ROFS => Status::Denied,
            Errno::NAMETOOLONG | Errno::INVAL => Status::BadMessage,
            Errno::NOSYS | Errno::OPNOTSUPP => Status::Unsupported,
            _ => Status::Failure,
        };
        // "No space left on device (os error 28)"
        let words = io::Error::from(error).to_string();
        let words = words.split_once(" (os error").map_or(words.as_str(), |(words, _)| words);
        Self { status, words: words.to_owned() }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match Errno::from_io_error(&error) {
            Some(errno) => errno.into(),
            None if error.kind() == io::ErrorKind::InvalidInput => Status::BadMessage.into(),
            None => Status::Failure.into(),
        }
    }
}

/// Answers that wait to be written.
#[derive(Debug, Default)]
pub(super) struct Replies(Writer);

impl Replies {
    pub(super) fn waiting(&self) -> &[u8] {
        self.0.as_slice()
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) fn version(&mut self, version: u32, extensions: &[(&str, &str)]) {
        self.0.framed(|packet| {
            packet.u8(VERSION).u32(version);
            for (name, of) in extensions {
                packet.bytes(name.as_bytes()).bytes(of.as_bytes());
            }
        });
    }

    pub(super) fn push(&mut self, id: u32, answer: Result<Answer, Failure>) {
        self.0.framed(|packet| write(packet, id, answer));
    }
}

fn write(packet: &mut Writer, id: u32, answer: Result<Answer, Failure>) {
    match answer {
        Ok(Answer::Done) => status(packet, id, Status::Ok, "Success"),
        Ok(Answer::Handle(handle)) => {
            packet.u8(HANDLE).u32(id).bytes(&handle.to_be_bytes());
        }
        Ok(Answer::Data(data)) => {
            packet.u8(DATA).u32(id).bytes(&data);
        }
        Ok(Answer::Names(entries)) => {
            packet.u8(NAME).u32(id).u32(u32::try_from(entries.len()).unwrap_or(u32::MAX));
            for entry in &entries {
                entry.attributes.write(packet.bytes(&entry.name).bytes(&entry.line));
            }
        }
        Ok(Answer::Attributes(attributes)) => attributes.write(packet.u8(ATTRS).u32(id)),
        Ok(Answer::Extended(bytes)) => {
            packet.u8(EXTENDED_REPLY).u32(id).raw(&bytes);
        }
        Err(Failure { status: failed, words }) => status(packet, id, failed, &words),
    }
}

fn status(packet: &mut Writer, id: u32, status: Status, words: &str) {
    packet.u8(STATUS).u32(id).u32(status as u32).bytes(words.as_bytes()).bytes(b"");
}
