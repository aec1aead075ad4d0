//! A duty's definition, and the record of its runs.

use std::time::Duration;

use kernel::Timestamp;

/// Where a duty runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// In the leader only, of several processes on a database.
    Leader,
    /// In every process.
    EveryProcess,
}

/// A description of work that runs by itself.
#[derive(Debug, PartialEq, Eq)]
pub struct Duty {
    /// Stable name in the API, in metrics and in the log, such as `usage-ledger`.
    pub name: &'static str,
    /// Name for people, in Chinese.
    pub title: &'static str,
    /// A description for people, in Chinese.
    pub description: &'static str,
    /// From the end of a run to the beginning of the next one, unless the duty is activated earlier.
    pub period: Duration,
    /// Where it runs.
    pub scope: Scope,
    /// Destroys or charges something by the wall clock: paused while the clock is not trusted.
    pub needs_trusted_clock: bool,
}

/// A run that ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// When it began.
    pub started: Timestamp,
    /// How long it took.
    pub took: Duration,
    /// The failure's reason; `None` when it succeeded.
    pub error: Option<String>,
}

/// A subject, such as a server, whose last run of a duty failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailingSubject {
    /// The subject's id.
    pub subject: String,
    /// Why its last run failed.
    pub error: String,
}

/// A process's record of one of its duties.
#[derive(Clone, Debug)]
pub struct DutyReport {
    /// The duty.
    pub duty: &'static Duty,
    /// Whether it is at work in this process: a leader's duty is not where another process leads.
    pub active: bool,
    /// Subjects that it runs for, such as servers; 0 for a duty without any.
    pub subjects: usize,
    /// Since when a run is going on, of the longest of several.
    pub running_since: Option<Timestamp>,
    /// The run that ended last.
    pub last: Option<Run>,
    /// When the next run begins, of the earliest of several.
    pub next: Option<Timestamp>,
    /// It would have run, but the clock is not trusted.
    pub held: bool,
    /// Runs since the process started.
    pub runs: u64,
    /// The number of failed runs.
    pub failures: u64,
    /// Subjects whose last run failed.
    pub failing: Vec<FailingSubject>,
}
