//! Reading and writing files.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::fs::FileExt;

use rustix::fs::{OFlags, open as open_file};
use rustix::io::Errno;
use tools::wire::Reader;

use super::MAX_TRANSFER;
use super::attributes::Attributes;
use super::handles::{Handles, Open};
use super::paths::path;
use super::reply::{Answer, Failure, Status};

const READ: u32 = 1;
const WRITE: u32 = 2;
const APPEND: u32 = 4;
const CREATE: u32 = 8;
const TRUNCATE: u32 = 16;
const EXCLUSIVE: u32 = 32;

pub(super) fn open(handles: &mut Handles, from: &mut Reader<'_>) -> Result<Answer, Failure> {
    handles.room()?;
    let path = path(from)?;
    let wanted = from.u32()?;
    let mode = Attributes::read(from)?.mode_or(0o666);
    let has = |flag: u32| wanted & flag != 0;
    let mut flags = match (has(READ), has(WRITE) || has(APPEND)) {
        (true, true) => OFlags::RDWR,
        (false, true) => OFlags::WRONLY,
        _ => OFlags::RDONLY,
    };
    let further =
        [(APPEND, OFlags::APPEND), (CREATE, OFlags::CREATE), (TRUNCATE, OFlags::TRUNC), (EXCLUSIVE, OFlags::EXCL)];
    for (flag, also) in further {
        flags.set(also, has(flag));
    }
    let file = File::from(open_file(&path, flags | OFlags::CLOEXEC | OFlags::NOCTTY, mode)?);
    Ok(handles.add(Open::File { file, append: has(APPEND) }))
}

pub(super) fn read(handles: &mut Handles, from: &mut Reader<'_>) -> Result<Answer, Failure> {
    let (file, _) = handles.file(from)?;
    let (offset, length) = (from.u64()?, from.u32()?);
    let mut data = vec![0; usize::try_from(length).unwrap_or(MAX_TRANSFER).min(MAX_TRANSFER)];
    let read = match file.read_at(&mut data, offset) {
        // A pipe has no places.
        Err(error) if Errno::from_io_error(&error) == Some(Errno::SPIPE) => file.read(&mut data)?,
        read => read?,
    };
    if read == 0 && !data.is_empty() {
        return Err(Status::Eof.into());
    }
    data.truncate(read);
    Ok(Answer::Data(data))
}

pub(super) fn write(handles: &mut Handles, from: &mut Reader<'_>) -> Result<Answer, Failure> {
    let (file, append) = handles.file(from)?;
    let (offset, data) = (from.u64()?, from.bytes()?);
    if append {
        file.write_all(data)?;
        return Ok(Answer::Done);
    }
    match file.write_all_at(data, offset) {
        Err(error) if Errno::from_io_error(&error) == Some(Errno::SPIPE) => file.write_all(data)?,
        written => written?,
    }
    Ok(Answer::Done)
}
