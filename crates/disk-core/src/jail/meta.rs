//! The kernel's metadata of an entry, in plain numbers.

use kernel::Timestamp;
use rustix::fd::AsFd;
use rustix::fs::{AtFlags, FileType, StatxFlags, StatxTimestamp, statx};
use rustix::io::Errno;

/// The type of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    File,
    Folder,
    Link,
    /// Pipes, sockets and devices: listed, moved and deleted, but never opened.
    Special(FileType),
}

impl From<FileType> for Kind {
    fn from(kind: FileType) -> Self {
        match kind {
            FileType::RegularFile => Self::File,
            FileType::Directory => Self::Folder,
            FileType::Symlink => Self::Link,
            other => Self::Special(other),
        }
    }
}

/// A snapshot of one entry's metadata.
#[derive(Clone, Debug)]
pub struct Meta {
    pub kind: Kind,
    /// Permission bits with set-id and sticky.
    pub mode: u32,
    pub size: u64,
    /// Allocated bytes on the disk, as quotas count them.
    pub used: u64,
    pub modified: Moment,
    pub changed: Moment,
    /// Creation time, where the file system records it: with the inode it distinguishes an entry from a later one that
    /// reuses the number.
    pub born: Option<Moment>,
    pub inode: u64,
    pub links: u32,
    pub owner: u32,
    pub group: u32,
    /// Entries can be renamed into each other's place where this is equal.
    pub mount: u64,
    pub device: u64,
}

/// Seconds and nanoseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    pub seconds: i64,
    pub nanos: u32,
}

impl Moment {
    /// Cut to milliseconds.
    pub fn timestamp(self) -> Timestamp {
        let millis = self.seconds.saturating_mul(1000).saturating_add(i64::from(self.nanos / 1_000_000));
        Timestamp::from_millis(millis)
    }
}

impl From<StatxTimestamp> for Moment {
    fn from(at: StatxTimestamp) -> Self {
        Self { seconds: at.tv_sec, nanos: at.tv_nsec }
    }
}

impl Meta {
    /// Of an open handle.
    pub fn of(handle: impl AsFd) -> Result<Self, Errno> {
        Self::read(handle, "", AtFlags::EMPTY_PATH)
    }

    /// Metadata of an open handle, as far as this machine has it without asking a file server.
    pub(super) fn cached(handle: impl AsFd) -> Result<Self, Errno> {
        Self::read(handle, "", AtFlags::EMPTY_PATH | AtFlags::STATX_DONT_SYNC)
    }

    /// Metadata of the entry itself, not of a link's target.
    pub fn at<P: rustix::path::Arg>(folder: impl AsFd, name: P) -> Result<Self, Errno> {
        Self::read(folder, name, AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT)
    }

    fn read<P: rustix::path::Arg>(folder: impl AsFd, name: P, flags: AtFlags) -> Result<Self, Errno> {
        let stat = statx(folder, name, flags, StatxFlags::BASIC_STATS | StatxFlags::MNT_ID | StatxFlags::BTIME)?;
        let device = u64::from(stat.stx_dev_major) << 32 | u64::from(stat.stx_dev_minor);
        // Kernels before 5.8 do not report the mount; the device is nearly as good.
        let tells = |what: StatxFlags| stat.stx_mask & what.bits() != 0;
        Ok(Self {
            kind: FileType::from_raw_mode(stat.stx_mode.into()).into(),
            mode: u32::from(stat.stx_mode) & 0o7777,
            size: stat.stx_size,
            used: stat.stx_blocks.saturating_mul(512),
            modified: stat.stx_mtime.into(),
            changed: stat.stx_ctime.into(),
            born: tells(StatxFlags::BTIME).then(|| stat.stx_btime.into()),
            inode: stat.stx_ino,
            links: stat.stx_nlink,
            owner: stat.stx_uid,
            group: stat.stx_gid,
            mount: if tells(StatxFlags::MNT_ID) { stat.stx_mnt_id } else { device },
            device,
        })
    }

    /// Whether it lies on a block device. File systems without one have an artificial device whose major number is 0;
    /// network file systems are among them.
    pub(super) fn is_local(&self) -> bool {
        self.device >> 32 != 0
    }

    /// Whether it is a folder itself; a link to one is not.
    pub fn is_folder(&self) -> bool {
        self.kind == Kind::Folder
    }

    /// Whether both are of one entry: the same number on the same file system.
    pub fn same_entry(&self, other: &Self) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }
}
