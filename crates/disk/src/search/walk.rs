//! Walks a tree for names, a moment at a time.
//!
//! Between two moments a walk is plain data: nothing runs and next to nothing is open, so a client that reads slowly
//! holds no thread, and one that goes away ends its search. The jail opens every folder again from the disk's root, so
//! no rename can lead the walk astray.

use std::ffi::{OsStr, OsString};
use std::mem::MaybeUninit;
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use disk_core::error::{DiskError, DiskResult};
use disk_core::jail::{Kind, Location, MAX_DEPTH, Meta, VirtualPath, is_reserved, read_folder};
use disk_core::reason::Reason;
use disk_core::view::Place;
use rustix::fd::OwnedFd;
use rustix::fs::{FileType, RawDir, RawDirEntry};

use super::answer::{Entry, Form, Hit};
use super::{Query, names};
use crate::host::ReadParts;
use crate::http::Member;

/// Duration of one step of a walk. The first hit is not delayed longer.
const MOMENT: Duration = Duration::from_millis(15);
/// Output of one step at most, apart from the rest of one folder read.
const FULL_BYTES: usize = 256 * 1024;
/// Buffer of one read from the kernel.
const READ_BYTES: usize = 32 * 1024;

/// Threads of one walk; opening folders waits for locks and, on networks, for responses.
static THREADS: LazyLock<usize> = LazyLock::new(|| std::thread::available_parallelism().map_or(1, usize::from).min(8));

/// A search under way.
pub(super) struct Walk {
    parts: ReadParts,
    query: Query,
    pub(super) form: Form,
    /// The folder itself, from the viewer's root, with a slash at the end.
    root: String,
    hide_dotfiles: bool,
    pending: Vec<Task>,
    /// Hits that were there before the walk began.
    found: Vec<u8>,
}

/// The parameters of a search.
pub(super) struct SearchRequest {
    pub(super) query: Query,
    pub(super) form: Form,
    /// Levels of folders to search.
    pub(super) depth: usize,
}

/// A pending read.
enum Task {
    Folder(Level),
    /// The folder of this name in another.
    Below(Arc<Level>, String),
    /// A folder that was read in part.
    Rest(Arc<Level>, OwnedFd),
}

/// A folder on the way.
#[derive(Clone)]
struct Level {
    /// By its true names, once it is open.
    location: Location,
    /// From the folder that is searched down, with a slash at the end.
    path: String,
    /// Where the pages show it, encoded.
    url: String,
    /// Levels to search, including this one.
    depth: usize,
}

impl Walk {
    /// Starts a walk at this folder of the member's view; 404 if it does not exist. Blocks.
    pub(super) fn start(
        parts: ReadParts,
        member: &Member,
        path: &VirtualPath,
        request: SearchRequest,
    ) -> DiskResult<Self> {
        let SearchRequest { query, form, depth } = request;
        let hide_dotfiles = member.profile.hide_dotfiles;
        let root = format!("{}/", path.to_string().trim_end_matches('/'));
        let mut walk = Self { parts, query, form, root, hide_dotfiles, pending: Vec::new(), found: Vec::new() };
        let url = format!("/files{}", path.encoded().trim_end_matches('/'));
        let place = member.view.place(path);
        member.view.check_made_up(&place)?;
        match place {
            Place::Nowhere => return Err(DiskError::NotFound),
            Place::At(location) => {
                let (level, handle) = walk.open(Level { location, path: String::new(), url, depth })?;
                walk.pending.push(Task::Rest(level, handle));
            }
            Place::Root => walk.made_up(member, path, &member.view.root_names(), ("", &url), depth),
            Place::Shelf(shelf) => walk.made_up(member, path, &member.view.names_on(shelf), ("", &url), depth),
        }
        Ok(walk)
    }

    /// The folders in a virtual folder.
    fn made_up(
        &mut self,
        member: &Member,
        folder: &VirtualPath,
        names: &[&str],
        (above, url): (&str, &str),
        depth: usize,
    ) {
        for name in names.iter().rev() {
            let path = folder.join(name);
            let (shown, url) = (format!("{above}{name}"), format!("{url}{}", encoded(name)));
            if self.form == Form::Entries {
                let path = format!("{}{shown}", self.root);
                let modified = self.parts.clock.now();
                let entry = Entry { path: &path, name, size: 0, modified, is_dir: true };
                self.form.write(&entry, &mut self.found);
            } else if self.form == Form::Names {
                names::write(&mut self.found, true, above, name);
            } else if self.query.matches(name, false) {
                let hit = Hit { dir: true, path: shown.clone(), url: format!("{url}/") };
                self.form.write(&hit, &mut self.found);
            }
            let below = format!("{shown}/");
            match member.view.place(&path) {
                _ if depth <= 1 => {}
                Place::At(location) => {
                    self.pending.push(Task::Folder(Level { location, path: below, url, depth: depth - 1 }));
                }
                Place::Shelf(shelf) => {
                    self.made_up(member, &path, &member.view.names_on(shelf), (&below, &url), depth - 1);
                }
                Place::Root | Place::Nowhere => {}
            }
        }
    }

    /// Nothing is left to be read.
    pub(super) fn is_done(&self) -> bool {
        self.pending.is_empty() && self.found.is_empty()
    }

    /// Runs one step and returns its hits.
    pub(super) fn go_on(&mut self) -> Vec<u8> {
        let queue =
            Queue { tasks: std::mem::take(&mut self.pending), reading: 0, found: std::mem::take(&mut self.found) };
        let moment =
            Moment { walk: self, ends: Instant::now() + MOMENT, queue: Mutex::new(queue), more: Condvar::new() };
        std::thread::scope(|scope| {
            for _ in 1..*THREADS {
                scope.spawn(|| moment.work());
            }
            moment.work();
        });
        let queue = moment.queue.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.pending = queue.tasks;
        queue.found
    }

    fn open(&self, level: Level) -> DiskResult<(Arc<Level>, OwnedFd)> {
        let found = self.parts.jail.find(&level.location)?;
        if !found.meta.is_folder() {
            return Err(DiskError::bad_request(Reason::NoFolder));
        }
        // From here on no link is followed.
        let location = Location { names: found.names, links: false, make_base: false, ..level.location };
        Ok((Arc::new(Level { location, ..level }), read_folder(&found.handle)?))
    }

    /// One read of a folder. A folder that cannot be opened any more, or not by us, has no hits.
    fn read(&self, task: Task, reader: &mut Reader) {
        let opened = match task {
            Task::Rest(level, handle) => Ok((level, handle)),
            Task::Folder(level) => self.open(level),
            Task::Below(above, name) => self.open(above.below(&name)),
        };
        let Ok((level, handle)) = opened else { return };
        let mut entries = RawDir::new(&handle, &mut reader.buffer);
        loop {
            match entries.next() {
                Some(Ok(entry)) => {
                    if let Some(seen) = self.look(&level, &handle, &entry) {
                        self.take(&level, &seen, &mut reader.room, &mut reader.tasks, &mut reader.found);
                    }
                }
                None | Some(Err(_)) => return,
            }
            if entries.is_buffer_empty() {
                reader.tasks.push(Task::Rest(level, handle));
                return;
            }
        }
    }

    /// An entry's type, if the viewer may see it. Names that are not UTF-8 cannot be in a path, so a hit could not be
    /// opened.
    fn look<'a>(&self, level: &Level, folder: &OwnedFd, entry: &'a RawDirEntry<'_>) -> Option<Seen<'a>> {
        let name = entry.file_name().to_bytes();
        let hidden = self.hide_dotfiles && name.starts_with(b".");
        if name == b"." || name == b".." || hidden || is_reserved(name) {
            return None;
        }
        let name = std::str::from_utf8(name).ok()?;
        let location = &level.location;
        if !location.access.allows_in(&location.names, OsStr::new(name)) {
            return None;
        }
        if self.form == Form::Entries {
            let meta = Meta::at(folder, name).ok()?;
            return Some(Seen { name, is_folder: meta.is_folder(), meta: Some(meta) });
        }
        let kind = match entry.file_type() {
            FileType::Unknown => Meta::at(folder, name).ok()?.kind,
            known => known.into(),
        };
        Some(Seen { name, is_folder: kind == Kind::Folder, meta: None })
    }

    fn take(&self, level: &Arc<Level>, seen: &Seen<'_>, room: &mut String, tasks: &mut Vec<Task>, found: &mut Vec<u8>) {
        if let Some(meta) = &seen.meta {
            let path = format!("{}{}{}", self.root, level.path, seen.name);
            let modified = meta.modified.timestamp();
            let size = if seen.is_folder { 0 } else { meta.size };
            self.form.write(&Entry { path: &path, name: seen.name, size, modified, is_dir: seen.is_folder }, found);
        } else if self.form == Form::Names {
            names::write(found, seen.is_folder, &level.path, seen.name);
        } else if self.query.matches_with(seen.name, !seen.is_folder, room) {
            let url = format!("{}{}", level.url, encoded(seen.name));
            let url = if seen.is_folder { url + "/" } else { url };
            let hit = Hit { dir: seen.is_folder, path: format!("{}{}", level.path, seen.name), url };
            self.form.write(&hit, found);
        }
        if seen.is_folder && level.depth > 1 && level.location.names.len() < MAX_DEPTH {
            tasks.push(Task::Below(Arc::clone(level), seen.name.to_owned()));
        }
    }
}

/// An entry that the viewer sees.
struct Seen<'a> {
    name: &'a str,
    is_folder: bool,
    /// Read only for [`Form::Entries`].
    meta: Option<Meta>,
}

impl Level {
    fn below(&self, name: &str) -> Self {
        let mut location = self.location.clone();
        location.names.push(OsString::from(name));
        Self {
            location,
            path: format!("{}{name}/", self.path),
            url: format!("{}{}", self.url, encoded(name)),
            depth: self.depth - 1,
        }
    }
}

/// A slash and the encoded name.
fn encoded(name: &str) -> String {
    VirtualPath::default().join(name).encoded()
}

/// State of one thread.
struct Reader {
    buffer: Vec<MaybeUninit<u8>>,
    room: String,
    tasks: Vec<Task>,
    found: Vec<u8>,
}

/// State that the threads of a walk share for one step.
struct Moment<'a> {
    walk: &'a Walk,
    ends: Instant,
    queue: Mutex<Queue>,
    more: Condvar,
}

struct Queue {
    /// Taken from the end, so that few folders are pending at a time.
    tasks: Vec<Task>,
    /// Threads that may still add tasks.
    reading: usize,
    found: Vec<u8>,
}

impl Moment<'_> {
    fn work(&self) {
        let buffer = vec![MaybeUninit::uninit(); READ_BYTES];
        let mut reader = Reader { buffer, room: String::new(), tasks: Vec::new(), found: Vec::new() };
        while let Some(task) = self.next() {
            self.walk.read(task, &mut reader);
            let mut queue = self.queue();
            queue.reading -= 1;
            queue.tasks.append(&mut reader.tasks);
            queue.found.append(&mut reader.found);
            drop(queue);
            self.more.notify_all();
        }
    }

    /// The next task; `None` when the step is over or everything is done.
    fn next(&self) -> Option<Task> {
        let mut queue = self.queue();
        loop {
            let left = self.ends.saturating_duration_since(Instant::now());
            if left.is_zero() || queue.found.len() >= FULL_BYTES {
                return None;
            }
            if let Some(task) = queue.tasks.pop() {
                queue.reading += 1;
                return Some(task);
            }
            if queue.reading == 0 {
                return None;
            }
            queue = self.more.wait_timeout(queue, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
