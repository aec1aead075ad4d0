//! A disk that loses its power: one file in a FUSE file system, under a loop device. It is only in memory, and logs
//! each write and flush in order.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, UNIX_EPOCH};

use fuser::{
    BackgroundSession, Config, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo,
    LockOwner, MountOption, OpenFlags, ReplyAttr, ReplyData, ReplyEmpty, ReplyEntry, ReplyOpen, ReplyWrite, Request,
    WriteFlags,
};

const NAME: &str = "disk";
const INODE: INodeNo = INodeNo(2);
/// Nothing else changes the kernel's cache of the two entries.
const FOR_EVER: Duration = Duration::from_secs(1 << 20);
/// A load that writes more than this has no measure.
const MOST_LOGGED: usize = 2 << 30;

/// An operation on the disk.
#[derive(Debug)]
pub(super) enum Entry {
    Write { at: usize, data: Box<[u8]> },
    Flush,
}

#[derive(Debug, Default)]
struct State {
    content: Vec<u8>,
    base: Vec<u8>,
    log: Vec<Entry>,
    logged: usize,
}

/// All operations since the log was begun.
#[derive(Debug)]
pub(super) struct Recording {
    /// Its content then, all of it durable.
    pub(super) base: Vec<u8>,
    pub(super) log: Vec<Entry>,
}

/// The log, whose length is a position in time; cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Log(Arc<Mutex<State>>);

impl Log {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Entries until now.
    pub(super) fn position(&self) -> usize {
        self.state().log.len()
    }
}

/// The disk. Its file system is unmounted when it is dropped.
#[derive(Debug)]
pub(super) struct Disk {
    path: PathBuf,
    log: Log,
    session: BackgroundSession,
}

impl Disk {
    /// Creates an empty disk of this size, mounted on a folder.
    pub(super) fn new(on: &Path, bytes: usize) -> Self {
        let log = Log(Arc::new(Mutex::new(State { content: vec![0; bytes], ..State::default() })));
        let mut config = Config::default();
        config.mount_options = vec![MountOption::FSName("power-cut".to_owned())];
        let session = fuser::spawn_mount(OneFile(log.clone()), on, &config).expect("a FUSE file system");
        Self { path: on.join(NAME), log, session }
    }

    /// The file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn log(&self) -> &Log {
        &self.log
    }

    /// Clears the log. No operation may be in progress.
    pub(super) fn begin(&self) {
        let mut state = self.log.state();
        state.base = state.content.clone();
        (state.log, state.logged) = (Vec::new(), 0);
    }

    /// Returns the log. Nothing may use the disk any more.
    pub(super) fn recorded(self) -> Recording {
        self.session.umount_and_join().expect("the file system ends");
        let State { base, log, .. } = std::mem::take(&mut *self.log.state());
        Recording { base, log }
    }
}

struct OneFile(Log);

impl OneFile {
    fn attributes(&self, inode: INodeNo) -> FileAttr {
        let is_file = inode == INODE;
        let size = if is_file { self.0.state().content.len() as u64 } else { 0 };
        let (kind, perm) = if is_file { (FileType::RegularFile, 0o600) } else { (FileType::Directory, 0o700) };
        FileAttr {
            ino: inode,
            size,
            blocks: size.div_ceil(512),
            atime: UNIX_EPOCH,
            mtime: UNIX_EPOCH,
            ctime: UNIX_EPOCH,
            crtime: UNIX_EPOCH,
            kind,
            perm,
            nlink: 1,
            uid: 0,
            gid: 0,
            rdev: 0,
            blksize: 4096,
            flags: 0,
        }
    }
}

/// Requests are served one after the other, so the log is in their order.
impl Filesystem for OneFile {
    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        if parent == INodeNo::ROOT && name == NAME {
            reply.entry(&FOR_EVER, &self.attributes(INODE), Generation(0));
        } else {
            reply.error(Errno::ENOENT);
        }
    }

    fn getattr(&self, _: &Request, inode: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        reply.attr(&FOR_EVER, &self.attributes(inode));
    }

    /// Without page cache: when a program's write returns, it has arrived here.
    fn open(&self, _: &Request, _: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        reply.opened(FileHandle(0), FopenFlags::FOPEN_DIRECT_IO);
    }

    fn read(
        &self,
        _: &Request,
        _: INodeNo,
        _: FileHandle,
        at: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let state = self.0.state();
        let from = usize::try_from(at).unwrap_or(usize::MAX).min(state.content.len());
        let until = from.saturating_add(size as usize).min(state.content.len());
        reply.data(&state.content[from..until]);
    }

    fn write(
        &self,
        _: &Request,
        _: INodeNo,
        _: FileHandle,
        at: u64,
        data: &[u8],
        _: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        let mut state = self.0.state();
        let at = usize::try_from(at).unwrap_or(usize::MAX);
        let fits = at.checked_add(data.len()).is_some_and(|end| end <= state.content.len());
        if !fits || state.logged + data.len() > MOST_LOGGED {
            reply.error(Errno::ENOSPC);
            return;
        }
        state.content[at..at + data.len()].copy_from_slice(data);
        state.log.push(Entry::Write { at, data: data.into() });
        state.logged += data.len();
        reply.written(u32::try_from(data.len()).unwrap_or(u32::MAX));
    }

    /// The loop device makes this of a flush, and of a write that must be durable.
    fn fsync(&self, _: &Request, _: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        self.0.state().log.push(Entry::Flush);
        reply.ok();
    }
}
