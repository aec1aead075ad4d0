//! The index of a SQLite database's log, the file `-shm`, kept at its size across restarts.
//!
//! The first process that opens a database truncates this file and writes it again, which takes blocks: on a full disk,
//! or where only blocks reserved for root are left, the database could not be opened (`SQLITE_IOERR_SHMSIZE`). SQLite
//! takes another process's shared lock on one byte of it as a sign that it is not the first. So that byte is locked
//! before the database is opened, if no process has it open, and the content is overwritten with zeros in place, which
//! SQLite treats as an index to be rebuilt.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use nix::fcntl::{FcntlArg, fcntl};
use nix::libc;

/// Two of the pieces that SQLite maps, for a log of 32 MiB.
const SIZE: u64 = 64 << 10;
/// SQLite's "dead man's switch": each connection that has the index open holds a shared lock of this byte.
const IN_USE: i64 = 128;

/// Databases that this process has open, by their paths. Opening and closing an index once more would end SQLite's own
/// locks: the kernel drops all locks of a process on a file with any of its handles.
static HELD: Mutex<BTreeMap<PathBuf, Weak<HeldIndex>>> = Mutex::new(BTreeMap::new());

fn held() -> MutexGuard<'static, BTreeMap<PathBuf, Weak<HeldIndex>>> {
    // Each critical section is one insertion or removal, so a poisoned lock leaves nothing half done.
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps SQLite from cutting the index off, as long as the database is open.
#[derive(Debug)]
pub(crate) struct HeldIndex {
    /// Holds the lock until it is dropped. `None` where another process has the database open, and where the file
    /// system has no such locks.
    _index: Option<File>,
}

impl HeldIndex {
    /// Holds the index of a database that is about to be opened: once per process, however often it is opened. `None`
    /// where there is no database yet.
    pub(crate) fn hold(database: &Path, index: &Path) -> Option<Arc<Self>> {
        let database = fs::canonicalize(database).ok()?;
        let mut held = held();
        held.retain(|_, one| one.strong_count() > 0);
        if let Some(known) = held.get(&database).and_then(Weak::upgrade) {
            return Some(known);
        }
        let index = open(&database, index).unwrap_or_else(|error| {
            tracing::debug!(%error, "the index of the database's log is made anew");
            None
        });
        let hold = Arc::new(Self { _index: index });
        held.insert(database, Arc::downgrade(&hold));
        Some(hold)
    }
}

fn open(database: &Path, index: &Path) -> io::Result<Option<File>> {
    let owner = fs::metadata(database)?;
    let mode = owner.mode() & 0o777;
    let flags = libc::O_NOFOLLOW | libc::O_CLOEXEC;
    let mut options = OpenOptions::new();
    options.read(true).write(true).mode(mode).custom_flags(flags);
    let file = match options.open(index) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let file = options.create_new(true).open(index)?;
            // As SQLite does: mode and owner are the database's, not those of the umask and the opening process.
            file.set_permissions(Permissions::from_mode(mode))?;
            let _not_root = std::os::unix::fs::fchown(&file, Some(owner.uid()), Some(owner.gid()));
            file
        }
        opened => opened?,
    };
    if !lock(&file, libc::F_WRLCK)? {
        return Ok(None);
    }
    clear(&file)?;
    // Converted atomically, without a moment in between.
    Ok(lock(&file, libc::F_RDLCK)?.then_some(file))
}

/// Overwrites it with zeros in place, so that its blocks stay; extends it to its size where there is space.
fn clear(index: &File) -> io::Result<()> {
    const PIECE: [u8; 4096] = [0; 4096];
    let length = index.metadata()?.len();
    let mut at = 0;
    while at < length.max(SIZE) {
        let piece = usize::try_from(length.max(SIZE) - at).map_or(PIECE.len(), |left| left.min(PIECE.len()));
        match index.write_all_at(&PIECE[..piece], at) {
            Err(error) if error.kind() == io::ErrorKind::StorageFull && at >= length => break,
            done => done?,
        }
        at += PIECE.len() as u64;
    }
    Ok(())
}

/// Locks the byte for this one handle, which SQLite in this process takes for another process's lock; false if another
/// process has it.
fn lock(index: &File, kind: libc::c_int) -> io::Result<bool> {
    let range = libc::flock {
        l_type: libc::c_short::try_from(kind).map_err(io::Error::other)?,
        l_whence: libc::c_short::try_from(libc::SEEK_SET).map_err(io::Error::other)?,
        l_start: IN_USE,
        l_len: 1,
        l_pid: 0,
    };
    match fcntl(index, FcntlArg::F_OFD_SETLK(&range)) {
        Ok(_) => Ok(true),
        Err(nix::errno::Errno::EAGAIN | nix::errno::Errno::EACCES) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
