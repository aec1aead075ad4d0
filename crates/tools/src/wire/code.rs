//! Numbers and strings in frames: big-endian, strings with a length of 32 bits before them, as in SSH and SFTP.

use std::fmt;

/// The bytes are not what they should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("malformed: {0}")]
pub struct Malformed(pub &'static str);

/// Reads values from the beginning of a slice.
#[derive(Clone, Copy)]
pub struct Reader<'a>(&'a [u8]);

impl fmt::Debug for Reader<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Reader({} bytes)", self.0.len())
    }
}

impl<'a> Reader<'a> {
    /// Reads these bytes.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (first, rest) = self.0.split_first_chunk().ok_or(Malformed("ends too early"))?;
        self.0 = rest;
        Ok(*first)
    }

    /// One byte.
    ///
    /// # Errors
    /// At the end.
    pub fn u8(&mut self) -> Result<u8, Malformed> {
        self.array::<1>().map(|[byte]| byte)
    }

    /// 16 bits.
    ///
    /// # Errors
    /// At the end.
    pub fn u16(&mut self) -> Result<u16, Malformed> {
        self.array().map(u16::from_be_bytes)
    }

    /// 32 bits.
    ///
    /// # Errors
    /// At the end.
    pub fn u32(&mut self) -> Result<u32, Malformed> {
        self.array().map(u32::from_be_bytes)
    }

    /// 64 bits.
    ///
    /// # Errors
    /// At the end.
    pub fn u64(&mut self) -> Result<u64, Malformed> {
        self.array().map(u64::from_be_bytes)
    }

    /// A string of bytes.
    ///
    /// # Errors
    /// When it is longer than what is left.
    pub fn bytes(&mut self) -> Result<&'a [u8], Malformed> {
        let length = usize::try_from(self.u32()?).map_err(|_| Malformed("too long"))?;
        let (bytes, rest) = self.0.split_at_checked(length).ok_or(Malformed("ends too early"))?;
        self.0 = rest;
        Ok(bytes)
    }

    /// A string without NUL, as the kernel takes them.
    ///
    /// # Errors
    /// When it is longer than what is left, or has a NUL.
    pub fn text(&mut self) -> Result<&'a [u8], Malformed> {
        let bytes = self.bytes()?;
        if bytes.contains(&0) { Err(Malformed("a NUL")) } else { Ok(bytes) }
    }

    /// 0 or 1.
    ///
    /// # Errors
    /// For any other byte.
    pub fn flag(&mut self) -> Result<bool, Malformed> {
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Malformed("neither yes nor no")),
        }
    }

    /// A number of items, at most `most`.
    ///
    /// # Errors
    /// When there are more.
    pub fn count(&mut self, most: u32) -> Result<u32, Malformed> {
        let count = self.u32()?;
        if count > most { Err(Malformed("too many")) } else { Ok(count) }
    }

    /// What is left, to the end.
    #[must_use]
    pub fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.0)
    }

    /// That nothing is left.
    ///
    /// # Errors
    /// When something is.
    pub fn end(self) -> Result<(), Malformed> {
        if self.0.is_empty() { Ok(()) } else { Err(Malformed("longer than it should be")) }
    }
}

/// Writes values to the end of a buffer.
#[derive(Clone, Debug, Default)]
pub struct Writer(Vec<u8>);

impl Writer {
    /// An empty buffer.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// One byte.
    pub fn u8(&mut self, number: u8) -> &mut Self {
        self.0.push(number);
        self
    }

    /// 16 bits.
    pub fn u16(&mut self, number: u16) -> &mut Self {
        self.raw(&number.to_be_bytes())
    }

    /// 32 bits.
    pub fn u32(&mut self, number: u32) -> &mut Self {
        self.raw(&number.to_be_bytes())
    }

    /// 64 bits.
    pub fn u64(&mut self, number: u64) -> &mut Self {
        self.raw(&number.to_be_bytes())
    }

    /// A string of bytes, with its length.
    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.u32(length(bytes)).raw(bytes)
    }

    /// What `write` writes, with its length before it.
    pub fn framed(&mut self, write: impl FnOnce(&mut Self)) -> &mut Self {
        let start = self.0.len();
        self.u32(0);
        write(self);
        let written = length(&self.0[start + 4..]);
        self.0[start..start + 4].copy_from_slice(&written.to_be_bytes());
        self
    }

    /// Forgets what was written.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// 0 or 1.
    pub fn flag(&mut self, flag: bool) -> &mut Self {
        self.u8(u8::from(flag))
    }

    /// Bytes without their length.
    pub fn raw(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend_from_slice(bytes);
        self
    }

    /// What was written.
    #[must_use]
    pub fn into_vec(self) -> Vec<u8> {
        self.0
    }

    /// What was written so far.
    #[must_use]
    pub fn as_slice(&self) -> &[u8] {
        &self.0
    }
}

fn length(bytes: &[u8]) -> u32 {
    // Frames are far shorter; a longer one is refused by its reader.
    u32::try_from(bytes.len()).unwrap_or(u32::MAX)
}

/// A value of the protocol.
pub trait Code: Sized {
    /// Appends it.
    fn write(&self, to: &mut Writer);

    /// Reads it from the beginning.
    ///
    /// # Errors
    /// What is not such a value.
    fn read(from: &mut Reader<'_>) -> Result<Self, Malformed>;

    /// Alone in a frame.
    fn to_vec(&self) -> Vec<u8> {
        let mut to = Writer::new();
        self.write(&mut to);
        to.into_vec()
    }

    /// From a frame that has nothing else.
    ///
    /// # Errors
    /// What is not exactly one such value.
    fn from_slice(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut from = Reader::new(bytes);
        let value = Self::read(&mut from)?;
        from.end()?;
        Ok(value)
    }
}
