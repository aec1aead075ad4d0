//! The durable length of an unfinished upload, in the file `{id}.received`.
//!
//! After a power cut a file can be longer than what was synced, with zeros or old blocks at its end, so its size says
//! nothing. Within one boot of the machine the size is right, even if the process was killed: the kernel still has the
//! data.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;

use disk_core::error::DiskResult;
use disk_core::jail::{Jail, sync_folder};
use rustix::fd::OwnedFd;
use rustix::fs::{OFlags, fdatasync};
use rustix::io::Errno;
use sha2::{Digest, Sha256};

use super::record::{self, PRIVATE};

/// Disks write a sector as a whole. Two are written in turns, so that a torn write leaves the one before it.
const SLOT_BYTES: usize = 512;
const SLOTS: u64 = 2;

const fn offset(slot: u64) -> u64 {
    slot * SLOT_BYTES as u64
}

/// Identifies one boot of the machine; `None` where the kernel does not tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Boot(Option<String>);

impl Boot {
    pub(super) fn current() -> Self {
        let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok();
        Self(id.map(|id| id.trim().to_owned()).filter(|id| !id.is_empty()))
    }

    pub(super) fn id(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// Whether this is the boot with that id. An unknown boot is never the same.
    pub(super) fn is(&self, id: &str) -> bool {
        self.0.as_deref() == Some(id)
    }
}

/// A durable length, and the boot in which it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Progress {
    number: u64,
    /// Bytes.
    pub(super) received: u64,
    pub(super) boot: String,
}

impl Progress {
    fn slot(&self) -> String {
        let text = format!("{} {} {}", self.number, self.received, self.boot);
        format!("{text} {}\n", digest(&text))
    }

    /// Returns `None` for a slot that was never written or is torn.
    fn parse(slot: &[u8]) -> Option<Self> {
        let line = std::str::from_utf8(slot).ok()?.lines().next()?;
        let (text, sum) = line.rsplit_once(' ')?;
        let mut parts = text.splitn(3, ' ');
        let (number, received) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        let boot = parts.next()?.to_owned();
        (digest(text) == sum).then_some(Self { number, received, boot })
    }

    fn latest(file: &File) -> io::Result<Option<Self>> {
        let mut latest: Option<Self> = None;
        for slot in 0..SLOTS {
            let mut bytes = [0; SLOT_BYTES];
            let read = match file.read_exact_at(&mut bytes, offset(slot)) {
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => continue,
                other => other,
            };
            read?;
            let found = Self::parse(bytes.split(|byte| *byte == 0).next().unwrap_or_default());
            latest = latest.into_iter().chain(found).max_by_key(|progress| progress.number);
        }
        Ok(latest)
    }
}

fn digest(text: &str) -> String {
    Sha256::digest(text).iter().take(8).fold(String::new(), |mut hex, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// Reads the latest slot; `None` if none was ever written.
pub(super) fn noted(jail: &Jail, folder: &OwnedFd, id: &str) -> DiskResult<Option<Progress>> {
    match record::open(jail, folder, &record::progress_name(id), OFlags::RDONLY) {
        Err(Errno::NOENT) => Ok(None),
        file => Ok(Progress::latest(&file?)?),
    }
}

/// Notes that this many bytes are durable; the note is durable when this returns.
pub(super) fn note(jail: &Jail, folder: &OwnedFd, id: &str, boot: &Boot, received: u64) -> DiskResult<()> {
    let name = record::progress_name(id);
    let (file, is_new) = match record::open(jail, folder, &name, OFlags::RDWR) {
        Err(Errno::NOENT) => {
            let file = record::create(folder, &name, PRIVATE)?;
            file.set_len(offset(SLOTS))?;
            (file, true)
        }
        file => (file?, false),
    };
    let number = Progress::latest(&file)?.map_or(0, |last| last.number + 1);
    let progress = Progress { number, received, boot: boot.id().unwrap_or_default().to_owned() };
    let mut slot = progress.slot().into_bytes();
    slot.resize(SLOT_BYTES, 0);
    file.write_all_at(&slot, offset(number % SLOTS))?;
    fdatasync(&file)?;
    if is_new {
        sync_folder(folder)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(number: u64, received: u64) -> Progress {
        Progress { number, received, boot: "a-boot".to_owned() }
    }

    fn write(file: &File, slot: u64, text: &str) {
        let mut bytes = text.as_bytes().to_vec();
        bytes.resize(SLOT_BYTES, 0);
        file.write_all_at(&bytes, offset(slot)).unwrap();
    }

    #[test]
    fn the_newest_whole_slot_counts() {
        let file = tempfile::tempfile().unwrap();
        assert_eq!(Progress::latest(&file).unwrap(), None);
        file.set_len(offset(SLOTS)).unwrap();
        assert_eq!(Progress::latest(&file).unwrap(), None);
        write(&file, 0, &progress(0, 100).slot());
        assert_eq!(Progress::latest(&file).unwrap(), Some(progress(0, 100)));
        // A later one may be smaller: a piece with a wrong digest was cut off.
        write(&file, 1, &progress(1, 50).slot());
        assert_eq!(Progress::latest(&file).unwrap(), Some(progress(1, 50)));
        write(&file, 0, &progress(2, 70).slot().replace("70", "71"));
        assert_eq!(Progress::latest(&file).unwrap(), Some(progress(1, 50)));
    }

    #[test]
    fn notes_take_turns() {
        let folder = tempfile::tempdir().unwrap();
        let (jail, at) = (Jail::open(folder.path()).unwrap(), OwnedFd::from(File::open(folder.path()).unwrap()));
        assert_eq!(noted(&jail, &at, "a").unwrap(), None);
        let boot = Boot(Some("a-boot".to_owned()));
        for (number, received) in [(0, 10), (1, 20), (2, 15), (3, 30)] {
            note(&jail, &at, "a", &boot, received).unwrap();
            assert_eq!(noted(&jail, &at, "a").unwrap(), Some(progress(number, received)));
        }
        let file = fs::read(folder.path().join("a.received")).unwrap();
        let slots: Vec<_> = file.chunks(SLOT_BYTES).map(|slot| slot.first().copied()).collect();
        assert_eq!(slots, [Some(b'2'), Some(b'3')]);
    }

    #[test]
    fn an_unknown_boot_is_never_the_same() {
        assert!(!Boot(None).is(""));
        assert!(Boot(Some("a".to_owned())).is("a") && !Boot(Some("a".to_owned())).is("b"));
    }
}
