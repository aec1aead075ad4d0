//! Frames: a header of nine bytes (length of the payload, channel, kind), then the payload.

use super::code::{Code, Malformed, Reader, Writer};
use super::{MAX_CONTROL_BYTES, MAX_DATA_BYTES, MAX_REQUEST_BYTES, VERSION};

/// Bytes before each payload.
pub const HEADER_BYTES: usize = 9;
/// Begins the first frame of each side, so that whatever else is written there is recognized.
const MAGIC: &[u8; 8] = b"YunLabT\n";

/// What a frame says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The first frame of each side, with its versions.
    Hello,
    /// Portal: opens a channel, with the window for its data and the request.
    Open,
    /// Program: the channel is open, with the window for the portal's data.
    Opened,
    /// Program: the channel is not opened, and why. Its id is free.
    Refused,
    /// Program: a listening channel accepted a connection, which is this new channel.
    Accepted,
    /// Data: input, output, bytes of a socket.
    Data,
    /// Program: standard error.
    Errors,
    /// No more data comes.
    End,
    /// Program: no more standard error comes.
    ErrorsEnd,
    /// The other side may send this much more.
    Window,
    /// Portal: a signal for the process group.
    Signal,
    /// Portal: the terminal's new size.
    Resize,
    /// Program: the process ended.
    Exit,
    /// This side is done with the channel. After both said so the id is free.
    Close,
    /// Portal: answer this.
    Ping,
    /// Program: the answer to a ping.
    Pong,
}

impl Kind {
    const ALL: [Self; 16] = [
        Self::Hello,
        Self::Open,
        Self::Opened,
        Self::Refused,
        Self::Accepted,
        Self::Data,
        Self::Errors,
        Self::End,
        Self::ErrorsEnd,
        Self::Window,
        Self::Signal,
        Self::Resize,
        Self::Exit,
        Self::Close,
        Self::Ping,
        Self::Pong,
    ];

    fn number(self) -> u8 {
        let at = Self::ALL.iter().position(|kind| *kind == self).unwrap_or_default();
        u8::try_from(at + 1).unwrap_or(u8::MAX)
    }

    fn from_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number).checked_sub(1)?).copied()
    }

    /// The longest payload of this kind.
    #[must_use]
    pub fn longest(self) -> usize {
        match self {
            Self::Open => MAX_REQUEST_BYTES,
            Self::Data | Self::Errors => MAX_DATA_BYTES,
            _ => MAX_CONTROL_BYTES,
        }
    }
}

/// The beginning of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Bytes of the payload.
    pub length: usize,
    /// The channel; 0 for frames of the connection.
    pub channel: u32,
    /// What it says.
    pub kind: Kind,
}

impl Header {
    /// Parses a header.
    ///
    /// # Errors
    /// An unknown kind, or a payload that is longer than its kind may be.
    pub fn parse(bytes: [u8; HEADER_BYTES]) -> Result<Self, Malformed> {
        let mut from = Reader::new(&bytes);
        let (length, channel, kind) = (from.u32()?, from.u32()?, from.u8()?);
        let kind = Kind::from_number(kind).ok_or(Malformed("an unknown kind of frame"))?;
        let length = usize::try_from(length).map_err(|_| Malformed("too long a frame"))?;
        if length > kind.longest() {
            return Err(Malformed("too long a frame"));
        }
        Ok(Self { length, channel, kind })
    }

    /// As it is sent.
    #[must_use]
    pub fn to_bytes(self) -> [u8; HEADER_BYTES] {
        let length = u32::try_from(self.length).unwrap_or(u32::MAX).to_be_bytes();
        let channel = self.channel.to_be_bytes();
        let [a, b, c, d] = length;
        let [e, f, g, h] = channel;
        [a, b, c, d, e, f, g, h, self.kind.number()]
    }
}

/// A frame in one piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The channel; 0 for frames of the connection.
    pub channel: u32,
    /// What it says.
    pub kind: Kind,
    /// Its bytes.
    pub payload: Vec<u8>,
}

impl Frame {
    /// As it is sent.
    #[must_use]
    pub fn to_vec(&self) -> Vec<u8> {
        let header = Header { length: self.payload.len(), channel: self.channel, kind: self.kind };
        let mut bytes = header.to_bytes().to_vec();
        bytes.extend_from_slice(&self.payload);
        bytes
    }
}

/// The first frame of each side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hello {
    /// The oldest version that this side has.
    pub oldest: u16,
    /// The newest version that this side has.
    pub newest: u16,
}

impl Hello {
    /// Of this code.
    pub const OURS: Self = Self { oldest: VERSION, newest: VERSION };

    /// The version that both sides have.
    ///
    /// # Errors
    /// When there is none.
    pub fn agree(self, other: Self) -> Result<u16, Malformed> {
        let version = self.newest.min(other.newest);
        if version < self.oldest.max(other.oldest) {
            return Err(Malformed("no version that both sides have"));
        }
        Ok(version)
    }
}

impl Code for Hello {
    fn write(&self, to: &mut Writer) {
        to.raw(MAGIC).u16(self.oldest).u16(self.newest);
    }

    /// Whatever follows is a later version's.
    fn read(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        for expected in MAGIC {
            if from.u8()? != *expected {
                return Err(Malformed("not this protocol"));
            }
        }
        let hello = Self { oldest: from.u16()?, newest: from.u16()? };
        let _later = from.rest();
        Ok(hello)
    }
}
