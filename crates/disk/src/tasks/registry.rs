//! The tasks that are waiting, running, or finished a while ago.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use background::DEFAULT_LEASE;
use db_kit::{Db, DbResult};
use disk_core::blocking::blocking;
use disk_core::error::{DiskError, DiskResult};
use disk_core::jail::VirtualPath;
use disk_core::progress::Progress;
use disk_core::reason::Reason;
use kernel::{Clock, Timestamp, UserId};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use uuid::Uuid;

use super::Kind;
use super::store::{self, BrokenTasks, KeptTask};
use super::task::Task;

/// Concurrent tasks of all people: more would only make each slower.
const AT_ONCE: usize = 4;
/// Concurrent tasks of one person, so that others get their turn.
const AT_ONCE_EACH: usize = 2;
/// Maximum number of unfinished tasks of one person.
const MOST_EACH: usize = 100;
/// Maximum number of finished tasks of one person that are kept.
const MOST_FINISHED_EACH: usize = 500;
/// Time for which finished tasks are kept.
const KEPT_FOR: Duration = Duration::from_secs(60 * 60);

/// The work of a task, and its owner.
pub(crate) struct Job {
    pub(crate) owner: UserId,
    pub(crate) kind: Kind,
    pub(crate) source: VirtualPath,
    pub(crate) destination: VirtualPath,
    /// The caller waits for it: `Tasks::end_within` follows, and until that returns the task is not listed.
    pub(crate) awaited: bool,
}

/// All tasks.
#[derive(Debug)]
pub(crate) struct Tasks {
    clock: Arc<dyn Clock>,
    book: Book,
    /// By id, which is by age.
    all: Mutex<BTreeMap<Uuid, Arc<Task>>>,
    turns: Arc<Semaphore>,
    turns_each: Mutex<HashMap<UserId, Arc<Semaphore>>>,
    running: TaskTracker,
}

/// Access to the rows of long tasks, by which a restart finds those that it interrupted.
#[derive(Clone, Debug)]
struct Book {
    db: Db,
    runner: String,
    stopping: CancellationToken,
}

impl Book {
    /// Continues without a row: the work matters more than a notice after a restart.
    async fn begin(&self, task: &Task, now: Timestamp) {
        if let Err(error) = store::begin(&self.db, &task.kept(), &self.runner, now).await {
            tracing::warn!(task.id = %task.id, %error, "a task could not be written down");
        }
    }

    async fn end(&self, task: &Task) {
        // A task that the stop cancels is reported after the restart.
        if self.stopping.is_cancelled() && task.progress.check().is_err() {
            return;
        }
        if let Err(error) = store::end(&self.db, task.id).await {
            tracing::warn!(task.id = %task.id, %error, "a task's end could not be written down");
        }
    }
}

impl Tasks {
    /// `runner` names this process, the same at every start, among all that share the database.
    pub(crate) fn new(clock: Arc<dyn Clock>, db: Db, runner: String) -> Self {
        Self {
            clock,
            book: Book { db, runner, stopping: CancellationToken::new() },
            all: Mutex::default(),
            turns: Arc::new(Semaphore::new(AT_ONCE)),
            turns_each: Mutex::default(),
            running: TaskTracker::new(),
        }
    }

    /// Reports tasks that an earlier process left running to their owners.
    pub(crate) async fn recall(&self) -> DbResult<()> {
        let BrokenTasks { taken, unreadable } = store::take_broken(&self.book.db, &self.book.runner, None).await?;
        // The disk starts all the same: such a row is left by a later version that was rolled back.
        for error in unreadable {
            tracing::error!(error = format!("{:#}", anyhow::Error::new(error)), "an interrupted task cannot be read");
        }
        self.adopt(taken);
        Ok(())
    }

    /// Renews the leases of this process's tasks, and reports those of processes that are gone to their owners.
    pub(crate) async fn sweep(&self) -> DbResult<()> {
        let (book, now) = (&self.book, self.clock.now());
        store::renew(&book.db, &book.runner, now).await?;
        let since = Some(now.minus(DEFAULT_LEASE));
        let BrokenTasks { taken, unreadable } = store::take_broken(&book.db, &book.runner, since).await?;
        self.adopt(taken);
        unreadable.into_iter().next().map_or(Ok(()), Err)
    }

    fn adopt(&self, broken: Vec<KeptTask>) {
        let now = self.clock.now();
        let tasks = broken.into_iter().map(|kept| Arc::new(Task::interrupted(kept, now)));
        self.all().extend(tasks.map(|task| (task.id, task)));
    }

    /// Cancels all and waits until they have cleaned up after themselves.
    pub(crate) async fn stop(&self) {
        self.book.stopping.cancel();
        for task in self.all().values() {
            task.progress.token().cancel();
        }
        self.running.close();
        self.running.wait().await;
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<Uuid, Arc<Task>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues the work. It runs on a blocking thread, and returns the path of its result. 423 when this person has too
    /// many waiting tasks.
    pub(crate) fn start<W>(&self, job: Job, work: W) -> DiskResult<Arc<Task>>
    where
        W: FnOnce(&Progress) -> DiskResult<VirtualPath> + Send + 'static,
    {
        let now = self.clock.now();
        let task = Arc::new(Task::new(job, now));
        {
            let mut all = self.all();
            forget_old(&mut all, now);
            let (finished, waiting): (Vec<_>, Vec<_>) =
                all.values().filter(|other| other.owner == task.owner).partition(|task| task.finished().is_some());
            let (waiting, oldest) = (waiting.len(), finished.first().map(|task| task.id));
            if let Some(oldest) = oldest.filter(|_| finished.len() >= MOST_FINISHED_EACH) {
                all.remove(&oldest);
            }
            if waiting >= MOST_EACH || self.book.stopping.is_cancelled() {
                return Err(DiskError::Busy);
            }
            all.insert(task.id, Arc::clone(&task));
        }
        let mut each = self.turns_each.lock().unwrap_or_else(PoisonError::into_inner);
        let own = each.entry(task.owner).or_insert_with(|| Arc::new(Semaphore::new(AT_ONCE_EACH)));
        let turns = [Arc::clone(own), Arc::clone(&self.turns)];
        let (book, clock) = (self.book.clone(), Arc::clone(&self.clock));
        self.running.spawn(run(Arc::clone(&task), turns, clock, book, work));
        Ok(task)
    }

    /// Waits for a task and returns its outcome; then the task is forgotten, as its caller has the result. `None` if it
    /// did not end in time or was cancelled.
    pub(crate) async fn end_within(&self, task: &Task, patience: Duration) -> Option<DiskResult<VirtualPath>> {
        let _waiting = Waiting(task);
        if patience.is_zero() || tokio::time::timeout(patience, task.over()).await.is_err() {
            return None;
        }
        let outcome = task.take_outcome()?;
        self.all().remove(&task.id);
        Some(outcome)
    }

    /// The tasks of one person, or of all; the newest first.
    pub(super) fn list(&self, of: Option<UserId>) -> Vec<Arc<Task>> {
        let mut all = self.all();
        forget_old(&mut all, self.clock.now());
        let seen = |task: &&Arc<Task>| !task.is_awaited() && of.is_none_or(|owner| task.owner == owner);
        all.values().rev().filter(seen).cloned().collect()
    }

    pub(super) fn one(&self, id: &str, of: Option<UserId>) -> DiskResult<Arc<Task>> {
        let id = Uuid::try_parse(id).map_err(|_| DiskError::NotFound)?;
        let task = self.all().get(&id).cloned();
        task.filter(|task| of.is_none_or(|owner| task.owner == owner)).ok_or(DiskError::NotFound)
    }

    /// Cancels an unfinished task, or forgets a finished one.
    pub(super) fn remove(&self, task: &Task) {
        if task.finished().is_some() {
            self.all().remove(&task.id);
        } else {
            task.progress.token().cancel();
        }
    }
}

/// Held while the caller waits for a task; the caller may be dropped at any time.
struct Waiting<'a>(&'a Task);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.leave();
    }
}

fn forget_old(all: &mut BTreeMap<Uuid, Arc<Task>>, now: Timestamp) {
    all.retain(|_, task| task.finished().is_none_or(|at| at.plus(KEPT_FOR) > now));
}

async fn run<W>(task: Arc<Task>, turns: [Arc<Semaphore>; 2], clock: Arc<dyn Clock>, book: Book, work: W)
where
    W: FnOnce(&Progress) -> DiskResult<VirtualPath> + Send + 'static,
{
    let mut worked = std::pin::pin!(work_in_turn(&task, turns, work));
    let mut noted = false;
    let result = loop {
        tokio::select! {
            biased;
            result = &mut worked => break result,
            () = task.left(), if !noted => {
                book.begin(&task, clock.now()).await;
                noted = true;
            }
        }
    };
    if noted {
        book.end(&task).await;
    }
    task.end(result, clock.now());
}

async fn work_in_turn<W>(task: &Arc<Task>, turns: [Arc<Semaphore>; 2], work: W) -> DiskResult<VirtualPath>
where
    W: FnOnce(&Progress) -> DiskResult<VirtualPath> + Send + 'static,
{
    let cancelled = task.progress.token().clone();
    let [own, everybodys] = turns;
    // The person's own turn first, so that a queued person holds no place that others could use.
    let turn = async { (own.acquire_owned().await, everybodys.acquire_owned().await) };
    let _turn = match cancelled.run_until_cancelled(turn).await {
        Some((Ok(own), Ok(everybodys))) => (own, everybodys),
        _ => return Err(DiskError::conflict(Reason::Cancelled)),
    };
    task.begin();
    let working = Arc::clone(task);
    let result = blocking(move || work(&working.progress)).await;
    if let Err(DiskError::Internal(error)) = &result {
        tracing::error!(task.id = %task.id, error = format!("{error:#}"), "a task failed");
    }
    result
}
