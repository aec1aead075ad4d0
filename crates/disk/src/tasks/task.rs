//! A task and its states.

use std::sync::{Mutex, MutexGuard, PoisonError};

use disk_core::error::{DiskError, DiskResult};
use disk_core::jail::VirtualPath;
use disk_core::progress::Progress;
use disk_core::reason::Reason;
use kernel::{Timestamp, UserId};
use serde::{Deserialize, Serialize};
use tokio::sync::SetOnce;
use utoipa::ToSchema;
use uuid::Uuid;

use super::Job;
use super::store::KeptTask;
use crate::http::told;

/// What a task does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    Copy,
    Move,
    Extract,
    Compress,
}

/// Where a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum State {
    /// Waiting for others to end.
    Queued,
    Running,
    Done,
    Failed,
    Cancelled,
}

/// One task.
#[derive(Debug)]
pub(crate) struct Task {
    pub(super) id: Uuid,
    pub(super) owner: UserId,
    pub(super) progress: Progress,
    kind: Kind,
    source: VirtualPath,
    created: Timestamp,
    now: Mutex<Now>,
    over: SetOnce<()>,
    /// Set once the caller no longer waits for its end: from then on its owner sees it in the list.
    left: SetOnce<()>,
}

/// The mutable state.
#[derive(Debug)]
struct Now {
    state: State,
    destination: VirtualPath,
    error: Option<DiskError>,
    finished: Option<Timestamp>,
}

impl Task {
    pub(super) fn new(Job { owner, kind, source, destination, awaited }: Job, created: Timestamp) -> Self {
        let task = Self {
            id: Uuid::now_v7(),
            owner,
            progress: Progress::default(),
            kind,
            source,
            created,
            now: Mutex::new(Now { state: State::Queued, destination, error: None, finished: None }),
            over: SetOnce::new(),
            left: SetOnce::new(),
        };
        if !awaited {
            task.leave();
        }
        task
    }

    /// A task that an earlier process left running: it failed at `now`, and nothing of it is left.
    pub(super) fn interrupted(kept: KeptTask, now: Timestamp) -> Self {
        let KeptTask { id, owner, kind, source, destination, created } = kept;
        let job = Job { owner, kind, source, destination, awaited: false };
        let task = Self { id, ..Self::new(job, created) };
        task.end(Err(DiskError::conflict(Reason::Interrupted)), now);
        task
    }

    /// The fields that are stored.
    pub(super) fn kept(&self) -> KeptTask {
        KeptTask {
            id: self.id,
            owner: self.owner,
            kind: self.kind,
            source: self.source.clone(),
            destination: self.now().destination.clone(),
            created: self.created,
        }
    }

    fn now(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn finished(&self) -> Option<Timestamp> {
        self.now().finished
    }

    pub(super) fn begin(&self) {
        self.now().state = State::Running;
    }

    /// The work has ended: at this place, or with an error.
    pub(super) fn end(&self, result: DiskResult<VirtualPath>, at: Timestamp) {
        let cancelled = self.progress.check().is_err();
        {
            let mut now = self.now();
            now.finished = Some(at);
            match result {
                Ok(path) => {
                    now.state = State::Done;
                    now.destination = path;
                    self.progress.expect(self.progress.bytes_done());
                }
                Err(_) if cancelled => now.state = State::Cancelled,
                Err(error) => {
                    now.state = State::Failed;
                    now.error = Some(error);
                }
            }
        }
        // It ends once; a second time would change nothing.
        let _ = self.over.set(());
    }

    /// Waits until it has ended.
    pub(super) async fn over(&self) {
        self.over.wait().await;
    }

    /// The outcome, for the caller who waited; `None` while it runs, and when it was cancelled.
    pub(super) fn take_outcome(&self) -> Option<DiskResult<VirtualPath>> {
        let mut now = self.now();
        match now.state {
            State::Done => Some(Ok(now.destination.clone())),
            State::Failed => now.error.take().map(Err),
            State::Queued | State::Running | State::Cancelled => None,
        }
    }

    pub(super) fn is_awaited(&self) -> bool {
        self.left.get().is_none()
    }

    /// Lists it like any other from now on.
    pub(super) fn leave(&self) {
        // It is left once; a second time would change nothing.
        let _ = self.left.set(());
    }

    /// Waits until the caller no longer waits for its end.
    pub(super) async fn left(&self) {
        self.left.wait().await;
    }

    pub(super) fn view(&self) -> TaskView {
        let now = self.now();
        TaskView {
            id: self.id.to_string(),
            kind: self.kind,
            state: now.state,
            source: self.source.to_string(),
            destination: now.destination.to_string(),
            bytes_done: self.progress.bytes_done(),
            bytes_total: self.progress.bytes_total(),
            entries_done: self.progress.entries_done(),
            entries_skipped: self.progress.entries_skipped(),
            error: now.error.as_ref().map(told),
            reason: now.error.as_ref().and_then(DiskError::reason),
            created: self.created,
            finished: now.finished,
        }
    }
}

/// A task at one moment.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TaskView {
    id: String,
    kind: Kind,
    state: State,
    /// What is copied, moved, unpacked or packed, from the owner's root; the folder when it is
    /// several things.
    source: String,
    /// Where it goes, or lies in the end.
    destination: String,
    /// Bytes copied, or bytes of the archive read or written.
    bytes_done: u64,
    /// As far as it is known.
    bytes_total: u64,
    /// Files, folders and links that were copied, unpacked or packed.
    entries_done: u64,
    /// Entries of an archive that were left out because they are unsafe or not files: names that
    /// lead out, links that do, devices and the like.
    entries_skipped: u64,
    /// Why it failed: a status line like those of the API's refusals.
    error: Option<String>,
    /// The reason in that line.
    reason: Option<Reason>,
    created: Timestamp,
    finished: Option<Timestamp>,
}
