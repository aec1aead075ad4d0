//! Sends files.

use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, open};

use super::Options;
use super::peer::Peer;

pub(super) fn send(peer: &mut Peer, paths: &[PathBuf], options: &Options) -> io::Result<()> {
    peer.heard()?;
    for path in paths {
        one(peer, path, options)?;
    }
    Ok(())
}

fn one(peer: &mut Peer, path: &Path, options: &Options) -> io::Result<()> {
    // Not waiting for the other end of a pipe.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    let opened = open(path, flags, Mode::empty()).map(File::from).map_err(io::Error::from);
    let (file, found) = match opened.and_then(|file| file.metadata().map(|found| (file, found))) {
        Ok(opened) => opened,
        Err(error) => return peer.fail(format!("{}: {error}", path.display())),
    };
    let Some(name) = name(path) else { return peer.fail(format!("{}: not a name", path.display())) };
    if found.is_dir() && options.recursive {
        folder(peer, path, &name, &found, options)
    } else if found.is_file() {
        announce(peer, b'C', &name, found.len(), &found, options)?;
        if !peer.heard()? {
            return Ok(());
        }
        match peer.send(found.len(), &mut &file)? {
            Some(error) => peer.fail(format!("{}: {error}", path.display()))?,
            None => peer.fine()?,
        }
        peer.heard().map(drop)
    } else {
        peer.fail(format!("{}: not a regular file", path.display()))
    }
}

fn folder(peer: &mut Peer, path: &Path, name: &[u8], found: &Metadata, options: &Options) -> io::Result<()> {
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) => return peer.fail(format!("{}: {error}", path.display())),
    };
    announce(peer, b'D', name, 0, found, options)?;
    if !peer.heard()? {
        return Ok(());
    }
    for entry in entries {
        match entry {
            Ok(entry) => one(peer, &entry.path(), options)?,
            Err(error) => peer.fail(format!("{}: {error}", path.display()))?,
        }
    }
    peer.say(b"E\n")?;
    peer.heard().map(drop)
}

fn announce(peer: &mut Peer, kind: u8, name: &[u8], size: u64, found: &Metadata, options: &Options) -> io::Result<()> {
    if options.preserve {
        peer.say(format!("T{} 0 {} 0\n", found.mtime().max(0), found.atime().max(0)).as_bytes())?;
        peer.heard()?;
    }
    let mut line = vec![kind];
    line.extend_from_slice(format!("{:04o} {size} ", found.mode() & 0o7777).as_bytes());
    line.extend_from_slice(name);
    line.push(b'\n');
    peer.say(&line)
}

/// The last part of a path; `None` where it would break the line.
fn name(path: &Path) -> Option<Vec<u8>> {
    let whole;
    let name = match path.file_name() {
        Some(name) => name,
        // `.` and `..` have names, too.
        None => {
            whole = fs::canonicalize(path).ok()?;
            whole.file_name().unwrap_or(whole.as_os_str())
        }
    };
    (!name.as_bytes().contains(&b'\n') && !name.as_bytes().contains(&b'/')).then(|| name.as_bytes().to_vec())
}
