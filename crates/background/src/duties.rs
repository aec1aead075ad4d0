//! The duties of a process: each runs in a task of its own and leaves its outcome here.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use futures_util::FutureExt;
use kernel::{Clock, Timestamp};
use tokio_util::sync::CancellationToken;

use crate::duty::{Duty, DutyReport, Run};
use crate::log::{self, Entry};

/// All duties of this process. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Duties(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    clock: Arc<dyn Clock>,
    log: Mutex<BTreeMap<&'static str, Entry>>,
}

impl Duties {
    /// Makes an empty register.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self(Arc::new(Inner { clock, log: Mutex::default() }))
    }

    fn log(&self) -> MutexGuard<'_, BTreeMap<&'static str, Entry>> {
        // Every change is whole in itself, so a panic elsewhere leaves nothing half done.
        self.0.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> Timestamp {
        self.0.clock.now()
    }

    /// Registers a duty that runs later, or in another process only.
    pub fn announce(&self, duty: &'static Duty) {
        self.log().entry(duty.name).or_insert_with(|| Entry::new(duty));
    }

    /// Reports of all duties, by name.
    #[must_use]
    pub fn reports(&self) -> Vec<DutyReport> {
        self.log().values().map(Entry::report).collect()
    }

    /// Has a duty run at once; whether it is at work in this process.
    #[must_use]
    pub fn activate(&self, name: &str) -> bool {
        self.log().get(name).is_some_and(Entry::activate)
    }

    /// Has the duties run at once that waited for a trusted clock.
    pub fn activate_held(&self) {
        for entry in self.log().values().filter(|entry| entry.report().held) {
            // A held duty runs here.
            let _ = entry.activate();
        }
    }

    /// Adopts the outcome of a duty's last run in an earlier process. Outcomes of this process are newer and stay.
    pub fn recall(&self, name: &str, run: Run) {
        if let Some(entry) = self.log().get_mut(name) {
            entry.recall(run);
        }
    }

    /// Runs a duty at once and then period after period, or when it is activated, until `stop`. A run that is going on
    /// then is dropped where it waits.
    pub async fn repeat<F>(&self, duty: &'static Duty, stop: CancellationToken, run: impl FnMut() -> F)
    where
        F: Future<Output = anyhow::Result<()>>,
    {
        self.repeat_for(duty, "", stop, run).await;
    }

    /// The same for one of several subjects, such as a server.
    pub async fn repeat_for<F>(
        &self,
        duty: &'static Duty,
        subject: &str,
        stop: CancellationToken,
        mut run: impl FnMut() -> F,
    ) where
        F: Future<Output = anyhow::Result<()>>,
    {
        let attendance = self.attend(duty, subject);
        let repeated = async {
            loop {
                if duty.needs_trusted_clock && self.0.clock.hold().is_some() {
                    attendance.hold();
                } else {
                    attendance.run(run()).await;
                }
                attendance.pause().await;
            }
        };
        tokio::select! { () = stop.cancelled() => {}, () = repeated => {} }
    }

    /// Records the runs of a duty with its own schedule, such as a loop that events wake.
    #[must_use]
    pub fn attend(&self, duty: &'static Duty, subject: &str) -> Attendance {
        let mut log = self.log();
        let activated = log.entry(duty.name).or_insert_with(|| Entry::new(duty)).begin_subject(subject);
        Attendance { duties: self.clone(), duty, subject: subject.to_owned(), activated }
    }
}

/// A duty that runs for one subject, until this is dropped.
#[derive(Debug)]
pub struct Attendance {
    duties: Duties,
    duty: &'static Duty,
    subject: String,
    activated: Arc<tokio::sync::Notify>,
}

impl Attendance {
    fn change<T>(&self, change: impl FnOnce(&mut Entry) -> T) -> Option<T> {
        self.duties.log().get_mut(self.duty.name).map(change)
    }

    /// Executes one run and records its outcome. A panic counts as a failure.
    pub async fn run(&self, work: impl Future<Output = anyhow::Result<()>>) {
        let (started, begun) = (self.duties.now(), Instant::now());
        self.change(|entry| entry.begin_run(&self.subject, started));
        let going_on = GoingOn(self);
        let ended = AssertUnwindSafe(work).catch_unwind().await;
        std::mem::forget(going_on);
        let error = match ended {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(format!("{error:#}")),
            Err(_) => Some("panicked".to_owned()),
        };
        let (took, now) = (begun.elapsed(), self.duties.now());
        log::count(self.duty, took, error.is_some(), now);
        let (run, next) = (Run { started, took, error: error.clone() }, now.plus(self.duty.period));
        // A duty of every few seconds that fails for a day is reported once.
        if self.change(|entry| entry.end_run(&self.subject, run, next)).unwrap_or(true) {
            self.log_outcome(error);
        }
    }

    fn log_outcome(&self, error: Option<String>) {
        let (duty, subject) = (self.duty.name, &self.subject);
        match error {
            Some(error) => tracing::error!(duty, subject, error, "a background duty failed"),
            None => tracing::info!(duty, subject, "a background duty succeeds again"),
        }
    }

    /// Waits until the period is over or the duty is activated.
    pub async fn pause(&self) {
        // Either way the next run is due.
        let _ = tokio::time::timeout(self.duty.period, self.activated()).await;
    }

    /// Waits until a run is requested.
    pub async fn activated(&self) {
        self.activated.notified().await;
    }

    fn hold(&self) {
        let next = self.duties.now().plus(self.duty.period);
        self.change(|entry| entry.hold(&self.subject, next));
    }
}

impl Drop for Attendance {
    fn drop(&mut self) {
        self.change(|entry| entry.end_subject(&self.subject));
    }
}

/// A run that is dropped before its end does not count as going on.
struct GoingOn<'a>(&'a Attendance);

impl Drop for GoingOn<'_> {
    fn drop(&mut self) {
        self.0.change(|entry| entry.break_off(&self.0.subject));
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use anyhow::bail;
    use kernel::{Hold, HoldReason, ManualClock};

    use super::*;
    use crate::Scope;

    const fn duty(name: &'static str, needs_trusted_clock: bool) -> Duty {
        let period = Duration::from_secs(60);
        Duty { name, title: "", description: "", period, scope: Scope::EveryProcess, needs_trusted_clock }
    }

    static STUCK: Duty = duty("stuck", false);
    static FAILS: Duty = duty("fails", false);
    static PANICS: Duty = duty("panics", false);
    static COUNTS: Duty = duty("counts", false);
    static DESTROYS: Duty = duty("destroys", true);

    fn duties() -> Duties {
        Duties::new(Arc::new(ManualClock::new(Timestamp::from_millis(1000))))
    }

    fn report(duties: &Duties, name: &str) -> DutyReport {
        duties.reports().into_iter().find(|report| report.duty.name == name).expect("it is known")
    }

    fn spawn<F>(duties: &Duties, duty: &'static Duty, stop: &CancellationToken, run: impl FnMut() -> F + Send + 'static)
    where
        F: Future<Output = anyhow::Result<()>> + Send,
    {
        let (duties, stop) = (duties.clone(), stop.clone());
        tokio::spawn(async move { duties.repeat(duty, stop, run).await });
    }

    #[tokio::test(start_paused = true)]
    async fn one_that_hangs_fails_or_panics_delays_no_other() {
        let (duties, stop, counted) = (duties(), CancellationToken::new(), Arc::new(AtomicUsize::new(0)));
        spawn(&duties, &STUCK, &stop, pending::<anyhow::Result<()>>);
        spawn(&duties, &FAILS, &stop, async || bail!("the disk is gone"));
        spawn(&duties, &PANICS, &stop, async || panic!("a mistake"));
        let runs = Arc::clone(&counted);
        spawn(&duties, &COUNTS, &stop, move || {
            runs.fetch_add(1, Ordering::SeqCst);
            std::future::ready(Ok(()))
        });
        tokio::time::advance(Duration::from_millis(1)).await;
        for _ in 0..3 {
            tokio::time::advance(Duration::from_secs(60)).await;
            tokio::task::yield_now().await;
        }
        assert!(counted.load(Ordering::SeqCst) >= 3);
        assert!(report(&duties, "stuck").running_since.is_some());
        let failed = |name| report(&duties, name).last.and_then(|run| run.error);
        assert_eq!(failed("fails").as_deref(), Some("the disk is gone"));
        assert_eq!(failed("panics").as_deref(), Some("panicked"));
        assert_eq!(failed("counts"), None);
        assert!(report(&duties, "panics").runs >= 3, "it is tried again");
        stop.cancel();
        tokio::time::advance(Duration::from_millis(1)).await;
        tokio::task::yield_now().await;
        let stuck = report(&duties, "stuck");
        assert_eq!((stuck.active, stuck.running_since), (false, None));
    }

    #[tokio::test(start_paused = true)]
    async fn activated_it_runs_at_once() {
        let (duties, stop) = (duties(), CancellationToken::new());
        assert!(!duties.activate("counts"), "nobody knows it");
        spawn(&duties, &COUNTS, &stop, async || Ok(()));
        tokio::task::yield_now().await;
        assert_eq!(report(&duties, "counts").runs, 1);
        assert!(duties.activate("counts"));
        tokio::task::yield_now().await;
        tokio::task::yield_now().await;
        assert_eq!(report(&duties, "counts").runs, 2);
    }

    /// A clock that is not trusted until it is released.
    #[derive(Debug, Default)]
    struct Distrusted(AtomicUsize);

    impl Clock for Distrusted {
        fn now(&self) -> Timestamp {
            Timestamp::from_millis(0)
        }

        fn hold(&self) -> Option<Hold> {
            let released = self.0.load(Ordering::SeqCst) > 0;
            (!released).then(|| Hold { reason: HoldReason::Jump, since: self.now() })
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_destroys_waits_for_a_trusted_clock() {
        let clock = Arc::new(Distrusted::default());
        let shared: Arc<dyn Clock> = clock.clone();
        let (duties, stop) = (Duties::new(shared), CancellationToken::new());
        spawn(&duties, &DESTROYS, &stop, async || Ok(()));
        spawn(&duties, &COUNTS, &stop, async || Ok(()));
        tokio::task::yield_now().await;
        let held = report(&duties, "destroys");
        assert_eq!((held.held, held.runs), (true, 0));
        assert_eq!(report(&duties, "counts").runs, 1);
        clock.0.store(1, Ordering::SeqCst);
        assert!(duties.activate("destroys"));
        tokio::task::yield_now().await;
        tokio::task::yield_now().await;
        let ran = report(&duties, "destroys");
        assert_eq!((ran.held, ran.runs), (false, 1));
    }

    #[tokio::test(start_paused = true)]
    async fn a_subject_that_fails_is_named_until_it_succeeds() {
        let duties = duties();
        let (good, bad) = (duties.attend(&COUNTS, "gpu01"), duties.attend(&COUNTS, "gpu02"));
        bad.run(async { bail!("no answer") }).await;
        good.run(async { Ok(()) }).await;
        let failing = report(&duties, "counts");
        assert_eq!(failing.subjects, 2);
        let expected = crate::FailingSubject { subject: "gpu02".to_owned(), error: "no answer".to_owned() };
        assert_eq!(failing.failing, [expected]);
        bad.run(async { Ok(()) }).await;
        assert_eq!(report(&duties, "counts").failing, []);
        drop((good, bad));
        assert!(!report(&duties, "counts").active);
    }
}
