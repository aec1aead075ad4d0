//! Open files and folders.

use std::fs::{File, ReadDir};
use std::path::PathBuf;

use rustix::process::{Resource, getrlimit};
use tools::wire::Reader;

use super::reply::{Answer, Failure, Status};

/// Open at the same time, at most.
const MOST: u64 = 1000;
/// Files that this program needs beside them.
const OWN: u64 = 16;

/// What a handle stands for.
#[derive(Debug)]
pub(super) enum Open {
    File {
        file: File,
        /// Whether it is written at its end, wherever the client says.
        append: bool,
    },
    Folder {
        /// For its attributes.
        file: File,
        path: PathBuf,
        entries: ReadDir,
        /// Whether `.` and `..` were listed.
        begun: bool,
    },
}

/// Open files and folders by their numbers. A number is used again only after all others.
#[derive(Debug)]
pub(super) struct Handles {
    open: std::collections::HashMap<u32, Open>,
    next: u32,
    most: usize,
}

impl Handles {
    pub(super) fn new() -> Self {
        let limit = getrlimit(Resource::Nofile).current.unwrap_or(MOST).saturating_sub(OWN);
        // A folder is open twice.
        let most = usize::try_from((limit / 2).clamp(1, MOST)).unwrap_or(1);
        Self { open: std::collections::HashMap::new(), next: 0, most }
    }

    pub(super) fn most(&self) -> usize {
        self.most
    }

    pub(super) fn room(&self) -> Result<(), Failure> {
        if self.open.len() < self.most { Ok(()) } else { Err(rustix::io::Errno::MFILE.into()) }
    }

    pub(super) fn add(&mut self, open: Open) -> Answer {
        while self.open.contains_key(&self.next) {
            self.next = self.next.wrapping_add(1);
        }
        let number = self.next;
        self.next = self.next.wrapping_add(1);
        self.open.insert(number, open);
        Answer::Handle(number)
    }

    pub(super) fn get(&mut self, from: &mut Reader<'_>) -> Result<&mut Open, Failure> {
        let number = number(from)?;
        self.open.get_mut(&number).ok_or_else(|| Status::Failure.into())
    }

    /// The open file of a request.
    pub(super) fn file(&mut self, from: &mut Reader<'_>) -> Result<(&mut File, bool), Failure> {
        match self.get(from)? {
            Open::File { file, append } => Ok((file, *append)),
            Open::Folder { .. } => Err(Status::Failure.into()),
        }
    }

    /// The open file or folder of a request.
    pub(super) fn any_file(&mut self, from: &mut Reader<'_>) -> Result<&File, Failure> {
        match self.get(from)? {
            Open::File { file, .. } | Open::Folder { file, .. } => Ok(file),
        }
    }

    pub(super) fn close(&mut self, from: &mut Reader<'_>) -> Result<Answer, Failure> {
        let number = number(from)?;
        self.open.remove(&number).map(|_| Answer::Done).ok_or_else(|| Status::Failure.into())
    }
}

fn number(from: &mut Reader<'_>) -> Result<u32, Failure> {
    let bytes: [u8; 4] = from.bytes()?.try_into().map_err(|_| Status::Failure)?;
    Ok(u32::from_be_bytes(bytes))
}
