//! The log of all duties of a process: pure bookkeeping behind a lock.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use kernel::Timestamp;
use tokio::sync::Notify;

use crate::duty::{Duty, DutyReport, FailingSubject, Run};

/// The runs of one duty, by subject. A duty without subjects has the subject "".
#[derive(Debug)]
pub(crate) struct Entry {
    duty: &'static Duty,
    subjects: BTreeMap<String, Subject>,
    last: Option<Run>,
    runs: u64,
    failures: u64,
}

#[derive(Debug, Default)]
struct Subject {
    activate: Arc<Notify>,
    running_since: Option<Timestamp>,
    next: Option<Timestamp>,
    error: Option<String>,
    held: bool,
}

impl Entry {
    pub(crate) fn new(duty: &'static Duty) -> Self {
        Self { duty, subjects: BTreeMap::new(), last: None, runs: 0, failures: 0 }
    }

    /// Adds a subject; returns the notifier that activates it.
    pub(crate) fn begin_subject(&mut self, subject: &str) -> Arc<Notify> {
        Arc::clone(&self.subjects.entry(subject.to_owned()).or_default().activate)
    }

    pub(crate) fn end_subject(&mut self, subject: &str) {
        self.subjects.remove(subject);
    }

    /// Wakes all subjects; whether there is any.
    pub(crate) fn activate(&self) -> bool {
        self.subjects.values().for_each(|subject| subject.activate.notify_one());
        !self.subjects.is_empty()
    }

    pub(crate) fn begin_run(&mut self, subject: &str, now: Timestamp) {
        if let Some(subject) = self.subjects.get_mut(subject) {
            (subject.running_since, subject.next, subject.held) = (Some(now), None, false);
        }
    }

    /// Records the outcome of a run; returns whether it differs from the previous one.
    pub(crate) fn end_run(&mut self, subject: &str, run: Run, next: Timestamp) -> bool {
        self.runs += 1;
        self.failures += u64::from(run.error.is_some());
        let mut news = true;
        if let Some(subject) = self.subjects.get_mut(subject) {
            (subject.running_since, subject.next) = (None, Some(next));
            news = subject.error != run.error;
            subject.error.clone_from(&run.error);
        }
        self.last = Some(run);
        news
    }

    /// A run that was broken off, as when leadership is lost, has no outcome.
    pub(crate) fn break_off(&mut self, subject: &str) {
        if let Some(subject) = self.subjects.get_mut(subject) {
            subject.running_since = None;
        }
    }

    pub(crate) fn hold(&mut self, subject: &str, next: Timestamp) {
        if let Some(subject) = self.subjects.get_mut(subject) {
            (subject.held, subject.next) = (true, Some(next));
        }
    }

    /// Adopts a run of an earlier process.
    pub(crate) fn recall(&mut self, run: Run) {
        self.last.get_or_insert(run);
    }

    pub(crate) fn report(&self) -> DutyReport {
        let failing = self.subjects.iter().filter_map(|(name, subject)| {
            let error = subject.error.clone()?;
            Some(FailingSubject { subject: name.clone(), error })
        });
        DutyReport {
            duty: self.duty,
            active: !self.subjects.is_empty(),
            subjects: self.subjects.keys().filter(|name| !name.is_empty()).count(),
            running_since: self.subjects.values().filter_map(|subject| subject.running_since).min(),
            last: self.last.clone(),
            next: self.subjects.values().filter_map(|subject| subject.next).min(),
            held: self.subjects.values().any(|subject| subject.held),
            runs: self.runs,
            failures: self.failures,
            failing: failing.collect(),
        }
    }
}

/// Counts a run in the metrics of the process.
pub(crate) fn count(duty: &'static Duty, took: Duration, failed: bool, at: Timestamp) {
    let outcome = if failed { "failed" } else { "done" };
    metrics::counter!("yunlab_duty_runs_total", "duty" => duty.name, "outcome" => outcome).increment(1);
    metrics::histogram!("yunlab_duty_seconds", "duty" => duty.name).record(took.as_secs_f64());
    if !failed {
        #[expect(clippy::cast_precision_loss, reason = "seconds since 1970 fit a float for long")]
        metrics::gauge!("yunlab_duty_last_success_timestamp_seconds", "duty" => duty.name).set(at.as_seconds() as f64);
    }
}
