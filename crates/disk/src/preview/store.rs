//! Thumbnails on the disk, in `.yunlab/thumbnails`, by the identity of their file. So a file that is moved keeps its
//! thumbnails, and a person who may not read a file never gets as far as requesting them.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Read, Write};
use std::sync::{Mutex, PoisonError};

use disk_core::jail::{FOLDER, Jail, Meta, Moment, RESERVED_NAME, names_in};
use rustix::fd::OwnedFd;
use rustix::fs::{
    AtFlags, Mode, OFlags, Timespec, Timestamps, UTIME_NOW, futimens, mkdirat, openat, renameat, unlinkat,
};
use rustix::io::Errno;

use super::picture::Size;
use super::workshop::Key;

const FOLDER_NAME: &str = "thumbnails";
/// Maximum total size; above it the least recently used are removed.
const MAX_BYTES: u64 = 1024 * 1024 * 1024;
/// Precision of the last use of a thumbnail.
const NOTED_AFTER_SECONDS: i64 = 24 * 60 * 60;
/// Suffix of files that are being written.
const UNFINISHED: &[u8] = b"~";

/// The folder and how full it is.
#[derive(Debug)]
pub(super) struct Store {
    folder: OwnedFd,
    max_bytes: u64,
    /// Total bytes; unknown before the first insertion.
    used: Mutex<Option<u64>>,
}

impl Store {
    /// Opens the folder, made when it is missing.
    pub(super) fn open(jail: &Jail) -> anyhow::Result<Self> {
        Self::with_room(jail, MAX_BYTES)
    }

    fn with_room(jail: &Jail, max_bytes: u64) -> anyhow::Result<Self> {
        let reserved = openat(jail.root(), RESERVED_NAME, FOLDER, Mode::empty())?;
        match mkdirat(&reserved, FOLDER_NAME, Mode::from_raw_mode(0o700)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(other) => return Err(other.into()),
        }
        let folder = openat(&reserved, FOLDER_NAME, FOLDER, Mode::empty())?;
        Ok(Self { folder, max_bytes, used: Mutex::new(None) })
    }

    /// The thumbnail, if it is cached. Blocks.
    pub(super) fn get(&self, key: &Key) -> Option<Vec<u8>> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut file = File::from(openat(&self.folder, name(key), flags, Mode::empty()).ok()?);
        let meta = Meta::of(&file).ok()?;
        let mut made = Vec::new();
        file.read_to_end(&mut made).ok()?;
        if meta.modified.seconds + NOTED_AFTER_SECONDS < now() {
            let at = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
            // Only the order in which previews go depends on it.
            let _ = futimens(&file, &Timestamps { last_access: at, last_modification: at });
        }
        // A crash can leave a name without content.
        (!made.is_empty()).then_some(made)
    }

    /// Keeps it. Where that fails it will be made again. Blocks.
    pub(super) fn put(&self, key: &Key, made: &[u8]) {
        let kept = self.write(key, made).and_then(|()| self.count(made.len()));
        if let Err(error) = kept {
            tracing::warn!(error = %error, "a preview could not be kept");
        }
    }

    /// Whole or not at all.
    fn write(&self, key: &Key, made: &[u8]) -> std::io::Result<()> {
        let name = name(key);
        let new = format!("{}{}", uuid::Uuid::new_v4().simple(), String::from_utf8_lossy(UNFINISHED));
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut file = File::from(openat(&self.folder, new.as_str(), flags, Mode::from_raw_mode(0o600))?);
        let written = file.write_all(made).and_then(|()| Ok(renameat(&self.folder, new.as_str(), &self.folder, name)?));
        if written.is_err() {
            let _ = unlinkat(&self.folder, new.as_str(), AtFlags::empty());
        }
        written
    }

    fn count(&self, more: usize) -> std::io::Result<()> {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let now = match *used {
            Some(used) => used.saturating_add(u64::try_from(more).unwrap_or(u64::MAX)),
            None => self.measure()?.iter().map(|kept| kept.bytes).sum(),
        };
        *used = Some(if now > self.max_bytes { self.make_room()? } else { now });
        Ok(())
    }

    /// Removes the least recently used down to three quarters; returns the remaining size.
    fn make_room(&self) -> std::io::Result<u64> {
        let mut all = self.measure()?;
        all.sort_by_key(|kept| kept.seen);
        let mut used: u64 = all.iter().map(|kept| kept.bytes).sum();
        for kept in all {
            if used <= self.max_bytes / 4 * 3 {
                break;
            }
            // Another process may have removed it.
            let _ = unlinkat(&self.folder, &kept.name, AtFlags::empty());
            used = used.saturating_sub(kept.bytes);
        }
        Ok(used)
    }

    /// Lists all entries. Removes unfinished ones.
    fn measure(&self) -> std::io::Result<Vec<Kept>> {
        let mut all = Vec::new();
        for name in names_in(&self.folder)? {
            let Ok(meta) = Meta::at(&self.folder, name.as_os_str()) else { continue };
            let old = meta.modified.seconds + NOTED_AFTER_SECONDS < now();
            if is_unfinished(&name) && old {
                let _ = unlinkat(&self.folder, &name, AtFlags::empty());
            } else {
                all.push(Kept { name, bytes: meta.size, seen: meta.modified });
            }
        }
        Ok(all)
    }
}

struct Kept {
    name: OsString,
    bytes: u64,
    seen: Moment,
}

fn is_unfinished(name: &OsStr) -> bool {
    use std::os::unix::ffi::OsStrExt;
    name.as_bytes().ends_with(UNFINISHED)
}

fn name((identity, size): &Key) -> String {
    let size = match size {
        Size::Thumb => "thumb",
        Size::Small => "small",
        Size::Big => "big",
    };
    format!("{identity}.{size}")
}

/// Seconds since 1970.
fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_stays_within_its_room() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(RESERVED_NAME)).unwrap();
        let store = Store::with_room(&Jail::open(folder.path()).unwrap(), 10_000).unwrap();
        let previews = folder.path().join(RESERVED_NAME).join(FOLDER_NAME);
        let key = |number: usize| (format!("{number:03}"), Size::Thumb);
        for number in 0..100_usize {
            store.put(&key(number), &[1; 1000]);
            let file = File::options().write(true).open(previews.join(name(&key(number)))).unwrap();
            let at = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000 + number as u64);
            file.set_modified(at).unwrap();
            let used: u64 =
                std::fs::read_dir(&previews).unwrap().map(|file| file.unwrap().metadata().unwrap().len()).sum();
            assert!(used <= 10_000, "{used}");
        }
        // The last stayed, the first went.
        assert_eq!(store.get(&key(99)), Some(vec![1; 1000]));
        assert_eq!(store.get(&key(0)), None);
        // A recently used one counts as new.
        let looked_at = std::fs::metadata(previews.join(name(&key(99)))).unwrap().modified().unwrap();
        assert!(looked_at.elapsed().unwrap().as_secs() < 3600);
        assert_eq!(store.get(&("other".to_owned(), Size::Big)), None);
    }

    #[test]
    fn what_a_crash_left_is_no_preview() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(RESERVED_NAME)).unwrap();
        let store = Store::open(&Jail::open(folder.path()).unwrap()).unwrap();
        let previews = folder.path().join(RESERVED_NAME).join(FOLDER_NAME);
        let key = ("a".to_owned(), Size::Big);
        std::fs::write(previews.join(name(&key)), "").unwrap();
        let left = File::create(previews.join("unfinished~")).unwrap();
        left.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
        assert_eq!(store.get(&key), None);
        store.put(&key, b"made");
        assert_eq!(store.get(&key).as_deref(), Some(&b"made"[..]));
        assert!(!previews.join("unfinished~").exists());
    }
}
