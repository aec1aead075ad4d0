//! Receives files. What the other side calls them is one name each, never a path.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use rustix::fs::{
    AtFlags, CWD, Mode, OFlags, Timespec, Timestamps, chmod, fchmod, ftruncate, futimens, open, utimensat,
};

use super::Options;
use super::peer::{Peer, invalid};

/// The part of a mode that is taken over without `-p`.
const USUAL: u32 = 0o777;

/// A line that announces a file or folder.
#[derive(Debug, PartialEq, Eq)]
struct Announced<'a> {
    folder: bool,
    mode: u32,
    size: u64,
    name: &'a OsStr,
}

pub(super) fn receive(peer: &mut Peer, target: &Path, options: &Options) -> io::Result<()> {
    if options.folder && !target.is_dir() {
        return peer.fail(format!("{}: Not a directory", target.display()));
    }
    // Once for all: the mode of a file is what was sent.
    let mask = rustix::process::umask(Mode::empty());
    rustix::process::umask(mask);
    let mask = if options.preserve { 0 } else { mask.as_raw_mode() };
    if options.preserve {
        rustix::process::umask(Mode::empty());
    }
    peer.fine()?;
    level(peer, target, options, mask, true)
}

/// The content of a folder, up to the line that ends it or the end of the input.
fn level(peer: &mut Peer, target: &Path, options: &Options, mask: u32, outermost: bool) -> io::Result<()> {
    let into_folder = target.is_dir();
    let mut times = None;
    while let Some(line) = peer.line()? {
        match line.first() {
            Some(1) => peer.noted(&line[1..]),
            Some(2) => {
                peer.noted(&line[1..]);
                return Err(io::Error::other("the other side gave up"));
            }
            Some(b'E') if line.len() == 1 && !outermost => return peer.fine(),
            Some(b'T') => {
                times = Some(parse_times(&line).ok_or_else(|| invalid("times are garbled"))?);
                peer.fine()?;
            }
            _ => {
                let announced = parse(&line).ok_or_else(|| invalid("a line is garbled"))?;
                let path = if into_folder { target.join(announced.name) } else { target.to_owned() };
                let times = times.take().filter(|_| options.preserve);
                if announced.folder {
                    folder(peer, &path, &announced, options, mask, times)?;
                } else {
                    file(peer, &path, &announced, mask, options, times)?;
                }
            }
        }
    }
    if outermost { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

fn folder(
    peer: &mut Peer,
    path: &Path,
    announced: &Announced<'_>,
    options: &Options,
    mask: u32,
    times: Option<Timestamps>,
) -> io::Result<()> {
    if !options.recursive {
        return Err(invalid("a folder that was not asked for"));
    }
    let mode = announced.mode & !mask;
    let made = match path.symlink_metadata() {
        Ok(_) if path.is_dir() => false,
        Ok(_) => return peer.fail(format!("{}: Not a directory", path.display())),
        // Until its content is there, it can be written to.
        Err(_) => match DirBuilder::new().mode(mode | 0o700).create(path) {
            Ok(()) => true,
            Err(error) => return peer.fail(format!("{}: {error}", path.display())),
        },
    };
    peer.fine()?;
    level(peer, path, options, mask, false)?;
    if let Some(times) = times {
        let _ = utimensat(CWD, path, &times, AtFlags::empty());
    }
    if made || options.preserve {
        let _ = chmod(path, Mode::from_raw_mode(mode));
    }
    Ok(())
}

fn file(
    peer: &mut Peer,
    path: &Path,
    announced: &Announced<'_>,
    mask: u32,
    options: &Options,
    times: Option<Timestamps>,
) -> io::Result<()> {
    let mode = Mode::from_raw_mode(announced.mode & !mask);
    let existed = fs::metadata(path).is_ok();
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::CLOEXEC | OFlags::NOCTTY;
    let opened = open(path, flags, mode | Mode::WUSR);
    let mut file = match opened {
        Ok(file) => File::from(file),
        Err(error) => return peer.fail(format!("{}: {}", path.display(), io::Error::from(error))),
    };
    peer.fine()?;
    let mut failed = peer.receive(announced.size, &mut file)?;
    let set = |failed: &mut Option<io::Error>, result: rustix::io::Result<()>| {
        if let (None, Err(error)) = (&failed, result) {
            *failed = Some(error.into());
        }
    };
    if file.metadata().is_ok_and(|found| found.is_file()) {
        // What was there may have been longer.
        set(&mut failed, ftruncate(&file, announced.size));
        if options.preserve || !existed {
            set(&mut failed, fchmod(&file, mode));
        }
        if let Some(times) = times {
            set(&mut failed, futimens(&file, &times));
        }
    }
    peer.heard()?;
    match failed {
        Some(error) => peer.fail(format!("{}: {error}", path.display())),
        None => peer.fine(),
    }
}

/// `C0644 12 name` or `D0755 0 name`.
fn parse(line: &[u8]) -> Option<Announced<'_>> {
    let (kind, rest) = line.split_first()?;
    let mut words = rest.splitn(3, |byte| *byte == b' ');
    let (mode, size, name) = (words.next()?, words.next()?, words.next()?);
    let digits = |text: &[u8], radix| {
        let text = std::str::from_utf8(text).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))?;
        u64::from_str_radix(text, radix).ok()
    };
    let (mode, size) = (digits(mode, 8).filter(|_| mode.len() == 4)?, digits(size, 10)?);
    let folder = match kind {
        b'C' => false,
        b'D' => true,
        _ => return None,
    };
    if name.is_empty() || name.contains(&b'/') || name.contains(&0) || name == b"." || name == b".." {
        return None;
    }
    let mode = u32::try_from(mode).ok()? & (0o7000 | USUAL);
    Some(Announced { folder, mode, size, name: OsStr::from_bytes(name) })
}

/// `T1700000000 0 1700000000 0`: change and access, with microseconds.
fn parse_times(line: &[u8]) -> Option<Timestamps> {
    let text = std::str::from_utf8(line.get(1..)?).ok()?;
    let numbers: Vec<u32> = text.split(' ').map(|word| word.parse().ok()).collect::<Option<_>>()?;
    let [change, change_micros, access, access_micros] = numbers[..] else { return None };
    let time = |seconds: u32, micros: u32| {
        (micros < 1_000_000).then(|| Timespec { tv_sec: i64::from(seconds), tv_nsec: i64::from(micros) * 1000 })
    };
    Some(Timestamps { last_access: time(access, access_micros)?, last_modification: time(change, change_micros)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_never_paths() {
        let parsed = |line: &str| parse(line.as_bytes()).map(|found| found.name.to_owned());
        assert_eq!(parsed("C0644 12 数据 1.txt").unwrap(), "数据 1.txt");
        assert_eq!(
            parse(b"D0755 0 a").unwrap(),
            Announced { folder: true, mode: 0o755, size: 0, name: OsStr::new("a") }
        );
        for wrong in [
            "C0644 12 ../x",
            "C0644 1 /etc/passwd",
            "C0644 1 ..",
            "C0644 1 .",
            "C0644 1 ",
            "C0644 -1 a",
            "C0944 1 a",
            "C644 1 a",
            "X0644 1 a",
            "C0644 99999999999999999999 a",
            "C0644",
            "",
            "C+644 1 a",
        ] {
            assert!(parse(wrong.as_bytes()).is_none(), "{wrong}");
        }
    }

    #[test]
    fn times_have_four_numbers() {
        assert_eq!(parse_times(b"T5 0 7 1").unwrap().last_access, Timespec { tv_sec: 7, tv_nsec: 1000 });
        for wrong in ["T5 0 7", "T5 0 7 1 2", "T-5 0 7 1", "T5 1000000 7 1", "Tx 0 0 0"] {
            assert!(parse_times(wrong.as_bytes()).is_none(), "{wrong}");
        }
    }
}
