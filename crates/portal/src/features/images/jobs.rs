//! Running jobs. Progress is written to the database every few seconds and at the end. A job that a stop or crash
//! interrupted is marked as interrupted, not started again: the engine's progress is unknown.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use db_kit::Db;
use engine::Resources;
use futures_util::future::BoxFuture;
use http_kit::ApiResult;
use tokio::sync::{Semaphore, watch};
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::log::Log;
use super::model_jobs::{Job, JobKind, JobState};
use super::store_jobs;
use super::work;
use crate::Portal;
use crate::features::peers::{Heard, Word};

const NOTED_EVERY: Duration = Duration::from_secs(3);
pub(super) const BROKEN_OFF: &str = "服务重启，任务已中断，请重新发起";

/// How much of a server, given by its id, a build may use: what is left there, which upper storeys know.
pub(crate) type BuildRoom = for<'a> fn(&'a Db, &'a str) -> BoxFuture<'a, ApiResult<Resources>>;

/// All jobs of this process.
#[derive(Debug)]
pub(crate) struct Jobs {
    pub(super) room: BuildRoom,
    running: Mutex<HashMap<String, Arc<Running>>>,
    /// Serializes the builds of each server.
    turns: Mutex<HashMap<String, Arc<Semaphore>>>,
    tasks: TaskTracker,
    stopping: CancellationToken,
}

/// A running job's state in memory.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) cancelled: CancellationToken,
    progress: Mutex<Progress>,
    log: watch::Sender<Log>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    percent: Option<i64>,
    bytes: i64,
}

/// Why a job did not end well.
#[derive(Debug)]
pub(super) enum Halt {
    Cancelled,
    /// In words for its owner.
    Failed(String),
    Broken(http_kit::ApiError),
}

impl<E: Into<http_kit::ApiError>> From<E> for Halt {
    fn from(error: E) -> Self {
        Self::Broken(error.into())
    }
}

impl Running {
    fn progress(&self) -> MutexGuard<'_, Progress> {
        // Numbers are written at once: a panic elsewhere leaves nothing half done.
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn note(&self, percent: Option<i64>, bytes: i64) {
        *self.progress() = Progress { percent, bytes };
    }

    /// Everything is transferred, or was there already.
    pub(super) fn note_whole(&self) {
        self.progress().percent = Some(100);
    }

    pub(super) fn say(&self, text: &str) {
        self.log.send_modify(|log| log.push(text));
    }

    /// Follows the output from now on.
    pub(super) fn listen(&self) -> watch::Receiver<Log> {
        self.log.subscribe()
    }

    /// Copies the present progress into a job's row.
    pub(super) fn fill(&self, job: &mut Job) {
        let Progress { percent, bytes } = *self.progress();
        (job.percent, job.bytes) = (percent, bytes);
        self.log.borrow().text().clone_into(&mut job.log);
    }
}

impl Jobs {
    pub(crate) fn new(room: BuildRoom) -> Self {
        Self {
            room,
            running: Mutex::default(),
            turns: Mutex::default(),
            tasks: TaskTracker::new(),
            stopping: CancellationToken::new(),
        }
    }

    fn all(&self) -> MutexGuard<'_, HashMap<String, Arc<Running>>> {
        // Each critical section is one insertion or removal, so a poisoned lock leaves nothing half done.
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn running(&self, id: &str) -> Option<Arc<Running>> {
        self.all().get(id).cloned()
    }

    /// Ends a job, if it runs here.
    fn cancel(&self, id: &str) {
        if let Some(running) = self.running(id) {
            running.cancelled.cancel();
        }
    }

    /// Until the process is about to end.
    pub(super) async fn stopping(&self) {
        self.stopping.cancelled().await;
    }

    fn turn(&self, server: &str) -> Arc<Semaphore> {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(turns.entry(server.to_owned()).or_insert_with(|| Arc::new(Semaphore::new(1))))
    }

    /// Begins a job that was written down.
    pub(super) fn start(&self, portal: &Portal, job: Job) {
        let running = Arc::new(Running {
            cancelled: self.stopping.child_token(),
            progress: Mutex::default(),
            log: watch::Sender::new(Log::default()),
        });
        self.all().insert(job.id.clone(), Arc::clone(&running));
        let portal = portal.clone();
        self.tasks.spawn(async move {
            let id = job.id.clone();
            if let Err(error) = run(&portal, &running, job).await {
                tracing::error!(job.id = id, %error, "a job's end could not be written down");
            }
            portal.jobs().all().remove(&id);
        });
    }
}

/// Ends a job that is to be cancelled at another portal's request.
pub(crate) fn hear_peers(portal: &Portal, heard: Heard<'_>) {
    if let Heard::Word(Word::CancelJob { job }) = heard {
        portal.jobs().cancel(job);
    }
}

impl Portal {
    /// Ends all jobs on images and writes down that they were broken off.
    pub async fn stop_jobs(&self) {
        self.jobs().stopping.cancel();
        self.finish_jobs().await;
    }

    /// Waits until no job runs.
    pub async fn finish_jobs(&self) {
        let tasks = &self.jobs().tasks;
        tasks.close();
        tasks.wait().await;
        tasks.reopen();
    }
}

/// Does the job and writes down how it ended.
async fn run(portal: &Portal, running: &Running, mut job: Job) -> ApiResult<()> {
    let turn = portal.jobs().turn(&job.server);
    let waits = job.kind == JobKind::Build;
    let wait = async { if waits { turn.acquire().await.ok() } else { None } };
    let turn = tokio::select! {
        () = running.cancelled.cancelled() => Err(Halt::Cancelled),
        turn = wait => Ok(turn),
    };
    let ended = match turn {
        Ok(_turn) => {
            begin(portal, &mut job).await?;
            let mut noted = job.clone();
            tokio::select! {
                ended = work::run(portal, running, &job) => ended,
                never = keep_noting(portal, running, &mut noted) => match never {},
            }
        }
        Err(halt) => Err(halt),
    };
    let stopping = portal.jobs().stopping.is_cancelled();
    (job.state, job.error) = match ended {
        Ok(()) => (JobState::Done, String::new()),
        Err(Halt::Cancelled) if stopping => (JobState::Failed, BROKEN_OFF.to_owned()),
        Err(Halt::Cancelled) => (JobState::Cancelled, String::new()),
        Err(Halt::Failed(words)) => (JobState::Failed, words),
        Err(Halt::Broken(error)) => {
            tracing::error!(job.id = job.id, %error, "job failed");
            (JobState::Failed, error.message().to_owned())
        }
    };
    if !job.error.is_empty() {
        running.say(&format!("{}\n", job.error));
    }
    running.fill(&mut job);
    let now = portal.now();
    job.ended = Some(now);
    let tx = portal.db().begin().await?;
    store_jobs::end(&tx, &job, now).await?;
    tx.commit().await?;
    Ok(())
}

/// Takes the job's lease.
async fn begin(portal: &Portal, job: &mut Job) -> ApiResult<()> {
    let now = portal.now();
    (job.state, job.started) = (JobState::Running, Some(now));
    let tx = portal.db().begin().await?;
    if !store_jobs::begin(&tx, job, portal.id(), now).await? {
        tracing::warn!(job.id = job.id, "a job was swept as broken off before it began");
    }
    tx.commit().await?;
    Ok(())
}

async fn keep_noting(portal: &Portal, running: &Running, job: &mut Job) -> std::convert::Infallible {
    let mut tick = interval(NOTED_EVERY);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    tick.tick().await;
    loop {
        tick.tick().await;
        let noted = job.clone();
        running.fill(job);
        if *job == noted {
            continue;
        }
        if let Err(error) = note(portal, running, job).await {
            tracing::warn!(job.id = job.id, %error, "a job's progress could not be written down");
        }
    }
}

async fn note(portal: &Portal, running: &Running, job: &mut Job) -> ApiResult<()> {
    running.fill(job);
    let tx = portal.db().begin().await?;
    store_jobs::note(&tx, job).await?;
    tx.commit().await?;
    Ok(())
}
