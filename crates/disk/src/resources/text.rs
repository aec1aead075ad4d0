//! A text file's content as part of an answer, decoded on its way out: never more than a piece of
//! it is in memory.

use std::cell::RefCell;
use std::fmt;
use std::fs::File;
use std::io;

use serde::{Serialize, Serializer};

use super::encoding::{TextEncoding, decode};

/// A text that is read while it is written out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Text<'a>(pub(super) &'a TextFile);

/// An open text file.
#[derive(Debug)]
pub(super) struct TextFile {
    file: RefCell<File>,
    pub(super) encoding: TextEncoding,
    failure: RefCell<Option<io::Error>>,
}

impl TextFile {
    /// `None` if it is not a text.
    pub(super) fn new(mut file: File) -> io::Result<Option<Self>> {
        let encoding = TextEncoding::of(&mut file)?;
        let text = |encoding| Self { file: RefCell::new(file), encoding, failure: RefCell::default() };
        Ok(encoding.map(text))
    }

    /// The error of writing it. A [`fmt::Display`] cannot return one itself.
    pub(super) fn failure(&self) -> io::Result<()> {
        self.failure.take().map_or(Ok(()), Err)
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut unwritten = Ok(());
        let read = decode(&mut self.0.file.borrow_mut(), self.0.encoding, |piece| {
            unwritten = f.write_str(piece);
            unwritten.map_err(io::Error::other)
        });
        if let (Err(error), Ok(())) = (read, unwritten) {
            *self.0.failure.borrow_mut() = Some(error);
        }
        unwritten
    }
}

impl Serialize for Text<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
