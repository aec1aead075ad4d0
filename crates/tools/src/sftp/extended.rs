//! OpenSSH's extensions.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, StatVfs, StatVfsMountFlags, fstatvfs, linkat, statvfs};
use tools::wire::{Reader, Writer};

use super::handles::Handles;
use super::paths::{absolute, only_name, path};
use super::reply::{Answer, Failure, Status};
use super::{MAX_PACKET, MAX_TRANSFER, attributes};
use crate::account::{Account, Names, home_of};

/// Names and versions of the extensions.
pub(super) const OFFERED: [(&str, &str); 11] = [
    ("posix-rename@openssh.com", "1"),
    ("statvfs@openssh.com", "2"),
    ("fstatvfs@openssh.com", "2"),
    ("hardlink@openssh.com", "1"),
    ("fsync@openssh.com", "1"),
    ("lsetstat@openssh.com", "1"),
    ("limits@openssh.com", "1"),
    ("expand-path@openssh.com", "1"),
    ("copy-data", "1"),
    ("home-directory", "1"),
    ("users-groups-by-id@openssh.com", "1"),
];

/// Bytes that are copied at once.
const COPIED: usize = 256 << 10;
/// Users or groups that are asked about at once.
const MAX_IDS: usize = 1024;

pub(super) fn carry_out(handles: &mut Handles, from: &mut Reader<'_>) -> Result<Answer, Failure> {
    match from.bytes()? {
        b"posix-rename@openssh.com" => {
            let (old, new) = (path(from)?, path(from)?);
            fs::rename(old, new)?;
            Ok(Answer::Done)
        }
        b"statvfs@openssh.com" => Ok(space(&statvfs(path(from)?)?)),
        b"fstatvfs@openssh.com" => Ok(space(&fstatvfs(handles.any_file(from)?)?)),
        b"hardlink@openssh.com" => {
            let (old, new) = (path(from)?, path(from)?);
            linkat(CWD, old, CWD, new, AtFlags::empty())?;
            Ok(Answer::Done)
        }
        b"fsync@openssh.com" => {
            handles.any_file(from)?.sync_all()?;
            Ok(Answer::Done)
        }
        b"lsetstat@openssh.com" => attributes::set_path(from, false),
        b"limits@openssh.com" => Ok(limits(handles)),
        b"expand-path@openssh.com" => {
            let whole = expanded(from.text()?)?;
            Ok(only_name(absolute(&whole)?))
        }
        b"copy-data" => copy(handles, from),
        b"home-directory" => {
            let name = from.text()?;
            let home = if name.is_empty() { Some(Account::own().home) } else { home_of(name) };
            Ok(only_name(home.ok_or(Status::NoSuchFile)?))
        }
        b"users-groups-by-id@openssh.com" => names(from),
        _ => Err(Status::Unsupported.into()),
    }
}

fn space(found: &StatVfs) -> Answer {
    const READ_ONLY: u64 = 1;
    const NO_SETUID: u64 = 2;
    let flag = |has: StatVfsMountFlags, flag: u64| if found.f_flag.contains(has) { flag } else { 0 };
    let mut reply = Writer::new();
    reply.u64(found.f_bsize).u64(found.f_frsize);
    reply.u64(found.f_blocks).u64(found.f_bfree).u64(found.f_bavail);
    reply.u64(found.f_files).u64(found.f_ffree).u64(found.f_favail).u64(found.f_fsid);
    reply.u64(flag(StatVfsMountFlags::RDONLY, READ_ONLY) | flag(StatVfsMountFlags::NOSUID, NO_SETUID));
    reply.u64(found.f_namemax);
    Answer::Extended(reply.into_vec())
}

fn limits(handles: &Handles) -> Answer {
    let number = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    let mut reply = Writer::new();
    reply.u64(number(MAX_PACKET)).u64(number(MAX_TRANSFER)).u64(number(MAX_TRANSFER)).u64(number(handles.most()));
    Answer::Extended(reply.into_vec())
}

/// A path that may begin with `~` or `~user`.
fn expanded(text: &[u8]) -> Result<PathBuf, Failure> {
    let Some(rest) = text.strip_prefix(b"~") else {
        let text = if text.is_empty() { b"." } else { text };
        return Ok(Path::new(OsStr::from_bytes(text)).to_owned());
    };
    let end = rest.iter().position(|byte| *byte == b'/').unwrap_or(rest.len());
    let (user, below) = rest.split_at(end);
    let home = if user.is_empty() { Some(Account::own().home) } else { home_of(user) };
    let below = below.iter().position(|byte| *byte != b'/').map_or(&b""[..], |start| &below[start..]);
    let home = home.ok_or(Status::NoSuchFile)?;
    Ok(if below.is_empty() { home } else { home.join(OsStr::from_bytes(below)) })
}

/// Copies between two open files; a length of 0 is all to the end.
fn copy(handles: &mut Handles, from: &mut Reader<'_>) -> Result<Answer, Failure> {
    let mut source = handles.file(from)?.0.try_clone()?;
    let (start, length) = (from.u64()?, from.u64()?);
    let target = handles.file(from)?.0;
    let at = from.u64()?;
    let same = |one: &File, other: &File| -> std::io::Result<bool> {
        use std::os::unix::fs::MetadataExt;
        let (one, other) = (one.metadata()?, other.metadata()?);
        Ok((one.dev(), one.ino()) == (other.dev(), other.ino()))
    };
    // A file that grows under its own copy has no end.
    if same(&source, target)? && (length == 0 || start.abs_diff(at) < length) {
        return Err(Status::Failure.into());
    }
    source.seek(SeekFrom::Start(start))?;
    let mut source = source.take(if length == 0 { u64::MAX } else { length });
    let (mut buffer, mut at) = (vec![0; COPIED], at);
    loop {
        let read = source.read(&mut buffer)?;
        if read == 0 {
            break;
        }
        target.write_all_at(&buffer[..read], at)?;
        at = at.saturating_add(u64::try_from(read).unwrap_or(u64::MAX));
    }
    Ok(Answer::Done)
}

/// The names of users and of groups, empty for those that have none.
fn names(from: &mut Reader<'_>) -> Result<Answer, Failure> {
    let (users, groups) = (from.bytes()?, from.bytes()?);
    if users.len() > 4 * MAX_IDS || groups.len() > 4 * MAX_IDS {
        return Err(Status::BadMessage.into());
    }
    let list = |ids: &[u8], names: &Names| -> Result<Vec<u8>, Failure> {
        let mut list = Writer::new();
        let mut ids = Reader::new(ids);
        while let Ok(id) = ids.u32() {
            list.bytes(names.name(id).unwrap_or_default());
        }
        ids.end()?;
        Ok(list.into_vec())
    };
    let mut reply = Writer::new();
    reply.bytes(&list(users, &Names::of_users())?).bytes(&list(groups, &Names::of_groups())?);
    Ok(Answer::Extended(reply.into_vec()))
}
